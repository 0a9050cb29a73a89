//! Columns of a sample: weights, linear predictors and odds of a row.

use cubecl::prelude::*;

use super::super::runtime::exp_double;
use super::layout::setting;

/// Columns one after another.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Columns<F: Float> {
    pub data: Array<F>,
    /// Entries from a column to the next.
    pub stride: u32,
}

/// A row's entry in a column.
#[cube]
pub(crate) fn value<F: Float>(columns: &Columns<F>, column: usize, row: usize) -> F {
    columns.data[column * columns.stride as usize + row]
}

/// A row's entry in a column that is given plus one.
#[cube]
pub(crate) fn value_of_next<F: Float>(columns: &Columns<F>, next: u32, row: usize) -> F {
    value::<F>(columns, next as usize - 1, row)
}

/// A row's weight: the product of up to two columns, given plus one.
#[cube]
pub(crate) fn weight<F: Float>(columns: &Columns<F>, first: u32, second: u32, row: usize) -> F {
    let mut weight = F::from_int(1);
    if first > 0 {
        weight = value_of_next::<F>(columns, first, row);
    }
    if second > 0 {
        weight *= value_of_next::<F>(columns, second, row);
    }
    weight
}

/// `v_0 + Σ_j v_j x_j` for the coefficients that start at `at` and the covariates from column `x_first` on.
#[cube]
pub(crate) fn predictor<F: Float>(
    columns: &Columns<F>,
    x_first: usize,
    row: usize,
    coefficients: &Array<F>,
    at: usize,
    #[comptime] k: usize,
) -> F {
    let mut sum = coefficients[at];
    #[unroll]
    for j in 1..k {
        sum += coefficients[at + j] * value::<F>(columns, x_first + j - 1, row);
    }
    sum
}

/// Odds `p / (1 - p) = e^η`, which keep their relative precision where `1 - p` would lose it. NaN stays NaN.
#[cube]
pub(crate) fn odds<F: Float>(log_odds: F, settings: &Array<F>, #[comptime] double: bool) -> F {
    let bound = settings[setting::BOUND];
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
pub(crate) fn trimmed<F: Float>(odds: F, settings: &Array<F>) -> F {
    let mut trimmed_odds = odds;
    if odds > settings[setting::LARGEST] {
        trimmed_odds = settings[setting::LARGEST];
    }
    if odds >= settings[setting::TRIMMED_FROM] {
        trimmed_odds = F::from_int(0);
    }
    trimmed_odds
}
