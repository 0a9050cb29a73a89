//! Errors, and the warnings that a result carries.
//!
//! [What can go wrong](crate::_documentation::what_can_go_wrong) lists them with what to do.

mod code;
mod columns;
mod construct;
mod line;
mod message;
mod parts;
mod shown;
mod warning;
mod words;

use std::borrow::Cow;

pub(crate) use columns::missing_word;
pub(crate) use construct::WITHOUT_OUTCOME;
pub use line::FileLine;
pub use message::Message;
pub(crate) use parts::RANGE as OUT_OF_RANGE;
pub use warning::{DidWarning, TooFew};

use crate::base::counted::counted;
use crate::base::words::ParseOptionError;
use columns::never_with_dates;
use parts::{Place, WithoutCells, few_never_treated, more_units, nobody_treated, separating};

/// Result of this crate's operations.
pub type Result<T> = std::result::Result<T, DidError>;

/// What went wrong, where in the data, and what to do about it.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
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
    #[error(
        "column `{column}` ({role}) is not in the data; {hint}{its} columns are {available}",
        its = if .hint.is_empty() { "its" } else { "Its" }
    )]
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
    #[error("column `{column}` ({role}) must be 0 or 1; {place} has {value}", place = Place(*.row, .line))]
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
    /// An outcome that is a probability, or what happened with one, is not between 0 and 1.
    #[error(
        "column `{column}` ({role}) must be between 0 and 1; {place} has {value}",
        place = Place(*.row, .line)
    )]
    NotProbability {
        /// Name of the column, or the outcome as written.
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
    /// A column has its own name among its values, as in a file of several files with their headers.
    #[error(
        "column `{column}` ({role}) has its own name in {place}, as in files that are put together with their headers; leave such lines out",
        place = Place(*.row, .line)
    )]
    RepeatedHeader {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// Its row, counted from 0.
        row: usize,
        /// Where that is in a CSV file.
        line: Option<Box<FileLine>>,
    },
    /// A column has a type that its role cannot take.
    #[error("column `{column}` ({role}) holds {got}; expected {expected}")]
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
    #[error(
        "column `{column}` ({role}) has {dtype}; set `frequency` to year, quarter, month, week or day, with dates in the time and in the group column"
    )]
    Dates {
        /// Name of the column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// Its type.
        dtype: String,
    },
    /// A value of a time or group column is not a date, or the date is less precise than the periods.
    #[error(
        "column `{column}` ({role}) has {value} in {place}, which cannot be assigned to a {frequency}; write dates of the years 1 to 9999 as 2007-03-01, or the periods themselves as 2007-Q1, 2007-03 or 2007-W05, or in digits as 20071, 200703 and 20070301{never}",
        place = Place(*.row, .line), never = never_with_dates(.column, .role, .value)
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
        /// Where that is in a CSV file.
        line: Option<Box<FileLine>>,
        /// What a period is.
        frequency: &'static str,
    },
    /// A period or group has more digits than a 64-bit float can hold.
    #[error(
        "column `{column}` ({role}) has {value} in {place}, which has more digits than a 64-bit float can hold (integers below 2^53 and numbers of 15 digits are exact); count periods from a later start or in larger units, or use dates with `frequency`",
        place = Place(*.row, .line)
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
        /// Where that is in a CSV file.
        line: Option<Box<FileLine>>,
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
    /// A first-treatment period, a dose, a weight or an outcome that counts is negative.
    #[error("column `{column}` ({role}) is {value} in {place}; {remedy}", place = Place(*.row, .line))]
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
        remedy: Cow<'static, str>,
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
    /// Groups and periods form so many effects that their covariance does not fit in memory.
    #[error(
        "{groups} groups (column `{group}`) and {periods} periods (column `{time}`) make {effects} effects, whose joint estimation needs {needed} bytes, but {available} are available; put groups and periods on a coarser grid",
        effects = .groups * .periods
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
    /// All sampling weights are zero.
    #[error("column `{column}` (weights): {problem}")]
    Weights {
        /// Name of the column.
        column: String,
        /// What is wrong.
        problem: String,
    },
    /// A covariate, or a term of the formula, is as large or as small as numbers get.
    #[error(
        "column `{column}` reaches {largest:e}, where numbers overflow or underflow; rescale it so that its values are near 1"
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
    /// The rows of a panel are not what a tool of panels needs.
    #[error("{problem}")]
    Panel {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// There are no doses, or too few to estimate a curve.
    #[error("{problem}")]
    Doses {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The sieve of a nonparametric regression cannot be formed, or its instruments cannot identify the function.
    #[error("{problem}")]
    Sieve {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The outcome, or what is computed of it and the regressors, is beyond the range of numbers.
    #[error("{problem}")]
    OutOfRange {
        /// What is, and what to do.
        problem: String,
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
    /// Standard errors are clustered, and there is only one cluster.
    #[error(
        "column `{column}` (cluster) has {clusters} cluster in the sample; at least two clusters are required, ten or more are advisable: name a finer column, or none to cluster by unit"
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
        /// After which step, with the columns whose values are missing.
        after: Cow<'static, str>,
        /// What to do.
        remedy: &'static str,
    },
    /// Fewer than two periods.
    #[error(
        "the sample has {} after preparation; at least two are needed: see that the column of periods has two or more, and the column of groups units that are not treated from the first on",
        counted(*.periods, "period", "periods")
    )]
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
    /// All units are first treated in the same period.
    #[error(
        "all units that are not treated from the start are first treated in the same period, so that nobody is left to compare with; add units that are treated later, or never"
    )]
    NoComparison,
    /// One of the groups of a two-period comparison is too small.
    #[error(
        "only {size} {group} {are} left and at least {required} are needed; {remedy}",
        are = if *.size == 1 { "unit is" } else { "units are" },
        remedy = more_units(*.required)
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
        "the never-treated group has {units}, fewer than the {required} that {need}",
        units = counted(*.size, "unit", "units"),
        need = few_never_treated(*.required)
    )]
    SmallNeverTreated {
        /// Units in the group.
        size: usize,
        /// Units needed: distinct covariates plus 5.
        required: usize,
    },
    /// No group is first treated after the first period.
    #[error(
        "no group is first treated inside the sample after its first period{anticipating}; there is no effect to estimate (the group column holds first treated periods, on the scale of the period column, and not a status of 0 and 1)"
    )]
    NoValidGroups {
        /// Mentions the anticipation window, if any.
        anticipating: String,
    },
    /// Nobody is treated, by a column that says so row by row.
    #[error(
        "column `{column}` ({role}) says that nobody is treated {when}, so that there is no effect to estimate; {remedy}",
        when = nobody_treated(.role, .anticipating)[0],
        remedy = nobody_treated(.role, .anticipating)[1]
    )]
    NobodyTreated {
        /// Its name.
        column: String,
        /// What it is for.
        role: &'static str,
        /// Mentions the anticipation window, if any.
        anticipating: String,
    },
    /// The column of first treated periods holds a treatment indicator.
    #[error(
        "column `{column}` (group) holds only 0 and 1; it must hold the period in which a unit is first treated (such as {example}), and 0 for units that are never treated"
    )]
    IndicatorAsGroup {
        /// Name of the column.
        column: String,
        /// A period of the data.
        example: String,
    },
    /// No effect of a treatment that switches can be estimated.
    #[error("no effect of column `{column}` (treatment) can be estimated: {why}")]
    NoSwitchers {
        /// Name of the treatment column.
        column: String,
        /// Why, and what to do.
        why: &'static str,
    },
    /// An aggregation meets cells that could not be estimated.
    #[error(
        "{count} {verb} no estimate ({cells}); to estimate the same average, try {remedy}{without}",
        verb = if *.count == 1 { "cell has" } else { "cells have" }, without = WithoutCells(*.share)
    )]
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
    /// The coefficients or the covariance of an event study cannot be used.
    #[error("event study: {problem}")]
    EventStudy {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A covariance that must be inverted is singular.
    #[error("{what}: the covariance of the estimates is singular")]
    Singular {
        /// Test or operation.
        what: &'static str,
    },
    /// Every regressor is collinear with the others or with the fixed effects.
    #[error(
        "no regressor is left, as all are collinear with others or with the fixed effects: {columns}; leave out fixed effects that determine them"
    )]
    AllCollinear {
        /// The regressors.
        columns: String,
    },
    /// Regressors tell outcomes of 0 from outcomes of 1 without error, so that no finite coefficient is the likeliest.
    #[error(
        "{} outcomes of 0 from those of 1, so that no finite coefficient is the likeliest; leave it out, or fit the linear probability model (`family` gaussian)",
        separating(.columns)
    )]
    Separated {
        /// The regressors; none if fixed effects separate the outcomes.
        columns: Vec<String>,
    },
    /// Iterated least squares did not end.
    #[error(
        "the regression did not converge in {iterations} steps; allow more (`glm_maxiter`), or look for regressors that reach very large values"
    )]
    NotConverged {
        /// Steps taken.
        iterations: usize,
    },
    /// A column could not be demeaned within the iterations.
    #[error(
        "`{column}` is not demeaned after {iterations} iterations: the error of its residual is about {normal:.1e} of the column's norm, and the tolerance is relative to the residual; allow more iterations, or choose another solver (cg or lsmr)"
    )]
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
    #[error("device {device} has no {precision} arithmetic; {remedy}")]
    Precision {
        /// The device.
        device: String,
        /// Precision asked for.
        precision: &'static str,
        /// What to do.
        remedy: String,
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
    /// The parts of a sample, wherever they are held, did not answer as one: an answer is missing, came twice or comes from
    /// something else. No number is formed of such answers.
    #[error(
        "the partial results of the sample do not fit together: {problem}; fit again, and report it if it happens again"
    )]
    Engine {
        /// What does not fit.
        problem: String,
    },
    /// A cluster cannot be used: its scheduler cannot be reached, refuses, or has no executors, or a process could not be started.
    #[error("the cluster cannot be used: {problem}")]
    Cluster {
        /// What is the matter.
        problem: String,
    },
    /// An executor of a cluster found something wrong with the data, or with what it is to work on.
    #[error("{worker}: {problem}")]
    Worker {
        /// The executor.
        worker: String,
        /// What it found, in the words that a fit on one machine has for it.
        problem: String,
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
        "column `{column}` holds {got} in {file} and {expected} in {other}; write all files with one type"
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
        "temporary file in {directory}: {source}; free some space there, or set TMPDIR to a directory with more space"
    )]
    Temporary {
        /// The directory.
        directory: String,
        /// Cause.
        source: std::io::Error,
    },
    /// A library stopped unexpectedly while the data were read.
    #[error(
        "reading {what}: {problem}; this comes of a damaged file or of a bug in a library; a file that is written anew, another type of column or another format of file may avoid it"
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

impl From<ParseOptionError> for DidError {
    fn from(error: ParseOptionError) -> Self {
        let ParseOptionError { option, expected, got } = error;
        Self::Config { option, expected, got }
    }
}
