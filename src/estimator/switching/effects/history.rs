//! When a group first switched, and the order of status quo treatments.

use super::options::Direction;

/// A group's history, by periods counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct History {
    pub status_quo: f64,
    /// First switch, `None` if there is none.
    pub first: Option<usize>,
    /// Period from which on the treatment of a group that has not switched is not known.
    pub end: usize,
    pub direction: Option<Direction>,
}

/// Integers in the order of the doubles.
pub(super) fn ordered(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits ^ (1 << 63) } else { !bits }
}

/// The double of an integer of that order.
pub(super) fn value_of(ordered: u64) -> f64 {
    f64::from_bits(if ordered >> 63 == 1 { ordered ^ (1 << 63) } else { !ordered })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_the_numbers() {
        let numbers = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 3.0, 1e300];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert!(numbers.iter().all(|number| value_of(ordered(*number)) == *number));
    }
}
