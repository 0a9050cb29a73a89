//! What the kernels share: columns of a sample, weights and odds.

use cubecl::prelude::*;

use super::super::runtime::exp_double;

/// Numbers at the start of each table of numbers: bound of `|η|`, largest odds, odds from which rows are trimmed.
pub(super) const SETTINGS: usize = 3;

/// A row's weight: the product of up to two columns, given by their index plus one; 0 is none.
#[cube]
pub(super) fn weight<F: Float>(
    data: &Array<F>,
    stride: usize,
    first: u32,
    second: u32,
    row: usize,
) -> F {
    let mut value = F::from_int(1);
    if first > 0 {
        value = data[(first as usize - 1) * stride + row];
    }
    if second > 0 {
        value *= data[(second as usize - 1) * stride + row];
    }
    value
}

/// `v_0 + Σ_j v_j x_j` for the coefficients that start at `at` and the covariates from column `x_first` on.
#[cube]
pub(super) fn predictor<F: Float>(
    data: &Array<F>,
    stride: usize,
    x_first: usize,
    row: usize,
    coefficients: &Array<F>,
    at: usize,
    #[comptime] k: usize,
) -> F {
    let mut sum = coefficients[at];
    #[unroll]
    for j in 1..k {
        sum += coefficients[at + j] * data[(x_first + j - 1) * stride + row];
    }
    sum
}

/// Odds `p / (1 - p) = e^η`, which keep their relative precision where `1 - p` would lose it. Those of a log-odds that is no
/// number are none.
#[cube]
pub(super) fn odds<F: Float>(log_odds: F, settings: &Array<F>, #[comptime] double: bool) -> F {
    let bound = settings[0];
    let mut eta = log_odds;
    if eta > bound {
        eta = bound;
    }
    if eta < -bound {
        eta = -bound;
    }
    if comptime!(double) { exp_double::<F>(eta) } else { F::exp(eta) }
}

/// The odds up to the largest, or 0 from the trimming threshold on.
#[cube]
pub(super) fn trimmed<F: Float>(odds: F, settings: &Array<F>) -> F {
    let mut kept = odds;
    if odds > settings[1] {
        kept = settings[1];
    }
    if odds >= settings[2] {
        kept = F::from_int(0);
    }
    kept
}
