//! Tests of types whose values have one width, by keys that compare as the values do.

use std::marker::PhantomData;

use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalMonthDayNano, IntervalMonthDayNanoType, Time64NanosecondType, TimestampMillisecondType,
};
use arrow_array::{Array, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::BooleanBuffer;
use outpour_cql::{CqlType, Empties, NotOfType, column_builder, order_key};

use super::Test;
use super::ordered::Question;
use super::truth::{Truth, View, pack};
use crate::Comparison;

/// A number with a smallest and a greatest.
pub(super) trait Key: Copy + Ord + Send + Sync {
    const MIN: Self;
    const MAX: Self;

    fn next(self) -> Option<Self>;
    fn previous(self) -> Option<Self>;
}

macro_rules! key {
    ($($number:ty)*) => {
        $(impl Key for $number {
            const MIN: Self = <$number>::MIN;
            const MAX: Self = <$number>::MAX;

            fn next(self) -> Option<Self> {
                self.checked_add(1)
            }

            fn previous(self) -> Option<Self> {
                self.checked_sub(1)
            }
        })*
    };
}

key!(i8 i16 i32 i64 u32 u64 u128);

/// A type whose values have one width.
pub(super) trait Fixed: Send + Sync + 'static {
    type Native: Copy;
    type Key: Key;
    const TYPE: CqlType;

    /// The values of an array, whatever stands for null among them.
    fn natives(values: View<'_>) -> Result<&[Self::Native], NotOfType>;

    fn key(native: Self::Native) -> Self::Key;
}

/// Which keys a question is true of.
enum Wanted<K> {
    /// Those from the first to the second; none if the second is less
    Between(K, K),
    /// In order
    OneOf(Vec<K>),
}

/// Where a search in order becomes faster than looking at all.
const LINEAR_MAX: usize = 16;

impl<K: Key> Wanted<K> {
    /// The keys that compare so with `than`, an empty value if it is `None`: empty comes first.
    fn compared(comparison: Comparison, than: Option<K>) -> Self {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
        let (all, none) = ((K::MIN, K::MAX), (K::MAX, K::MIN));
        let (from, to) = match (comparison, than) {
            (Equal, Some(key)) => (key, key),
            (Less, Some(key)) => key.previous().map_or(none, |to| (K::MIN, to)),
            (LessOrEqual, Some(key)) => (K::MIN, key),
            (Greater, Some(key)) => key.next().map_or(none, |from| (from, K::MAX)),
            (GreaterOrEqual, Some(key)) => (key, K::MAX),
            (Greater | GreaterOrEqual, None) => all,
            (Equal | Less | LessOrEqual, None) => none,
        };
        Self::Between(from, to)
    }

    #[inline(always)]
    fn bits<T: Copy>(&self, natives: &[T], key: impl Fn(T) -> K) -> BooleanBuffer {
        match self {
            Self::Between(from, to) => pack(natives, |native| {
                let key = key(native);
                key >= *from && key <= *to
            }),
            Self::OneOf(keys) if keys.len() <= LINEAR_MAX => pack(natives, |native| {
                let key = key(native);
                keys.contains(&key)
            }),
            Self::OneOf(keys) => pack(natives, |native| keys.binary_search(&key(native)).is_ok()),
        }
    }
}

/// The test of a [`Fixed`] type.
pub(super) struct FixedTest<F: Fixed> {
    wanted: Wanted<F::Key>,
    empty_holds: bool,
}

impl<F: Fixed> FixedTest<F> {
    pub(super) fn new(question: &Question, empty_holds: bool) -> Self {
        let wanted = match question {
            Question::Compare(comparison, value) => {
                Wanted::compared(*comparison, keys::<F>(&[value.as_slice()]).pop())
            }
            Question::In(values) => {
                let values: Vec<_> = values.iter().map(Vec::as_slice).collect();
                let mut keys = keys::<F>(&values);
                keys.sort_unstable();
                Wanted::OneOf(keys)
            }
        };
        Self { wanted, empty_holds }
    }
}

impl<F: Fixed> Test for FixedTest<F> {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let outcome = self.wanted.bits(F::natives(values)?, F::key);
        Ok(Truth::of(outcome, self.empty_holds, values))
    }
}

