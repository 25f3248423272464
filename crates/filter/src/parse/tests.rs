use outpour_cql::{Partitioner, Schema};

use super::*;
use crate::{Column, Part, Path, Pattern, Place, Step};

const SCHEMA: &str = "CREATE KEYSPACE ks WITH replication = {'class': 'X'};
    CREATE TYPE ks.address (street text, \"Zip\" int, past frozen<list<int>>);
    CREATE TABLE ks.t (a int, b text, c int, d int, \"E f\" double, u address, m map<text, address>,
        l list<int>, s set<text>, v vector<float, 2>, du duration, ld list<duration>, key int,
        token int, st int static, PRIMARY KEY ((a, b), c, d));";

fn table() -> Table {
    Schema::parse(SCHEMA).unwrap().tables()[0].clone()
}

fn parse(text: &str) -> Predicate {
    let parsed = Predicate::parse(text, &table(), Partitioner::Murmur3);
    parsed.unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn refused(text: &str) -> String {
    let parsed = Predicate::parse(text, &table(), Partitioner::Murmur3);
    parsed.expect_err(text).to_string()
}

/// A tree as text in one form: all operators in front, values in hex.
fn show(predicate: &Predicate) -> String {
    let all = |parts: &[Predicate]| parts.iter().map(show).collect::<Vec<_>>().join(" ");
    match predicate {
        Predicate::And(parts) => format!("(and {})", all(parts)),
        Predicate::Or(parts) => format!("(or {})", all(parts)),
        Predicate::Not(inner) => format!("(not {})", show(inner)),
        Predicate::Compare { path, comparison, value } => {
            format!("({} {} {})", sign(*comparison), show_path(path), hex(value))
        }
        Predicate::In { path, values } => format!("(in {} {})", show_path(path), hexes(values)),
        Predicate::Like { path, pattern } => format!("(like {} {pattern:?})", show_path(path)),
        Predicate::Contains { path, part, value } => {
            let key = if *part == Part::Keys { "-key" } else { "" };
            format!("(contains{key} {} {})", show_path(path), hex(value))
        }
        Predicate::IsNull(path) => format!("(null {})", show_path(path)),
        Predicate::Token { comparison, token, .. } => {
            format!("({} token {token})", sign(*comparison))
        }
        Predicate::Row { paths, comparison, values } => {
            let paths = paths.iter().map(show_path).collect::<Vec<_>>().join(",");
            format!("({} {paths} {})", sign(*comparison), hexes(values))
        }
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

fn hexes(values: &[Vec<u8>]) -> String {
    values.iter().map(|value| hex(value)).collect::<Vec<_>>().join(",")
}

fn show_path(path: &Path) -> String {
    let step = |text: String, step: &Step| match step {
        Step::Field(index) => format!("{text}.{index}"),
        Step::Key(key) => format!("{text}[{}]", hex(key)),
        Step::Index(index) => format!("{text}[{index}]"),
    };
    path.steps.iter().fold(path.column.name.clone(), step)
}

fn check(cases: &[(&str, &str)]) {
    for (text, shown) in cases {
        assert_eq!(show(&parse(text)), *shown, "{text}");
    }
}

#[test]
fn relations() {
    check(&[
        ("c = 1", "(= c x00000001)"),
        ("c!=1", "(not (= c x00000001))"),
        ("c<-1", "(< c xffffffff)"),
        ("c <= 1", "(<= c x00000001)"),
        ("c>1", "(> c x00000001)"),
        ("c >= 1", "(>= c x00000001)"),
        ("\"E f\" = NaN", "(= E f x7ff8000000000000)"),
        ("B = 'X'", "(= b x58)"),
        ("c in (1, 2)", "(in c x00000001,x00000002)"),
        ("c IN ()", "(in c )"),
        ("c not IN (1)", "(not (in c x00000001))"),
        (
            "c BETWEEN 1 AND 2 AND d = 3",
            "(and (and (>= c x00000001) (<= c x00000002)) (= d x00000003))",
        ),
        ("c NOT BETWEEN 1 AND 2", "(not (and (>= c x00000001) (<= c x00000002)))"),
        ("c is null", "(null c)"),
        ("c IS NOT NULL", "(not (null c))"),
        ("c = blobAsInt(0x)", "(= c x)"),
        ("key = 1 AND token = 2", "(and (= key x00000001) (= token x00000002))"),
        ("du = 1d", "(= du x000200)"),
        ("v = [1, 2]", "(= v x3f80000040000000)"),
        ("c = 1;", "(= c x00000001)"),
    ]);
}

#[test]
fn text_and_collections() {
    check(&[
        ("b LIKE 'x%'", "(like b Prefix(\"x\"))"),
        ("b LIKE '%x'", "(like b Suffix(\"x\"))"),
        ("b LIKE '%x%'", "(like b Infix(\"x\"))"),
        ("b NOT LIKE 'a%b'", "(not (like b Whole(\"a%b\")))"),
        ("s CONTAINS 'a'", "(contains s x61)"),
        ("m CONTAINS KEY 'a'", "(contains-key m x61)"),
        ("l NOT CONTAINS 1", "(not (contains l x00000001))"),
        ("m['k'].\"Zip\" = 5", "(= m[x6b].1 x00000005)"),
        ("u.past[2] > 5", "(> u.2[2] x00000005)"),
        ("m['k'].street LIKE 'x%'", "(like m[x6b].0 Prefix(\"x\"))"),
        ("u.past CONTAINS 1", "(contains u.2 x00000001)"),
        ("v[1] IS NULL", "(null v[1])"),
    ]);
}

#[test]
fn and_binds_more_than_or_and_not_most() {
    check(&[
        ("a=1 OR a=2 AND a=3", "(or (= a x00000001) (and (= a x00000002) (= a x00000003)))"),
        ("(a=1 OR a=2) AND a=3", "(and (or (= a x00000001) (= a x00000002)) (= a x00000003))"),
        ("NOT a=1 AND a=2", "(and (not (= a x00000001)) (= a x00000002))"),
        ("NOT (a=1 AND a=2)", "(not (and (= a x00000001) (= a x00000002)))"),
        ("NOT NOT a=1", "(not (not (= a x00000001)))"),
        ("((a=1))", "(= a x00000001)"),
    ]);
}

#[test]
fn rows_of_values() {
    check(&[
        ("(c, d) > (1, 2)", "(> c,d x00000001,x00000002)"),
        ("(c) = (1)", "(= c x00000001)"),
        ("(c, d) != (1, 2)", "(not (= c,d x00000001,x00000002))"),
        (
            "(c, d) IN ((1, 2), (3, 4))",
            "(or (= c,d x00000001,x00000002) (= c,d x00000003,x00000004))",
        ),
        ("(c, d) NOT IN ((1, 2))", "(not (or (= c,d x00000001,x00000002)))"),
        ("((c, d) < (1, 2))", "(< c,d x00000001,x00000002)"),
    ]);
}

#[test]
fn tokens_of_the_partition_key() {
    // The token of (1, 'x'), as Cassandra computes it of 0004 00000001 00 0001 78 00.
    let key = [0, 4, 0, 0, 0, 1, 0, 0, 1, b'x', 0];
    let token = Partitioner::Murmur3.token(&key).value();
    check(&[
        ("token(a, b) > -5", "(> token -5)"),
        ("TOKEN(a,b) <= token(1, 'x')", &format!("(<= token {token})")),
        ("token(a, b) BETWEEN 1 AND 2", "(and (>= token 1) (<= token 2))"),
        // The start of the ring as an upper bound is its end.
        ("token(a, b) <= -9223372036854775808", "(<= token 9223372036854775807)"),
        ("token(a, b) >= -9223372036854775808", "(>= token -9223372036854775808)"),
    ]);
    let Predicate::Token { key, .. } = parse("token(a, b) = 1") else { panic!() };
    let places: Vec<_> = key.iter().map(|column: &Column| column.place).collect();
    assert_eq!(places, [Place::PartitionKey(0), Place::PartitionKey(1)]);
}

#[test]
fn columns_know_their_places() {
    let place = |text: &str| match parse(text) {
        Predicate::IsNull(path) => path.column.place,
        other => panic!("{other:?}"),
    };
    assert_eq!(place("b is null"), Place::PartitionKey(1));
    assert_eq!(place("d is null"), Place::Clustering(1));
    assert_eq!(place("st is null"), Place::Other);
    assert_eq!(place("l is null"), Place::Other);
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let deep = format!("{}a = 1{}", "(".repeat(80), ")".repeat(80));
    let cases = [
        ("", "line 1, column 1: expected a column, got the end"),
        ("c", "line 1, column 2: expected an operator"),
        ("c =", "line 1, column 4: expected a value, got the end"),
        ("c = 1 d = 2", "line 1, column 7: expected AND, OR or the end, got d"),
        ("c = 1;\nd = 2", "line 2, column 1: expected the end"),
        ("c = 'x'", "line 1, column 5: column c of type int: expected int (an integer"),
        ("b = 'x' AND\n  c = 99999999999", "line 2, column 7: column c of type int: expected int"),
        ("x = 1", "line 1, column 1: there is no column x; the columns are a, b, c, d, st, E f,"),
        ("e = 1", "there is no column e"),
        (
            "c = null",
            "line 1, column 5: column c of type int: nothing compares with null; use IS NULL",
        ),
        ("c IN (1, null)", "line 1, column 10: column c of type int: nothing compares with null"),
        ("c IN 1", "line 1, column 6: expected \"(\""),
        ("c NOT 1", "line 1, column 7: expected IN, BETWEEN, LIKE or CONTAINS"),
        ("c IS 1", "line 1, column 6: expected NULL"),
        ("c LIKE 'x%'", "line 1, column 8: column c of type int: LIKE is for text"),
        ("b LIKE '%%'", "line 1, column 8: expected a pattern"),
        ("b LIKE 1", "line 1, column 8: expected a pattern"),
        ("c CONTAINS 1", "column c of type int is not a list, set or map"),
        ("s CONTAINS KEY 'x'", "column s of type set<text> is not a map"),
        ("s CONTAINS 1", "line 1, column 12: column s of type set<text>: expected text"),
        ("du > 1d", "column du of type duration: durations have no order"),
        ("ld BETWEEN [1d] AND [2d]", "durations have no order"),
        ("(c, du) < (1, 1d)", "durations have no order"),
        ("u.city = 'x'", "line 1, column 3: address has no field city; it has street, Zip, past"),
        ("c.x = 1", "line 1, column 3: column c of type int is no UDT and has no fields"),
        ("s['x'] = 1", "column s of type set<text> is no map, list or vector and has no elements"),
        ("l[-1] = 1", "line 1, column 3: column l of type list<int>: elements are counted from 0"),
        (
            "m[1] IS NULL",
            "line 1, column 3: column m of type map<text, frozen<address>>: expected text",
        ),
        ("m['a'.x = 1", "line 1, column 6: expected \"]\""),
        ("u.past[0] = 'x'", "line 1, column 13: a part of column u of type int: expected int"),
        ("(c, d) > (1)", "line 1, column 10: expected 2 values in parentheses"),
        ("(c, d) > 1", "line 1, column 10: expected 2 values in parentheses"),
        ("(c, d) NOT 1", "line 1, column 12: expected IN"),
        (
            "(c, d) > (1, null)",
            "line 1, column 14: column d of type int: nothing compares with null",
        ),
        ("token(a) > 1", "line 1, column 1: token() is of the partition key: token(a, b)"),
        ("token(b, a) > 1", "line 1, column 1: token() is of the partition key: token(a, b)"),
        ("token(a, b) > 'x'", "line 1, column 15: expected a token, -9223372036854775808 to"),
        ("token(a, b) > 9223372036854775808", "line 1, column 15: expected a token"),
        ("token(a, b) > token(1)", "line 1, column 15: token() is of the partition key"),
        ("token(a, b) > token(1, 2)", "line 1, column 24: column b: expected text"),
        ("NOT", "line 1, column 4: expected a column, got the end"),
        ("(a = 1", "line 1, column 7: expected \")\", got the end"),
        ("a = 1)", "line 1, column 6: expected AND, OR or the end, got )"),
        ("b = 'x", "line 1, column 5: a quote that is not closed"),
        (deep.as_str(), "line 1, column 65: expected conditions nested at most 64 deep"),
    ];
    for (text, message) in cases {
        let got = refused(text);
        assert!(got.contains(message), "{text}\n{got}\n{message}");
    }
}

#[test]
fn other_partitioners_have_other_tokens() {
    let parse = |text, partitioner| Predicate::parse(text, &table(), partitioner);
    assert!(parse("token(a, b) > 9223372036854775808", Partitioner::Random).is_ok());
    assert!(parse("token(a, b) > -2", Partitioner::Random).is_err());
    let error = parse("token(a, b) > 1", Partitioner::ByteOrdered).unwrap_err().to_string();
    assert!(error.contains("ByteOrderedPartitioner has no tokens"), "{error}");
}

#[test]
fn patterns_are_told_by_their_ends() {
    let Predicate::Like { pattern, .. } = parse("b LIKE '%%x'") else { panic!() };
    assert_eq!(pattern, Pattern::Suffix("%x".to_owned()));
}

/// Whatever bytes a text has, it is read or refused.
#[test]
fn any_text_is_read_or_refused() {
    let words = [
        "a",
        "b",
        "c",
        "u",
        ".",
        "[",
        "]",
        "(",
        ")",
        ",",
        "=",
        "<",
        ">",
        "!",
        "and",
        "or",
        "not",
        "in",
        "is",
        "null",
        "like",
        "contains",
        "key",
        "between",
        "token",
        "1",
        "-",
        "'x'",
        "{",
        "}",
        ":",
        "0x",
        "1h",
        "nan",
        "é",
        "\"E f\"",
        "$$",
        "m",
        "l",
        "blobAsInt(",
        "--",
        ";",
    ];
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut next = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % limit
    };
    let table = table();
    for _ in 0..20_000 {
        let text: String =
            (0..next(12)).map(|_| words[next(words.len())].to_owned() + " ").collect();
        let _ = Predicate::parse(&text, &table, Partitioner::Murmur3);
        let text = text.replace(' ', "");
        let _ = Predicate::parse(&text, &table, Partitioner::Murmur3);
    }
}
