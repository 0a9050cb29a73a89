//! Sums that the formulas of panels and of repeated cross sections share.

use crate::engine::cell::algebra::Moments;
use crate::engine::cell::propensity::PropensityScore;
use crate::engine::cell::sides::CellResult;
use crate::result::estimates::CellStatus;

/// Moments of the arms of one side of a cell.
pub(in crate::engine::cell) struct SideMoments {
    /// Treated rows, by sampling weight.
    pub treated: Moments,
    /// Comparison rows, by sampling weight.
    pub control: Moments,
    /// Comparison rows weighted by the trimmed odds.
    pub odds: Option<Moments>,
    /// Comparison rows weighted by the calibrated odds, untrimmed.
    pub calibrated: Option<Moments>,
}

impl SideMoments {
    /// The moments by calibrated odds.
    ///
    /// # Errors
    /// [`CellStatus::Estimator`] without.
    pub fn calibrated(&self) -> CellResult<&Moments> {
        self.calibrated.as_ref().ok_or_else(no_score)
    }
}

fn no_score() -> CellStatus {
    CellStatus::Estimator { message: "the cell has no propensity score".into() }
}

/// The moments of all sides by trimmed odds, with the propensity score that gives the odds.
///
/// # Errors
/// [`CellStatus::Estimator`] without a propensity score.
pub(super) fn weighted_by_odds<'a, const N: usize>(
    sides: [&'a SideMoments; N],
    score: Option<&'a PropensityScore<'a>>,
) -> CellResult<([&'a Moments; N], &'a PropensityScore<'a>)> {
    let odds: Vec<&Moments> = sides.into_iter().filter_map(|s| s.odds.as_ref()).collect();
    odds.try_into().ok().zip(score).ok_or_else(no_score)
}

/// A weighted mean of residuals `τ`, and the total `A` of its weights.
pub(super) struct WeightedMean {
    pub tau: f64,
    pub total: f64,
}

impl WeightedMean {
    /// Of the residuals from a regression.
    pub fn new(moments: &Moments, beta: &[f64]) -> Self {
        let total = moments.total();
        Self { tau: moments.residual(beta) / total, total }
    }
}

/// `Σ_C v z / A_C - Σ_T w z / A_T`.
pub(super) fn mean_difference(odds: &Moments, treated: &Moments) -> Vec<f64> {
    let (c, t) = (odds.total(), treated.total());
    odds.z().iter().zip(treated.z()).map(|(v, w)| v / c - w / t).collect()
}
