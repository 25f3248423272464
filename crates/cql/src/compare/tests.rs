use num_bigint::BigInt;

use super::*;
use crate::random::Random;
use crate::{UdtField, UdtType};

/// How an obvious oracle compares two values of a type, neither of them empty.
type Oracle = fn(&[u8], &[u8]) -> Ordering;

fn int<const N: usize>(bytes: &[u8]) -> i128 {
    let wide: [u8; N] = bytes.try_into().unwrap();
    wide.iter().skip(1).fold(i128::from(wide[0] as i8), |n, b| n * 256 + i128::from(*b))
}

fn big(bytes: &[u8]) -> BigInt {
    BigInt::from_signed_bytes_be(bytes)
}

/// Both numbers times 10^`POWER`, which is enough for the scales that the test makes.
fn scaled(bytes: &[u8]) -> BigInt {
    const POWER: i32 = 400;
    let scale = i32::from_be_bytes(bytes[..4].try_into().unwrap());
    big(&bytes[4..]) * BigInt::from(10).pow((POWER - scale) as u32)
}

/// Java's `Double.compare`, as its documentation says it.
fn java_compare(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) if a == 0.0 && b == 0.0 => b.is_sign_negative().cmp(&a.is_sign_negative()),
        (false, false) => a.partial_cmp(&b).unwrap(),
        (a, b) => a.cmp(&b),
    }
}

