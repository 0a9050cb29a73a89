//! What happened to the rows between the data and the estimation sample.

use serde::{Deserialize, Serialize};

use crate::read::columns::ReadAsMissing;
use crate::read::files::FilesRead;

/// Counts of rows and units by what happened to them, in the order of the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SampleAudit {
    /// Files read; none if the data were in memory.
    #[serde(default)]
    pub files: FilesRead,
    /// Values read as missing because of a word that stands there, or because the field of a CSV file is empty. Nulls and NaN of
    /// data frames and parquet files are not counted, but nulls of the group column are, which stand for never treated.
    #[serde(default)]
    pub read_as_missing: Vec<ReadAsMissing>,
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
    /// Groups first treated after the last period, which are never treated inside the sample, and their units.
    #[serde(default)]
    pub groups_after: Vec<(f64, usize)>,
    /// Groups estimated.
    pub groups: Vec<f64>,
    /// Periods of the estimation sample.
    pub periods: Vec<f64>,
    /// Columns of the design, intercept included.
    pub covariates: Vec<String>,
}
