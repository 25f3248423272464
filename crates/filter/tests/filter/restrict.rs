//! Restrictions beside the rows: none leaves out a row that the condition is true of, and what is answered
//! to be exact holds of all rows that are left.

use std::cmp::Ordering;

use outpour_cql::{Comparator, Partitioner, Schema, Table};
use outpour_filter::{Answer, ClusteringBound, Predicate, Restriction};

use crate::cells::Cell;
use crate::oracle;
use crate::random::Random;

const SCHEMA: &str = "CREATE KEYSPACE ks WITH replication = {'class': 'X'};
    CREATE TABLE ks.t (c0 int, c1 text, c2 int, c3 decimal, c4 int, c5 int,
        PRIMARY KEY ((c0, c1), c2, c3, c4)) WITH CLUSTERING ORDER BY (c2 DESC, c3 DESC, c4 ASC);";

const INTS: [i32; 4] = [-1, 0, 1, 2];
const TEXTS: [&str; 3] = ["", "a", "b"];
/// Each with its bytes; two of them are equal.
const DECIMALS: [(&str, [u8; 5]); 4] = [
    ("0", [0, 0, 0, 0, 0]),
    ("1.0", [0, 0, 0, 1, 10]),
    ("1", [0, 0, 0, 0, 1]),
    ("-3", [0, 0, 0, 0, 0xfd]),
];

fn all_rows() -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    let int = |value: i32| Some(value.to_be_bytes().to_vec());
    for (i, c0) in INTS.into_iter().enumerate() {
        for c1 in TEXTS {
            for c2 in INTS {
                for (_, c3) in DECIMALS {
                    for c4 in INTS {
                        let text = Some(c1.as_bytes().to_vec());
                        let c5 = if i == 0 { None } else { int(c4 + c2) };
                        rows.push(vec![int(c0), text, int(c2), Some(c3.to_vec()), int(c4), c5]);
                    }
                }
            }
        }
    }
    rows
}

fn any_value(random: &mut Random, column: usize) -> String {
    match column {
        1 => format!("'{}'", random.pick(&TEXTS)),
        3 => random.pick(&DECIMALS).0.to_owned(),
        _ => random.pick(&INTS).to_string(),
    }
}

fn any_relation(random: &mut Random) -> String {
    let operator = *random.pick(&["=", "=", "<", "<=", ">", ">=", "!="]);
    if random.one_in(6) {
        let token = match random.one_in(2) {
            true => format!("token({}, {})", any_value(random, 0), any_value(random, 1)),
            false => (random.next() as i64).to_string(),
        };
        return format!("token(c0, c1) {operator} {token}");
    }
    if random.one_in(4) {
        let first = 2 + random.below(3);
        let columns: Vec<_> = (first..=first + random.below(5 - first)).collect();
        let names = columns.iter().map(|column| format!("c{column}")).collect::<Vec<_>>();
        let values = columns.iter().map(|column| any_value(random, *column)).collect::<Vec<_>>();
        return format!("({}) {operator} ({})", names.join(", "), values.join(", "));
    }
    let column = random.below(6);
    if random.one_in(4) {
        let values = (0..random.below(4)).map(|_| any_value(random, column)).collect::<Vec<_>>();
        return format!("c{column} IN ({})", values.join(", "));
    }
    format!("c{column} {operator} {}", any_value(random, column))
}

fn any_condition(random: &mut Random) -> String {
    let part = |random: &mut Random| match random.below(8) {
        0 => format!("({} OR {})", any_relation(random), any_relation(random)),
        1 => format!("NOT ({} AND {})", any_relation(random), any_relation(random)),
        _ => any_relation(random),
    };
    let parts: Vec<_> = (0..1 + random.below(5)).map(|_| part(random)).collect();
    parts.join(" AND ")
}

/// How the row's first clustering values compare with those of a bound, as the table stores them.
fn compare(table: &Table, row: &[Cell], bound: &ClusteringBound) -> Ordering {
    let columns = table.clustering.iter().zip(&row[2..]).zip(&bound.values);
    let orders = columns.map(|((column, cell), value)| {
        let order = Comparator::new(&column.column.cql_type, column.descending);
        order.compare(cell.as_ref().unwrap(), value)
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

fn is_left(restriction: &Restriction, table: &Table, row: &[Cell]) -> bool {
    let component = |cell: &Cell| {
        let bytes = cell.clone().unwrap();
        [&(bytes.len() as u16).to_be_bytes()[..], &bytes, &[0]].concat()
    };
    let key = [component(&row[0]), component(&row[1])].concat();
    let token = Partitioner::Murmur3.token(&key).value();
    let range = &restriction.clustering;
    let starts = range.start.as_ref().is_none_or(|bound| {
        let order = compare(table, row, bound);
        order.is_gt() || (order.is_eq() && bound.inclusive)
    });
    let ends = range.end.as_ref().is_none_or(|bound| {
        let order = compare(table, row, bound);
        order.is_lt() || (order.is_eq() && bound.inclusive)
    });
    let is_key = restriction.keys.as_ref().is_none_or(|keys| keys.contains(&key));
    is_key && restriction.tokens.iter().any(|range| range.contains(token)) && starts && ends
}

#[test]
fn restrictions_leave_all_rows_that_are_selected() {
    let schema = Schema::parse(SCHEMA).unwrap();
    let table = &schema.tables()[0];
    let rows = all_rows();
    let mut random = Random::seeded(0x7265_7374);
    let (mut exact, mut narrowed) = (0, 0);
    for _ in 0..3000 {
        let text = any_condition(&mut random);
        let predicate = Predicate::parse(&text, table, Partitioner::Murmur3).unwrap();
        let restriction = Restriction::of(&predicate, table, Partitioner::Murmur3);
        let conjuncts = predicate.conjuncts();
        assert_eq!(conjuncts.len(), restriction.answers.len());
        for row in &rows {
            if !is_left(&restriction, table, row) {
                let answer = oracle::answer(&predicate, row);
                assert_ne!(answer, Some(true), "{text}: {row:02x?} {restriction:02x?}");
                narrowed += 1;
                continue;
            }
            for (conjunct, answer) in conjuncts.iter().zip(&restriction.answers) {
                if *answer == Answer::Exact {
                    let answer = oracle::answer(conjunct, row);
                    assert_eq!(answer, Some(true), "{text}: {row:02x?} {restriction:02x?}");
                    exact += 1;
                }
            }
        }
    }
    println!("{narrowed} rows left out, {exact} exact answers");
    assert!(exact > 10_000 && narrowed > 100_000, "{exact} {narrowed}");
}
