use outpour_cql::Schema;

use super::*;

const SCHEMA: &str = "CREATE KEYSPACE ks WITH replication = {'class': 'X'};
    CREATE TABLE ks.one (k int PRIMARY KEY, x int);
    CREATE TABLE ks.two (a int, b text, c int, d int, e int, x int, PRIMARY KEY ((a, b), c, d, e))
        WITH CLUSTERING ORDER BY (c ASC, d DESC, e DESC);
    CREATE TABLE ks.down (k int, c int, d int, PRIMARY KEY (k, c, d))
        WITH CLUSTERING ORDER BY (c DESC, d DESC);
    CREATE TABLE ks.odd (d decimal, v varint, b boolean, f float, t frozen<tuple<int>>,
        l frozen<list<int>>, ld frozen<list<decimal>>, c decimal, PRIMARY KEY ((d), c));
    CREATE TABLE ks.dense (k int, c int, d int, v int, PRIMARY KEY (k, c, d)) WITH COMPACT STORAGE;";

fn table(name: &str) -> Table {
    let schema = Schema::parse(SCHEMA).unwrap();
    schema.tables().iter().find(|table| table.name == name).unwrap().clone()
}

fn restrict(name: &str, text: &str) -> Restriction {
    let table = table(name);
    let predicate = Predicate::parse(text, &table, Partitioner::Murmur3).unwrap();
    Restriction::of(&predicate, &table, Partitioner::Murmur3)
}

fn int(value: i32) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}

fn ring_order(mut keys: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    keys.sort_by_key(|key| Partitioner::Murmur3.token(key));
    keys
}

use Answer::{Exact, Inexact, Unsupported};

#[test]
fn keys_of_one_column() {
    let of = |text| restrict("one", text);
    assert_eq!(of("k = 1").keys, Some(vec![int(1)]));
    assert_eq!(of("k = 1").answers, [Exact]);
    let both = of("x = 5 AND k IN (2, 1, 2)");
    assert_eq!(both.keys, Some(ring_order(vec![int(1), int(2)])));
    assert_eq!(both.answers, [Unsupported, Exact]);
    assert_eq!(of("k IN (1, 2) AND k IN (2, 3)").keys, Some(vec![int(2)]));
    assert_eq!(of("k = 1 AND k = 2").keys, Some(vec![]));
    assert_eq!(of("k IN ()").keys, Some(vec![]));
    for text in ["k > 1", "NOT k = 1", "k = 1 OR x = 1", "k != 1", "x = 1"] {
        assert_eq!((of(text).keys, of(text).answers), (None, vec![Unsupported]), "{text}");
    }
}

#[test]
fn keys_of_several_columns() {
    let key = |a: i32, b: &str| {
        let mut key = vec![0, 4];
        key.extend(int(a));
        key.extend([0, 0, b.len() as u8]);
        key.extend(b.as_bytes());
        key.push(0);
        key
    };
    let of = |text: &str| restrict("two", text);
    let keys = vec![key(1, "x"), key(1, ""), key(2, "x"), key(2, "")];
    let restriction = of("b IN ('x', '') AND a IN (1, 2)");
    assert_eq!((restriction.keys, restriction.answers), (Some(ring_order(keys)), vec![Exact; 2]));
    // Of a part of the key there are no keys.
    assert_eq!((of("a = 1").keys, of("a = 1").answers), (None, vec![Unsupported]));
    let many: Vec<_> = (0..40).map(|i| format!("'{i}'")).collect();
    let numbers: Vec<_> = (0..40).map(|i| i.to_string()).collect();
    let many = format!("a IN ({}) AND b IN ({})", numbers.join(","), many.join(","));
    assert_eq!(of(&many).keys, None);
}

