//! Values that take the same space in an array whatever their cells' length is.

use std::sync::Arc;

use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalMonthDayNano, IntervalMonthDayNanoType, Time64NanosecondType, TimestampMillisecondType,
};
use arrow_array::{ArrayRef, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, NullBuffer, ScalarBuffer};
use outpour_codec::vint;

use super::marks::Marks;
use super::{Cell, CellError, ColumnBuilder};
use crate::arrow::UTC;
use crate::batch::{ColumnValues, Empties};

/// How one type's cells become values.
pub(super) trait Scalar: Send {
    type Native: ArrowNativeType;

    /// What a cell that is not empty must hold.
    const EXPECTED: &str;

    /// The value of a cell; anything and false if it is empty or not as expected.
    fn decode(cell: &[u8]) -> (Self::Native, bool);

    /// What a cell holds that is not as expected.
    fn describe(cell: &[u8]) -> String {
        format!("{} bytes", cell.len())
    }

    fn array(values: ScalarBuffer<Self::Native>, nulls: Option<NullBuffer>) -> ArrayRef;
}

/// Appends cells of a [`Scalar`] type.
pub(super) struct ScalarBuilder<S: Scalar> {
    values: Vec<S::Native>,
    marks: Marks,
}

impl<S: Scalar> Default for ScalarBuilder<S> {
    fn default() -> Self {
        Self { values: Vec::new(), marks: Marks::default() }
    }
}

