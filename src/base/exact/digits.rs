//! Whole numbers of any length in digits of 32 bits.

/// Bits of a digit.
pub(super) const BITS: u32 = 32;

const DIGIT: i64 = 1 << BITS;

/// Numbers that are added before digits are carried.
const UNCARRIED: u32 = 1 << 20;

/// A sum of whole numbers times 2^place, in digits that are signed until they are carried.
#[derive(Clone, Debug, Default)]
pub(super) struct Digits {
    /// The place of the first digit, in digits.
    first: usize,
    digits: Vec<i64>,
    /// Numbers added since digits were carried.
    added: u32,
}

impl Digits {
    /// Adds `number` times 2^`place`.
    pub fn add(&mut self, place: u32, number: i128) {
        let (first, shift) = ((place / BITS) as usize, place % BITS);
        let mut size = number.unsigned_abs();
        let parts = (size.ilog2_or_zero() + shift) / BITS + 1;
        let own = self.range(first, parts as usize);
        let mut carried = 0;
        for digit in own {
            let part = (size & u128::from(u32::MAX)) << shift | carried;
            let low = (part & u128::from(u32::MAX)) as i64;
            *digit += if number < 0 { -low } else { low };
            carried = part >> BITS;
            size >>= BITS;
        }
        self.added += 1;
        if self.added >= UNCARRIED {
            self.carry();
        }
    }

    /// Adds other digits.
    pub fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        other.carry();
        self.carry();
        let own = self.range(other.first, other.digits.len());
        own.iter_mut().zip(&other.digits).for_each(|(own, more)| *own += more);
        self.carry();
    }

    /// Whether the sum is below 0, the place of its first digit, and the digits of its size without zeros at either end.
    pub fn size(mut self) -> (bool, usize, Vec<u32>) {
        self.carry();
        let is_negative = self.digits.last().is_some_and(|last| *last < 0);
        if is_negative {
            for digit in &mut self.digits {
                *digit = -*digit;
            }
            self.carry();
        }
        let mut digits: Vec<u32> = Vec::new();
        // All are carried, and the last is not below 0.
        for digit in &self.digits {
            digits.push((*digit & (DIGIT - 1)) as u32);
            debug_assert!((0..DIGIT).contains(digit));
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        (is_negative, self.first + zeros, digits.split_off(zeros))
    }

    /// Those of a size, from the digit with this place on.
    pub fn of(is_negative: bool, first: usize, digits: &[u32]) -> Self {
        let signed = |digit: &u32| if is_negative { -i64::from(*digit) } else { i64::from(*digit) };
        Self { first, digits: digits.iter().map(signed).collect(), added: 0 }
    }

    /// So many digits from a place on.
    fn range(&mut self, first: usize, count: usize) -> &mut [i64] {
        if self.digits.is_empty() {
            self.first = first;
        }
        if first < self.first {
            self.digits.splice(0..0, vec![0; self.first - first]);
            self.first = first;
        }
        let start = first - self.first;
        if self.digits.len() < start + count {
            self.digits.resize(start + count, 0);
        }
        &mut self.digits[start..start + count]
    }

    /// Brings all digits but the last between 0 and 2^32, and the last near it.
    fn carry(&mut self) {
        self.added = 0;
        let mut carried = 0;
        for digit in &mut self.digits {
            let all = *digit + carried;
            *digit = all & (DIGIT - 1);
            carried = all >> BITS;
        }
        match carried {
            0 => {}
            // The last digit is that of a sum below 0.
            -1 => {
                if let Some(last) = self.digits.last_mut() {
                    *last -= DIGIT;
                }
            }
            more => self.digits.push(more),
        }
    }
}

/// The logarithm of a size to the base 2.
trait Logarithm {
    fn ilog2_or_zero(self) -> u32;
}

impl Logarithm for u128 {
    fn ilog2_or_zero(self) -> u32 {
        self.checked_ilog2().unwrap_or(0)
    }
}
