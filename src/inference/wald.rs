//! Wald tests.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::estimates::Wald;
use crate::solve::{SINGULAR, Spd, dot, reciprocal_condition};

/// Test that `theta` is zero given its covariance `v`, `[q, q]` row-major; `None` if that is singular.
pub(crate) fn wald(theta: &[f64], v: &[f64]) -> Option<Wald> {
    let df = theta.len();
    let factor = Spd::regular(v, df)?;
    if reciprocal_condition(v, &factor.inverse(), df) <= SINGULAR {
        return None;
    }
    let stat = dot(theta, &factor.solve(theta));
    let law = ChiSquared::new(df as f64).ok()?;
    stat.is_finite().then(|| Wald { stat, df, p_value: law.sf(stat) })
}
