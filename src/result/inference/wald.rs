//! Wald tests.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::base::solve::{SINGULAR, Spd, dot, reciprocal_condition};

/// A Wald test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Wald {
    /// Statistic.
    pub stat: f64,
    /// Degrees of freedom.
    pub df: usize,
    /// p-value from the chi-squared law.
    pub p_value: f64,
}

/// Test that `theta` is zero given its covariance `v`, `[q, q]` row-major; `None` if that is singular.
pub(super) fn wald(theta: &[f64], v: &[f64]) -> Option<Wald> {
    let df = theta.len();
    let factor = Spd::regular(v, df)?;
    if reciprocal_condition(v, &factor.inverse(), df) <= SINGULAR {
        return None;
    }
    let stat = dot(theta, &factor.solve(theta));
    let law = ChiSquared::new(df as f64).ok()?;
    stat.is_finite().then(|| Wald { stat, df, p_value: law.sf(stat) })
}
