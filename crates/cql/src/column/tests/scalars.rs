use super::*;
use crate::Empties;

/// Cells and texts of the same values, as Cassandra 5.0.9 stores and shows them.
#[test]
fn values_of_cassandra() {
    let cases = [
        (CqlType::Ascii, "616263", "\"abc\""),
        (CqlType::Bigint, "0000000000000001", "1"),
        (CqlType::Blob, "00ff", "0x00ff"),
        (CqlType::Boolean, "01", "true"),
        (CqlType::Date, "80004d46", "day 19782"), // 2024-02-29
        (CqlType::Decimal, "000000010f", "0x000000010f"),
        (CqlType::Double, "3ff8000000000000", "1.5"),
        (CqlType::Duration, "020406", "1mo 2d 3ns"),
        (CqlType::Float, "3dcccccd", "0.1"),
        (CqlType::Inet, "7f000001", "0x7f000001"),
        (CqlType::Int, "00000007", "7"),
        (CqlType::Smallint, "0008", "8"),
        (CqlType::Text, "68c3a96c6c6f", "\"héllo\""),
        (CqlType::Time, "000003ef1592eae8", "4325394017000 ns"), // 01:12:05.394017
        (CqlType::Timestamp, "0000018cc251f47b", "1704067200123 ms"),
        (CqlType::Tinyint, "03", "3"),
        (CqlType::Uuid, "123e4567e89b42d3a456426614174000", "0x123e4567e89b42d3a456426614174000"),
        (CqlType::Varint, "80000000000000000000000000000000", "0x80000000000000000000000000000000"),
    ];
    for (cql_type, cell, text) in &cases {
        assert_eq!(one(cql_type, cell), *text, "{cql_type:?}");
    }
}

#[test]
fn edges_of_days_and_times() {
    assert_eq!(one(&CqlType::Date, "00000000"), format!("day {}", i32::MIN));
    assert_eq!(one(&CqlType::Date, "80000000"), "day 0");
    assert_eq!(one(&CqlType::Date, "ffffffff"), format!("day {}", i32::MAX));
    assert_eq!(one(&CqlType::Time, "00004e94914effff"), "86399999999999 ns");
    let expected = "8 bytes, 0 to 86399999999999 nanoseconds";
    let late = refused(&CqlType::Time, "00004e94914f0000");
    assert_eq!(late, error(1, expected, "86400000000000 nanoseconds"));
    let early = refused(&CqlType::Time, "ffffffffffffffff");
    assert_eq!(early, error(1, expected, "-1 nanoseconds"));
    assert_eq!(refused(&CqlType::Time, "00"), error(1, expected, "1 bytes"));
}

#[test]
fn any_byte_but_zero_is_true() {
    assert_eq!(one(&CqlType::Boolean, "02"), "true");
    assert_eq!(one(&CqlType::Boolean, "00"), "false");
}

#[test]
fn wrong_lengths_are_refused() {
    let cases = [
        (CqlType::Tinyint, "0000", "1 byte", "2 bytes"),
        (CqlType::Smallint, "00", "2 bytes", "1 bytes"),
        (CqlType::Int, "000000", "4 bytes", "3 bytes"),
        (CqlType::Bigint, "00000000", "8 bytes", "4 bytes"),
        (CqlType::Float, "0000000000000000", "4 bytes", "8 bytes"),
        (CqlType::Double, "00000000", "8 bytes", "4 bytes"),
        (CqlType::Boolean, "0000", "1 byte", "2 bytes"),
        (CqlType::Date, "00", "4 bytes", "1 bytes"),
        (CqlType::Timestamp, "00", "8 bytes", "1 bytes"),
        (CqlType::Uuid, "0000", "16 bytes", "2 bytes"),
        (CqlType::Inet, "0000000000", "4 or 16 bytes", "5 bytes"),
        (CqlType::Decimal, "00000000", "at least 5 bytes", "4 bytes"),
        (CqlType::Empty, "00", "no bytes", "1 bytes"),
        (CqlType::Counter, "00000003", "8 bytes", "4 bytes"),
    ];
    for (cql_type, cell, expected, got) in &cases {
        assert_eq!(refused(cql_type, cell), error(1, expected, got), "{cql_type:?}");
    }
}

#[test]
fn durations_have_one_sign_and_fit() {
    assert_eq!(one(&CqlType::Duration, "010000"), "-1mo 0d 0ns");
    // Mixed signs, a vint too few, a byte too many, 2^31 months, 2^31 days.
    for cell in ["0201ff", "020402", "0204", "02040600", "f1000000000000", "00f10000000000"] {
        let refused = shown(&CqlType::Duration, &[Some(&hex(cell))]);
        let is_error = |e: CellError| e.expected == "months, days and nanoseconds of one sign";
        match cell {
            "020402" => assert_eq!(refused.unwrap(), ["1mo 2d 1ns"]),
            _ => assert!(is_error(refused.unwrap_err()), "{cell}"),
        }
    }
}

#[test]
fn text_is_checked_cell_by_cell() {
    let (head, tail) = (&"é".as_bytes()[..1], &"é".as_bytes()[1..]);
    let split = shown(&CqlType::Text, &[Some(b"a"), Some(head), Some(tail)]).unwrap_err();
    assert_eq!(split, error(1, "UTF-8", "the byte c3 at offset 0"));
    let bad = shown(&CqlType::Text, &[Some(b"fine"), None, Some(b"ab\xff")]).unwrap_err();
    assert_eq!(bad, error(2, "UTF-8", "the byte ff at offset 2"));
    // The bytes of a surrogate are no character.
    assert_eq!(refused(&CqlType::Text, "eda080").index, 1);
    let ascii = shown(&CqlType::Ascii, &[Some(b"fine"), Some("é".as_bytes())]).unwrap_err();
    assert_eq!(ascii, error(1, "7-bit characters", "the byte c3 at offset 0"));
}

#[test]
fn empties_are_marked_only_where_they_are() {
    let column = |cells: &[Cell<'_>]| {
        let mut builder = column_builder(&CqlType::Int);
        builder.append(cells).unwrap();
        builder.append(&[Some(&[0; 4])]).unwrap();
        builder.finish()
    };
    assert_eq!(column(&[None, Some(&[0, 0, 0, 1])]).empties, Empties::default());
    let with_empty = column(&[None, Some(&[]), Some(&[0, 0, 0, 1])]);
    let marks: Vec<_> = (0..4).map(|row| with_empty.empties.is_empty_at(row)).collect();
    assert_eq!(marks, [false, true, false, false]);
    assert_eq!(with_empty.array.null_count(), 2);
}

#[test]
fn bytes_grow_with_the_values() {
    let mut ints = column_builder(&CqlType::Int);
    ints.append(&[Some(&[0; 4][..]); 100]).unwrap();
    assert_eq!(ints.bytes(), 400);
    ints.append(&[None; 100]).unwrap();
    assert_eq!(ints.bytes(), 800 + 200_usize.div_ceil(8));
    let mut texts = column_builder(&CqlType::Text);
    texts.append(&[Some(&b"12345"[..]); 10]).unwrap();
    assert_eq!(texts.bytes(), 50 + 40);
}
