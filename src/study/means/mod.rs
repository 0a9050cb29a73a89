//! Mean outcomes of each cohort over time: [`CohortMeans`].

mod check;
mod report;

use serde::{Deserialize, Serialize};

use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::base::options::{Band, Inference};
use crate::read::files::FilesRead;
use crate::read::input::Data;
use crate::read::panel::overview::{Overview, PanelColumns};
use crate::result::inference::{Estimate, pointwise};
use crate::study::explore::Explore;

/// Mean outcomes of each cohort in each period, with standard errors of rows drawn independently. They are of rows that have an outcome
/// and, where there are weights, a weight; they make no comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CohortMeans {
    /// Outcome.
    pub outcome: String,
    /// Period column.
    pub time: String,
    /// Weights column.
    pub weights: Option<String>,
    /// What a period is, if periods and groups are dates.
    pub frequency: Option<Frequency>,
    /// Files read; none if the data were in memory.
    pub files: FilesRead,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Rows read.
    pub n_rows: usize,
    /// Rows that lack a value that is needed.
    pub rows_missing: usize,
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
    /// The mean less that of the cohort's base period, which is the last before treatment and for the never-treated, and cohorts without
    /// an earlier period, the first; `None` where the cohort is not observed then. It has no standard error: rows of a unit are dependent.
    pub change: Option<f64>,
}

impl Explore {
    /// The mean outcomes of each cohort in each period, weighted if there are weights, with pointwise intervals.
    ///
    /// # Errors
    /// As [`describe`](Self::describe), and [`DidError::Config`] without an outcome or for a level out of range.
    pub fn means<'a>(&self, data: impl Into<Data<'a>>) -> Result<CohortMeans> {
        Inference { alpha: self.alpha, band: Band::Pointwise, bootstrap: None }.validate()?;
        let Some(outcome) = &self.outcome else {
            return Err(DidError::config("outcome", "a column, for its means", "none"));
        };
        let columns = PanelColumns { covariates: Vec::new(), ..self.columns() };
        let (overview, files) = self.look(&columns, data.into())?;
        Ok(means(self, outcome, &overview, files))
    }
}

fn means(options: &Explore, outcome: &str, overview: &Overview, files: FilesRead) -> CohortMeans {
    let (cells, periods) = (&overview.found.cells, overview.periods());
    let critical = pointwise(options.alpha);
    let mut rows = Vec::new();
    for (g, group) in overview.group_values().iter().enumerate() {
        let mean = |t: usize| cells.mean(&cells.at(g, t).sums[0], 0);
        let before = periods.partition_point(|period| period < group);
        let base = if group.is_finite() { before.saturating_sub(1) } else { 0 };
        let observed = (0..periods.len()).filter(|t| cells.at(g, *t).rows > 0);
        rows.extend(observed.map(|t| CohortMean {
            group: Some(*group).filter(|group| group.is_finite()),
            time: periods[t],
            n: cells.at(g, t).rows,
            mean: Estimate {
                p_value: None,
                ..Estimate::new(mean(t), cells.at(g, t).sums[0].standard_error(), critical)
            },
            change: mean(t).zip(mean(base)).map(|(mean, base)| mean - base),
        }));
    }
    CohortMeans {
        outcome: outcome.to_owned(),
        time: options.time.clone(),
        weights: options.weights.clone(),
        frequency: options.frequency,
        files,
        alpha: options.alpha,
        n_rows: overview.rows,
        rows_missing: overview.incomplete,
        rows,
    }
}
