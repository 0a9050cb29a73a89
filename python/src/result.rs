//! The result of any estimator, as Python holds it.

use std::path::PathBuf;

use burn_did::SavedResult;
use burn_did::report::Reportable;
use polars::prelude::DataFrame;
use pyo3::prelude::*;

use crate::errors;
use crate::table::Table;

/// A result of any kind: what all results can do.
#[pyclass(frozen, name = "Native", module = "burn_did._native")]
pub(crate) struct Native {
    pub(crate) saved: SavedResult,
}

impl Native {
    pub(crate) fn new(saved: SavedResult) -> Self {
        Self { saved }
    }

    fn report(&self) -> &dyn Reportable {
        self.saved.report()
    }

    fn frame(&self, py: Python<'_>, frame: burn_did::Result<DataFrame>) -> PyResult<Table> {
        frame.map(Table::new).map_err(|error| errors::raised(py, &error))
    }
}

#[pymethods]
impl Native {
    /// Kind of result, as in saved files.
    #[getter]
    fn kind(&self) -> &'static str {
        self.report().kind()
    }

    fn __str__(&self) -> String {
        self.report().to_string()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.saved == other.saved
    }

    /// The table as HTML.
    fn to_html(&self) -> String {
        self.report().to_table().to_html()
    }

    /// The table in markdown.
    fn to_markdown(&self) -> String {
        self.report().to_markdown()
    }

    /// The table in LaTeX.
    fn to_latex(&self) -> String {
        self.report().to_latex()
    }

    /// The result as JSON.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.report().to_json()).map_err(|error| errors::raised(py, &error))
    }

    /// One row an estimate.
    fn estimates(&self, py: Python<'_>) -> PyResult<Table> {
        self.frame(py, self.report().to_dataframe())
    }

    /// One row about the fit.
    fn glance(&self, py: Python<'_>) -> PyResult<Table> {
        self.frame(py, self.report().glance())
    }

    /// Warnings in words.
    fn warnings(&self) -> Vec<String> {
        self.report().warnings_in_words()
    }

    /// Writes the result as JSON.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.report().save(&path)).map_err(|error| errors::raised(py, &error))
    }
}

/// Reads a saved result.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<Native> {
    let saved = py.detach(|| SavedResult::load(path));
    saved.map(Native::new).map_err(|error| errors::raised(py, &error))
}

/// Reads a result from its JSON.
#[pyfunction]
pub(crate) fn from_json(py: Python<'_>, text: &str) -> PyResult<Native> {
    let saved = py.detach(|| SavedResult::from_json(text));
    saved.map(Native::new).map_err(|error| errors::raised(py, &error))
}
