//! Errors, and the warnings that a result carries.
//!
//! | category | variants | when |
//! |---|---|---|
//! | configuration | `Config`, `Formula` | before any data is read |
//! | data | `ColumnNotFound` … `NoValidGroups` | while the sample is formed |
//! | estimation | `MissingCells`, `EmptyWindow`, `NoInfluence`, `Singular` | while cells are formed, aggregated or tested |
//! | environment | `Precision`, `Device`, `Memory`, `Polars`, `File` … `Io`, `Json`, `Plot` | from the machine or a library |

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::calendar::{Frequency, shown};

/// Result of this crate's operations.
pub type Result<T> = std::result::Result<T, DidError>;

/// What went wrong, where in the data, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DidError {
    /// An option has a value outside its range, or two options exclude each other.
    #[error("`{option}` must be {expected}, got {got}")]
    Config {
        /// Name of the option.
        option: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// What was given.
        got: String,
    },
    /// The covariate formula cannot be read.
    #[error("formula `{formula}`: {problem}")]
    Formula {
        /// The formula as given.
        formula: String,
        /// What is wrong with it, and what is supported.
        problem: String,
    },
    /// A named column does not exist.
    #[error("column `{column}` ({role}) is not in the data; its columns are {available}")]
    ColumnNotFound {
        /// Name asked for.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// Names that exist.
        available: String,
    },
    /// A column that says yes or no has another value.
    #[error("column `{column}` ({role}) must be 0 or 1; row {row} has {value}")]
    NotBinary {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// The value.
        value: f64,
        /// Its row.
        row: usize,
    },
    /// A column has a type that its role cannot take.
    #[error("column `{column}` ({role}) has type {got}; expected {expected}")]
    ColumnType {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// Type found.
        got: String,
    },
    /// A time or group column has dates, and it is not said what a period is.
    #[error(
        "column `{column}` ({role}) has dates ({dtype}); set `frequency` to year, quarter, month, week or day, with dates in the time and in the group column"
    )]
    Dates {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// Its type.
        dtype: String,
    },
    /// A value of a time or group column is no date, or not as precise a date as the periods.
    #[error(
        "column `{column}` ({role}) has {value} in row {row}, which is in no {frequency} that can be told; write dates of the years 1 to 9999 as 2007-03-01, or the periods themselves as 2007-Q1, 2007-03 or 2007-W05"
    )]
    NoPeriod {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// The value.
        value: String,
        /// Row, counted from 0.
        row: usize,
        /// What a period is.
        frequency: &'static str,
    },
    /// A period or group is a number that double precision does not tell apart from others.
    #[error(
        "column `{column}` ({role}) has {value} in row {row}, which is not kept apart from its neighbours (integers below 2^53 are, and 15 digits); count periods from a later start or in larger units, or use dates with `frequency`"
    )]
    TooManyDigits {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// The value.
        value: String,
        /// Row, counted from 0.
        row: usize,
    },
    /// Two periods differ by no more than rounding.
    #[error(
        "the periods {first} and {second} differ by no more than rounding; round the time column, or count periods in whole numbers"
    )]
    ClosePeriods {
        /// A period.
        first: f64,
        /// The next.
        second: f64,
    },
    /// A first-treatment period is negative.
    #[error(
        "column `{column}` (group) is {value} in row {row}; it must be a period, or 0, +inf or null for never treated"
    )]
    NegativeGroup {
        /// Name of the column.
        column: String,
        /// Value found.
        value: f64,
        /// Row, counted from 0.
        row: usize,
    },
    /// There are too many distinct periods or groups.
    #[error(
        "column `{column}` ({role}) has {distinct} distinct values and at most {limit} are allowed; if they are timestamps or identifiers, name another column, or round them to years, quarters, months, weeks or days"
    )]
    TooManyValues {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// Values found; of files read piece by piece, those found so far.
        distinct: usize,
        /// Most values allowed.
        limit: usize,
    },
    /// Groups and periods form more effects than memory has room for their covariance.
    #[error(
        "{groups} groups (column `{group}`) and {periods} periods (column `{time}`) make {} effects, whose joint estimation needs {needed} bytes, but {available} are available; put groups and periods on a coarser grid",
        groups * periods
    )]
    TooManyCells {
        /// Name of the group column.
        group: String,
        /// Name of the time column.
        time: String,
        /// Groups to estimate.
        groups: usize,
        /// Periods of the sample.
        periods: usize,
        /// Bytes needed, or the largest number if they are more.
        needed: u64,
        /// Bytes available.
        available: u64,
    },
    /// A sampling weight is negative, or all weights are zero.
    #[error("column `{column}` (weights): {problem}")]
    Weights {
        /// Name of the column.
        column: String,
        /// What is wrong.
        problem: String,
    },
    /// A covariate, or a term of the formula, is as large or as small as numbers get.
    #[error(
        "covariate `{column}` reaches {largest:e}, where numbers overflow or underflow; divide it by a unit in which it is near 1"
    )]
    CovariateRange {
        /// Column of the design.
        column: String,
        /// Its largest absolute value.
        largest: f64,
    },
    /// A unit is observed twice in one period.
    #[error(
        "unit {unit} has two rows for period {period} (column `{column}`); keep one row per unit and period{remedy}"
    )]
    DuplicateRow {
        /// Name of the unit column.
        column: String,
        /// The unit.
        unit: String,
        /// The period.
        period: String,
        /// What else can be done.
        remedy: &'static str,
    },
    /// A column that must be constant within a unit is not.
    #[error("`{column}` ({role}) changes over time within unit {unit}; {remedy}")]
    TimeVarying {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// The unit.
        unit: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Standard errors are asked for by clusters of which there is one.
    #[error(
        "column `{column}` (cluster) has {clusters} cluster in the sample; standard errors need two and deserve ten: name a finer column, or none to cluster by unit"
    )]
    TooFewClusters {
        /// Name of the column.
        column: String,
        /// Number of clusters.
        clusters: usize,
    },
    /// Nothing is left of the sample.
    #[error("no rows are left {after}; {remedy}")]
    EmptySample {
        /// After which step.
        after: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Fewer than two periods.
    #[error("the sample has {periods} period(s) after preparation; at least two are needed")]
    TooFewPeriods {
        /// Number of periods left.
        periods: usize,
    },
    /// More than two periods for an estimator that compares two.
    #[error(
        "the sample has {periods} periods and the estimator compares two; keep the rows of two periods, or use group-time effects"
    )]
    TooManyPeriods {
        /// Number of periods.
        periods: usize,
    },
    /// There are no never-treated units to compare with.
    #[error(
        "no unit is never treated (group 0, +inf or null, or first treated after the last period); with several groups, not-yet-treated units can be the comparison"
    )]
    NoNeverTreated,
    /// One of the groups of a two-period comparison is too small.
    #[error(
        "only {size} {group} unit(s) are left and at least {required} are needed; use fewer covariates or more data"
    )]
    SmallGroup {
        /// Which group.
        group: &'static str,
        /// Units in the group.
        size: usize,
        /// Units needed.
        required: usize,
    },
    /// The never-treated group is too small to be the comparison.
    #[error(
        "the never-treated group has {size} unit(s), fewer than the {required} that the covariates need; use not-yet-treated controls or fewer covariates"
    )]
    SmallNeverTreated {
        /// Units in the group.
        size: usize,
        /// Units needed: distinct covariates plus 5.
        required: usize,
    },
    /// No group is first treated after the first period.
    #[error(
        "no group is first treated inside the sample after its first period{anticipating}; there is no effect to estimate"
    )]
    NoValidGroups {
        /// Mentions the anticipation window, if any.
        anticipating: String,
    },
    /// An aggregation meets cells that could not be estimated.
    #[error(
        "{count} cell(s) have no estimate, the first is (group {group}, time {time}): {reason}; aggregate with `na_rm` to leave them out"
    )]
    MissingCells {
        /// How many cells are missing.
        count: usize,
        /// Group of the first.
        group: String,
        /// Period of the first.
        time: String,
        /// Why it is missing.
        reason: String,
    },
    /// No cell falls within the window asked for.
    #[error("{what}")]
    EmptyWindow {
        /// What was asked for and what exists.
        what: String,
    },
    /// The fit was made without covariances or influence values.
    #[error("{what} needs {needs}, which this fit did not keep; {remedy}")]
    NoInfluence {
        /// Operation asked for.
        what: &'static str,
        /// What it needs.
        needs: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A covariance that must be inverted is singular.
    #[error("{what}: the covariance of the estimates is singular")]
    Singular {
        /// Test or operation.
        what: &'static str,
    },
    /// The device has no arithmetic of the asked precision.
    #[error("device {device} has no {precision} arithmetic; {remedy}")]
    Precision {
        /// The device.
        device: String,
        /// Precision asked for.
        precision: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The device does not exist or fails.
    #[error("device {device}: {problem}")]
    Device {
        /// The device.
        device: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The work does not fit the memory it may use.
    #[error("{what} needs {needed} bytes, but {available} are available; {remedy}")]
    Memory {
        /// What needs the memory.
        what: &'static str,
        /// Bytes needed, or the largest number if they are more.
        needed: u64,
        /// Bytes available.
        available: u64,
        /// What to do.
        remedy: &'static str,
    },
    /// A user-supplied estimator returned something unusable.
    #[error(
        "the two-by-two estimator returned {got} influence values for the {expected} observations of (group {group}, time {time})"
    )]
    Callback {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
        /// Observations in the cell.
        expected: usize,
        /// Values returned.
        got: usize,
    },
    /// The data could not be read.
    #[error("reading the data: {0}")]
    Polars(#[from] polars::error::PolarsError),
    /// A file or directory cannot be used as data.
    #[error("{path}: {problem}")]
    File {
        /// The file or directory.
        path: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// Files of one data set disagree about a column.
    #[error(
        "column `{column}` has type {got} in {file} and {expected} in {other}; write all files with one type"
    )]
    TypesDiffer {
        /// Name of the column.
        column: String,
        /// A file.
        file: String,
        /// The column's type there.
        got: String,
        /// An earlier file.
        other: String,
        /// The column's type there.
        expected: String,
    },
    /// A temporary file could not be made, written or read.
    #[error(
        "temporary file in {directory}: {source}; make space there, or set TMPDIR to a directory that has it"
    )]
    Temporary {
        /// The directory.
        directory: String,
        /// Cause.
        source: std::io::Error,
    },
    /// A library stopped unexpectedly while the data were read.
    #[error(
        "reading {what}: {problem}; this is a fault of a library, which another type of column or format of file may avoid"
    )]
    Panicked {
        /// What was read.
        what: String,
        /// The library's message.
        problem: String,
    },
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Cause.
        source: std::io::Error,
    },
    /// A saved result could not be read.
    #[error("saved result: {0}")]
    Json(#[from] serde_json::Error),
    /// A plot could not be drawn.
    #[error("plot: {0}")]
    Plot(String),
}

