use super::*;

/// Cells and their values from a table of Cassandra 5.0.9.
#[test]
fn values_of_cassandra() {
    let inner = udt(&["x", "_type", "Weird Name"], &[CqlType::Int, CqlType::Text, CqlType::Double]);
    let outer = udt(&["n", "i", "l"], &[CqlType::Text, inner.clone(), list(&inner)]);
    let tuple = CqlType::Tuple(vec![
        CqlType::Int,
        CqlType::Tuple(vec![CqlType::Text, CqlType::Double]),
        CqlType::Set(Box::new(CqlType::Int)),
    ]);
    let cases = [
        (
            list(&CqlType::Int),
            "00000003000000040000000300000004000000010000000400000002",
            "[3 1 2]",
        ),
        (list(&CqlType::Int), "00000000", "[]"),
        (
            map(&CqlType::Text, &CqlType::Int),
            "00000002000000016a0000000400000002000000016b0000000400000001",
            r#"{"j":2 "k":1}"#,
        ),
        (
            outer.clone(),
            "000000014e00000019000000040000000100000001740000000840040000000000000000002900000002\
             000000100000000400000002ffffffffffffffff0000000dffffffff0000000171ffffffff",
            "(n=\"N\" i=(x=1 _type=\"t\" Weird Name=2.5) l=[(x=2 _type=null Weird Name=null) \
             (x=null _type=\"q\" Weird Name=null)])",
        ),
        (outer, "000000056c61746572ffffffffffffffff", "(n=\"later\" i=null l=null)"),
        (
            tuple.clone(),
            "0000000400000001000000110000000174000000084000000000000000000000140000000200000004\
             000000080000000400000009",
            "(0=1 1=(0=\"t\" 1=2) 2=[8 9])",
        ),
        (tuple, "ffffffffffffffffffffffff", "(0=null 1=null 2=null)"),
        (
            list(&map(&CqlType::Int, &CqlType::Text)),
            "000000020000001100000001000000040000000100000001610000000400000000",
            "[{1:\"a\"} {}]",
        ),
    ];
    for (cql_type, cell, text) in &cases {
        assert_eq!(one(cql_type, cell), *text, "{cql_type:?}");
    }
}

fn vector(element: &CqlType, dimension: usize) -> CqlType {
    CqlType::Vector(Box::new(element.clone()), dimension)
}

