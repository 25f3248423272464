//! Functions stay short enough to be seen at once.

use crate::code;
use crate::repository::Source;

const LINES_MAX: usize = 70;
/// A function of more lines than this is an exception.
const LINES_USUAL: usize = 40;

pub(crate) fn check(file: &Source) -> Vec<String> {
    let long = lengths(&file.code).into_iter().filter(|function| function.lines > LINES_MAX);
    long.map(|function| {
        let Function { line, lines, name } = function;
        format!("{}:{line}: {name} has {lines} lines, more than {LINES_MAX}", file.path)
    })
    .collect()
}

/// How long the functions of these files are, in a line.
pub(crate) fn summary(files: &[Source]) -> String {
    let functions = files.iter().flat_map(|file| lengths(&file.code));
    let mut lines: Vec<_> = functions.map(|function| function.lines).collect();
    lines.sort_unstable();
    let median = lines.get(lines.len() / 2).copied().unwrap_or(0);
    let long = lines.iter().filter(|len| **len > LINES_USUAL).count();
    let share = 100.0 * long as f64 / lines.len().max(1) as f64;
    format!(
        "{} functions, median {median} lines, {long} ({share:.1} %) over {LINES_USUAL}",
        lines.len()
    )
}

struct Function {
    line: usize,
    lines: usize,
    name: String,
}

/// The functions of masked code that have a body.
fn lengths(code: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let is_word = code[..at].ends_with(|char: char| !char.is_whitespace() && char != '(');
        let Some(end) = code::item_end(code, at).filter(|_| !is_word) else { continue };
        let item = &code[at..end];
        if item.ends_with('}') {
            let line = code[..at].matches('\n').count() + 1;
            let lines = item.matches('\n').count() + 1;
            functions.push(Function { line, lines, name: name(item) });
        }
    }
    functions
}

fn name(item: &str) -> String {
    let after = item.trim_start_matches("fn ").trim_start();
    after.split(['(', '<']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, usize, usize)> {
        let functions = lengths(&code::mask(text)).into_iter();
        functions.map(|function| (function.name, function.line, function.lines)).collect()
    }

    #[test]
    fn lengths_are_counted_from_the_name_to_the_closing_brace() {
        let text = "impl X {\n    pub(crate) fn a<'a>(\n    ) {\n        x {}\n    }\n}\nconst fn b() {}\n";
        assert_eq!(found(text), [("a".to_owned(), 2, 4), ("b".to_owned(), 7, 1)]);
    }

    #[test]
    fn braces_in_literals_and_declarations_do_not_count() {
        let text = "trait T {\n    fn a(&self) -> [u8; 2];\n}\nfn b() {\n    \"}\";\n    '}'; // }\n}\ntype F = fn (u8);";
        assert_eq!(found(text), [("b".to_owned(), 4, 4)]);
    }

    #[test]
    fn a_function_inside_another_counts_in_both() {
        let text = "fn a() {\n    fn b() {\n    }\n}";
        assert_eq!(found(text), [("a".to_owned(), 1, 4), ("b".to_owned(), 2, 2)]);
    }

    #[test]
    fn the_limit_is_held() {
        let of_lines = |lines: usize| {
            Source::new("f.rs", &format!("fn long() {{\n{}}}", "    x();\n".repeat(lines - 2)))
        };
        assert_eq!(check(&of_lines(70)).len(), 0);
        assert_eq!(check(&of_lines(71)), ["f.rs:1: long has 71 lines, more than 70"]);
        assert_eq!(summary(&[of_lines(70)]), "1 functions, median 70 lines, 1 (100.0 %) over 40");
    }
}
