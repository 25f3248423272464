//! Rows that Cassandra 5.0.9 and cqlsh 6.2.2 have written, and the edges of each format.

use arrow_array::RecordBatch;
use outpour_cql::{Batch, CqlType, OutputColumn};
use outpour_sink::{ErrorKind, Format, Values, sink};

use crate::support::value::Value;
use crate::support::value::Value::{
    Boolean, Bytes, Duration, Empty, Fields, Float, Integer, List, Map, Null,
};
use crate::support::{batch, column, list, map, set, text, udt, vector};

fn string(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn one_row(format: Format, cells: Vec<(&str, CqlType, Value)>) -> String {
    let mut columns = Vec::new();
    let mut row = Vec::new();
    for (name, cql_type, value) in cells {
        columns.push(column(name, cql_type));
        row.push(value);
    }
    text(format, Values::Text, &columns, &[batch(&columns, &[row])])
}

fn inner() -> CqlType {
    udt(&[("x", CqlType::Int), ("_type", CqlType::Text), ("Weird Name", CqlType::Double)])
}

fn nested_row() -> Vec<(&'static str, CqlType, Value)> {
    let tuple = CqlType::Tuple(vec![
        CqlType::Int,
        CqlType::Tuple(vec![CqlType::Text, CqlType::Double]),
        set(CqlType::Int),
    ]);
    let outer = udt(&[("n", CqlType::Text), ("i", inner()), ("l", list(inner()))]);
    vec![
        ("id", CqlType::Int, Integer(1)),
        ("a", list(CqlType::Int), List(vec![Integer(3), Integer(1)])),
        (
            "d",
            outer.clone(),
            Fields(vec![
                string("N"),
                Fields(vec![Integer(1), string("t"), Float(2.5)]),
                List(vec![Fields(vec![Integer(2), Null, Null])]),
            ]),
        ),
        (
            "e",
            map(CqlType::Text, list(inner())),
            Map(vec![
                (string("m0"), List(vec![])),
                (string("m1"), List(vec![Fields(vec![Integer(5), Null, Null])])),
            ]),
        ),
        (
            "f",
            tuple,
            Fields(vec![
                Integer(1),
                Fields(vec![string("t"), Float(2.0)]),
                List(vec![Integer(8), Integer(9)]),
            ]),
        ),
        (
            "g",
            list(map(CqlType::Int, CqlType::Text)),
            List(vec![Map(vec![(Integer(1), string("a"))]), Map(vec![])]),
        ),
        ("h", outer, Null),
        ("v", vector(CqlType::Float, 2), List(vec![Float(0.5), Float(1e10)])),
    ]
}

#[test]
fn select_json_of_nested_values() {
    let expected = concat!(
        r#"{"id": 1, "a": [3, 1], "d": {"n": "N", "i": {"x": 1, "_type": "t", "\"Weird Name\"": 2.5}, "#,
        r#""l": [{"x": 2, "_type": null, "\"Weird Name\"": null}]}, "#,
        r#""e": {"m0": [], "m1": [{"x": 5, "_type": null, "\"Weird Name\"": null}]}, "#,
        r#""f": [1, ["t", 2.0], [8, 9]], "g": [{"1": "a"}, {}], "h": null, "v": [0.5, 1.0E10]}"#,
        "\n"
    );
    assert_eq!(one_row(Format::JsonLines, nested_row()), expected);
}

#[test]
fn select_json_of_map_keys() {
    let keys = |key_type: CqlType, keys: Vec<Value>| {
        let entries = keys.into_iter().map(|key| (key, Integer(1))).collect();
        (map(key_type, CqlType::Int), Map(entries))
    };
    let mut cells = Vec::new();
    for (name, (cql_type, value)) in [
        ("mb", keys(CqlType::Blob, vec![Bytes(vec![]), Bytes(vec![0, 255])])),
        ("mbo", keys(CqlType::Boolean, vec![Boolean(true)])),
        ("md", keys(CqlType::Double, vec![Float(1.5), Float(1e10), Float(f64::NAN)])),
        ("mda", keys(CqlType::Date, vec![Integer(19_723)])),
        ("mi", keys(CqlType::Int, vec![Empty, Integer(7)])),
        ("ml", keys(list(CqlType::Int), vec![List(vec![Integer(1), Integer(2)])])),
        (
            "mm",
            keys(map(CqlType::Text, CqlType::Int), vec![Map(vec![(string("a\"b"), Integer(1))])]),
        ),
        (
            "mt",
            keys(
                CqlType::Tuple(vec![CqlType::Text, CqlType::Int]),
                vec![Fields(vec![Null, Integer(3)]), Fields(vec![string("q\"x\\"), Integer(1)])],
            ),
        ),
        ("mtx", keys(CqlType::Text, vec![string(""), string("a\"b\nc")])),
        (
            "mu",
            keys(
                udt(&[("a", CqlType::Int), ("B c", CqlType::Text)]),
                vec![Fields(vec![Integer(1), string("z\"")])],
            ),
        ),
    ] {
        cells.push((name, cql_type, value));
    }
    let expected = concat!(
        r#"{"mb": {"0x": 1, "0x00ff": 1}, "mbo": {"true": 1}, "#,
        r#""md": {"1.5": 1, "1.0E10": 1, "NaN": 1}, "mda": {"2024-01-01": 1}, "#,
        r#""mi": {"": 1, "7": 1}, "ml": {"[1, 2]": 1}, "mm": {"{\"a\\\"b\": 1}": 1}, "#,
        r#""mt": {"[null, 3]": 1, "[\"q\\\"x\\\\\", 1]": 1}, "mtx": {"": 1, "a\"b\nc": 1}, "#,
        r#""mu": {"{\"a\": 1, \"\\\"B c\\\"\": \"z\\\"\"}": 1}}"#,
        "\n"
    );
    assert_eq!(one_row(Format::JsonLines, cells), expected);
}

#[test]
fn copy_to_of_nested_values() {
    let expected = concat!(
        "id,a,d,e,f,g,h,v\r\n",
        r#"1,"[3, 1]","{n: 'N', i: {x: 1, _type: 't', Weird Name: 2.5}, "#,
        r#"l: [{x: 2, _type: , Weird Name: }]}","#,
        r#""{'m0': [], 'm1': [{x: 5, _type: , Weird Name: }]}","#,
        r#""(1, ('t', 2), {8, 9})","[{1: 'a'}, {}]",,"[0.5, 1e+10]""#,
        "\r\n"
    );
    assert_eq!(one_row(Format::Csv, nested_row()), expected);
}

#[test]
fn copy_to_of_text_in_literals() {
    let texts = ["a", "it's", "q\"q", "b\\s", "n\nl", "c,d", ""];
    let value = List(texts.map(string).to_vec());
    let expected = r#""['a', 'it''s', 'q\"q', 'b\\\\s', 'n\\nl', 'c,d', '']""#;
    let got = one_row(Format::Csv, vec![("l", list(CqlType::Text), value)]);
    assert_eq!(got, format!("l\r\n{expected}\r\n"));
}

#[test]
fn null_and_empty_differ_everywhere() {
    let cells = || {
        let pair = || CqlType::Tuple(vec![CqlType::Int, CqlType::Int]);
        let named = || udt(&[("a", CqlType::Int), ("b", CqlType::Text)]);
        vec![
            ("n", CqlType::Int, Null),
            ("e", CqlType::Int, Empty),
            ("i", CqlType::Inet, Bytes(vec![])),
            ("t", CqlType::Text, string("")),
            ("b", CqlType::Blob, Bytes(vec![])),
            ("z", CqlType::Duration, Duration(0, 0, 0)),
            ("l", list(CqlType::Int), List(vec![Empty, Integer(1)])),
            ("p", pair(), Fields(vec![Empty, Null])),
            ("u", named(), Fields(vec![Null, string("")])),
            ("x", list(CqlType::Int), Empty),
        ]
    };
    assert_eq!(
        one_row(Format::JsonLines, cells()),
        concat!(
            r#"{"n": null, "e": "", "i": "", "t": "", "b": "0x", "z": "", "l": ["", 1], "#,
            r#""p": ["", null], "u": {"a": null, "b": ""}, "x": ""}"#,
            "\n"
        )
    );
    assert_eq!(
        one_row(Format::Csv, cells()),
        concat!(
            "n,e,i,t,b,z,l,p,u,x\r\n",
            r#","","","",0x,"","['', 1]","('', NULL)","{a: , b: ''}","""#,
            "\r\n"
        )
    );
}

#[test]
fn bytes_in_hex() {
    let columns = [column("id", CqlType::Int), column("Up", CqlType::Text)];
    let blobs = columns.clone().map(|c| OutputColumn { cql_type: CqlType::Blob, ..c });
    let rows = [vec![Bytes(vec![0, 255]), Bytes(vec![])], vec![Bytes(vec![1]), Null]];
    let batches = [batch(&blobs, &rows)];
    let got = |format| text(format, Values::Raw, &columns, &batches);
    assert_eq!(
        got(Format::JsonLines),
        "{\"id\": \"00ff\", \"Up\": \"\"}\n{\"id\": \"01\", \"Up\": null}\n"
    );
    assert_eq!(got(Format::Csv), "id,Up\r\n00ff,\"\"\r\n01,\r\n");
}

#[test]
fn no_rows() {
    let columns = [column("id", CqlType::Int)];
    let none = [batch(&columns, &[])];
    let got = |format, batches: &[Batch]| text(format, Values::Text, &columns, batches);
    for batches in [&none[..], &[]] {
        assert_eq!(got(Format::JsonLines, batches), "");
        assert_eq!(got(Format::Json, batches), "[]\n");
        assert_eq!(got(Format::Csv, batches), "id\r\n");
    }
}

#[test]
fn array_goes_on_over_batches() {
    let columns = [column("id", CqlType::Int)];
    let one = || batch(&columns, &[vec![Integer(1)]]);
    let batches = [batch(&columns, &[]), one(), one()];
    let got = text(Format::Json, Values::Text, &columns, &batches);
    assert_eq!(got, "[\n{\"id\": 1},\n{\"id\": 1}\n]\n");
}

fn failure(columns: &[OutputColumn], batch: &Batch) -> (ErrorKind, String) {
    let mut out = Vec::new();
    let error = sink(Format::Csv, Values::Text, columns).write(batch, &mut out).unwrap_err();
    assert_eq!(out, b"", "no part of a row");
    (error.kind(), error.to_string())
}

#[test]
fn bytes_that_are_no_value() {
    for (cql_type, bytes, expected) in [
        (
            CqlType::Inet,
            vec![1, 2, 3],
            "column c: expected an address of 4 or 16 bytes, got 3 bytes",
        ),
        (
            CqlType::Decimal,
            vec![0; 4],
            "column c: expected a varint of at least 1 byte, got 0 bytes",
        ),
        (
            CqlType::Decimal,
            vec![0; 3],
            "column c: expected a decimal of at least 5 bytes, got 3 bytes",
        ),
    ] {
        let columns = [column("c", cql_type)];
        let rows = [vec![Bytes(vec![])], vec![Bytes(bytes)]];
        let got = failure(&columns, &batch(&columns, &rows));
        assert_eq!(got, (ErrorKind::Corrupt, expected.to_owned()));
    }
}

#[test]
fn batches_of_other_columns() {
    let columns = [column("a", CqlType::Int), column("b", CqlType::Int)];
    let good = batch(&columns, &[vec![Integer(1), Integer(2)]]);
    assert_eq!(failure(&columns[..1], &good).0, ErrorKind::Invalid);
    let texts = [column("a", CqlType::Int), column("b", CqlType::Text)];
    let (kind, message) = failure(&texts, &good);
    assert_eq!(kind, ErrorKind::Invalid);
    assert!(message.starts_with("column b: ") && message.ends_with("got Int32"), "{message}");
    let record: RecordBatch = good.record.clone();
    assert_eq!(failure(&columns, &Batch { record, empties: vec![] }).0, ErrorKind::Invalid);
}
