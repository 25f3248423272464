//! `testdata/csv`: what we write of a table says the same as what cqlsh wrote of it, but for the
//! differences that its MANIFEST lists.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Cases with the field names that cqlsh lost.
const CASES: [(&str, &[(&str, &str)]); 12] = [
    ("collections_nb", &[]),
    ("column_order_nb", &[]),
    ("counters_nb", &[]),
    ("empty_vs_null_nb", &[]),
    ("own_empties", &[("B c", "field_1_")]),
    ("own_nested", &[("B c", "field_1_")]),
    ("own_numbers", &[]),
    ("own_texts", &[]),
    ("statics_nb", &[]),
    ("types_nested_nb", &[("_type", "field_1_"), ("Weird Name", "field_2_")]),
    ("types_scalar_nb", &[]),
    ("vector_float_nb", &[]),
];

/// Columns that hold floats, which have fewer digits than cqlsh's text.
const FLOATS: [&str; 3] = ["f", "fl", "v"];

/// A field, and whether it was quoted.
type Cell = (String, bool);

/// Rows with their cells by the column's name; partitions in the order of their keys.
fn rows(path: &Path) -> Vec<BTreeMap<String, Cell>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.split_terminator("\r\n").map(cells);
    let header: Vec<String> = lines.next().unwrap().into_iter().map(|(name, _)| name).collect();
    let mut rows: Vec<BTreeMap<_, _>> = lines
        .map(|cells| {
            assert_eq!(cells.len(), header.len(), "{cells:?}");
            header.iter().cloned().zip(cells).collect()
        })
        .collect();
    let key = ["id", "pk"].into_iter().find(|key| header.iter().any(|name| name == key)).unwrap();
    rows.sort_by_key(|row| row[key].0.parse::<i32>().unwrap());
    rows
}

/// The fields of a line: `\` takes the next character as it is.
fn cells(line: &str) -> Vec<Cell> {
    let mut cells = vec![Cell::default()];
    let (mut inside, mut characters) = (false, line.chars());
    while let Some(character) = characters.next() {
        let cell = cells.last_mut().unwrap();
        match character {
            '\\' => cell.0.push(characters.next().unwrap()),
            '"' => (inside, cell.1) = (!inside, true),
            ',' if !inside => cells.push(Cell::default()),
            _ => cell.0.push(character),
        }
    }
    assert!(!inside, "{line}");
    cells
}

/// The words between the punctuation of literals.
fn words(text: &str) -> Vec<&str> {
    text.split_inclusive(['[', ']', '{', '}', '(', ')', ',', ' ', '\'']).collect()
}

fn is_same(ours: &str, theirs: &str, is_float: bool) -> bool {
    ours == theirs
        || is_same_number(ours, theirs, is_float)
        || ours.replace("0001-01-01", "1-01-01") == theirs
        || ours.replace(":59.999+0000", ":59.998+0000") == theirs
}

/// Their text, with digits to spare, is of the same float or double.
fn is_same_number(ours: &str, theirs: &str, is_float: bool) -> bool {
    let number = |word: &str| word.trim_end_matches([',', ']', '}', ')']).parse::<f64>().ok();
    let Some((ours, theirs)) = number(ours).zip(number(theirs)) else { return false };
    ours == theirs || is_float && ours as f32 == theirs as f32
}

/// Our text as cqlsh writes it: it loses names, and an empty value is nothing if it is no text.
fn lose(text: &str, lost_names: &[(&str, &str)]) -> String {
    let lose = |text: String, (name, lost): &(&str, &str)| {
        text.replace(&format!("{name}: "), &format!("{lost}: "))
    };
    lost_names.iter().fold(text.replace("''", ""), lose)
}

fn check(case: &str, lost_names: &[(&str, &str)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/csv");
    let ours = rows(&folder.join(format!("{case}.csv")));
    let theirs = rows(&folder.join(format!("cqlsh/{case}.csv")));
    assert_eq!(ours.len(), theirs.len(), "{case}");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert!(ours.keys().eq(theirs.keys()), "{case}");
        for ((name, (our_text, _)), (their_text, _)) in ours.iter().zip(theirs.values()) {
            let (ours, theirs) = (lose(our_text, lost_names), lose(their_text, &[]));
            let (ours, theirs) = (words(&ours), words(&theirs));
            let same = |(a, b): (&&str, &&str)| is_same(a, b, FLOATS.contains(&name.as_str()));
            assert!(
                ours.len() == theirs.len() && ours.iter().zip(&theirs).all(same),
                "{case}, {name}: {our_text} is not {their_text}"
            );
        }
    }
}

#[test]
fn differences_are_those_listed() {
    for (case, lost_names) in CASES {
        check(case, lost_names);
    }
}

#[test]
fn null_and_empty_are_told_apart() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/csv");
    let rows = rows(&folder.join("empty_vs_null_nb.csv"));
    for (row, quoted) in [(&rows[0], true), (&rows[1], false)] {
        for (name, cell) in row.iter().filter(|(name, _)| !["id", "bl"].contains(&name.as_str())) {
            assert_eq!(*cell, (String::new(), quoted), "{name}");
        }
    }
}
