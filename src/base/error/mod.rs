//! Errors, and the warnings that a result carries.
//!
//! [What can go wrong](crate::_documentation::what_can_go_wrong) lists them with what to do.

mod line;
mod messages;
mod warning;
mod words;

pub use line::FileLine;
pub use warning::DidWarning;

use crate::base::words::ParseOptionError;

/// Result of this crate's operations.
pub type Result<T> = std::result::Result<T, DidError>;

/// What went wrong, where in the data, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DidError {
    /// An option has a value outside its range, or two options exclude each other.
    Config {
        /// Name of the option.
        option: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// What was given.
        got: String,
    },
    /// The covariate formula cannot be read.
    Formula {
        /// The formula as given.
        formula: String,
        /// What is wrong with it, and what is supported.
        problem: String,
    },
    /// A named column does not exist.
    ColumnNotFound {
        /// Name asked for.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// What may be meant, as a sentence; empty if nothing is like it.
        hint: String,
        /// Names that exist.
        available: String,
    },
    /// A column that says yes or no has another value.
    NotBinary {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// The value.
        value: f64,
        /// Its row, counted from 0.
        row: usize,
        /// Where that is in a CSV file.
        line: Option<Box<FileLine>>,
    },
    /// A column has a type that its role cannot take.
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
    /// A time or group column has dates, and the length of a period is not set.
    Dates {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// Its type.
        dtype: String,
    },
    /// A value of a time or group column is not a date, or the date is less precise than the periods.
    NoPeriod {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// The value.
        value: String,
        /// Row, counted from 0.
        row: usize,
        /// Where that is in a CSV file.
        line: Option<Box<FileLine>>,
        /// What a period is.
        frequency: &'static str,
    },
    /// A period or group has more digits than a 64-bit float can hold.
    TooManyDigits {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// The value.
        value: String,
        /// Row, counted from 0.
        row: usize,
        /// Where that is in a CSV file.
        line: Option<Box<FileLine>>,
    },
    /// Two periods differ by no more than rounding.
    ClosePeriods {
        /// A period.
        first: f64,
        /// The next.
        second: f64,
    },
    /// A first-treatment period, a dose, a weight or an outcome that counts is negative.
    Negative {
        /// Name of the column, or the outcome as written.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// Value found.
        value: f64,
        /// Row, counted from 0.
        row: usize,
        /// Where that is in a CSV file.
        line: Option<Box<FileLine>>,
        /// What is allowed.
        remedy: &'static str,
    },
    /// There are too many distinct periods or groups.
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
    /// Groups and periods form so many effects that their covariance does not fit in memory.
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
    /// All sampling weights are zero.
    Weights {
        /// Name of the column.
        column: String,
        /// What is wrong.
        problem: String,
    },
    /// A covariate, or a term of the formula, is as large or as small as numbers get.
    CovariateRange {
        /// Column of the design.
        column: String,
        /// Its largest absolute value.
        largest: f64,
    },
    /// A unit is observed twice in one period.
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
    /// There are no doses, or too few to estimate a curve.
    Doses {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A column that must be constant within a unit is not.
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
    /// Standard errors are clustered, and there is only one cluster.
    TooFewClusters {
        /// Name of the column.
        column: String,
        /// Number of clusters.
        clusters: usize,
    },
    /// Nothing is left of the sample.
    EmptySample {
        /// After which step.
        after: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Fewer than two periods.
    TooFewPeriods {
        /// Number of periods left.
        periods: usize,
    },
    /// More than two periods for an estimator that compares two.
    TooManyPeriods {
        /// Number of periods.
        periods: usize,
    },
    /// There are no never-treated units to compare with.
    NoNeverTreated,
    /// One of the groups of a two-period comparison is too small.
    SmallGroup {
        /// Which group.
        group: &'static str,
        /// Units in the group.
        size: usize,
        /// Units needed.
        required: usize,
    },
    /// The never-treated group is too small to be the comparison.
    SmallNeverTreated {
        /// Units in the group.
        size: usize,
        /// Units needed: distinct covariates plus 5.
        required: usize,
    },
    /// No group is first treated after the first period.
    NoValidGroups {
        /// Mentions the anticipation window, if any.
        anticipating: String,
    },
    /// The column of first treated periods holds a treatment indicator.
    IndicatorAsGroup {
        /// Name of the column.
        column: String,
        /// A period of the data.
        example: String,
    },
    /// No effect of a treatment that switches can be estimated.
    NoSwitchers {
        /// Name of the treatment column.
        column: String,
        /// Why, and what to do.
        why: &'static str,
    },
    /// An aggregation meets cells that could not be estimated.
    MissingCells {
        /// How many cells are missing.
        count: usize,
        /// Which, and why.
        cells: String,
        /// What gives them an estimate.
        remedy: &'static str,
        /// Their share of the weight of the overall average; `None` for contrasts, whose weights are given.
        share: Option<f64>,
    },
    /// No cell falls within the requested window.
    EmptyWindow {
        /// What was asked for and what exists.
        what: String,
    },
    /// The fit was made without covariances or influence values.
    NoInfluence {
        /// Operation asked for.
        what: &'static str,
        /// What it needs.
        needs: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The coefficients or the covariance of an event study cannot be used.
    EventStudy {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A covariance that must be inverted is singular.
    Singular {
        /// Test or operation.
        what: &'static str,
    },
    /// Every regressor is collinear with the others or with the fixed effects.
    AllCollinear {
        /// The regressors.
        columns: String,
    },
    /// Iterated least squares did not end.
    NotConverged {
        /// Steps taken.
        iterations: usize,
    },
    /// A column could not be demeaned within the iterations.
    NotDemeaned {
        /// Name of the column.
        column: String,
        /// Iterations made.
        iterations: usize,
        /// Estimated error of what fixed effects leave of it, or `‖A'r‖` where that is larger, relative to the norm of the column less
        /// its mean.
        normal: f64,
    },
    /// The device has no arithmetic of the asked precision.
    Precision {
        /// The device.
        device: String,
        /// Precision asked for.
        precision: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The device does not exist or fails.
    Device {
        /// The device.
        device: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The work does not fit the memory it may use.
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
    /// The parts of a sample, wherever they are held, did not answer as one: an answer is missing, came twice or is of
    /// something else. No number is formed of such answers.
    Engine {
        /// What does not fit.
        problem: String,
    },
    /// A cluster cannot be used: its scheduler cannot be reached, refuses, or has no executors, or a process could not be started.
    Cluster {
        /// What is the matter.
        problem: String,
    },
    /// An executor of a cluster found something wrong with the data, or with what it is to work on.
    Worker {
        /// The executor.
        worker: String,
        /// What it found, in the words that a fit on one machine has for it.
        problem: String,
    },
    /// A user-supplied estimator returned something unusable.
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
    Polars(#[from] polars::error::PolarsError),
    /// A file or directory cannot be used as data.
    File {
        /// The file or directory.
        path: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// Files of one data set disagree about a column.
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
    Temporary {
        /// The directory.
        directory: String,
        /// Cause.
        source: std::io::Error,
    },
    /// A library stopped unexpectedly while the data were read.
    Panicked {
        /// What was read.
        what: String,
        /// The library's message.
        problem: String,
    },
    /// A file could not be read or written.
    Io {
        /// The file.
        path: String,
        /// Cause.
        source: std::io::Error,
    },
    /// A saved result could not be read.
    Json(#[from] serde_json::Error),
    /// A plot could not be drawn.
    Plot(String),
}

impl From<ParseOptionError> for DidError {
    fn from(error: ParseOptionError) -> Self {
        let ParseOptionError { option, expected, got } = error;
        Self::Config { option, expected, got }
    }
}
