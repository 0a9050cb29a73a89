//! The one form that all sums of the same numbers have: in bytes, and to be rounded.

use serde::{Deserialize, Serialize};

use super::digits::{BITS, Digits};
use super::{ExactSum, INFINITE, LAST, MINUS_INFINITE, NONE, NOT_A_NUMBER, place_of, times_power};

/// Digits of the largest sum: of 2^64 numbers of the largest size.
const MOST: usize = (2046 + 53 + 64) / BITS as usize + 1;

/// Bits of a sum that is held in its window.
const HELD: u32 = 120;

/// Sign, and digits of the size without zeros at either end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Form {
    is_negative: bool,
    /// The place of the first digit.
    first: u16,
    digits: Vec<u32>,
    special: u8,
}

impl From<ExactSum> for Form {
    fn from(sum: ExactSum) -> Self {
        let special = sum.special;
        let mut digits = sum.far.map(|far| *far).unwrap_or_default();
        if sum.near != 0 {
            digits.add(sum.base - 1, sum.near);
        }
        let (is_negative, first, digits) = digits.size();
        if digits.is_empty() {
            return Self { special, ..Self::default() };
        }
        Self { is_negative, first: u16::try_from(first).unwrap_or(u16::MAX), digits, special }
    }
}

impl TryFrom<Form> for ExactSum {
    type Error = String;

    fn try_from(form: Form) -> Result<Self, String> {
        let Form { is_negative, first, digits, special } = form;
        let first = usize::from(first);
        let is_trimmed = digits.first() != Some(&0) && digits.last() != Some(&0);
        let is_one = !digits.is_empty() || (first == 0 && !is_negative);
        if first + digits.len() > MOST
            || !is_trimmed
            || !is_one
            || special > INFINITE | MINUS_INFINITE | NOT_A_NUMBER
        {
            return Err("a sum is none that there could be".into());
        }
        let empty = Self { special, ..Self::default() };
        let (Some(lowest), Some(highest)) = (digits.first(), digits.last()) else {
            return Ok(empty);
        };
        let zeros = lowest.trailing_zeros();
        let last = digits.len() as u32 * BITS - highest.leading_zeros();
        let base = first as u32 * BITS + zeros + 1;
        if last - zeros > HELD || u64::from(base) > LAST {
            let far = Digits::of(is_negative, first, &digits);
            return Ok(Self { far: Some(Box::new(far)), ..empty });
        }
        let mut size = u128::from(lowest >> zeros);
        for (place, digit) in digits.iter().enumerate().skip(1) {
            size |= u128::from(*digit) << (place as u32 * BITS - zeros);
        }
        let near = i128::try_from(size).map_err(|error| error.to_string())?;
        debug_assert!(base < NONE);
        Ok(Self { near: if is_negative { -near } else { near }, base, ..empty })
    }
}

impl Form {
    /// The nearest double; of two that are as near, the one whose last bit is 0.
    pub fn value(&self) -> f64 {
        const WIDTH: usize = 4;
        let lost = self.digits.len().saturating_sub(WIDTH);
        let (below, leading) = self.digits.split_at(lost);
        let mut size = 0;
        for digit in leading.iter().rev() {
            size = size << BITS | u128::from(*digit);
        }
        // More than 54 bits lead, so that what is lost only says on which side of the middle the sum lies.
        size |= u128::from(below.iter().any(|digit| *digit != 0));
        let place = (usize::from(self.first) + lost) as u32 * BITS;
        let value = times_power(size as f64, place_of(place));
        if self.is_negative { -value } else { value }
    }
}
