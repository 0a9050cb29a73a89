//! Errors of the library as exceptions of Python, whose classes `burn_did._errors` has.

use burn_did::DidError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// An exception with a code, a message, the columns that it is about, and the remedy.
fn exception(
    py: Python<'_>,
    code: &str,
    message: &str,
    columns: Vec<String>,
    remedy: Option<&str>,
) -> PyErr {
    static MADE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = MADE.get_or_try_init(py, || {
        py.import("burn_did._errors")?.getattr("exception").map(Bound::unbind)
    });
    match make.and_then(|make| make.call1(py, (code, message, columns, remedy))) {
        Ok(made) => PyErr::from_value(made.into_bound(py)),
        Err(error) => error,
    }
}

/// An argument has a value that it cannot have.
pub(crate) fn option(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "config", message, Vec::new(), None)
}

/// A data frame cannot be read.
pub(crate) fn data(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "arrow", message, Vec::new(), None)
}

/// What no input should cause.
pub(crate) fn bug(py: Python<'_>, message: &str) -> PyErr {
    let remedy = "this is a bug; please report it with the call that caused it";
    exception(py, "bug", &format!("{message}; {remedy}"), Vec::new(), Some(remedy))
}

/// An error of the library, with the names that arguments have in Python.
pub(crate) fn raised(py: Python<'_>, error: &DidError) -> PyErr {
    let message = match error {
        DidError::Config { option, expected, got } => {
            format!("`{}` must be {expected}, got {got}", argument(option))
        }
        DidError::NoInfluence { .. } => {
            error.to_string().replace("`keep_fixed_effects`", "`fixef=True`")
        }
        error => error.to_string(),
    };
    exception(py, error.code(), &message, columns(error), remedy(error, &message))
}

/// The argument of Python for an option of the library.
fn argument(option: &'static str) -> &'static str {
    match option {
        "outcome" => "yname",
        "unit" => "idname",
        "time" => "tname",
        "group" => "gname",
        "weights" => "weightsname",
        "covariates" => "xformla",
        "cluster" => "clustervars",
        "method" => "est_method",
        "draws" => "biters",
        "device" => "backend",
        "dose" | "treatment" => "dname",
        "placebos" => "placebo",
        "regressors" => "xname",
        "instruments" => "wname",
        "moderator" => "xvar",
        "horizons" => "horizon",
        "references" => "ref",
        "min_effective" => "minn",
        option => option,
    }
}

/// The columns that an error is about.
fn columns(error: &DidError) -> Vec<String> {
    match error {
        DidError::ColumnNotFound { column, .. }
        | DidError::NotBinary { column, .. }
        | DidError::NotProbability { column, .. }
        | DidError::ColumnType { column, .. }
        | DidError::Dates { column, .. }
        | DidError::NoPeriod { column, .. }
        | DidError::TooManyDigits { column, .. }
        | DidError::Negative { column, .. }
        | DidError::TooManyValues { column, .. }
        | DidError::Weights { column, .. }
        | DidError::CovariateRange { column, .. }
        | DidError::DuplicateRow { column, .. }
        | DidError::TimeVarying { column, .. }
        | DidError::TooFewClusters { column, .. }
        | DidError::IndicatorAsGroup { column, .. }
        | DidError::NoSwitchers { column, .. }
        | DidError::NotDemeaned { column, .. }
        | DidError::TypesDiffer { column, .. } => vec![column.clone()],
        DidError::TooManyCells { group, time, .. } => vec![group.clone(), time.clone()],
        DidError::Separated { columns } => columns.clone(),
        _ => Vec::new(),
    }
}

/// What to do about an error: what the library states apart, or what stands behind the last semicolon of its message.
fn remedy<'a>(error: &'a DidError, message: &'a str) -> Option<&'a str> {
    match error {
        DidError::Negative { remedy, .. }
        | DidError::TimeVarying { remedy, .. }
        | DidError::EmptySample { remedy, .. }
        | DidError::MissingCells { remedy, .. }
        | DidError::Memory { remedy, .. } => Some(remedy),
        DidError::Precision { remedy, .. } => Some(remedy),
        _ => message.rsplit_once("; ").map(|(_, remedy)| remedy),
    }
}

/// Warns the caller.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let kind = py.import("burn_did._errors")?.getattr("BurnDidWarning")?;
    py.import("warnings")?.call_method1("warn", (text, kind, 3)).map(drop)
}