/// Cells and their values from a table of Cassandra 5.0.9.
#[test]
fn vectors_of_cassandra() {
    let cases = [
        (vector(&CqlType::Smallint, 2), "02000102ffff", "<1 -1>"),
        (vector(&CqlType::Text, 2), "000378797a", r#"<"" "xyz">"#),
        (
            vector(&list(&CqlType::Int), 2),
            "1400000002000000040000000100000004000000020400000000",
            "<[1 2] []>",
        ),
        (
            vector(&vector(&CqlType::Float, 2), 2),
            "3f800000400000004040000040800000",
            "<<1 2> <3 4>>",
        ),
        (vector(&CqlType::Time, 1), "0800000362d417ae00", "<3723000000000 ns>"),
    ];
    for (cql_type, cell, text) in &cases {
        assert_eq!(one(cql_type, cell), *text, "{cql_type:?}");
    }
}

#[test]
fn damaged_values_are_refused() {
    let text_list = list(&CqlType::Text);
    let tuple = CqlType::Tuple(vec![CqlType::Int]);
    let composite = CqlType::Composite(vec![CqlType::Int]);
    let (ints, varying) = (vector(&CqlType::Int, 2), vector(&CqlType::Text, 2));
    let cases = [
        (&text_list, "000000", "4 bytes at offset 0", "3 bytes"),
        (
            &text_list,
            "ffffffff",
            "0 to 0 in the bytes that are left as count of elements at offset 0",
            "-1",
        ),
        (
            &text_list,
            "7fffffff00000000",
            "0 to 1 in the bytes that are left as count of elements at offset 0",
            "2147483647",
        ),
        (&text_list, "0000000100000002ff", "2 bytes at offset 8", "1 bytes"),
        (&text_list, "00000001fffffffe", "-1 or more as length at offset 4", "-2"),
        (&text_list, "0000000000", "no more bytes as end of the value at offset 4", "1 more"),
        (&tuple, "000000", "4 bytes at offset 0", "3 bytes"),
        (
            &tuple,
            "00000004000000010000000400000002",
            "no more bytes as end of the value at offset 8",
            "8 more",
        ),
        (&ints, "00000001000000", "4 bytes at offset 4", "3 bytes"),
        (&ints, "00000001000000020000", "no more bytes as end of the value at offset 8", "2 more"),
        (&varying, "0161", "1 bytes at offset 2", "0 bytes"),
        (&varying, "ffffffffffffffffff", "18446744073709551615 bytes at offset 9", "0 bytes"),
        (&composite, "0004000000", "4 bytes at offset 2", "3 bytes"),
        (&composite, "00040000000101", "0 as end of the component at offset 0", "1"),
    ];
    for (cql_type, cell, expected, got) in cases {
        assert_eq!(refused(cql_type, cell), error(1, expected, got), "{cql_type:?} {cell}");
    }
}

#[test]
fn errors_tell_where_they_are() {
    let framed = |values: &[&str]| {
        let frame = |value: &&str| format!("{:08x}{value}", value.len() / 2);
        values.iter().map(frame).collect::<String>()
    };
    let pair = CqlType::Tuple(vec![CqlType::Int, CqlType::Text]);
    let good = format!("00000001{}", framed(&[&framed(&["00000001", "61"])]));
    let bad_pair = framed(&["00000001", "ff"]);
    let bad = format!("00000002{}", framed(&[&framed(&["00000001", "61"]), &bad_pair]));
    let (good, bad) = (hex(&good), hex(&bad));
    let cells = [Some(&good[..]), None, Some(&bad[..]), Some(&good[..])];
    let got = "the byte ff at offset 0 in field 1 in element 1";
    assert_eq!(shown(&list(&pair), &cells).unwrap_err(), error(2, "UTF-8", got));

    let entries = format!("00000001{}", framed(&["61", "0001"]));
    let got = "2 bytes in value 0";
    let error_of_map = refused(&map(&CqlType::Text, &CqlType::Int), &entries);
    assert_eq!(error_of_map, error(1, "4 bytes", got));

    let vector = CqlType::Vector(Box::new(CqlType::Smallint), 2);
    let cells = [Some(&[2, 0, 1, 2, 0, 1][..]), Some(&[2, 0, 1, 1, 0])];
    assert_eq!(shown(&vector, &cells).unwrap_err(), error(1, "2 bytes", "1 bytes in element 1"));
}

/// Values inside go on in groups; an error in a later one still has its own cell's place.
#[test]
fn errors_behind_many_values_tell_where_they_are() {
    let of = |count: u32, last: &[u8]| {
        let mut cell = (count + 1).to_be_bytes().to_vec();
        cell.extend((0..count).flat_map(|i| [[0, 0, 0, 4], i.to_be_bytes()].concat()));
        cell.extend([&(last.len() as u32).to_be_bytes()[..], last].concat());
        cell
    };
    let (good, bad) = (of(700, &[0; 4]), of(3000, &[0; 3]));
    let cells = [Some(&good[..]), Some(&good[..]), Some(&bad[..]), Some(&good[..])];
    let error_of_list = shown(&list(&CqlType::Int), &cells).unwrap_err();
    assert_eq!(error_of_list, error(2, "4 bytes", "3 bytes in element 3000"));
}

#[test]
fn keys_are_never_null() {
    let cql_type = map(&CqlType::Int, &CqlType::Int);
    let null_key = refused(&cql_type, "00000001ffffffff0000000400000001");
    assert_eq!(null_key, error(1, "a value as key at offset 4", "null"));
    // An empty key is told apart from zero.
    let cell = "00000002000000000000000400000001000000040000000000000000";
    assert_eq!(one(&cql_type, cell), "{empty:1 0:empty}");
    let nested = map(&CqlType::Tuple(vec![CqlType::Uuid]), &CqlType::Int);
    assert_eq!(one(&nested, "0000000100000000ffffffff"), "{empty:null}");
}

#[test]
fn a_null_vector_has_room_for_its_elements_and_no_more_is_promised() {
    let cql_type = vector(&CqlType::Float, 1536);
    let cell = [0; 1536 * 4];
    assert_eq!(shown(&cql_type, &[None, Some(&cell), None]).unwrap()[2], "null");
    let huge = vector(&CqlType::Float, usize::MAX);
    assert!(shown(&huge, &[None]).unwrap_err().expected.ends_with("values inside one block"));
    assert_eq!(shown(&huge, &[]), Ok(Vec::new()));
}

/// 4 bytes a null, each of which would take 64 KiB in an array.
#[test]
fn small_values_do_not_become_huge_arrays() {
    let vectors = list(&vector(&CqlType::Double, 8192));
    let count = 100_000_u32;
    let cell = [count.to_be_bytes().to_vec(), vec![0xff; 4 * count as usize]].concat();
    let refused = shown(&vectors, &[Some(&cell)]).unwrap_err();
    assert!(refused.expected.ends_with("values inside one block"), "{refused}");
}

#[test]
fn types_without_parts() {
    assert_eq!(one(&CqlType::Tuple(Vec::new()), ""), "empty");
    assert_eq!(shown(&vector(&CqlType::Int, 0), &[None]), Ok(vec!["null".to_owned()]));
    assert_eq!(one(&vector(&CqlType::Empty, 2), ""), "empty");
}

/// Any bytes end in values or in an error.
#[test]
fn hostile_cells() {
    let mut random = crate::random::Random::seeded(0x686f_7374);
    let words = [&[0, 0, 0, 0][..], &[0, 0, 0, 1], &[0, 0, 0, 2], &[0, 4], &[0xff; 4], &[0x80]];
    let types = [
        list(&list(&CqlType::Int)),
        map(&CqlType::Text, &list(&CqlType::Varint)),
        CqlType::Tuple(vec![CqlType::Int, list(&CqlType::Duration)]),
        vector(&CqlType::Text, 3),
        vector(&CqlType::Int, 2),
        CqlType::Composite(vec![CqlType::Int, CqlType::Text]),
        CqlType::Counter,
        CqlType::Duration,
    ];
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let words = (0..random.below(8)).map(|_| *random.pick(&words)).collect::<Vec<_>>();
        match shown(random.pick(&types), &[Some(&words.concat())]) {
            Ok(_) => taken += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(taken > 1000 && refused > 1000, "{taken} {refused}");
}