#[test]
fn values_with_other_forms_give_no_keys() {
    let unique = |cql_type: &str, literal: &str| {
        let text = format!(
            "CREATE KEYSPACE ks WITH replication = {{'class': 'X'}};
             CREATE TABLE ks.t (k {cql_type} PRIMARY KEY)"
        );
        let schema = Schema::parse(&text).unwrap();
        let table = &schema.tables()[0];
        let text = format!("k = {literal}");
        let predicate = Predicate::parse(&text, table, Partitioner::Murmur3).unwrap();
        Restriction::of(&predicate, table, Partitioner::Murmur3).keys.is_some()
    };
    for (cql_type, literal) in [
        ("boolean", "false"),
        ("float", "1.5"),
        ("double", "-0.0"),
        ("blob", "0x"),
        ("inet", "'::1'"),
        ("timestamp", "0"),
        ("frozen<list<int>>", "[1]"),
        ("frozen<map<text, date>>", "{'a': 1}"),
    ] {
        assert!(unique(cql_type, literal), "{cql_type} {literal}");
    }
    for (cql_type, literal) in [
        ("boolean", "true"),
        ("float", "NaN"),
        ("double", "NaN"),
        ("decimal", "1"),
        ("varint", "1"),
        ("frozen<tuple<int>>", "(1)"),
        ("frozen<list<decimal>>", "[1]"),
        ("frozen<set<boolean>>", "{true}"),
    ] {
        assert!(!unique(cql_type, literal), "{cql_type} {literal}");
    }
}

fn range(first: i128, last: i128) -> TokenRange {
    TokenRange { first, last }
}

const FIRST: i128 = i64::MIN as i128;
const LAST: i128 = i64::MAX as i128;

#[test]
fn ranges_of_tokens() {
    let of = |text| {
        let Restriction { tokens, answers, .. } = restrict("one", text);
        (tokens, answers)
    };
    let exact = |ranges: &[TokenRange]| (ranges.to_vec(), vec![Exact]);
    assert_eq!(of("token(k) > 5"), exact(&[range(6, LAST)]));
    assert_eq!(of("token(k) < 5"), exact(&[range(FIRST, 4)]));
    assert_eq!(of("token(k) = 5"), exact(&[range(5, 5)]));
    assert_eq!(of("token(k) != 5"), exact(&[range(FIRST, 4), range(6, LAST)]));
    assert_eq!(of("token(k) > 9223372036854775807"), exact(&[]));
    let both = of("token(k) > 5 AND token(k) <= 9");
    assert_eq!(both, (vec![range(6, 9)], vec![Exact, Exact]));
    assert_eq!(of("token(k) > 5 OR token(k) < -5"), exact(&[range(FIRST, -6), range(6, LAST)]));
    assert_eq!(of("token(k) > 5 OR token(k) < 8"), exact(&[range(FIRST, LAST)]));
    assert_eq!(
        of("NOT (token(k) > 5 AND token(k) < 8)"),
        exact(&[range(FIRST, 5), range(8, LAST)])
    );
    let inexact = (vec![range(6, LAST)], vec![Inexact]);
    assert_eq!(of("(token(k) > 5 AND x = 1) OR token(k) > 7"), inexact);
    assert_eq!(of("token(k) > 5 OR x = 1"), (vec![range(FIRST, LAST)], vec![Unsupported]));
    assert_eq!(of("token(k) > 5 AND token(k) < 5"), (vec![], vec![Exact, Exact]));
}

#[test]
fn keys_lie_in_the_tokens() {
    let token = Partitioner::Murmur3.token(&int(1)).value();
    let of = |text: &str| restrict("one", text).keys;
    assert_eq!(of(&format!("k IN (1, 2) AND token(k) = {token}")), Some(vec![int(1)]));
    assert_eq!(of(&format!("k = 2 AND token(k) = {token}")), Some(vec![]));
}

fn bound(values: &[i32], inclusive: bool) -> Option<ClusteringBound> {
    Some(ClusteringBound { values: values.iter().map(|value| int(*value)).collect(), inclusive })
}

fn clustering(
    name: &str,
    text: &str,
) -> (Option<ClusteringBound>, Option<ClusteringBound>, Vec<Answer>) {
    let Restriction { clustering, answers, .. } = restrict(name, text);
    (clustering.start, clustering.end, answers)
}

