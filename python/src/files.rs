//! Files as data, and what they do not say themselves.

use std::path::PathBuf;

use burn_did::options::{DecimalMark, RowCondition};
use burn_did::{DataFiles, DidError, Result};
use pyo3::prelude::*;

use crate::errors;

/// A path in which `~` at the beginning is the home directory, as programs of Python have it.
pub(crate) fn expanded(py: Python<'_>, path: PathBuf) -> PyResult<PathBuf> {
    py.import("os.path")?.call_method1("expanduser", (path,))?.extract()
}

/// CSV, parquet or Stata files as data, with what their path does not say.
///
/// Parameters
/// ----------
/// path : path
///     A file, a folder of files, or a pattern such as ``"data/*.parquet"``.
/// rows : str or sequence of str, optional
///     Conditions on columns that rows are to meet, all of them: ``"year <= 2014"``, ``"state != CA,NY"``, ``"date < 2014-03"``,
///     ``"wage is missing"``. A row in which the column is missing meets none but ``is missing``. Results say how many rows were left out
///     by which condition.
/// decimal : {"point", "comma"}, optional
///     What separates decimals in CSV files whose numbers do not show it.
///
/// Examples
/// --------
/// >>> did.att_gt(did.DataFiles("wages.csv", rows="year <= 2014"), "wage", "year", "id", "first")  # doctest: +SKIP
#[pyclass(frozen, name = "DataFiles", module = "burn_did")]
pub(crate) struct PyDataFiles(DataFiles);

/// One text, or several.
#[derive(FromPyObject)]
enum Texts {
    One(String),
    Several(Vec<String>),
}

#[pymethods]
impl PyDataFiles {
    #[new]
    #[pyo3(signature = (path, *, rows=None, decimal=None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        rows: Option<Texts>,
        decimal: Option<&str>,
    ) -> PyResult<Self> {
        let conditions = match rows {
            None => Vec::new(),
            Some(Texts::One(condition)) => vec![condition],
            Some(Texts::Several(conditions)) => conditions,
        };
        let path = expanded(py, path)?;
        let read = || -> Result<Self> {
            let conditions: Vec<RowCondition> =
                conditions.iter().map(|text| text.parse()).collect::<Result<_>>()?;
            let decimal: Option<DecimalMark> =
                decimal.map(str::parse).transpose().map_err(DidError::from)?;
            Ok(Self(DataFiles::new(path).decimal(decimal).rows(conditions)))
        };
        read().map_err(|error| errors::raised(py, &error))
    }

    fn __repr__(&self) -> String {
        let mut out = format!("DataFiles({:?}", self.0.path().display().to_string());
        let conditions = self.0.conditions();
        if !conditions.is_empty() {
            let conditions: Vec<String> =
                conditions.iter().map(|condition| format!("{:?}", condition.to_string())).collect();
            out.push_str(&format!(", rows=[{}]", conditions.join(", ")));
        }
        out.push(')');
        out
    }
}

impl PyDataFiles {
    pub(crate) fn files(&self) -> DataFiles {
        self.0.clone()
    }
}
