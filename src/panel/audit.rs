//! What happened to the rows between the data frame and the estimation sample.

use serde::{Deserialize, Serialize};

/// Counts of rows and units by what happened to them, in the order of the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SampleAudit {
    /// Rows read.
    pub rows_in: usize,
    /// Rows dropped for a missing or non-finite value, by column (a row counts for its first such column).
    pub rows_missing: Vec<(String, usize)>,
    /// Rows dropped because no comparison is left in their period (no never-treated units).
    pub rows_after_last_cohort: usize,
    /// Units (rows, for repeated cross sections) dropped as treated already in the first period.
    pub units_already_treated: usize,
    /// Units dropped to balance the panel.
    pub units_unbalanced: usize,
    /// Cohorts of the data that are not estimated, with the reason.
    pub cohorts_lost: Vec<(f64, String)>,
    /// Rows in the estimation sample.
    pub rows: usize,
    /// Units in the estimation sample (rows, for repeated cross sections).
    pub units: usize,
    /// Units never treated inside the sample.
    pub never_treated: usize,
    /// Groups estimated.
    pub groups: Vec<f64>,
    /// Periods of the estimation sample.
    pub periods: Vec<f64>,
    /// Columns of the design, intercept included.
    pub covariates: Vec<String>,
}
