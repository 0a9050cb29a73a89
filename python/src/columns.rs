//! Which columns of its data a call reads, and as what.

use burn_did::joint_study::Variation;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::options::{Options, names};

/// Arguments that are formulas, in which categories are levels, also if they are numbers.
const FORMULAS: [&str; 4] = ["fml", "xformla", "second_stage", "xvar"];
/// Arguments that are columns of numbers or periods.
const NUMBERS: [&str; 8] =
    ["yname", "tname", "gname", "dname", "pname", "treatname", "weights", "weightsname"];

/// What a column is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Not at all: it keeps its name, for errors.
    Unread,
    Values,
    /// As values or, if it has categories, as a factor.
    Factor,
    /// As values; categories of numbers would be values here and levels there.
    Both,
}

/// The columns that a call names.
pub(crate) struct Named {
    texts: Vec<String>,
    formulas: Vec<String>,
    numbers: Vec<String>,
}

impl Named {
    pub(crate) fn new(options: &Options<'_>) -> Self {
        let mut formulas = options.written(|name| FORMULAS.contains(&name));
        for text in options.written(|name| name == "vary") {
            // A text that cannot be read is an error of the estimator.
            for variation in Variation::read(&text).unwrap_or_default() {
                if let Variation::Covariates(varied) = variation {
                    formulas.extend(varied);
                }
            }
        }
        Self {
            texts: options.written(|_| true),
            formulas,
            numbers: options.written(|name| NUMBERS.contains(&name)),
        }
    }

    pub(crate) fn reading(&self, column: &str) -> Reading {
        let is_in = |texts: &[String]| texts.iter().any(|text| names(text, column));
        if !is_in(&self.texts) {
            return Reading::Unread;
        }
        match (is_in(&self.formulas), self.numbers.iter().any(|name| name == column)) {
            (false, _) => Reading::Values,
            (true, false) => Reading::Factor,
            (true, true) => Reading::Both,
        }
    }
}

/// Whether a column is the index of a pandas frame that had no name.
pub(crate) fn is_unnamed_index(column: &str) -> bool {
    let number = column.strip_prefix("__index_level_").and_then(|rest| rest.strip_suffix("__"));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Of the columns of a frame those that the arguments of a call name, and of these the ones whose categories are levels.
#[pyfunction]
pub(crate) fn named_columns(
    columns: Vec<String>,
    options: &Bound<'_, PyDict>,
) -> PyResult<(Vec<String>, Vec<String>)> {
    let named = Named::new(&Options::new(options)?);
    let is = |readings: &[Reading]| {
        let is = |column: &&String| readings.contains(&named.reading(column));
        columns.iter().filter(is).cloned().collect::<Vec<_>>()
    };
    Ok((is(&[Reading::Values, Reading::Factor, Reading::Both]), is(&[Reading::Factor])))
}
