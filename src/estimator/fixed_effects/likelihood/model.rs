//! What the iteration asks of a family.

use crate::base::error::DidError;

/// A family by its likelihood: how the mean of an outcome `y` depends on its linear predictor `η`, and how likely `y` then is.
///
/// All are of one row with a weight of one. `μ` is given beside `η` where a family needs it.
pub(super) trait Model: Sync {
    /// Whether the iteration starts at the fit of a constant, so that its deviance bounds that of the first step.
    const STARTS_AT_A_FIT: bool;

    /// A linear predictor of separated rows that moves by more than this in a step of a converged regression moves for ever.
    const MOVE: f64;

    /// A mean that is nearer to its bound than this part of the [`unit`](Self::unit) may be that of a separated row, whatever the solver.
    const SUSPECT: f64;

    /// The linear predictor of a mean.
    fn link(&self, mean: f64) -> f64;

    /// The mean at a linear predictor.
    fn mean(&self, eta: f64) -> f64;

    /// The mean at which the iteration starts: `mean` is that of the sample, and `null` the linear predictor that a constant fits.
    fn first(&self, y: f64, mean: f64, null: f64) -> f64;

    /// Minus the second derivative of the log-likelihood by `η`.
    fn weight(&self, y: f64, mu: f64, eta: f64) -> f64;

    /// The outcome of iterated least squares: `η` and the score over the weight.
    fn response(&self, y: f64, mu: f64, eta: f64) -> f64;

    /// The derivative of the log-likelihood by `η`.
    fn score(&self, y: f64, mu: f64, eta: f64) -> f64;

    /// The expected weight at `η`, of which standard errors are made, where it differs from the observed one.
    fn expected_weight(&self) -> Option<fn(f64) -> f64>;

    /// Half the deviance.
    fn deviance(&self, y: f64, mu: f64, eta: f64) -> f64;

    /// What the log-likelihood is less than [`log_likelihood`](Self::log_likelihood), whatever the mean.
    fn likelihood_constant(&self, _: f64) -> f64 {
        0.0
    }

    /// The log-likelihood, but for its constant.
    fn log_likelihood(&self, y: f64, mu: f64, eta: f64) -> f64;

    /// What the deviance is measured by, with a mean of the sample.
    fn unit(&self, mean: f64) -> f64;

    /// The direction in which the likelihood of an outcome rises without end: 1 if it does as `η` falls, -1 if it does as `η` rises,
    /// 0 if it has a maximum.
    fn side(&self, y: f64) -> f64;

    /// The error of a sample with a mean that leaves nothing to estimate.
    fn refused(&self, mean: f64) -> Option<DidError>;

    /// How far the response is from `η`, where that can be so far that rounding leaves less of `η`.
    fn reach(&self, y: f64, mu: f64, eta: f64) -> f64;
}

/// `y log(y / μ) - (y - μ)`, to the last digits where both nearly are the same: by `log(y / μ) = 2 (v + v³/3 + …)` with
/// `v = (y - μ) / (y + μ)`.
pub(super) fn unit_deviance(y: f64, mu: f64) -> f64 {
    if y == 0.0 {
        return mu;
    }
    let difference = y - mu;
    let v = difference / (y + mu);
    // Means without bound are no numbers here.
    if v.is_nan() || v.abs() > 0.1 {
        return y * (y / mu).ln() - difference;
    }
    // The first term and the difference are `2 y v - (y - μ) = (y - μ) v`.
    let (mut sum, mut power) = (difference * v, 2.0 * y * v);
    for odd in (3..).step_by(2) {
        power *= v * v;
        let next = sum + power / f64::from(odd);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}
