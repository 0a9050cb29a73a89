//! What a look at the data of a study found.

use serde::{Deserialize, Serialize};

use crate::base::calendar::Frequency;
use crate::base::words::words;
use crate::read::columns::ReadAsMissing;
use crate::read::files::FilesRead;
use crate::read::panel::Layout;
use crate::read::panel::overview;

/// What kind of panel the data are, when which cohorts are treated, and what estimators would use. Counts of units and periods are of
/// rows that have all the values needed; such rows are *complete*.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Description {
    /// Outcome.
    pub outcome: Option<String>,
    /// Unit column; `None` if every row is a unit.
    pub unit: Option<String>,
    /// Period column.
    pub time: String,
    /// Column of first treated periods.
    pub group: String,
    /// Weights column.
    pub weights: Option<String>,
    /// Cluster column.
    pub cluster: Option<String>,
    /// Covariates.
    pub covariates: Vec<String>,
    /// What a period is, if periods and groups are dates.
    pub frequency: Option<Frequency>,
    /// Files read; none if the data were in memory.
    pub files: FilesRead,
    /// Whether every unit is observed in every period.
    pub layout: Layout,
    /// Rows read.
    pub n_rows: usize,
    /// Complete rows.
    pub n_complete: usize,
    /// Units with a complete row.
    pub n_units: usize,
    /// Clusters.
    pub n_clusters: Option<usize>,
    /// Cohorts, ascending; the never-treated come last.
    pub cohorts: Vec<CohortDescription>,
    /// Periods, ascending.
    pub periods: Vec<PeriodDescription>,
    /// Units observed in every period.
    pub units_in_all_periods: usize,
    /// Units that miss a period between their first and their last.
    pub units_with_gaps: usize,
    /// Units whose first period is not the first of the data.
    pub units_entering_late: usize,
    /// Units whose last period is not the last of the data.
    pub units_leaving_early: usize,
    /// Units with several rows in a period.
    pub duplicates: Irregularity,
    /// Units with several first treated periods.
    pub group_changes: Irregularity,
    /// Units in several clusters.
    pub cluster_changes: Irregularity,
    /// Weights and covariates that change over time, and in how many units.
    pub varying: Vec<(String, usize)>,
    /// Rows without a value, by column; a row counts for each.
    pub missing: Vec<(String, usize)>,
    /// Values read as missing because of a word that stands there.
    pub read_as_missing: Vec<ReadAsMissing>,
    /// What `AttGt` would use, by its options.
    pub designs: Vec<SampleOfDesign>,
    /// What deserves attention before estimating, as sentences.
    pub findings: Vec<String>,
    /// The command that estimates group-time effects of these data; `DATA` stands for data in memory. Empty if `AttGt` has no sample.
    pub command: String,
}

impl Description {
    /// Whether `AttGt` would estimate something under some of its options.
    pub(super) fn has_sample(&self) -> bool {
        self.designs.iter().any(|design| design.refused.is_none())
    }
}

/// Units with the same first treated period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CohortDescription {
    /// First treated period; `None` if never treated.
    pub group: Option<f64>,
    /// When it is treated, beside the periods of the data.
    pub status: CohortStatus,
    /// Units.
    pub units: usize,
    /// Complete rows.
    pub rows: usize,
    /// Share of all units.
    pub unit_share: f64,
    /// Share of the units' mean weights, if there are weights.
    pub weight_share: Option<f64>,
    /// Clusters with a unit of the cohort, if there are clusters.
    pub clusters: Option<usize>,
}

words! {
    /// When a cohort is treated, beside the periods of the data.
    pub enum CohortStatus: "status" {
        /// In the first period or before it, or so soon after it that it may react in it: no period shows its outcome without treatment.
        AlreadyTreated = "already_treated",
        /// Later, and no later than the last period or so soon after it that it may react within the data.
        Treated = "treated",
        /// After the last period and what is anticipated: never treated in the data.
        TreatedAfter = "treated_after",
        /// Never.
        NeverTreated = "never_treated",
    }
}

/// Rows of a period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PeriodDescription {
    /// The period.
    pub period: f64,
    /// Complete rows.
    pub rows: usize,
    /// Units observed that are treated by then.
    pub treated: usize,
    /// Units observed for the first time.
    pub entering: usize,
    /// Units observed for the last time, before the last period.
    pub leaving: usize,
}

/// Units that estimators refuse.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Irregularity {
    /// How many.
    pub units: usize,
    /// One of them.
    pub example: Option<String>,
}

/// What `AttGt` would use of the data under some of its options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SampleOfDesign {
    /// The options, as the command line has them.
    pub options: String,
    /// Units used.
    pub units: usize,
    /// Rows used.
    pub rows: usize,
    /// Periods used.
    pub periods: Vec<f64>,
    /// Groups with an effect.
    pub groups: Vec<f64>,
    /// What is left out, and why.
    pub left_out: Vec<String>,
    /// Why there is no sample, if there is none.
    pub refused: Option<String>,
}

impl Irregularity {
    pub(super) fn new(found: &overview::Irregular) -> Self {
        Self { units: found.units, example: found.example.clone() }
    }
}
