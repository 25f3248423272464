//! The kernels against a slow, obvious writer, on random tables.

use crate::support::random::Random;
use crate::support::value::Value;
use crate::support::{batch, column, csv, json, text};
use outpour_cql::{Batch, OutputColumn};
use outpour_sink::{Format, Values};

const TABLES: u64 = 60;

/// More than one block of rows, and no multiple of it.
const ROWS_MAX: usize = 600;

struct Table {
    columns: Vec<OutputColumn>,
    rows: Vec<Vec<Value>>,
}

fn table(seed: u64) -> Table {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15 ^ seed);
    let names = ["id", "a b", "Upper", "q\"uo,te", "é"];
    let depth = random.below(4);
    let columns: Vec<OutputColumn> =
        names.iter().map(|name| column(name, random.cql_type(depth))).collect();
    // Some tables have no null at all.
    let rarity = [4, 30, usize::MAX][random.below(3)];
    let mut row = |_| columns.iter().map(|c| random.value(&c.cql_type, rarity)).collect();
    let rows = (0..1 + seed as usize * 7 % ROWS_MAX).map(&mut row).collect();
    Table { columns, rows }
}

/// In three batches, of which two are slices of a larger one.
fn batches(table: &Table) -> [Batch; 3] {
    let (rows, whole) = (table.rows.len(), batch(&table.columns, &table.rows));
    let (a, b) = (rows / 3, rows / 2);
    let last = whole.slice(a..rows).slice(b - a..rows - a);
    [whole.slice(0..a), batch(&table.columns, &table.rows[a..b]), last]
}

fn check(format: Format, expected: impl Fn(&Table) -> String) {
    for seed in 0..TABLES {
        let table = table(seed);
        let got = text(format, Values::Text, &table.columns, &batches(&table));
        let expected = expected(&table);
        for (row, (got, expected)) in got.lines().zip(expected.lines()).enumerate() {
            assert_eq!(got, expected, "seed {seed}, line {row}, {:?}", table.columns);
        }
        assert_eq!(got, expected, "seed {seed}");
    }
}

#[test]
fn json_lines() {
    check(Format::JsonLines, |table| {
        table.rows.iter().map(|row| json::row(&table.columns, row) + "\n").collect()
    });
}

#[test]
fn json_array() {
    check(Format::Json, |table| {
        let rows: Vec<String> =
            table.rows.iter().map(|row| json::row(&table.columns, row)).collect();
        format!("[\n{}\n]\n", rows.join(",\n"))
    });
}

#[test]
fn csv_lines() {
    check(Format::Csv, |table| {
        let header = r#"id,a b,Upper,"q\"uo,te",é"#;
        let lines = table.rows.iter().map(|row| csv::row(&table.columns, row) + "\r\n");
        format!("{header}\r\n{}", lines.collect::<String>())
    });
}
