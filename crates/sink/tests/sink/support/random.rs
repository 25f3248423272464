//! Random types and values from a seed.

use outpour_cql::CqlType;

use super::value::Value;
use super::{list, map, set, udt, vector};

/// A generator of the xorshift family.
pub(crate) struct Random(u64);

const SCALARS: [CqlType; 20] = [
    CqlType::Ascii,
    CqlType::Bigint,
    CqlType::Blob,
    CqlType::Boolean,
    CqlType::Counter,
    CqlType::Date,
    CqlType::Decimal,
    CqlType::Double,
    CqlType::Duration,
    CqlType::Float,
    CqlType::Inet,
    CqlType::Int,
    CqlType::Smallint,
    CqlType::Text,
    CqlType::Time,
    CqlType::Timestamp,
    CqlType::Timeuuid,
    CqlType::Tinyint,
    CqlType::Uuid,
    CqlType::Varint,
];

/// Characters that some writer escapes, or leaves alone beside one that it escapes.
const CHARACTERS: [char; 24] = [
    'a', 'Z', '0', ' ', '"', '\'', '\\', ',', ':', '{', '\n', '\r', '\t', '\0', '\u{8}', '\u{c}',
    '\u{1f}', '\u{7f}', '\u{80}', '\u{a0}', '\u{a1}', 'é', '\u{2028}', '😀',
];

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number from 0 to `end`, exclusive.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    fn one_of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    /// A type whose values have others inside at most `depth` times.
    pub(crate) fn cql_type(&mut self, depth: usize) -> CqlType {
        if depth == 0 || self.below(3) == 0 {
            return self.one_of(&SCALARS);
        }
        let inner = self.cql_type(depth - 1);
        match self.below(6) {
            0 => list(inner),
            1 => set(inner),
            2 => map(inner, self.cql_type(depth - 1)),
            3 => CqlType::Tuple(vec![inner, self.cql_type(depth - 1)]),
            4 => udt(&[("x", inner), ("Wide \"é\\", self.cql_type(depth - 1))]),
            _ => vector(inner, 1 + self.below(3)),
        }
    }

    /// A value of `cql_type`, one in `rarity` of them null and one in `rarity` empty.
    pub(crate) fn value(&mut self, cql_type: &CqlType, rarity: usize) -> Value {
        match self.below(rarity) {
            0 => Value::Null,
            1 if !matches!(cql_type, CqlType::Ascii | CqlType::Text | CqlType::Blob) => {
                Value::Empty
            }
            _ => self.present(cql_type, rarity),
        }
    }

    fn key(&mut self, cql_type: &CqlType, rarity: usize) -> Value {
        match self.value(cql_type, rarity) {
            Value::Null => self.present(cql_type, rarity),
            value => value,
        }
    }

    fn present(&mut self, cql_type: &CqlType, rarity: usize) -> Value {
        match cql_type {
            CqlType::Ascii | CqlType::Text => Value::Text(self.text(rarity)),
            CqlType::Boolean => Value::Boolean(self.below(2) == 0),
            CqlType::Double => Value::Float(self.double()),
            CqlType::Float => Value::Float(f64::from(self.float())),
            CqlType::Duration => self.duration(),
            CqlType::Blob | CqlType::Inet | CqlType::Decimal | CqlType::Varint => {
                Value::Bytes(self.cell(cql_type))
            }
            CqlType::Uuid | CqlType::Timeuuid => Value::Bytes(self.bytes(16)),
            CqlType::List(element) | CqlType::Set(element) => {
                let len = self.below(4);
                Value::List((0..len).map(|_| self.value(element, rarity)).collect())
            }
            CqlType::Vector(element, dimension) => {
                Value::List((0..*dimension).map(|_| self.value(element, rarity)).collect())
            }
            CqlType::Map(key, value) => {
                let len = self.below(4);
                let entry = |_| (self.key(key, rarity), self.value(value, rarity));
                Value::Map((0..len).map(entry).collect())
            }
            CqlType::Tuple(types) => {
                Value::Fields(types.iter().map(|t| self.value(t, rarity)).collect())
            }
            CqlType::Udt(udt) => {
                let types = udt.fields.iter().map(|field| &field.cql_type);
                Value::Fields(types.map(|t| self.value(t, rarity)).collect())
            }
            _ => Value::Integer(self.integer(cql_type)),
        }
    }

    /// Mostly without anything to escape, so that whole blocks have nothing.
    fn text(&mut self, rarity: usize) -> String {
        let len = self.below(20);
        let characters = if self.below(rarity) == 0 { &CHARACTERS[..] } else { &CHARACTERS[..4] };
        (0..len).map(|_| self.one_of(characters)).collect()
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }

    fn cell(&mut self, cql_type: &CqlType) -> Vec<u8> {
        match cql_type {
            CqlType::Inet => {
                let mut bytes = self.one_of(&[vec![0; 4], vec![0; 16]]);
                for byte in &mut bytes {
                    *byte = self.one_of(&[0, 0x10, 0xfe]);
                }
                // A first byte of 0 could be the start of an address that ends in IPv4.
                bytes[0] = 0x20;
                bytes
            }
            CqlType::Decimal => {
                let scale = self.one_of(&[0, 1, 2, 6, 7, 20, -1, -30, i32::MAX, i32::MIN]);
                let len = 1 + self.below(20);
                [scale.to_be_bytes().to_vec(), self.bytes(len)].concat()
            }
            CqlType::Varint => {
                let len = 1 + self.below(40);
                self.bytes(len)
            }
            _ => {
                let len = self.below(40);
                self.bytes(len)
            }
        }
    }

    fn double(&mut self) -> f64 {
        let bits = f64::from_bits(self.next());
        let power = self.below(40) as i32 - 15;
        let round = (self.next() % 1_000_000) as f64 * 10_f64.powi(power);
        let special =
            self.one_of(&[0.0, -0.0, 1.0, 1e-3, 1e-4, 1e7, 1e9, 1e17, f64::NAN, f64::INFINITY]);
        self.one_of(&[bits, round, -round, special, -special])
    }

    fn float(&mut self) -> f32 {
        let bits = f32::from_bits(self.next() as u32);
        let rounded = self.double() as f32;
        self.one_of(&[bits, rounded])
    }

    fn duration(&mut self) -> Value {
        let wide = self.one_of(&[0, 1, 60_000_000_000, i64::MAX, i64::MIN, -999]);
        let narrow = self.one_of(&[0, 1, 12, 27, i32::MAX, i32::MIN]);
        Value::Duration(narrow, self.one_of(&[0, 0, 5, -5]), wide)
    }

    fn integer(&mut self, cql_type: &CqlType) -> i64 {
        let any = self.next() as i64;
        match cql_type {
            CqlType::Tinyint => i64::from(any as i8),
            CqlType::Smallint => i64::from(any as i16),
            CqlType::Int | CqlType::Date => self.one_of(&[i64::from(any as i32), any % 800_000]),
            CqlType::Time => any.rem_euclid(86_400_000_000_000),
            _ => self.one_of(&[any, any % 1_000_000_000_000_000, any % 1_000]),
        }
    }
}
