//! Wald tests.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use crate::base::solve::{SINGULAR, Spd, dot, reciprocal_condition};

/// A Wald test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Wald {
    /// Statistic.
    pub stat: f64,
    /// Degrees of freedom.
    pub df: usize,
    /// Denominator degrees of freedom of a test whose p-value is that of Hotelling's T²; `None` for the chi-squared law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df2: Option<usize>,
    /// p-value.
    pub p_value: f64,
}

impl Wald {
    /// The test with the law of Hotelling's T², whose covariance is from so many clusters; `None` without more of these than degrees of freedom.
    pub(crate) fn of_clusters(self, clusters: usize) -> Option<Self> {
        let (q, df2) = (self.df as f64, clusters.checked_sub(self.df).filter(|df2| *df2 > 0)?);
        let f = self.stat * df2 as f64 / (q * (clusters - 1) as f64);
        let law = FisherSnedecor::new(q, df2 as f64).ok()?;
        Some(Self { df2: Some(df2), p_value: law.sf(f), ..self })
    }
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
    stat.is_finite().then(|| Wald { stat, df, df2: None, p_value: law.sf(stat) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_of_few_clusters_is_that_of_hotelling() {
        let wald = Wald { stat: 14.0, df: 3, df2: None, p_value: 0.002_905 };
        // R: pf(14 * (G - 3) / (3 * (G - 1)), 3, G - 3, lower.tail = FALSE), and pchisq(14, 3, lower.tail = FALSE).
        for (clusters, p_value) in
            [(4, 0.518_691_02), (8, 0.113_951_15), (50, 0.007_613_75), (10_000_000, 0.002_905_17)]
        {
            let found = wald.of_clusters(clusters).unwrap();
            assert_eq!(found.df2, Some(clusters - 3));
            assert!((found.p_value - p_value).abs() < 1e-7, "{clusters}: {}", found.p_value);
        }
        assert_eq!([3, 2, 0].map(|clusters| wald.of_clusters(clusters)), [None; 3]);
    }
}
