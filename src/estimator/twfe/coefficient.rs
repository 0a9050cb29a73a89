//! The two-way coefficient of a balanced panel from cohort means, and its standard error from one more reading.
//!
//! With `D̃` the treatment less its means by cohort and period, and `B = 1 / Σ D̃²` over all rows, the coefficient is
//! `B Σ n D̃ ȳ` over cohorts and periods, and the influence value of a unit (in the scale of sums) is `B Σ_t D̃ e` of its residuals.
//! As `D̃` adds up to zero within a cohort, that is `B Σ_t D̃ (y - ȳ + r)` with `r` the residual of the cohort's mean.

use crate::base::error::{DidError, Result};
use crate::engine::by_unit::{ClusterSums, TwoWayScores};
use crate::estimator::fixed_effects::{Coefficient, Law};

use super::means::CohortMeans;

/// The share of `Σ D²` that rounding leaves of `Σ D̃²`.
const ROUNDING: f64 = 1e-12;

/// The coefficient, and what makes influence values.
#[derive(Debug)]
pub(super) struct TwoWay {
    pub estimate: f64,
    pub scores: TwoWayScores,
}

/// What the influence values add up to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    /// Sum of the squares of the clusters' sums.
    squares: f64,
    pub clusters: usize,
}

impl TwoWay {
    /// `None` if effects of cohorts and periods determine the treatment.
    pub fn new(means: &CohortMeans) -> Option<Self> {
        let cohorts = &means.cohorts;
        let (periods, units) = (means.periods.len(), means.units() as f64);
        let table = |of: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..cohorts.len()).map(|g| (0..periods).map(|t| of(g, t)).collect()).collect()
        };
        let sum = |of: &dyn Fn(usize, usize) -> f64| -> f64 {
            let by_cohort = (0..cohorts.len())
                .map(|g| cohorts[g].units as f64 * (0..periods).map(|t| of(g, t)).sum::<f64>());
            by_cohort.sum()
        };
        // Less its means by cohort and by period, plus that of all.
        let within = |of: &dyn Fn(usize, usize) -> f64| {
            let mean_of_cohort =
                |g: usize| (0..periods).map(|t| of(g, t)).sum::<f64>() / periods as f64;
            let cohort: Vec<f64> = (0..cohorts.len()).map(mean_of_cohort).collect();
            let period = |t: usize| {
                let all =
                    (0..cohorts.len()).map(|g| cohorts[g].units as f64 * (of(g, t) - cohort[g]));
                all.sum::<f64>() / units
            };
            let period: Vec<f64> = (0..periods).map(period).collect();
            table(&|g, t| of(g, t) - cohort[g] - period[t])
        };
        let treated = within(&|g, t| cohorts[g].treated(t));
        let outcome = within(&|g, t| cohorts[g].means[t]);
        let squares = sum(&|g, t| treated[g][t] * treated[g][t]);
        if squares <= ROUNDING * sum(&|g, t| cohorts[g].treated(t)) {
            return None;
        }
        let estimate = sum(&|g, t| treated[g][t] * outcome[g][t]) / squares;
        let residual = |g: usize, t: usize| outcome[g][t] - estimate * treated[g][t];
        let scores = TwoWayScores {
            periods: means.periods.clone(),
            starts: cohorts.iter().map(|cohort| cohort.start).collect(),
            loadings: table(&|g, t| treated[g][t] / squares),
            centres: table(&|g, t| cohorts[g].means[t] - residual(g, t)),
            shift: means.shift,
        };
        Some(Self { estimate, scores })
    }
}

impl Spread {
    /// Of the sums of all units; by the clusters of a column, if there is one.
    ///
    /// # Errors
    /// [`DidError::TooFewClusters`].
    pub fn new(sums: &ClusterSums, column: Option<&String>) -> Result<Self> {
        let spread = Self { squares: sums.of_squares(), clusters: sums.clusters() };
        match (column, spread.clusters) {
            (Some(column), clusters @ 0..2) => {
                Err(DidError::TooFewClusters { column: column.clone(), clusters })
            }
            _ => Ok(spread),
        }
    }

    /// The coefficient with its standard error. Of the parameters, the periods' effects, the coefficient, the constant and the controls count:
    /// the effects of units are nested in clusters.
    pub fn coefficient(
        self,
        name: String,
        estimate: f64,
        means: &CohortMeans,
        controls: usize,
        alpha: f64,
    ) -> Coefficient {
        let (periods, clusters) = (means.periods.len() as f64, self.clusters as f64);
        let rows = means.units() as f64 * periods;
        let left = rows - periods - 1.0 - controls as f64;
        let factor = clusters / (clusters - 1.0) * (rows - 1.0) / left;
        let variance = factor * self.squares;
        let variance = if variance.sqrt() <= means.rounding() { 0.0 } else { variance };
        let law = Law::Student(clusters - 1.0);
        Coefficient::new(name, estimate, variance, law, law.critical(alpha))
    }
}
