//! Functions stay short enough to be seen at once.

use crate::repository::Source;

const LINES_MAX: usize = 70;

pub(crate) fn check(file: &Source) -> Vec<String> {
    lengths(&file.text)
        .into_iter()
        .filter(|function| function.lines > LINES_MAX)
        .map(|function| {
            let Function { line, lines, name } = function;
            format!("{}:{line}: {name} has {lines} lines, more than {LINES_MAX}", file.path)
        })
        .collect()
}

struct Function {
    line: usize,
    lines: usize,
    name: String,
}

/// Functions and their lengths, by indentation: rustfmt closes each at the column it opens at.
fn lengths(text: &str) -> Vec<Function> {
    let lines: Vec<_> = text.lines().collect();
    let mut functions = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let closing = format!("{indent}}}");
        let is_end = |line: &&str| **line == closing || line.trim_end().ends_with("{}");
        let len = lines[start..].iter().position(is_end).map_or(1, |len| len + 1);
        functions.push(Function { line: start + 1, lines: len, name });
    }
    functions
}

fn function_name(line: &str) -> Option<String> {
    let words: Vec<_> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "fn")?;
    let is_modifier = |word: &&str| {
        word.starts_with("pub") || matches!(*word, "const" | "unsafe" | "async" | "extern")
    };
    if !words[..at].iter().all(is_modifier) {
        return None;
    }
    let name = words.get(at + 1)?.split(['(', '<']).next()?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_counted_to_the_closing_brace() {
        let body = "        x();\n".repeat(69);
        let text = format!(
            "impl X {{\n    pub(crate) fn long(\n    ) {{\n{body}    }}\n}}\nfn short() {{}}\n"
        );
        let found = lengths(&text);
        assert_eq!((found[0].name.as_str(), found[0].lines, found[0].line), ("long", 72, 2));
        assert_eq!((found[1].name.as_str(), found[1].lines), ("short", 1));
        let file = Source { path: "f.rs".into(), text };
        assert_eq!(check(&file).len(), 1);
    }
}
