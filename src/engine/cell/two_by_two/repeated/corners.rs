//! The four corners of a cell of rows: treated and comparison rows, before and after.

use super::super::moments::SideMoments;
use crate::base::solve::combine;
use crate::engine::cell::terms::Coefficients;

/// `σ_t`.
pub(super) const SIGN: [f64; 2] = [-1.0, 1.0];

/// Estimate and influence of the four corners, by period.
pub(super) struct Corners {
    pub att: f64,
    pub treated: [Coefficients; 2],
    pub control: [Coefficients; 2],
    /// Sum over all rows of an influence that is the same for every row, whatever its weight.
    pub constant: f64,
}

/// `Σ_t σ_t value_t`.
pub(super) fn difference(value: impl Fn(usize) -> f64) -> f64 {
    value(1) - value(0)
}

/// Sums over the treated rows of both periods.
pub(super) struct Treated {
    /// `A_D = Σ_T w`.
    pub total: f64,
    /// `Σ_T w z / A_D`.
    pub mean: Vec<f64>,
}

impl Treated {
    pub fn new(sides: [&SideMoments; 2]) -> Self {
        let total = sides[0].treated.total() + sides[1].treated.total();
        let mean =
            combine(&[(1.0 / total, sides[0].treated.z()), (1.0 / total, sides[1].treated.z())]);
        Self { total, mean }
    }
}
