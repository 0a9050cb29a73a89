//! Errors in words.

use std::fmt;

use super::DidError;
use super::line::Place;
use crate::base::percent::percent;

impl fmt::Display for DidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config { option, expected, got } => {
                write!(f, "`{option}` must be {expected}, got {got}")
            }
            Self::Formula { formula, problem } => write!(f, "formula `{formula}`: {problem}"),
            Self::ColumnNotFound { column, role, hint, available } => {
                let its = if hint.is_empty() { "its" } else { "Its" };
                write!(
                    f,
                    "column `{column}` ({role}) is not in the data; {hint}{its} columns are {available}"
                )
            }
            Self::NotBinary { column, role, value, row, line } => {
                let place = Place(*row, line);
                write!(f, "column `{column}` ({role}) must be 0 or 1; {place} has {value}")
            }
            Self::ColumnType { column, role, expected, got } => {
                write!(f, "column `{column}` ({role}) holds {got}; expected {expected}")
            }
            Self::Dates { column, role, dtype } => write!(
                f,
                "column `{column}` ({role}) has {dtype}; set `frequency` to year, quarter, month, week or day, with dates in the time and in the group column"
            ),
            Self::NoPeriod { column, role, value, row, line, frequency } => write!(
                f,
                "column `{column}` ({role}) has {value} in {}, which cannot be assigned to a {frequency}; write dates of the years 1 to 9999 as 2007-03-01, or the periods themselves as 2007-Q1, 2007-03 or 2007-W05",
                Place(*row, line)
            ),
            Self::TooManyDigits { column, role, value, row, line } => write!(
                f,
                "column `{column}` ({role}) has {value} in {}, which has more digits than a 64-bit float can hold (integers below 2^53 and numbers of 15 digits are exact); count periods from a later start or in larger units, or use dates with `frequency`",
                Place(*row, line)
            ),
            Self::ClosePeriods { first, second } => write!(
                f,
                "the periods {first} and {second} differ by no more than rounding; round the time column, or count periods in whole numbers"
            ),
            Self::Negative { column, role, value, row, line, remedy } => {
                let place = Place(*row, line);
                write!(f, "column `{column}` ({role}) is {value} in {place}; {remedy}")
            }
            Self::TooManyValues { column, role, distinct, limit } => write!(
                f,
                "column `{column}` ({role}) has {distinct} distinct values and at most {limit} are allowed; if they are timestamps or identifiers, name another column, or round them to years, quarters, months, weeks or days"
            ),
            Self::TooManyCells { group, time, groups, periods, needed, available } => write!(
                f,
                "{groups} groups (column `{group}`) and {periods} periods (column `{time}`) make {} effects, whose joint estimation needs {needed} bytes, but {available} are available; put groups and periods on a coarser grid",
                groups * periods
            ),
            Self::Weights { column, problem } => {
                write!(f, "column `{column}` (weights): {problem}")
            }
            Self::CovariateRange { column, largest } => write!(
                f,
                "column `{column}` reaches {largest:e}, where numbers overflow or underflow; rescale it so that its values are near 1"
            ),
            Self::DuplicateRow { column, unit, period, remedy } => write!(
                f,
                "unit {unit} has two rows for period {period} (column `{column}`); keep one row per unit and period{remedy}"
            ),
            Self::Doses { problem } => write!(f, "{problem}"),
            Self::TimeVarying { column, role, unit, remedy } => {
                write!(f, "`{column}` ({role}) changes over time within unit {unit}; {remedy}")
            }
            Self::TooFewClusters { column, clusters } => write!(
                f,
                "column `{column}` (cluster) has {clusters} cluster in the sample; at least two clusters are required, ten or more are advisable: name a finer column, or none to cluster by unit"
            ),
            Self::EmptySample { after, remedy } => write!(f, "no rows are left {after}; {remedy}"),
            Self::TooFewPeriods { periods } => write!(
                f,
                "the sample has {periods} period(s) after preparation; at least two are needed"
            ),
            Self::TooManyPeriods { periods } => write!(
                f,
                "the sample has {periods} periods and the estimator compares two; keep the rows of two periods, or use group-time effects"
            ),
            Self::NoNeverTreated => write!(
                f,
                "no unit is never treated (group 0, +inf or null, or first treated after the last period); with several groups, not-yet-treated units can be the comparison"
            ),
            Self::SmallGroup { group, size, required } => write!(
                f,
                "only {size} {group} unit(s) are left and at least {required} are needed; use fewer covariates or more data"
            ),
            Self::SmallNeverTreated { size, required } => write!(
                f,
                "the never-treated group has {size} unit(s), fewer than the {required} that the covariates need; use not-yet-treated controls or fewer covariates"
            ),
            Self::NoValidGroups { anticipating } => write!(
                f,
                "no group is first treated inside the sample after its first period{anticipating}; there is no effect to estimate (the group column holds first treated periods, not a status of 0 and 1)"
            ),
            Self::IndicatorAsGroup { column, example } => write!(
                f,
                "column `{column}` (group) holds only 0 and 1; it must hold the period in which a unit is first treated (such as {example}), and 0 for units that are never treated"
            ),
            Self::NoSwitchers { column, why } => {
                write!(f, "no effect of column `{column}` (treatment) can be estimated: {why}")
            }
            Self::MissingCells { count, cells, remedy, share } => {
                let verb = if *count == 1 { "cell has" } else { "cells have" };
                write!(
                    f,
                    "{count} {verb} no estimate ({cells}); to estimate the same average, try {remedy}"
                )?;
                match share {
                    Some(share) => write!(
                        f,
                        "; `na_rm` leaves these cells out, and with them {} of the weight of the overall average",
                        percent(*share)
                    ),
                    None => Ok(()),
                }
            }
            Self::EmptyWindow { what } => write!(f, "{what}"),
            Self::NoInfluence { what, needs, remedy } => {
                write!(f, "{what} needs {needs}, which this fit did not keep; {remedy}")
            }
            Self::EventStudy { problem } => write!(f, "event study: {problem}"),
            Self::Singular { what } => {
                write!(f, "{what}: the covariance of the estimates is singular")
            }
            Self::AllCollinear { columns } => write!(
                f,
                "no regressor is left: {columns} are collinear with each other or with the fixed effects; leave out fixed effects that determine them"
            ),
            Self::NotConverged { iterations } => write!(
                f,
                "the regression did not converge in {iterations} steps; allow more (`glm_maxiter`), or look for regressors that reach very large values"
            ),
            Self::NotDemeaned { column, iterations, normal } => write!(
                f,
                "`{column}` is not demeaned after {iterations} iterations: the error of its residual is about {normal:.1e} of the column's norm, \
                 and the tolerance is relative to the residual; allow more iterations, or choose another solver (cg or lsmr)"
            ),
            Self::Precision { device, precision, remedy } => {
                write!(f, "device {device} has no {precision} arithmetic; {remedy}")
            }
            Self::Device { device, problem } => write!(f, "device {device}: {problem}"),
            Self::Memory { what, needed, available, remedy } => {
                write!(f, "{what} needs {needed} bytes, but {available} are available; {remedy}")
            }
            Self::Engine { problem } => write!(
                f,
                "the partial results of the sample do not fit together: {problem}; fit again, and report it if it happens again"
            ),
            Self::Cluster { problem } => write!(f, "the cluster cannot be used: {problem}"),
            Self::Worker { worker, problem } => write!(f, "{worker}: {problem}"),
            Self::Callback { group, time, expected, got } => write!(
                f,
                "the two-by-two estimator returned {got} influence values for the {expected} observations of (group {group}, time {time})"
            ),
            Self::Polars(cause) => write!(f, "reading the data: {cause}"),
            Self::File { path, problem } => write!(f, "{path}: {problem}"),
            Self::TypesDiffer { column, file, got, other, expected } => write!(
                f,
                "column `{column}` holds {got} in {file} and {expected} in {other}; write all files with one type"
            ),
            Self::Temporary { directory, source } => write!(
                f,
                "temporary file in {directory}: {source}; free some space there, or set TMPDIR to a directory with more space"
            ),
            Self::Panicked { what, problem } => write!(
                f,
                "reading {what}: {problem}; this is a bug in a library; another type of column or format of file may avoid it"
            ),
            Self::Io { path, source } => write!(f, "{path}: {source}"),
            Self::Json(cause) => write!(f, "saved result: {cause}"),
            Self::Plot(cause) => write!(f, "plot: {cause}"),
        }
    }
}
