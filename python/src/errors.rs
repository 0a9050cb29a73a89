//! Errors of the library as exceptions of Python, whose classes `burn_did._errors` has.

use std::borrow::Cow;

use burn_did::DidError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::arguments;

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

/// A value in a message: short ones as they are written, and what long ones are.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    let types = value.py().import("burn_did._types");
    let words = types.and_then(|types| types.call_method1("shown", (value,)));
    words.map_or_else(|_| "something else".into(), |words| words.to_string())
}

/// An argument has a value that it cannot have.
pub(crate) fn option(py: Python<'_>, message: &str) -> PyErr {
    let message = arguments::in_python(&of_argument(message));
    exception(py, "config", &message, Vec::new(), None)
}

/// A message whose argument the library has by another name: "`pmd`: `base` must be …".
fn of_argument(message: &str) -> Cow<'_, str> {
    let parts: Vec<&str> = message.splitn(5, '`').collect();
    match parts[..] {
        ["", argument, ": ", _, rest] if rest.starts_with(" must be ") => {
            format!("`{argument}`{rest}").into()
        }
        _ => message.into(),
    }
}

/// A data frame cannot be read.
pub(crate) fn data(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "arrow", message, arguments::columns_in(message), None)
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
            arguments::refused(option, expected, got, &called(py))
        }
        error => arguments::in_python(&error.to_string()),
    };
    let columns = columns(error, &message);
    exception(py, error.code(), &message, columns, remedy(error, &message).as_deref())
}

/// Names of the arguments of the function that was called; none if that is not known.
fn called(py: Python<'_>) -> Vec<String> {
    let names = || py.import("burn_did._errors")?.getattr("arguments")?.call0()?.extract();
    names().unwrap_or_default()
}

/// The columns that an error is about.
fn columns(error: &DidError, message: &str) -> Vec<String> {
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
        DidError::AllCollinear { columns } => columns.split(", ").map(str::to_owned).collect(),
        _ => arguments::columns_in(message),
    }
}

/// What texts behind semicolons begin with that say what is there, and not what to do.
const STATEMENTS: [&str; 9] = [
    "expected ",
    "its columns are ",
    "line ",
    "row ",
    "supported are ",
    "the file is damaged",
    "the rows are ",
    "there are ",
    "there is ",
];

/// What to do about an error: what the library states apart, or what stands behind the last semicolon of its message.
fn remedy(error: &DidError, message: &str) -> Option<String> {
    let last = |text: &str| text.rsplit_once("; ").map(|(_, remedy)| remedy.to_owned());
    let apart = match error {
        DidError::Negative { remedy, .. } => Some(remedy.as_ref()),
        DidError::TimeVarying { remedy, .. }
        | DidError::EmptySample { remedy, .. }
        | DidError::MissingCells { remedy, .. }
        | DidError::Memory { remedy, .. } => Some(*remedy),
        DidError::Precision { remedy, .. } => Some(remedy.as_str()),
        _ => None,
    };
    let remedy = match (apart, error) {
        (Some(remedy), _) => return Some(arguments::in_python(remedy)),
        // What was got may be a list with semicolons.
        (None, DidError::Config { expected, got, .. }) => {
            let of_value = || got.split_once("; ").map(|(_, remedy)| remedy.to_owned());
            last(expected).or_else(of_value).map(|remedy| arguments::in_python(&remedy))
        }
        (None, _) => last(message),
    };
    remedy.filter(|remedy| !STATEMENTS.iter().any(|start| remedy.starts_with(start)))
}

/// Warns the caller of the package.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    py.import("burn_did._errors")?.call_method1("warn", (text,)).map(drop)
}