/// Something a user should know about a result that was nevertheless produced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DidWarning {
    /// Rows left out for missing or non-finite values.
    DroppedRows {
        /// Number of rows.
        rows: usize,
    },
    /// Units (rows, for repeated cross sections) already treated in the first period.
    AlreadyTreated {
        /// Number of units or rows.
        units: usize,
        /// Anticipation in force.
        anticipation: u32,
    },
    /// Units left out to balance the panel.
    Unbalanced {
        /// Number of units.
        units: usize,
    },
    /// No never-treated units: the last cohort takes their place and later periods are dropped.
    LastCohortAsControl {
        /// First treated period of that cohort.
        group: f64,
    },
    /// Cohorts with few units for the number of covariates (0 stands for never treated).
    SmallGroups {
        /// The cohorts.
        groups: Vec<f64>,
    },
    /// Groups that differ from a period, or from another group, by rounding only are taken as that.
    MovedGroups {
        /// The groups, and what they are taken as.
        groups: Vec<(f64, f64)>,
    },
    /// Periods are near to the steps of a regular calendar but not on them; event times count steps.
    UnevenPeriods {
        /// Steps of a unit of time.
        per_unit: f64,
    },
    /// Event times that agree within rounding are one.
    MergedEventTimes {
        /// How many event times are several differences of a period and a group.
        event_times: usize,
    },
    /// Integers too large for double precision were rounded.
    RoundedIntegers {
        /// The columns.
        columns: Vec<String>,
    },
    /// Sampling weights change over time within units.
    TimeVaryingWeights,
    /// Standard errors rest on fewer than ten clusters (units, without a cluster column).
    FewClusters {
        /// Number of clusters.
        clusters: usize,
    },
    /// Never-treated units are assumed never to anticipate.
    Anticipation,
    /// A cell could not be estimated.
    FailedCell {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
        /// Why.
        reason: String,
    },
    /// A propensity score did not converge; its cell uses the last iterate.
    NotConverged {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
    },
    /// Rows of units not observed in the weight's period were left out of a group's cells.
    MissingWeightPeriod {
        /// The group.
        group: f64,
        /// The period.
        period: f64,
    },
    /// The pre-test cannot be reported.
    NoPretest {
        /// Why.
        reason: String,
    },
    /// The critical value of the band is suspiciously large.
    LargeCriticalValue {
        /// The value.
        value: f64,
    },
    /// The critical value of an analytic band is known less exactly than to 0.002.
    RoughCriticalValue {
        /// The value.
        value: f64,
        /// How far it may be off.
        error: f64,
    },
    /// A uniform band could not be formed or was narrower than pointwise intervals; pointwise ones are reported.
    PointwiseInstead {
        /// Why.
        reason: String,
    },
    /// An option has no effect on this aggregation.
    IgnoredOption {
        /// The option.
        option: String,
    },
    /// There is no event time at or after treatment, so there is no overall effect.
    NoPostEventTime,
    /// A comparison cohort of a triple difference could not be used; the cell goes by the others.
    LostComparison {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
        /// First treated period of the comparison cohort, 0 if never treated.
        comparison: f64,
        /// Why.
        reason: String,
    },
    /// The covariance of the estimates against several comparison cohorts could not be inverted; the cohorts have equal
    /// weights.
    EqualWeights {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
    },
    /// The propensity score of a two-period comparison did not converge; the last iterate is used.
    ScoreNotConverged,
    /// No propensity score balances the covariates; the maximum-likelihood one is used.
    NotCalibrated,
    /// The standard error of a panel's fixed-effects regression takes the two rows of a unit as independent.
    RowsAsIndependent,
    /// Covariates that are linear combinations of others were left out.
    Collinear {
        /// Their columns of the design.
        columns: Vec<String>,
    },
    /// Covariates change over time within units, and a comparison of two periods uses those of one.
    TimeVaryingCovariates,
    /// The estimator could not be formed in some draws of the bootstrap, which are left out.
    FailedDraws {
        /// Number of draws.
        draws: usize,
    },
}