/// The 60-bit time of a version 1 UUID, read field by field; the version stays on top.
fn time_of(uuid: &[u8]) -> i64 {
    let hex = |range: std::ops::Range<usize>| {
        uuid[range].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let digits = hex(6..8) + &hex(4..6) + &hex(0..4);
    u64::from_str_radix(&digits, 16).unwrap() as i64
}

fn timeuuid(a: &[u8], b: &[u8]) -> Ordering {
    let low = |uuid: &[u8]| uuid[8..].iter().map(|byte| *byte as i8).collect::<Vec<_>>();
    time_of(a).cmp(&time_of(b)).then_with(|| low(a).cmp(&low(b)))
}

fn uuid(a: &[u8], b: &[u8]) -> Ordering {
    let version = |uuid: &[u8]| uuid[6] >> 4;
    let high = match (version(a), version(b)) {
        (1, 1) => time_of(a).cmp(&time_of(b)),
        (x, y) if x == y => a[..8].cmp(&b[..8]),
        (x, y) => return x.cmp(&y),
    };
    high.then_with(|| a[8..].cmp(&b[8..]))
}

/// Types whose values have a length of their own, with that length and the oracle.
const FIXED: [(CqlType, usize, Oracle); 15] = [
    (CqlType::Boolean, 1, |a, b| (a[0] != 0).cmp(&(b[0] != 0))),
    (CqlType::Tinyint, 1, |a, b| int::<1>(a).cmp(&int::<1>(b))),
    (CqlType::Smallint, 2, |a, b| int::<2>(a).cmp(&int::<2>(b))),
    (CqlType::Int, 4, |a, b| int::<4>(a).cmp(&int::<4>(b))),
    (CqlType::Bigint, 8, |a, b| int::<8>(a).cmp(&int::<8>(b))),
    (CqlType::Timestamp, 8, |a, b| int::<8>(a).cmp(&int::<8>(b))),
    (CqlType::LegacyTimestamp, 8, |a, b| a.cmp(b)),
    (CqlType::Date, 4, |a, b| a.cmp(b)),
    (CqlType::Time, 8, |a, b| a.cmp(b)),
    (CqlType::Float, 4, |a, b| {
        let float = |bytes: &[u8]| f64::from(f32::from_be_bytes(bytes.try_into().unwrap()));
        java_compare(float(a), float(b))
    }),
    (CqlType::Double, 8, |a, b| {
        let double = |bytes: &[u8]| f64::from_be_bytes(bytes.try_into().unwrap());
        java_compare(double(a), double(b))
    }),
    (CqlType::Uuid, 16, uuid),
    (CqlType::Timeuuid, 16, timeuuid),
    (CqlType::LexicalUuid, 16, |a, b| {
        let halves = |uuid: &[u8]| (int::<8>(&uuid[..8]), int::<8>(&uuid[8..]));
        halves(a).cmp(&halves(b))
    }),
    (CqlType::Inet, 4, |a, b| a.cmp(b)),
];

/// Bytes that often repeat, and are often at the edges of numbers.
fn edgy(random: &mut Random, len: usize) -> Vec<u8> {
    const EDGES: [u8; 8] = [0, 1, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0xf0];
    match random.below(3) {
        0 => random.bytes(len),
        1 => vec![*random.pick(&EDGES); len],
        _ => (0..len).map(|_| *random.pick(&EDGES)).collect(),
    }
}

fn check(cql_type: &CqlType, a: &[u8], b: &[u8], expected: Ordering) {
    let ascending = Comparator::new(cql_type, false);
    assert_eq!(ascending.compare(a, b), expected, "{cql_type:?} {a:02x?} {b:02x?}");
    assert_eq!(ascending.compare(b, a), expected.reverse(), "{cql_type:?} {a:02x?} {b:02x?}");
    let descending = Comparator::new(cql_type, true);
    assert_eq!(descending.compare(a, b), expected.reverse(), "{cql_type:?} {a:02x?} {b:02x?}");
}

#[test]
fn fixed_width_types() {
    let mut random = Random::seeded(0x0066_6978_6564);
    for (cql_type, len, oracle) in &FIXED {
        for _ in 0..3000 {
            let (a, b) = (edgy(&mut random, *len), edgy(&mut random, *len));
            check(cql_type, &a, &b, oracle(&a, &b));
        }
    }
}

#[test]
fn versions_of_uuids() {
    let mut random = Random::seeded(0x7575_6964);
    for _ in 0..5000 {
        let mut values = [edgy(&mut random, 16), edgy(&mut random, 16)];
        for value in &mut values {
            value[6] = *random.pick(&[0x10, 0x11, 0x1f, 0x40, 0x7f]);
        }
        let [a, b] = &values;
        check(&CqlType::Uuid, a, b, uuid(a, b));
        check(&CqlType::Timeuuid, a, b, timeuuid(a, b));
    }
}

#[test]
fn one_time_two_orders() {
    let with_low = |low: u8| [&[0, 0, 0, 0, 0, 0, 0x10, 0][..], &[low; 8]].concat();
    let (a, b) = (with_low(0x7f), with_low(0x80));
    check(&CqlType::Uuid, &a, &b, Ordering::Less);
    check(&CqlType::Timeuuid, &a, &b, Ordering::Greater);
}

#[test]
fn floats_as_java_has_them() {
    let order = [
        f32::NEG_INFINITY,
        f32::MIN,
        -1.0,
        -f32::MIN_POSITIVE,
        -f32::from_bits(1),
        -0.0,
        0.0,
        f32::from_bits(1),
        1.0,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    for (i, a) in order.iter().enumerate() {
        for (j, b) in order.iter().enumerate() {
            check(&CqlType::Float, &a.to_be_bytes(), &b.to_be_bytes(), i.cmp(&j));
            let (a, b) = (f64::from(*a), f64::from(*b));
            check(&CqlType::Double, &a.to_be_bytes(), &b.to_be_bytes(), i.cmp(&j));
        }
    }
    let other_nan = 0xffc0_0001_u32.to_be_bytes();
    check(&CqlType::Float, &f32::NAN.to_be_bytes(), &other_nan, Ordering::Equal);
}

#[test]
fn varints_and_decimals_of_any_size() {
    let mut random = Random::seeded(0x7661_7269_6e74);
    let scales = [0, 0, 1, 2, 3, 18, 37, 38, 39, 40, 100, 300, -1, -5, -38];
    let value = |random: &mut Random| {
        let len = *random.pick(&[1, 1, 2, 3, 8, 9, 15, 16, 17, 24, 60]);
        edgy(random, len)
    };
    for _ in 0..20_000 {
        let (a, b) = (value(&mut random), value(&mut random));
        check(&CqlType::Varint, &a, &b, big(&a).cmp(&big(&b)));
        let mut decimal =
            |unscaled: &[u8]| [&i32::to_be_bytes(*random.pick(&scales)), unscaled].concat();
        let (a, b) = (decimal(&a), decimal(&b));
        check(&CqlType::Decimal, &a, &b, scaled(&a).cmp(&scaled(&b)));
    }
}

#[test]
fn decimals_that_are_nearly_equal() {
    let mut random = Random::seeded(0x0064_6563_696d_616c);
    let decimal = |scale: i32, unscaled: &BigInt| {
        [&scale.to_be_bytes()[..], &unscaled.to_signed_bytes_be()].concat()
    };
    for _ in 0..5000 {
        let len = 1 + random.below(40);
        let unscaled = big(&random.bytes(len));
        let power = random.below(60) as i32;
        let off_by = BigInt::from(random.below(3) as i32 - 1);
        let factor = BigInt::from(10).pow(power as u32);
        let (a, b) = (decimal(7, &unscaled), decimal(7 + power, &(unscaled * factor + off_by)));
        check(&CqlType::Decimal, &a, &b, scaled(&a).cmp(&scaled(&b)));
    }
}

#[test]
fn decimals_of_extreme_scales() {
    let decimal = |scale: i32, unscaled: &[u8]| [&scale.to_be_bytes()[..], unscaled].concat();
    let (tiny, huge) = (decimal(i32::MAX, &[1]), decimal(i32::MIN, &[1]));
    check(&CqlType::Decimal, &tiny, &huge, Ordering::Less);
    let (big_tiny, big_huge) = (decimal(i32::MAX, &[1; 40]), decimal(i32::MIN, &[1; 40]));
    check(&CqlType::Decimal, &big_tiny, &big_huge, Ordering::Less);
    let (low, zero) = (decimal(i32::MIN, &[0xff]), decimal(i32::MIN, &[0]));
    check(&CqlType::Decimal, &low, &zero, Ordering::Less);
    check(&CqlType::Decimal, &zero, &decimal(3, &[0, 0]), Ordering::Equal);
}

#[test]
fn empty_values_come_first() {
    let vector = CqlType::Vector(Box::new(CqlType::Int), 1);
    let list = CqlType::List(Box::new(CqlType::Int));
    let map = CqlType::Map(Box::new(CqlType::Int), Box::new(CqlType::Int));
    let others = [
        (vector, &[0x80, 0, 0, 0][..]),
        (list, &[0, 0, 0, 0]),
        (map, &[0, 0, 0, 0]),
        (CqlType::Tuple(vec![CqlType::Int]), &[0xff; 4]),
        (CqlType::Composite(vec![CqlType::Int]), &[0, 0, 0]),
        (CqlType::Composite(vec![CqlType::Int]), &[0xff, 0xff]),
        (CqlType::DynamicComposite, &[0x80, b'a', 0, 0, 0]),
        (CqlType::Varint, &[0x80]),
        (CqlType::Decimal, &[0, 0, 0, 0, 0x80]),
        (CqlType::Text, &[0]),
    ];
    for (cql_type, smallest) in &others {
        check(cql_type, &[], smallest, Ordering::Less);
        check(cql_type, &[], &[], Ordering::Equal);
    }
    for (cql_type, len, _) in &FIXED {
        check(cql_type, &[], &vec![0x80; *len], Ordering::Less);
    }
}

type Value = Option<Vec<u8>>;

fn framed(value: &Value) -> Vec<u8> {
    match value {
        None => (-1_i32).to_be_bytes().to_vec(),
        Some(bytes) => [&(bytes.len() as i32).to_be_bytes()[..], bytes].concat(),
    }
}

fn collection(count: usize, values: &[Value]) -> Vec<u8> {
    let mut bytes = (count as i32).to_be_bytes().to_vec();
    bytes.extend(values.iter().flat_map(framed));
    bytes
}

fn udt(types: &[CqlType]) -> CqlType {
    let field = |t: &CqlType| UdtField { name: "f".to_owned(), cql_type: t.clone() };
    let fields = types.iter().map(field).collect();
    CqlType::Udt(UdtType { keyspace: "k".to_owned(), name: "u".to_owned(), fields }.into())
}

/// An int that is small, so that prefixes are often equal; or null; or empty.
fn small_int(random: &mut Random) -> Value {
    match random.below(8) {
        0 => None,
        1 => Some(Vec::new()),
        _ => Some((random.below(3) as i32 - 1).to_be_bytes().to_vec()),
    }
}

/// The order of such ints: null, empty, number.
fn rank(value: &Value) -> (u8, i128) {
    match value.as_deref() {
        None => (0, 0),
        Some([]) => (1, 0),
        Some(bytes) => (2, int::<4>(bytes)),
    }
}

fn ranks(values: &[Value]) -> Vec<(u8, i128)> {
    values.iter().map(rank).collect()
}

#[test]
fn collections_by_element_and_tuples_by_field() {
    let mut random = Random::seeded(0x6e65_7374_6564);
    let int = || Box::new(CqlType::Int);
    let (list, set, map) = (CqlType::List(int()), CqlType::Set(int()), CqlType::Map(int(), int()));
    let fields = vec![CqlType::Int; 4];
    let (tuple, udt) = (CqlType::Tuple(fields.clone()), udt(&fields));
    for _ in 0..10_000 {
        let mut values = || -> Vec<Value> {
            let len = 1 + random.below(4);
            (0..len).map(|_| small_int(&mut random)).collect()
        };
        let (mut a, mut b) = (values(), values());
        let expected = ranks(&a).cmp(&ranks(&b));
        for cql_type in [&list, &set] {
            let (a, b) = (collection(a.len(), &a), collection(b.len(), &b));
            check(cql_type, &a, &b, expected);
        }
        let fields = |values: &[Value]| values.iter().flat_map(framed).collect::<Vec<_>>();
        let (tuple_a, tuple_b) = (fields(&a), fields(&b));
        let pad = |values: &[Value]| {
            let mut values = ranks(values);
            values.resize(4, (0, 0));
            values
        };
        for cql_type in [&tuple, &udt] {
            check(cql_type, &tuple_a, &tuple_b, pad(&a).cmp(&pad(&b)));
        }
        a.truncate(a.len() / 2 * 2);
        b.truncate(b.len() / 2 * 2);
        let expected = ranks(&a).cmp(&ranks(&b));
        check(&map, &collection(a.len() / 2, &a), &collection(b.len() / 2, &b), expected);
    }
}

#[test]
fn vectors_by_element() {
    let mut random = Random::seeded(0x7665_6374_6f72);
    let fixed = CqlType::Vector(Box::new(CqlType::Smallint), 2);
    let bare = CqlType::Vector(Box::new(CqlType::Int), 2);
    for _ in 0..2000 {
        let mut pair = || [random.below(3) as i16 - 1, random.below(3) as i16 - 1];
        let (a, b) = (pair(), pair());
        let prefixed = |pair: [i16; 2]| {
            pair.iter().flat_map(|n| [&[2][..], &n.to_be_bytes()].concat()).collect::<Vec<_>>()
        };
        check(&fixed, &prefixed(a), &prefixed(b), a.cmp(&b));
        let plain = |pair: [i16; 2]| {
            pair.iter().flat_map(|n| i32::from(*n).to_be_bytes()).collect::<Vec<_>>()
        };
        check(&bare, &plain(a), &plain(b), a.cmp(&b));
    }
}

#[test]
fn composites_by_component() {
    let composite = CqlType::Composite(vec![CqlType::Int, CqlType::Text]);
    let value = |number: i32, text: &[u8], end: u8| {
        let mut bytes = vec![0, 4];
        bytes.extend(number.to_be_bytes());
        bytes.extend([0, 0, text.len() as u8]);
        bytes.extend(text);
        bytes.push(end);
        bytes
    };
    let order = [
        vec![0xff, 0xff, 0, 4, 0, 0, 0, 9, 0],
        value(-1, b"b", 0),
        vec![0, 4, 0, 0, 0, 1, 0],
        value(1, b"a", 0xff),
        value(1, b"a", 0),
        value(1, b"a", 1),
        value(1, b"ab", 0),
        vec![0, 4, 0, 0, 0, 1, 1],
    ];
    for (i, a) in order.iter().enumerate() {
        for (j, b) in order.iter().enumerate() {
            check(&composite, a, b, i.cmp(&j));
        }
    }
}

#[test]
fn dynamic_composites_by_class_then_value() {
    let component = |class: &str, value: &[u8]| {
        let mut bytes = (class.len() as u16).to_be_bytes().to_vec();
        bytes.extend(class.bytes());
        bytes.extend((value.len() as u16).to_be_bytes());
        bytes.extend(value);
        bytes.push(0);
        bytes
    };
    let order = [
        [&[0x80, b'b', 0, 1][..], &[9, 0]].concat(),
        [&[0x80, b's', 0, 1][..], &[1, 0]].concat(),
        component("Int32Type", &(-1_i32).to_be_bytes()),
        component("org.apache.cassandra.db.marshal.Int32Type", &1_i32.to_be_bytes()),
        component("Int32Type", &2_i32.to_be_bytes()),
        component("IntegerType", &[1]),
        component("ReversedType(Int32Type)", &1_i32.to_be_bytes()),
        component("ReversedType(Int32Type)", &(-1_i32).to_be_bytes()),
        component("UTF8Type", b"a"),
        [component("UTF8Type", b"a"), component("Int32Type", &[0; 4])].concat(),
    ];
    for (i, a) in order.iter().enumerate() {
        for (j, b) in order.iter().enumerate() {
            check(&CqlType::DynamicComposite, a, b, i.cmp(&j));
        }
    }
}

/// A sort of any bytes must neither panic nor depend on their order.
#[test]
fn the_order_is_total_over_all_bytes() {
    let mut random = Random::seeded(0x0074_6f74_616c);
    let nested = || Box::new(CqlType::List(Box::new(CqlType::Int)));
    let mut types: Vec<_> = FIXED.iter().map(|(cql_type, ..)| cql_type.clone()).collect();
    types.extend([
        CqlType::Varint,
        CqlType::Decimal,
        CqlType::Set(Box::new(CqlType::Int)),
        CqlType::Map(Box::new(CqlType::Int), nested()),
        CqlType::Tuple(vec![CqlType::Tinyint, *nested()]),
        CqlType::Vector(nested(), 2),
        CqlType::Vector(Box::new(CqlType::Empty), 2),
        CqlType::Vector(Box::new(CqlType::Tinyint), usize::MAX),
        CqlType::Composite(vec![CqlType::Int, CqlType::Decimal]),
        CqlType::DynamicComposite,
    ]);
    for cql_type in &types {
        let comparator = Comparator::new(cql_type, false);
        let values: Vec<Vec<u8>> = (0..60).map(|_| hostile(&mut random)).collect();
        for a in &values {
            for b in &values {
                assert_eq!(comparator.compare(a, b), comparator.compare(b, a).reverse());
                for c in &values {
                    let ordered =
                        comparator.compare(a, b).is_le() && comparator.compare(b, c).is_le();
                    let fits = !ordered || comparator.compare(a, c).is_le();
                    assert!(fits, "{cql_type:?} {a:02x?} {b:02x?} {c:02x?}");
                }
            }
        }
    }
}

/// Bytes that look like counts and lengths often enough to be read some way.
fn hostile(random: &mut Random) -> Vec<u8> {
    let words = [&[0, 0, 0, 0][..], &[0, 0, 0, 1], &[0, 0, 0, 2], &[0, 0, 0, 4], &[0xff; 4]];
    let mut bytes = Vec::new();
    for _ in 0..random.below(6) {
        match random.below(4) {
            0 => bytes.extend(
                random.pick(&[&[0, 4][..], &[0x80, 1], &[0, 0, 0], &[0xff], &[0x7f]]).iter(),
            ),
            _ => bytes.extend(random.pick(&words).iter()),
        }
    }
    bytes
}
