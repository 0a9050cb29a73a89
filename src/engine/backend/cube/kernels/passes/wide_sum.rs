//! Sums over many rows: of doubles, or in single precision of two floats, which have more digits than the terms.

use cubecl::prelude::*;

/// A sum, which is `high + low`. In double precision `low` is 0 and not stored.
#[derive(CubeType)]
pub(super) struct WideSum<F: Float> {
    pub high: F,
    pub low: F,
}

/// The sum of nothing.
#[cube]
pub(super) fn empty_sum<F: Float>() -> WideSum<F> {
    WideSum::<F> { high: F::from_int(0), low: F::from_int(0) }
}

/// Reads the sum with this number.
#[cube]
pub(super) fn load<F: Float>(
    sum: &mut WideSum<F>,
    sums: &Array<F>,
    number: usize,
    #[comptime] double: bool,
) {
    if comptime!(double) {
        sum.high = sums[number];
    } else {
        sum.high = sums[2 * number];
        sum.low = sums[2 * number + 1];
    }
}

/// Writes the sum with this number.
#[cube]
pub(super) fn store<F: Float>(
    sum: &WideSum<F>,
    sums: &mut Array<F>,
    number: usize,
    #[comptime] double: bool,
) {
    if comptime!(double) {
        sums[number] = sum.high;
    } else {
        sums[2 * number] = sum.high;
        sums[2 * number + 1] = sum.low;
    }
}

/// Adds a number. `zero` is 0.
#[cube]
pub(super) fn add<F: Float>(sum: &mut WideSum<F>, value: F, zero: u32, #[comptime] double: bool) {
    if comptime!(double) {
        sum.high += value;
    } else {
        let total = opaque::<F>(sum.high + value, zero);
        sum.low += error_of_sum::<F>(sum.high, value, total, zero);
        sum.high = total;
    }
}

/// Adds another sum. `zero` is 0.
#[cube]
pub(super) fn add_sum<F: Float>(
    sum: &mut WideSum<F>,
    other: &WideSum<F>,
    zero: u32,
    #[comptime] double: bool,
) {
    if comptime!(double) {
        sum.high += other.high;
    } else {
        let total = opaque::<F>(sum.high + other.high, zero);
        sum.low += error_of_sum::<F>(sum.high, other.high, total, zero) + other.low;
        sum.high = total;
    }
}

/// What rounding took from `a + b = sum` (Knuth).
#[cube]
fn error_of_sum<F: Float>(a: F, b: F, sum: F, zero: u32) -> F {
    let b_part = opaque::<F>(sum - a, zero);
    (a - (sum - b_part)) + (b - b_part)
}

/// The value, which is a float, as one that no compiler knows the origin of: some cancel `(a + b) - a`.
#[cube]
fn opaque<F: Float>(value: F, zero: u32) -> F {
    F::reinterpret(u32::reinterpret(value) ^ zero)
}