impl fmt::Display for DidWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, None)
    }
}

/// A warning about periods that may be dates.
struct Dated<'a>(&'a DidWarning, Option<Frequency>);

impl fmt::Display for Dated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, self.1)
    }
}

impl DidWarning {
    /// The warning in words, with periods and groups as dates if they are of the calendar.
    #[must_use]
    pub fn shown(&self, frequency: Option<Frequency>) -> String {
        Dated(self, frequency).to_string()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, frequency: Option<Frequency>) -> fmt::Result {
        let name = |period: &f64| shown(*period, frequency);
        match self {
            Self::DroppedRows { rows } => {
                write!(f, "dropped {rows} rows due to missing or non-finite data")
            }
            Self::AlreadyTreated { units, anticipation: 0 } => {
                write!(f, "dropped {units} units that were already treated in the first period")
            }
            Self::AlreadyTreated { units, anticipation } => write!(
                f,
                "dropped {units} units that were already treated in the first period (accounting for anticipation = {anticipation})"
            ),
            Self::Unbalanced { units } => write!(
                f,
                "{units} units are missing in some periods; they were dropped to balance the panel"
            ),
            Self::LastCohortAsControl { group } => write!(
                f,
                "no never-treated units: the cohort first treated in {} is the comparison, and periods from its treatment on are dropped",
                name(group)
            ),
            Self::SmallGroups { groups } => write!(
                f,
                "cohorts with very few observations, which may cause estimation problems: {}",
                groups.iter().map(name).collect::<Vec<_>>().join(", ")
            ),
            Self::MovedGroups { groups } => {
                let moved = |(from, to): &(f64, f64)| format!("{from} as {to}");
                let moved: Vec<String> = groups.iter().map(moved).collect();
                write!(
                    f,
                    "groups that differ from a period or another group by rounding only are taken as that: {}",
                    moved.join(", ")
                )
            }
            Self::UnevenPeriods { per_unit } => write!(
                f,
                "periods are near to {per_unit} steps of a unit of time but not evenly spaced; event times count steps of 1/{per_unit}"
            ),
            Self::MergedEventTimes { event_times } => write!(
                f,
                "periods and groups are on no regular grid; {event_times} event time(s) are averages over differences that agree within rounding"
            ),
            Self::RoundedIntegers { columns } => write!(
                f,
                "numbers beyond 2^53 were rounded to double precision, differences between them too: {}; subtract a constant or divide if these matter",
                columns.join(", ")
            ),
            Self::TimeVaryingWeights => {
                write!(
                    f,
                    "sampling weights vary over time within units; each comparison of a panel uses those of one period"
                )
            }
            Self::FewClusters { clusters } => write!(
                f,
                "standard errors rest on {clusters} clusters; with fewer than ten they are often too small"
            ),
            Self::Anticipation => {
                write!(f, "never-treated units are assumed never to anticipate treatment")
            }
            Self::FailedCell { group, time, reason } => {
                let (group, time) = (name(group), name(time));
                write!(f, "(group {group}, time {time}) has no estimate: {reason}")
            }
            Self::NotConverged { group, time } => write!(
                f,
                "the propensity score of (group {}, time {}) did not converge; the last iterate is used",
                name(group),
                name(time)
            ),
            Self::MissingWeightPeriod { group, period } => write!(
                f,
                "units not observed in period {} were left out of the cells of group {}, whose weights come from that period",
                name(period),
                name(group)
            ),
            Self::NoPretest { reason } => write!(f, "no pre-test: {reason}"),
            Self::LargeCriticalValue { value } => write!(
                f,
                "the simultaneous critical value is {value:.2}, arguably too large to be reliable; this happens with few observations"
            ),
            Self::RoughCriticalValue { value, error } => write!(
                f,
                "the simultaneous critical value {value:.4} may be off by {error:.4}; a bootstrap gives another"
            ),
            Self::PointwiseInstead { reason } => {
                write!(f, "pointwise intervals are reported instead of a uniform band: {reason}")
            }
            Self::IgnoredOption { option } => {
                write!(f, "`{option}` is ignored by this aggregation")
            }
            Self::NoPostEventTime => {
                write!(f, "no event time at or after treatment: there is no overall effect")
            }
            Self::LostComparison { group, time, comparison, reason } => write!(
                f,
                "ATT({}, {}) leaves out comparison cohort {}: {reason}",
                name(group),
                name(time),
                name(comparison)
            ),
            Self::EqualWeights { group, time } => write!(
                f,
                "(group {group}, time {time}): the estimates against its comparison cohorts have no covariance that can be inverted; the cohorts have equal weights"
            ),
            Self::ScoreNotConverged => write!(f, "the propensity score did not converge"),
            Self::NotCalibrated => write!(
                f,
                "no propensity score balances the covariates (overlap is poor); the maximum-likelihood one is used"
            ),
            Self::RowsAsIndependent => write!(
                f,
                "the standard error takes the two rows of a unit as independent, as R DRDID does; with the unit as cluster column, or a bootstrap, it does not"
            ),
            Self::Collinear { columns } => write!(
                f,
                "covariates that are linear combinations of others were left out: {}",
                columns.join(", ")
            ),
            Self::TimeVaryingCovariates => write!(
                f,
                "covariates change over time within units; each comparison uses those of one period"
            ),
            Self::FailedDraws { draws } => {
                write!(f, "{draws} bootstrap draw(s) could not be estimated and are left out")
            }
        }
    }
}