impl<S: Scalar> ColumnBuilder for ScalarBuilder<S> {
    fn append(&mut self, cells: &[Cell<'_>]) -> Result<(), CellError> {
        let (mut all_present, mut all_sound) = (true, true);
        self.values.extend(cells.iter().map(|cell| {
            let cell = cell.unwrap_or_default();
            let (value, is_value) = S::decode(cell);
            all_present &= is_value;
            all_sound &= is_value | cell.is_empty();
            if is_value { value } else { S::Native::default() }
        }));
        if !all_sound {
            return Err(refuse::<S>(cells));
        }
        match all_present {
            true => self.marks.append_present(cells.len()),
            false => self.marks.append_absent(cells),
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.values.len() * size_of::<S::Native>() + self.marks.bytes()
    }

    fn finish(&mut self) -> ColumnValues {
        let next = Vec::with_capacity(self.values.len());
        let values = std::mem::replace(&mut self.values, next);
        let (nulls, mask) = self.marks.finish();
        let empties = Empties { mask, children: Vec::new() };
        ColumnValues { array: S::array(values.into(), nulls), empties }
    }
}

/// The first cell that is neither null nor empty nor a value.
#[cold]
fn refuse<S: Scalar>(cells: &[Cell<'_>]) -> CellError {
    let is_bad = |cell: &Cell<'_>| cell.is_some_and(|cell| !cell.is_empty() && !S::decode(cell).1);
    let index = cells.iter().position(is_bad).unwrap_or_default();
    let cell = cells.get(index).copied().flatten().unwrap_or_default();
    CellError::new(index, S::EXPECTED, S::describe(cell))
}

/// The cell, or zeros if it has another length, without a branch that nulls could mislead.
#[inline(always)]
fn bytes_or_zeros<const N: usize>(cell: &[u8]) -> (&[u8; N], bool) {
    let bytes = <&[u8; N]>::try_from(cell);
    (bytes.unwrap_or(&[0; N]), bytes.is_ok())
}

/// A type whose cells hold a big-endian number, and its Arrow type.
macro_rules! number {
    ($name:ident: $arrow:ty, $expected:literal, $from_be_bytes:expr) => {
        pub(super) struct $name;

        impl Scalar for $name {
            type Native = <$arrow as arrow_array::ArrowPrimitiveType>::Native;
            const EXPECTED: &str = $expected;

            #[inline(always)]
            fn decode(cell: &[u8]) -> (Self::Native, bool) {
                let (bytes, is_value) = bytes_or_zeros(cell);
                ($from_be_bytes(*bytes), is_value)
            }

            fn array(values: ScalarBuffer<Self::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
                Arc::new(PrimitiveArray::<$arrow>::new(values, nulls))
            }
        }
    };
}

number!(Tinyint: Int8Type, "1 byte", i8::from_be_bytes);
number!(Smallint: Int16Type, "2 bytes", i16::from_be_bytes);
number!(Int: Int32Type, "4 bytes", i32::from_be_bytes);
number!(Bigint: Int64Type, "8 bytes", i64::from_be_bytes);
number!(Float: Float32Type, "4 bytes", f32::from_be_bytes);
number!(Double: Float64Type, "8 bytes", f64::from_be_bytes);
// Days are stored with 1970-01-01 in the middle of the unsigned numbers.
number!(Date: Date32Type, "4 bytes", |bytes| (u32::from_be_bytes(bytes) ^ 1 << 31) as i32);

/// Milliseconds since 1970.
pub(super) struct Timestamp;

impl Scalar for Timestamp {
    type Native = i64;
    const EXPECTED: &str = "8 bytes";

    #[inline(always)]
    fn decode(cell: &[u8]) -> (i64, bool) {
        Bigint::decode(cell)
    }

    fn array(values: ScalarBuffer<i64>, nulls: Option<NullBuffer>) -> ArrayRef {
        let array = PrimitiveArray::<TimestampMillisecondType>::new(values, nulls);
        Arc::new(array.with_timezone(UTC))
    }
}

/// Nanoseconds of the day.
pub(super) struct Time;

const DAY_NS: i64 = 86_400_000_000_000;

impl Scalar for Time {
    type Native = i64;
    const EXPECTED: &str = "8 bytes, 0 to 86399999999999 nanoseconds";

    #[inline(always)]
    fn decode(cell: &[u8]) -> (i64, bool) {
        let (time, is_value) = Bigint::decode(cell);
        (time, is_value & (0..DAY_NS).contains(&time))
    }

    fn describe(cell: &[u8]) -> String {
        match Bigint::decode(cell) {
            (time, true) => format!("{time} nanoseconds"),
            (_, false) => Bigint::describe(cell),
        }
    }

    fn array(values: ScalarBuffer<i64>, nulls: Option<NullBuffer>) -> ArrayRef {
        Arc::new(PrimitiveArray::<Time64NanosecondType>::new(values, nulls))
    }
}

/// The three UUID types. The number is only a carrier: its bytes in memory are those of the cell.
pub(super) struct Uuid;

impl Scalar for Uuid {
    type Native = i128;
    const EXPECTED: &str = "16 bytes";

    #[inline(always)]
    fn decode(cell: &[u8]) -> (i128, bool) {
        let (bytes, is_value) = bytes_or_zeros(cell);
        (i128::from_ne_bytes(*bytes), is_value)
    }

    fn array(values: ScalarBuffer<i128>, nulls: Option<NullBuffer>) -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::new(16, values.into_inner(), nulls))
    }
}

/// Months, days and nanoseconds as signed vints (`serializers/DurationSerializer.java`, 3.10+).
pub(super) struct Duration;

impl Duration {
    fn parse(cell: &[u8]) -> Option<IntervalMonthDayNano> {
        let mut at = 0;
        let mut next = || vint::read_signed(cell, &mut at);
        let (months, days, nanoseconds) = (next()?, next()?, next()?);
        let all = [months, days, nanoseconds];
        let one_sign = all.iter().all(|part| *part >= 0) || all.iter().all(|part| *part <= 0);
        let (months, days) = (i32::try_from(months).ok()?, i32::try_from(days).ok()?);
        (one_sign && at == cell.len()).then_some(IntervalMonthDayNano { months, days, nanoseconds })
    }
}

impl Scalar for Duration {
    type Native = IntervalMonthDayNano;
    const EXPECTED: &str = "months, days and nanoseconds of one sign";

    fn decode(cell: &[u8]) -> (IntervalMonthDayNano, bool) {
        let duration = Self::parse(cell);
        (duration.unwrap_or_default(), duration.is_some())
    }

    fn describe(cell: &[u8]) -> String {
        format!("{cell:02x?}")
    }

    fn array(values: ScalarBuffer<IntervalMonthDayNano>, nulls: Option<NullBuffer>) -> ArrayRef {
        Arc::new(PrimitiveArray::<IntervalMonthDayNanoType>::new(values, nulls))
    }
}
