//! Mean outcomes of each cohort over time: [`CohortMeans`].

mod check;
mod report;

use serde::{Deserialize, Serialize};

use crate::base::calendar::shown;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::Inference;
use crate::read::files::FilesRead;
use crate::read::input::Data;
use crate::read::panel::overview::{BasePeriod, Overview, PanelColumns};
use crate::result::inference::{Estimate, pointwise};
use crate::result::sample::{RowsRead, SampleColumns};
use crate::study::explore::Explore;

/// Mean outcomes of each cohort in each period, as levels and relative to a base period: the last before the cohort's treatment. They are
/// of rows that have an outcome and, where there are weights, a weight; no cohort is compared with another.
///
/// Standard errors take units as drawn independently, with `n / (n - 1)` for the degree of freedom of a mean. The rows of a unit in two
/// periods go together: the standard error of `mean(t) - mean(base)` is the root of `Σ (ψ(i, t) - ψ(i, base))²` over units, where
/// `ψ(i, t) = sqrt(n / (n - 1)) w (y - mean(t)) / Σ w` is the influence of a unit's row on the mean. In a balanced panel with equal weights
/// it is the textbook's standard error of a mean of differences; without a unit column it is that of two independent samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CohortMeans {
    /// Outcome, period column, weights column, and what a period is.
    #[serde(flatten)]
    pub columns: SampleColumns,
    /// Files and rows that were read.
    #[serde(flatten)]
    pub read: RowsRead,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Units with several rows in a period, which count as independent in the standard errors of levels.
    #[serde(default)]
    pub units_with_duplicates: usize,
    /// Periods of anticipation before treatment.
    #[serde(default)]
    pub anticipation: u32,
    /// Whether tables and pictures show the means relative to their base period, in place of levels; data frames and files have both.
    #[serde(default)]
    pub relative: bool,
    /// Warnings about the data.
    #[serde(default)]
    pub warnings: Vec<DidWarning>,
    /// Means, cohort by cohort (the never-treated last) and period by period.
    pub rows: Vec<CohortMean>,
}

/// The mean outcome of a cohort in a period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CohortMean {
    /// First treated period; `None` if never treated.
    pub group: Option<f64>,
    /// Period.
    pub time: f64,
    /// Rows.
    pub n: usize,
    /// The mean, in units of the outcome.
    pub mean: Estimate,
    /// The cohort's base period: the last before treatment and, of the never-treated and cohorts without an earlier period, the one that
    /// was asked for, or the first.
    #[serde(default)]
    pub base: Option<f64>,
    /// The mean less that of the base period; without an estimate where the cohort is not observed then. It is exactly zero in the base
    /// period, without a standard error.
    #[serde(default)]
    pub relative: Estimate,
}

impl Explore {
    /// The mean outcomes of each cohort in each period, weighted if there are weights, with pointwise intervals: levels, and relative to
    /// the base period.
    ///
    /// # Errors
    /// As [`describe`](Self::describe), and [`DidError::Config`] without an outcome, for a level out of range or for a base period in which
    /// there is no outcome.
    pub fn means<'a>(&self, data: impl Into<Data<'a>>) -> Result<CohortMeans> {
        Inference::new(self.alpha).validate()?;
        if self.outcome.is_none() {
            return Err(DidError::config("outcome", "a column, for its means", "none"));
        }
        let base =
            BasePeriod { anticipation: f64::from(self.anticipation), stated: self.base_period };
        let columns = PanelColumns {
            covariates: Vec::new(),
            base: Some(base),
            most_patterns: 0,
            ..self.columns()
        };
        let (overview, files) = self.look(&columns, data.into())?;
        overview.check_weights(self.weights.as_ref())?;
        let periods = overview.periods();
        if let Some(stated) = self.base_period.filter(|stated| !periods.contains(stated)) {
            let stated = shown(stated, self.frequency);
            return Err(DidError::config("base_period", "a period that has outcomes", stated));
        }
        Ok(means(self, &columns, base, &overview, files))
    }
}

fn means(
    options: &Explore,
    columns: &PanelColumns,
    base_period: BasePeriod,
    overview: &Overview,
    files: FilesRead,
) -> CohortMeans {
    let (cells, periods) = (&overview.found.cells, overview.periods());
    let (critical, grid) = (pointwise(options.alpha), overview.grid());
    let mut rows = Vec::new();
    for (g, group) in overview.group_values().iter().enumerate() {
        let sums = |t: usize| &cells.at(g, t).sums[0];
        let mean = |t: usize| cells.mean(sums(t), 0);
        let base = base_period.of(*group, periods, &grid);
        let relative = |t: usize| {
            let Some(base) = base else { return Estimate::default() };
            // Less the shift, so that no digits are lost.
            let change = sums(t).mean().zip(sums(base).mean()).map(|(mean, base)| mean - base);
            let se = sums(t).standard_error_less(sums(base), &cells.at(g, t).pairs);
            Estimate::new(change, se.filter(|_| t != base), critical)
        };
        let observed = (0..periods.len()).filter(|t| cells.at(g, *t).rows > 0);
        rows.extend(observed.map(|t| CohortMean {
            group: Some(*group).filter(|group| group.is_finite()),
            time: periods[t],
            n: cells.at(g, t).rows,
            mean: Estimate {
                p_value: None,
                ..Estimate::new(mean(t), sums(t).standard_error(), critical)
            },
            base: base.map(|base| periods[base]),
            relative: relative(t),
        }));
    }
    CohortMeans {
        columns: SampleColumns::of(columns),
        read: RowsRead::of(overview, files),
        alpha: options.alpha,
        units_with_duplicates: overview.found.duplicates.units,
        anticipation: options.anticipation,
        relative: options.relative,
        warnings: overview.doubtful_groups(options.group.as_ref()),
        rows,
    }
}
