//! The two-way coefficient of a balanced panel from cohort means, and its standard error from one more reading.
//!
//! With `D̃` the treatment less its means by cohort and period, and `B = 1 / Σ D̃²` over all rows, the coefficient is
//! `B Σ n D̃ ȳ` over cohorts and periods, and the influence value of a unit (in the scale of sums) is `B Σ_t D̃ e` of its residuals.
//! As `D̃` adds up to zero within a cohort, that is `B Σ_t D̃ (y - ȳ + r)` with `r` the residual of the cohort's mean.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::base::error::{DidError, Result};
use crate::estimator::fixed_effects::{Coefficient, Law};
use crate::read::columns::Label;
use crate::read::panel::overview::{OpenedRows, PanelColumns, UnitRows};

use super::means::CohortMeans;

/// The share of `Σ D²` that rounding leaves of `Σ D̃²`.
const ROUNDING: f64 = 1e-12;

/// The coefficient, and what makes influence values.
#[derive(Debug)]
pub(super) struct TwoWay<'a> {
    pub estimate: f64,
    means: &'a CohortMeans,
    /// `B D̃`, `[cohort][T]`.
    loadings: Vec<Vec<f64>>,
    /// `ȳ - r`, `[cohort][T]`.
    centres: Vec<Vec<f64>>,
}

/// What the influence values add up to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    /// Sum of the squares of the clusters' sums.
    squares: f64,
    pub clusters: usize,
}

/// The sum over the clusters of the squares of their sums, as units come in.
#[derive(Debug, Default)]
struct ClusterSums {
    squares: f64,
    units: usize,
    sums: BTreeMap<Label, f64>,
}

impl<'a> TwoWay<'a> {
    /// `None` if effects of cohorts and periods determine the treatment.
    pub fn new(means: &'a CohortMeans) -> Option<Self> {
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
        Some(Self {
            estimate,
            means,
            loadings: table(&|g, t| treated[g][t] / squares),
            centres: table(&|g, t| cohorts[g].means[t] - residual(g, t)),
        })
    }

    /// Reads the rows once more for the influence values of their units.
    ///
    /// # Errors
    /// Errors about a file or a column.
    pub fn spread(&self, rows: &OpenedRows<'_>, columns: &PanelColumns) -> Result<Spread> {
        let influence = |units: &UnitRows, unit: usize, _: usize| {
            let first = units.unit(unit).next()?;
            let cohort = self.means.cohort_of(units.group(first));
            let numbers = units.numbers();
            let terms = units.unit(unit).enumerate().map(|(t, row)| {
                let outcome = numbers[0][row] - self.means.shift;
                self.loadings[cohort][t] * (outcome - self.centres[cohort][t])
            });
            Some(terms.sum::<f64>())
        };
        Spread::new(rows, columns, &influence)
    }
}

/// The influence of a unit of some rows, which has this number among them and among all units; none without rows.
type InfluenceOf<'a> = &'a (dyn Fn(&UnitRows, usize, usize) -> Option<f64> + Sync);

impl Spread {
    /// Reads the rows once more to add up the units' influence by cluster.
    ///
    /// # Errors
    /// Errors about a file or a column; [`DidError::TooFewClusters`].
    pub fn new(
        rows: &OpenedRows<'_>,
        columns: &PanelColumns,
        influence: InfluenceOf<'_>,
    ) -> Result<Self> {
        let (mut sums, mut before) = (ClusterSums::default(), 0);
        rows.each("standard error", &mut |units| {
            sums.add(units, before, influence);
            before += units.units();
            Ok(())
        })?;
        let named = columns.cluster.as_ref();
        let spread = Self {
            squares: sums.squares + sums.sums.values().map(|sum| sum * sum).sum::<f64>(),
            clusters: if named.is_some() { sums.sums.len() } else { sums.units },
        };
        match (named, spread.clusters) {
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
        let law = Law::Student(clusters - 1.0);
        Coefficient::new(name, estimate, factor * self.squares, law, law.critical(alpha))
    }
}

impl ClusterSums {
    /// Adds units, before which there were so many others.
    fn add(&mut self, units: &UnitRows, before: usize, influence: InfluenceOf<'_>) {
        let of_unit = |unit: usize| {
            let first = units.unit(unit).next()?;
            Some((influence(units, unit, before + unit)?, units.cluster(first)))
        };
        let all: Vec<Option<(f64, Option<u32>)>> =
            (0..units.units()).into_par_iter().map(of_unit).collect();
        let mut by_code: BTreeMap<u32, f64> = BTreeMap::new();
        for (value, cluster) in all.into_iter().flatten() {
            self.units += 1;
            match cluster {
                Some(code) => *by_code.entry(code).or_default() += value,
                None => self.squares += value * value,
            }
        }
        for (code, sum) in by_code {
            if let Some(label) = units.cluster_label(code) {
                *self.sums.entry(label).or_default() += sum;
            }
        }
    }
}
