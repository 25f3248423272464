use super::*;
use crate::marshal;

/// What Cassandra's own classes make of values.
const CASSANDRA: &str = include_str!("cassandra.txt");

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

/// The lines that are about a partitioner, or about a type.
fn lines(of_partitioners: bool) -> impl Iterator<Item = [&'static str; 3]> {
    CASSANDRA.lines().filter(|line| !line.starts_with('#')).filter_map(move |line| {
        let fields: [&str; 3] = line.split('|').collect::<Vec<_>>().try_into().unwrap();
        (fields[0].ends_with("Partitioner") == of_partitioners).then_some(fields)
    })
}

fn component(java_type: &str, value: Option<&[u8]>) -> Option<Vec<u8>> {
    let parsed = marshal::parse(java_type).unwrap();
    let mut out = vec![7];
    write_component(&parsed.cql_type, parsed.reversed, value, &mut out)?;
    assert_eq!(out.remove(0), 7);
    Some(out)
}

#[test]
fn values_of_every_type_are_as_cassandra_makes_them() {
    let mut count = 0;
    for [java_type, value, form] in lines(false) {
        let expected = match (form, java_type.starts_with("Reversed")) {
            ("none", false) => vec![EMPTY],
            ("none", true) => vec![EMPTY_DESCENDING],
            _ => [vec![NEXT_COMPONENT], bytes(form)].concat(),
        };
        let got = component(java_type, Some(&bytes(value)));
        assert_eq!(got, Some(expected), "{java_type} {value}");
        count += 1;
    }
    assert_eq!(count, 237);
}

#[test]
fn partition_keys_are_as_cassandra_makes_them() {
    let mut count = 0;
    for [class, key, form] in lines(true) {
        let mut out = Vec::new();
        write_partition_key(Partitioner::parse(class).unwrap(), &bytes(key), &mut out);
        assert_eq!(out, bytes(form), "{class} {key}");
        count += 1;
    }
    assert_eq!(count, 15);
}

#[test]
fn null_is_before_all_values_in_either_direction() {
    assert_eq!(component("Int32Type", None), Some(vec![NULL]));
    assert_eq!(component("ReversedType(Int32Type)", None), Some(vec![NULL]));
}

#[test]
fn bytes_that_are_no_value_have_no_form() {
    for (java_type, value) in [
        ("Int32Type", "000000"),
        ("BooleanType", "0000"),
        ("DecimalType", "00000001"),
        ("UUIDType", "00"),
        ("ListType(Int32Type)", "0000000100000004000000"),
        ("ListType(Int32Type)", "7fffffff"),
        ("ListType(Int32Type)", "0000000000"),
        ("TupleType(Int32Type)", "000000040000000100000000"),
        ("VectorType(Int32Type , 2)", "00000001"),
        ("CompositeType(Int32Type)", "000400000001"),
        ("CompositeType(Int32Type)", "00040000000100000000"),
        ("CompositeType(Int32Type,UTF8Type)", "000400000001010002616200"),
    ] {
        assert_eq!(component(java_type, Some(&bytes(value))), None, "{java_type} {value}");
    }
}

/// Forms order as the comparator of the type does.
#[test]
fn forms_order_as_their_values() {
    let mut of_type: Vec<(&str, Vec<Vec<u8>>)> = Vec::new();
    for [java_type, value, _] in lines(false) {
        match of_type.last_mut() {
            Some((last, values)) if *last == java_type => values.push(bytes(value)),
            _ => of_type.push((java_type, vec![bytes(value)])),
        }
    }
    for (java_type, values) in of_type {
        let parsed = marshal::parse(java_type).unwrap();
        let order = crate::Comparator::new(&parsed.cql_type, parsed.reversed);
        for a in &values {
            for b in &values {
                let forms = component(java_type, Some(a)).cmp(&component(java_type, Some(b)));
                assert_eq!(forms, order.compare(a, b), "{java_type} {a:02x?} {b:02x?}");
            }
        }
    }
}
