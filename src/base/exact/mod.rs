//! Sums of doubles without rounding, which are the same in whatever order and in whatever parts numbers are added.
//!
//! A double is a whole number of 53 bits times a power of two. Numbers whose power lies in a window of 64 are added as whole numbers of
//! 128 bits, which takes some three nanoseconds; the few others, and what a window has no room for, are added in digits (`digits.rs`). The window
//! follows the largest numbers. It depends on the order of what is added; the sum, which is rounded once when it is asked for, does not.

mod digits;
mod form;

use serde::{Deserialize, Serialize};

use digits::Digits;
use form::Form;

/// Powers of the window.
const WINDOW: u64 = 64;

/// Windows start at multiples of this, so that most sums that are added have the same.
const STEP: u64 = 16;

/// How far below the number that moves it a window starts, at least.
const BELOW: u64 = 40;

/// Where the last window starts, in powers as doubles have them: 1 for the least, 2046 for the largest.
const LAST: u64 = 2046 - (WINDOW - 1);

/// Where the window of a sum without one would start: above all powers.
const NONE: u32 = 1 << 12;

/// Bits of a double's fraction.
const FRACTION: u32 = 52;

/// What a sum has that is no number, as bits.
const INFINITE: u8 = 1;
const MINUS_INFINITE: u8 = 2;
const NOT_A_NUMBER: u8 = 4;

/// The exact sum of some doubles.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Form", try_from = "Form")]
pub(crate) struct ExactSum {
    /// In units of the least power of the window; below 2^126 in size.
    near: i128,
    /// What is not in `near`.
    far: Option<Box<Digits>>,
    /// Where the window starts.
    base: u32,
    /// What is no number.
    special: u8,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { near: 0, far: None, base: NONE, special: 0 }
    }
}

impl PartialEq for ExactSum {
    fn eq(&self, other: &Self) -> bool {
        Form::from(self.clone()) == Form::from(other.clone())
    }
}

impl ExactSum {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, number: f64) {
        let bits = number.to_bits();
        let power = (bits >> FRACTION) & 0x7ff;
        // Subnormal numbers and what is no number have powers that are in no window.
        let place = power.wrapping_sub(u64::from(self.base));
        if place < WINDOW {
            self.near += i128::from(signed(bits, 1 << FRACTION)) << place;
            if is_full(self.near) {
                self.empty_window();
            }
        } else if number != 0.0 {
            self.add_outside(number);
        }
    }

    /// Adds the sum of other numbers.
    pub fn merge(&mut self, other: &Self) {
        self.special |= other.special;
        if let Some(far) = &other.far {
            self.digits().merge(far);
        }
        if other.near == 0 {
            return;
        }
        if self.near == 0 {
            (self.near, self.base) = (other.near, other.base);
            return;
        }
        // The higher window is written in units of the lower one, if there is room.
        let own_is_lower = self.base <= other.base;
        let (lower, higher) = if own_is_lower { (&*self, other) } else { (other, &*self) };
        let apart = higher.base - lower.base;
        match shifted(higher.near, apart) {
            Some(near) => (self.near, self.base) = (lower.near + near, lower.base),
            None if own_is_lower => {
                self.empty_window();
                (self.near, self.base) = (other.near, other.base);
            }
            None => self.digits().add(other.base - 1, other.near),
        }
        if is_full(self.near) {
            self.empty_window();
        }
    }

    /// The double that is nearest to the sum; infinite or not a number if some number was, or if it is too large.
    pub fn value(&self) -> f64 {
        match self.special {
            0 => match &self.far {
                None if self.near == 0 => 0.0,
                None => times_power(self.near as f64, place_of(self.base - 1)),
                Some(_) => Form::from(self.clone()).value(),
            },
            INFINITE => f64::INFINITY,
            MINUS_INFINITE => f64::NEG_INFINITY,
            _ => f64::NAN,
        }
    }

    #[cold]
    #[inline(never)]
    fn add_outside(&mut self, number: f64) {
        let bits = number.to_bits();
        let power = (bits >> FRACTION) & 0x7ff;
        if power == 0x7ff {
            self.special |= match number {
                f64::INFINITY => INFINITE,
                f64::NEG_INFINITY => MINUS_INFINITE,
                _ => NOT_A_NUMBER,
            };
            return;
        }
        // A subnormal number has the least power, and no leading bit.
        let whole = signed(bits, if power == 0 { 0 } else { 1 << FRACTION });
        let power = power.max(1);
        if self.base == NONE || power >= u64::from(self.base) + WINDOW {
            self.empty_window();
            let start = power.saturating_sub(BELOW) / STEP * STEP;
            self.base = u32::try_from(start.clamp(1, LAST)).unwrap_or(NONE);
            self.near = i128::from(whole) << (power - u64::from(self.base));
        } else {
            self.digits().add(u32::try_from(power - 1).unwrap_or(NONE), i128::from(whole));
        }
    }

    /// Moves what is in the window into the digits.
    #[cold]
    #[inline(never)]
    fn empty_window(&mut self) {
        if self.near != 0 {
            let (near, place) = (std::mem::take(&mut self.near), self.base - 1);
            self.digits().add(place, near);
        }
    }

    fn digits(&mut self) -> &mut Digits {
        self.far.get_or_insert_default()
    }
}

/// The whole number that a double's fraction with its leading bit is, with its sign.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "53 bits, and a sign")]
fn signed(bits: u64, leading: u64) -> i64 {
    let size = ((bits & ((1 << FRACTION) - 1)) | leading) as i64;
    let sign = (bits as i64) >> 63;
    (size ^ sign) - sign
}

/// Whether a number has left no room for the next.
#[inline]
fn is_full(near: i128) -> bool {
    let high = (near >> 64) as i64;
    (high ^ (high << 1)) < 0
}

/// A number times a power of two, if it has room.
fn shifted(near: i128, by: u32) -> Option<i128> {
    let room = near.unsigned_abs().leading_zeros().checked_sub(2)?;
    (by <= room).then(|| near << by)
}

/// The power of two that a place stands for.
fn place_of(place: u32) -> i32 {
    i32::try_from(place).unwrap_or(i32::MAX - 1074) - 1074
}

/// A number times 2^`power`, in two steps: the whole power may be none of a double.
fn times_power(number: f64, power: i32) -> f64 {
    let of = |power: i32| f64::from_bits(((power + 1023) as u64) << FRACTION);
    let half = power / 2;
    number * of(half) * of(power - half)
}

#[cfg(test)]
mod tests;
