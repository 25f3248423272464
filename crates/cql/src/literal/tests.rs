use super::*;
use crate::syntax::{self, Parser};
use crate::{UdtField, UdtType};

fn parse(text: &str) -> Literal {
    let tokens = syntax::tokens(text).unwrap();
    let mut p = Parser::new(text, &tokens);
    let literal = Literal::parse(&mut p).unwrap_or_else(|e| panic!("{text}: {e}"));
    p.expect_end().unwrap_or_else(|e| panic!("{text}: {e}"));
    literal
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The value's bytes in hex, or what was expected.
fn value(text: &str, cql_type: &CqlType) -> Result<String, String> {
    parse(text).value(cql_type).map(|bytes| hex(&bytes)).map_err(|e| e.to_string())
}

fn check(cql_type: &CqlType, good: &[(&str, &str)], bad: &[&str]) {
    for (text, bytes) in good {
        assert_eq!(value(text, cql_type).as_deref(), Ok(*bytes), "{text} as {cql_type:?}");
    }
    for text in bad {
        let error = value(text, cql_type).expect_err(text);
        assert!(error.starts_with("expected "), "{text}: {error}");
    }
}

#[test]
fn integers() {
    let out_of_range = ["1.0", "'1'", "true", "null", "1h", "0x01", "99999999999999999999", "nan"];
    check(&CqlType::Tinyint, &[("-128", "80"), ("127", "7f")], &["128", "-129"]);
    check(&CqlType::Smallint, &[("-1", "ffff")], &["32768"]);
    check(&CqlType::Int, &[("-2", "fffffffe"), ("007", "00000007")], &["2147483648"]);
    check(&CqlType::Bigint, &[("-9223372036854775808", "8000000000000000")], &out_of_range);
    check(&CqlType::Counter, &[("3", "0000000000000003")], &out_of_range);
    let varints = [("0", "00"), ("-1", "ff"), ("128", "0080"), ("-129", "ff7f")];
    check(&CqlType::Varint, &varints, &["1.5", "nan", "'1'"]);
}

#[test]
fn numbers_with_a_point() {
    let decimals = [
        ("1", "0000000001"),
        ("1.50", "000000020096"),
        ("-0.1", "00000001ff"),
        ("1e2", "fffffffe01"),
        ("1.5E-10", "0000000b0f"),
    ];
    check(&CqlType::Decimal, &decimals, &["nan", "infinity", "1e99999999999", "'1'"]);
    let floats = [
        ("1", "3f800000"),
        ("-0.0", "80000000"),
        ("NaN", "7fc00000"),
        ("-nan", "7fc00000"),
        ("Infinity", "7f800000"),
        ("-INFINITY", "ff800000"),
    ];
    check(&CqlType::Float, &floats, &["1e39", "'1'", "true"]);
    check(&CqlType::Double, &[("1.", "3ff0000000000000")], &["1e400", "-1e400"]);
}

#[test]
fn strings_bytes_and_constants() {
    check(
        &CqlType::Text,
        &[("'it''s é'", "6974277320c3a9"), ("''", ""), ("$$a'b$$", "612762")],
        &["1"],
    );
    check(&CqlType::Ascii, &[("'a'", "61")], &["'é'", "a1b2c3d4-0000-1000-8000-000000000000"]);
    check(&CqlType::Blob, &[("0x", ""), ("0xFf00", "ff00")], &["'ff'", "1"]);
    check(&CqlType::Boolean, &[("TRUE", "01"), ("false", "00")], &["1", "'true'"]);
    check(&CqlType::Empty, &[("0x", "")], &["0x00"]);
}

#[test]
fn uuids_and_addresses() {
    let random = "a1b2c3d4-0000-4000-8000-00000000000F";
    let timed = "01b2c3d4-0000-1000-8000-000000000000";
    check(&CqlType::Uuid, &[(random, "a1b2c3d400004000800000000000000f")], &["'x'", "1"]);
    check(&CqlType::Timeuuid, &[(timed, "01b2c3d4000010008000000000000000")], &[random]);
    let addresses = [
        ("'1.2.3.4'", "01020304"),
        ("'::1'", "00000000000000000000000000000001"),
        ("'::ffff:1.2.3.4'", "01020304"),
    ];
    check(&CqlType::Inet, &addresses, &["'1.2.3'", "'localhost'", "'1.2.3.256'", "1"]);
}

#[test]
fn timestamps() {
    let ms = |ms: i64| hex(&ms.to_be_bytes());
    let new_year = ms(1_704_067_200_000);
    for text in [
        "1704067200000",
        "'1704067200000'",
        "'2024-01-01'",
        "'2024-01-01Z'",
        "'2024-01-01 00:00'",
        "'2024-01-01T00:00:00'",
        "'2024-01-01 00:00:00.000Z'",
        "'2024-01-01 02:00+0200'",
        "'2024-01-01 02:30:00.0+02:30'",
        "'2023-12-31 16:00-08'",
        "'2024-01-01 00:00 GMT'",
        "'2024-01-01+0000'",
        "'2024-01-01 00:00:00.000999999 UTC'",
    ] {
        assert_eq!(value(text, &CqlType::Timestamp).as_ref(), Ok(&new_year), "{text}");
    }
    let others = [
        ("'1970-01-01 00:00:00.001'", 1),
        ("'1969-12-31 23:59:59.999Z'", -1),
        ("'2000-02-29'", 951_782_400_000),
        ("'0001-01-01'", -62_135_596_800_000),
        ("'-0044-03-15 00:00:00.000Z'", -63_549_360_000_000),
        ("'+12000-01-01'", 316_516_204_800_000),
        ("-5", -5),
    ];
    for (text, time_ms) in others {
        assert_eq!(value(text, &CqlType::Timestamp), Ok(ms(time_ms)), "{text}");
    }
    let bad = [
        "'2023-02-29'",
        "'2024-13-01'",
        "'2024-01-01 24:00'",
        "'2024-01-01 00:60'",
        "'2024-01-01 00:00 CET'",
        "'2024-1-1'",
        "'2024-01-01x'",
        "'2024-01-01 00:00:00.'",
        "'24-01-01'",
        "'99999999999999999999'",
        "'999999999-01-01'",
        "''",
        "1.5",
    ];
    check(&CqlType::Timestamp, &[], &bad);
}

#[test]
fn dates_and_times() {
    let dates = [
        ("'1970-01-01'", "80000000"),
        ("'1969-12-31'", "7fffffff"),
        ("0", "00000000"),
        ("4294967295", "ffffffff"),
        ("'-5877641-06-23'", "00000000"),
        ("'+5881580-07-11'", "ffffffff"),
    ];
    let bad_dates = ["'2023-02-29'", "-1", "4294967296", "'2024-01-01 00:00'", "'+5881580-07-12'"];
    check(&CqlType::Date, &dates, &bad_dates);
    let times = [
        ("'00:00:00'", "0000000000000000"),
        ("'23:59:59.999999999'", "00004e94914effff"),
        ("1", "0000000000000001"),
        ("'00:00:00.000000001'", "0000000000000001"),
    ];
    let bad_times = ["'24:00:00'", "'1:00'", "86400000000000", "-1", "'00:00:60'", "'00:00:00.'"];
    check(&CqlType::Time, &times, &bad_times);
}

#[test]
fn durations() {
    let of = |months: i64, days: i64, nanoseconds: i64| {
        let mut bytes = Vec::new();
        for part in [months, days, nanoseconds] {
            outpour_codec::vint::write_signed(part, &mut bytes);
        }
        hex(&bytes)
    };
    let cases = [
        ("1y2mo", of(14, 0, 0)),
        ("-1w2d", of(0, -9, 0)),
        ("1h2m3s4ms5us6ns", of(0, 0, 3_723_004_005_006)),
        ("5µs", of(0, 0, 5_000)),
        ("3MO", of(3, 0, 0)),
        ("P1Y2M3DT4H5M6S", of(14, 3, 14_706_000_000_000)),
        ("PT1M", of(0, 0, 60_000_000_000)),
        ("P2W", of(0, 14, 0)),
        ("-P0001-02-03T04:05:06", of(-14, -3, -14_706_000_000_000)),
        ("0h", of(0, 0, 0)),
    ];
    for (text, bytes) in cases {
        assert_eq!(value(text, &CqlType::Duration), Ok(bytes), "{text}");
    }
    let bad = ["1mo1y", "1h1h", "2147483648mo", "99999999999h", "'1h'", "5", "PT1D", "P1H"];
    check(&CqlType::Duration, &[], &bad);
}

fn boxed(cql_type: CqlType) -> Box<CqlType> {
    Box::new(cql_type)
}

#[test]
fn collections() {
    let list = CqlType::List(boxed(CqlType::Tinyint));
    let bytes = "000000020000000102".to_owned() + "0000000101";
    check(&list, &[("[2, 1]", &bytes), ("[]", "00000000")], &["{1}", "[null]", "[300]", "(1)"]);
    let set = CqlType::Set(boxed(CqlType::Tinyint));
    let bytes = "0000000200000001ff".to_owned() + "0000000102";
    check(&set, &[("{2, -1, 2}", &bytes), ("{}", "00000000")], &["[1]", "{1: 2}"]);
    let map = CqlType::Map(boxed(CqlType::Boolean), boxed(CqlType::Text));
    let bytes = "0000000200000001000000000161".to_owned() + "0000000101" + "0000000162";
    let good = [("{true: 'x', false: 'a', true: 'b'}", bytes.as_str()), ("{}", "00000000")];
    check(&map, &good, &["{true}", "{1: 'a'}", "{true: null}"]);
    let uuids = CqlType::Map(boxed(CqlType::Uuid), boxed(CqlType::Int));
    assert!(value("{a1b2c3d4-0000-4000-8000-000000000000: 1}", &uuids).is_ok());
}

#[test]
fn tuples_and_udts() {
    let tuple = CqlType::Tuple(vec![CqlType::Tinyint, CqlType::Text]);
    let good = [
        ("(1, 'a')", "00000001010000000161"),
        ("(1, null)", "0000000101ffffffff"),
        ("(1)", "0000000101"),
    ];
    check(&tuple, &good, &["(1, 'a', 2)", "('a')", "[1]", "1"]);
    let field = |name: &str, cql_type| UdtField { name: name.to_owned(), cql_type };
    let fields = vec![field("a", CqlType::Tinyint), field("B c", CqlType::Text)];
    let udt = UdtType { keyspace: "ks".to_owned(), name: "u".to_owned(), fields };
    let udt = CqlType::Udt(udt.into());
    let good = [
        ("{a: 1, \"B c\": 'a'}", "00000001010000000161"),
        ("{\"B c\": 'a'}", "ffffffff0000000161"),
    ];
    check(&udt, &good, &["{b: 1}", "{a: 'x'}", "{'a': 1}", "(1)"]);
}

#[test]
fn vectors() {
    let floats = CqlType::Vector(boxed(CqlType::Float), 2);
    check(&floats, &[("[1, -2.0]", "3f800000c0000000")], &["[1]", "[1, 2, 3]", "[1, null]"]);
    let texts = CqlType::Vector(boxed(CqlType::Text), 2);
    check(&texts, &[("['a', '']", "016100")], &["[1, 2]"]);
}

#[test]
fn bytes_of_a_value() {
    let good = [("blobAsInt(0x)", ""), ("blob_as_int(0x00000001)", "00000001")];
    check(&CqlType::Int, &good, &["blobAsInt(0x01)", "blobAsBigint(0x)"]);
    check(
        &CqlType::Text,
        &[("blobAsVarchar(0x61)", "61"), ("blobAsText(0x61)", "61")],
        &["blobAsText(0xff)"],
    );
}

#[test]
fn what_is_no_literal_is_told_with_its_place() {
    let deep = format!("{}1", "[".repeat(100));
    let cases = [
        ("", "line 1, column 1: expected a value, got the end of the statement"),
        ("foo", "line 1, column 1: expected a value, got foo"),
        ("[1, ", "line 1, column 4: expected a value"),
        ("[1 2]", "line 1, column 4: expected \",\", got 2"),
        ("{1: 2, 3}", "line 1, column 9: expected \":\", got }"),
        ("-x", "line 1, column 2: expected a number, got x"),
        ("blobAsInt(1)", "line 1, column 11: expected bytes as 0x…, got 1"),
        ("blobAsInt(0x0)", "expected an even number of hex digits"),
        (deep.as_str(), "line 1, column 65: expected values nested at most 64 deep"),
    ];
    for (text, message) in cases {
        let tokens = syntax::tokens(text).unwrap();
        let error = Literal::parse(&mut Parser::new(text, &tokens)).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn an_error_tells_place_type_and_literal() {
    let error = parse("[1, 'a']").value(&CqlType::List(boxed(CqlType::Int))).unwrap_err();
    assert_eq!(error.at, 4);
    let message = "expected int (an integer, -2147483648 to 2147483647), got the string 'a'";
    assert_eq!(error.to_string(), message);
}