/// The keys of those values of a literal that are not empty: made as the keys of any column.
fn keys<F: Fixed>(values: &[&[u8]]) -> Vec<F::Key> {
    let cells: Vec<_> = values.iter().filter(|v| !v.is_empty()).map(|v| Some(*v)).collect();
    let mut builder = column_builder(&F::TYPE);
    // Literals are values of the type that they are bound to.
    if builder.append(&cells).is_err() {
        return Vec::new();
    }
    let column = builder.finish();
    let view = View { array: &column.array, empties: &Empties::default() };
    F::natives(view).unwrap_or_default().iter().map(|native| F::key(*native)).collect()
}

/// A type that Arrow has as a primitive.
macro_rules! primitive {
    ($name:ident, $arrow:ty, $key:ty, $of:expr) => {
        pub(super) struct $name(PhantomData<$arrow>);

        impl Fixed for $name {
            type Native = <$arrow as arrow_array::ArrowPrimitiveType>::Native;
            type Key = $key;
            const TYPE: CqlType = CqlType::$name;

            fn natives(values: View<'_>) -> Result<&[Self::Native], NotOfType> {
                Ok(values.downcast::<PrimitiveArray<$arrow>>()?.values())
            }

            #[inline(always)]
            fn key(native: Self::Native) -> $key {
                $of(native)
            }
        }
    };
}

primitive!(Tinyint, Int8Type, i8, |native| native);
primitive!(Smallint, Int16Type, i16, |native| native);
primitive!(Int, Int32Type, i32, |native| native);
primitive!(Bigint, Int64Type, i64, |native| native);
primitive!(Float, Float32Type, u32, |native: f32| order_key::float_key(native.to_be_bytes()));
primitive!(Double, Float64Type, u64, |native: f64| order_key::double_key(native.to_be_bytes()));
primitive!(Date, Date32Type, i32, |native| native);
primitive!(Time, Time64NanosecondType, i64, |native| native);
primitive!(Timestamp, TimestampMillisecondType, i64, |native| native);
// Its order is that of unsigned bytes.
primitive!(LegacyTimestamp, TimestampMillisecondType, u64, |native| native as u64);
// Durations are only ever asked to be equal.
primitive!(Duration, IntervalMonthDayNanoType, u128, duration_key);

fn duration_key(native: IntervalMonthDayNano) -> u128 {
    let (months, days) = (native.months as u32, native.days as u32);
    let nanoseconds = native.nanoseconds as u64;
    u128::from(months) << 96 | u128::from(days) << 64 | u128::from(nanoseconds)
}

/// One of the three UUID types.
macro_rules! uuid {
    ($name:ident, $of:path) => {
        pub(super) struct $name;

        impl Fixed for $name {
            type Native = [u8; 16];
            type Key = u128;
            const TYPE: CqlType = CqlType::$name;

            fn natives(values: View<'_>) -> Result<&[[u8; 16]], NotOfType> {
                uuids(values)
            }

            #[inline(always)]
            fn key(native: [u8; 16]) -> u128 {
                $of(native)
            }
        }
    };
}

uuid!(Uuid, order_key::uuid_key);
uuid!(Timeuuid, order_key::timeuuid_key);
uuid!(LexicalUuid, order_key::lexical_key);

fn uuids(values: View<'_>) -> Result<&[[u8; 16]], NotOfType> {
    let array = values.downcast::<FixedSizeBinaryArray>()?;
    let (uuids, rest) = array.value_data().as_chunks();
    match rest.is_empty() && uuids.len() == array.len() {
        true => Ok(uuids),
        false => Err(NotOfType::new("16 bytes each", array.value_length().to_string())),
    }
}
