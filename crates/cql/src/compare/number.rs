//! Orders of floats and of numbers of any size.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};

use super::compare_irregular;

/// Java's `Float.compare`: -0.0 before 0.0, any NaN behind infinity.
#[must_use]
pub fn float_key(bytes: [u8; 4]) -> u32 {
    let value = f32::from_be_bytes(bytes);
    match value.to_bits() {
        _ if value.is_nan() => u32::MAX,
        bits if bits >> 31 == 1 => !bits,
        bits => bits | 1 << 31,
    }
}

/// Java's `Double.compare`, as [`float_key`].
#[must_use]
pub fn double_key(bytes: [u8; 8]) -> u64 {
    let value = f64::from_be_bytes(bytes);
    match value.to_bits() {
        _ if value.is_nan() => u64::MAX,
        bits if bits >> 63 == 1 => !bits,
        bits => bits | 1 << 63,
    }
}

/// Two's complement integers of any length; redundant sign bytes do not matter.
pub(super) fn compare_varints(a: &[u8], b: &[u8]) -> Ordering {
    let (Some(first_a), Some(first_b)) = (a.first(), b.first()) else {
        return compare_irregular(a, b, |_| true);
    };
    match (first_a >> 7, first_b >> 7) {
        (0, 0) => {
            let (a, b) = (significant(a, 0), significant(b, 0));
            a.len().cmp(&b.len()).then_with(|| a.cmp(b))
        }
        // Of two negative numbers the one with fewer significant bytes is the greater.
        (1, 1) => {
            let (a, b) = (significant(a, 0xff), significant(b, 0xff));
            b.len().cmp(&a.len()).then_with(|| a.cmp(b))
        }
        (sign_a, sign_b) => sign_b.cmp(&sign_a),
    }
}

/// The bytes behind those that only repeat the sign.
fn significant(bytes: &[u8], fill: u8) -> &[u8] {
    let redundant = bytes.iter().take_while(|byte| **byte == fill).count();
    bytes.get(redundant..).unwrap_or_default()
}

/// Decimals by their numeric value: 1.0 and 1.00 are equal.
pub(super) fn compare_decimals(a: &[u8], b: &[u8]) -> Ordering {
    match (Decimal::parse(a), Decimal::parse(b)) {
        (Some(x), Some(y)) => x.compare(&y),
        _ => compare_irregular(a, b, |bytes| Decimal::parse(bytes).is_some()),
    }
}

/// `unscaled` × 10^-`scale`.
struct Decimal<'a> {
    scale: i64,
    unscaled: &'a [u8],
}

impl<'a> Decimal<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (scale, unscaled) = bytes.split_first_chunk::<4>()?;
        let scale = i64::from(i32::from_be_bytes(*scale));
        (!unscaled.is_empty()).then_some(Self { scale, unscaled })
    }

    fn compare(&self, other: &Self) -> Ordering {
        if self.scale == other.scale {
            return compare_varints(self.unscaled, other.unscaled);
        }
        let sign = self.sign();
        match (sign.cmp(&other.sign()), sign) {
            (Ordering::Equal, Ordering::Equal) => Ordering::Equal,
            (Ordering::Equal, Ordering::Greater) => self.compare_sizes(other),
            (Ordering::Equal, Ordering::Less) => other.compare_sizes(self),
            (order, _) => order,
        }
    }

    /// How the number compares to zero.
    fn sign(&self) -> Ordering {
        compare_varints(self.unscaled, &[0])
    }

    /// Compares absolute values, neither of them zero.
    fn compare_sizes(&self, other: &Self) -> Ordering {
        self.compare_small(other).unwrap_or_else(|| self.compare_big(other))
    }

    fn compare_small(&self, other: &Self) -> Option<Ordering> {
        let (a, b) = (small(self.unscaled)?, small(other.unscaled)?);
        let exponent = |size: u128, scale: i64| i64::from(size.ilog10()) - scale;
        let order = exponent(a, self.scale).cmp(&exponent(b, other.scale));
        if order.is_ne() {
            return Some(order);
        }
        // The numbers of digits differ by as much as the scales.
        let factor = 10_u128.checked_pow(u32::try_from(self.scale.abs_diff(other.scale)).ok()?)?;
        match self.scale > other.scale {
            true => Some(a.cmp(&b.checked_mul(factor)?)),
            false => Some(a.checked_mul(factor)?.cmp(&b)),
        }
    }

    fn compare_big(&self, other: &Self) -> Ordering {
        let (a, b) = (magnitude(self.unscaled), magnitude(other.unscaled));
        let (low_a, high_a) = exponents(&a, self.scale);
        let (low_b, high_b) = exponents(&b, other.scale);
        if low_a > high_b {
            return Ordering::Greater;
        }
        if low_b > high_a {
            return Ordering::Less;
        }
        // The numbers of digits differ by about as much as the scales, so the power is no larger
        // than the numbers.
        let power = |exponent: u64| BigUint::from(10_u8).pow(exponent as u32);
        let factor = power(self.scale.abs_diff(other.scale));
        match self.scale > other.scale {
            true => a.cmp(&(b * factor)),
            false => (a * factor).cmp(&b),
        }
    }
}

fn small(unscaled: &[u8]) -> Option<u128> {
    let fill = if unscaled.first()? >> 7 == 1 { 0xff } else { 0 };
    let mut bytes = [fill; 16];
    let start = bytes.len().checked_sub(unscaled.len())?;
    bytes.get_mut(start..)?.copy_from_slice(unscaled);
    Some(i128::from_be_bytes(bytes).unsigned_abs())
}

fn magnitude(unscaled: &[u8]) -> BigUint {
    BigInt::from_signed_bytes_be(unscaled).into_parts().1
}

/// Bounds, with room for rounding, of the decimal logarithm of `size` × 10^-`scale`.
fn exponents(size: &BigUint, scale: i64) -> (f64, f64) {
    let log = |bits: u64| bits as f64 * std::f64::consts::LOG10_2 - scale as f64;
    (log(size.bits() - 1) - 0.001, log(size.bits()) + 0.001)
}