#[test]
fn bounds_of_clustering_columns() {
    let of = |text| clustering("two", text);
    assert_eq!(of("c = 1"), (bound(&[1], true), bound(&[1], true), vec![Exact]));
    assert_eq!(of("c > 1"), (bound(&[1], false), None, vec![Exact]));
    assert_eq!(of("c <= 1"), (None, bound(&[1], true), vec![Exact]));
    assert_eq!(of("c BETWEEN 1 AND 3").0, bound(&[1], true));
    let expected = (bound(&[1], false), bound(&[3], false), vec![Exact; 2]);
    assert_eq!(of("c > 1 AND c < 3"), expected);
    // The second column is descending.
    let expected = (bound(&[1], true), bound(&[1, 5], false), vec![Exact; 2]);
    assert_eq!(of("d > 5 AND c = 1"), expected);
    let expected = (bound(&[1, 5], true), bound(&[1], true), vec![Exact; 2]);
    assert_eq!(of("c = 1 AND d <= 5"), expected);
    let expected = (bound(&[1, 5, 7], true), bound(&[1, 5, 7], true), vec![Exact; 3]);
    assert_eq!(of("c = 1 AND d IN (5) AND e = 7"), expected);
    // A gap ends the prefix.
    assert_eq!(of("c > 1 AND d = 5"), (bound(&[1], false), None, vec![Exact, Unsupported]));
    assert_eq!(of("d = 5"), (None, None, vec![Unsupported]));
    assert_eq!(of("c = 1 OR c = 2"), (None, None, vec![Unsupported]));
}

#[test]
fn the_narrower_of_two_bounds_counts() {
    let of = |text| clustering("two", text);
    assert_eq!(of("c > 1 AND c >= 1 AND c > 0").0, bound(&[1], false));
    assert_eq!(of("c < 9 AND c <= 9 AND c < 10").1, bound(&[9], false));
    let both = of("c = 1 AND d < 9 AND d <= 9 AND d < 10");
    assert_eq!(both, (bound(&[1, 9], false), bound(&[1], true), vec![Exact; 4]));
    assert_eq!(of("c IN (3, 1, 2)"), (bound(&[1], true), bound(&[3], true), vec![Inexact]));
    let list = of("c = 1 AND d IN (3, 5)");
    assert_eq!(list, (bound(&[1, 5], true), bound(&[1, 3], true), vec![Exact, Inexact]));
}

#[test]
fn bounds_of_rows_of_values() {
    let of = |text| clustering("down", text);
    assert_eq!(of("(c, d) = (1, 2)"), (bound(&[1, 2], true), bound(&[1, 2], true), vec![Exact]));
    assert_eq!(of("(c, d) > (1, 2)"), (None, bound(&[1, 2], false), vec![Exact]));
    assert_eq!(of("(c, d) <= (1, 2)"), (bound(&[1, 2], true), None, vec![Exact]));
    let two = of("(c, d) > (1, 2) AND (c, d) < (5, 6)");
    assert_eq!(two, (bound(&[5, 6], false), bound(&[1, 2], false), vec![Exact; 2]));
    let of = |text| clustering("two", text);
    // Columns of both directions.
    assert_eq!(of("(c, d) > (1, 2)"), (bound(&[1], true), None, vec![Inexact]));
    let behind = of("c = 1 AND (d, e) > (2, 3)");
    assert_eq!(behind, (bound(&[1], true), bound(&[1, 2, 3], false), vec![Exact; 2]));
    assert_eq!(of("(d, c) > (1, 2)"), (None, None, vec![Unsupported]));
}

#[test]
fn dense_tables_may_have_null_there() {
    let of = |text| clustering("dense", text);
    assert_eq!(of("c = 1 AND d < 5"), (bound(&[1], true), bound(&[1, 5], false), vec![Inexact; 2]));
}

#[test]
fn decimals_bound_by_their_order() {
    let Restriction { clustering, answers, .. } = restrict("odd", "c > 1.5 AND c > 1.50");
    assert_eq!(clustering.start.unwrap().values.len(), 1);
    assert_eq!(answers, [Exact, Exact]);
}
