//! The leaves: how the text of a value is made from its Arrow value.

use std::marker::PhantomData;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Float32Type, Float64Type, IntervalMonthDayNanoType,
    Time64NanosecondType, TimestampMillisecondType,
};
use arrow_array::{BinaryArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray};

use super::Leaf;
use crate::Error;
use crate::text::{calendar, clock, decimal, duration, float, hex, inet, integer};

/// tinyint to bigint, counter
pub(crate) struct Integer<T>(PhantomData<T>);

impl<T> Integer<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: ArrowPrimitiveType + Send> Leaf for Integer<T>
where
    T::Native: itoa::Integer,
{
    type Array = PrimitiveArray<T>;

    #[inline(always)]
    fn append(&self, array: &Self::Array, row: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        integer::append(array.value(row), out);
        Ok(())
    }
}

/// boolean
pub(crate) struct Boolean {
    pub(crate) yes: &'static str,
    pub(crate) no: &'static str,
}

impl Leaf for Boolean {
    type Array = BooleanArray;

    #[inline(always)]
    fn append(&self, array: &Self::Array, row: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let text = if array.value(row) { self.yes } else { self.no };
        out.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// A leaf whose text a function makes from the native value.
macro_rules! primitive_leaf {
    ($(#[$doc:meta])* $leaf:ident, $arrow:ty, $append:expr) => {
        $(#[$doc])*
        pub(crate) struct $leaf;

        impl Leaf for $leaf {
            type Array = PrimitiveArray<$arrow>;

            #[inline(always)]
            fn append(
                &self,
                array: &Self::Array,
                row: usize,
                out: &mut Vec<u8>,
            ) -> Result<(), Error> {
                $append(array.value(row), out);
                Ok(())
            }
        }
    };
}

primitive_leaf!(/** float in JSON */ JavaFloat, Float32Type, float::append_java::<f32>);
primitive_leaf!(/** double in JSON */ JavaDouble, Float64Type, float::append_java::<f64>);
primitive_leaf!(/** float in CSV */ CFloat, Float32Type, float::append_c::<f32>);
primitive_leaf!(/** double in CSV */ CDouble, Float64Type, float::append_c::<f64>);
primitive_leaf!(/** float */ ShownFloat, Float32Type, float::append_java_shown::<f32>);
primitive_leaf!(/** double */ ShownDouble, Float64Type, float::append_java_shown::<f64>);
primitive_leaf!(
    /** timestamp */
    ShownTimestamp, TimestampMillisecondType, clock::append_shown_timestamp
);
primitive_leaf!(
    /** timestamp in JSON */
    JsonTimestamp, TimestampMillisecondType, clock::append_json_timestamp
);
primitive_leaf!(
    /** timestamp in CSV */
    CsvTimestamp, TimestampMillisecondType, clock::append_csv_timestamp
);
primitive_leaf!(/** date in JSON */ JsonDate, Date32Type, append_json_date);
primitive_leaf!(/** date in CSV */ CsvDate, Date32Type, clock::append_csv_date);
primitive_leaf!(/** time */ Time, Time64NanosecondType, clock::append_time);

fn append_json_date(days: i32, out: &mut Vec<u8>) {
    calendar::append(i64::from(days), out);
}

/// duration; the zero duration has no text
pub(crate) struct Duration;

impl Leaf for Duration {
    type Array = PrimitiveArray<IntervalMonthDayNanoType>;

    fn is_empty(&self, array: &Self::Array, row: usize) -> bool {
        let value = array.value(row);
        value.months == 0 && value.days == 0 && value.nanoseconds == 0
    }

    fn append(&self, array: &Self::Array, row: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let value = array.value(row);
        duration::append(value.months, value.days, value.nanoseconds, out);
        Ok(())
    }
}

/// uuid, timeuuid
pub(crate) struct Uuid;

impl Leaf for Uuid {
    type Array = FixedSizeBinaryArray;

    #[inline(always)]
    fn append(&self, array: &Self::Array, row: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let bytes = <[u8; 16]>::try_from(array.value(row))
            .map_err(|_| Error::invalid("16 bytes", format!("{} bytes", array.value_length())))?;
        hex::append_uuid(bytes, out);
        Ok(())
    }
}

/// Bytes in hex behind a prefix; without one, no bytes have no text.
pub(crate) struct Hex {
    pub(crate) prefix: &'static str,
}

impl Leaf for Hex {
    type Array = BinaryArray;

    #[inline(always)]
    fn is_empty(&self, array: &Self::Array, row: usize) -> bool {
        self.prefix.is_empty() && array.value(row).is_empty()
    }

    #[inline(always)]
    fn append(&self, array: &Self::Array, row: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        out.extend_from_slice(self.prefix.as_bytes());
        hex::append(array.value(row), out);
        Ok(())
    }
}

/// A leaf whose text a function makes from the bytes of a cell.
macro_rules! cell_leaf {
    ($(#[$doc:meta])* $leaf:ident, $append:expr) => {
        $(#[$doc])*
        pub(crate) struct $leaf;

        impl Leaf for $leaf {
            type Array = BinaryArray;

            #[inline]
            fn is_empty(&self, array: &Self::Array, row: usize) -> bool {
                array.value(row).is_empty()
            }

            fn append(
                &self,
                array: &Self::Array,
                row: usize,
                out: &mut Vec<u8>,
            ) -> Result<(), Error> {
                $append(array.value(row), out)
            }
        }
    };
}

cell_leaf!(/** inet in JSON */ JavaInet, inet::append_java);
cell_leaf!(/** inet in CSV */ PosixInet, inet::append_posix);
cell_leaf!(/** varint */ Varint, integer::append_varint);
cell_leaf!(/** decimal */ Decimal, decimal::append);
