//! Data frames of results, which Python reads by the Arrow C stream interface.

use std::io::Cursor;

use polars::prelude::{AnyValue, CompatLevel, DataFrame};
use polars_arrow::array::StructArray;
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::ffi::export_iterator;
use polars_io::SerReader;
use polars_io::parquet::read::ParquetReader;
use polars_io::parquet::write::ParquetWriter;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList};

use crate::errors;

/// A table of rows, for polars, pandas and pyarrow to read.
#[pyclass(frozen, module = "burn_did._native")]
pub(crate) struct Table(DataFrame);

impl Table {
    pub(crate) fn new(mut frame: DataFrame) -> Self {
        frame.rechunk_mut();
        Self(frame)
    }
}

#[pymethods]
impl Table {
    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.get_column_names().into_iter().map(ToString::to_string).collect()
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }

    /// The columns as lists, with `None` for null.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for column in self.0.columns() {
            let values = PyList::empty(py);
            for value in column.as_materialized_series().iter() {
                match value {
                    AnyValue::Null => values.append(py.None())?,
                    AnyValue::Boolean(value) => values.append(value)?,
                    AnyValue::String(value) => values.append(value)?,
                    AnyValue::StringOwned(value) => values.append(value.as_str())?,
                    AnyValue::Enum(code, levels) => values.append(levels.cat_to_str(code))?,
                    value if value.is_integer() => values.append(value.extract::<i128>())?,
                    value if value.is_float() => values.append(value.extract::<f64>())?,
                    // Dates and the like, as people read them.
                    value => values.append(value.to_string())?,
                }
            }
            columns.set_item(column.name().as_str(), values)?;
        }
        Ok(columns)
    }

    fn __len__(&self) -> usize {
        self.0.height()
    }

    /// So many rows from one on.
    fn rows(&self, first: i64, count: usize) -> Self {
        Self::new(self.0.slice(first, count))
    }

    /// A table does not change.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    /// The table as a parquet file, for copies in other processes.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let mut file = Vec::new();
        let written = ParquetWriter::new(&mut file).finish(&mut self.0.clone());
        written.map_err(|error| errors::raised(py, &error.into()))?;
        let read = py.import("burn_did._native")?.getattr("read_table")?;
        Ok((read, (PyBytes::new(py, &file),)))
    }

    /// The table as an Arrow stream; other types than its own are not offered.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let fields: Vec<Field> = self
            .0
            .columns()
            .iter()
            .map(|column| column.field().to_arrow(CompatLevel::oldest()))
            .collect();
        let dtype = ArrowDataType::Struct(fields);
        let height = self.0.height();
        let batches: Vec<_> = self
            .0
            .iter_chunks(CompatLevel::oldest(), false)
            .map(|batch| {
                let values = batch.into_arrays();
                Ok(Box::new(StructArray::try_new(dtype.clone(), height, values, None)?) as _)
            })
            .collect();
        let field = Field::new("".into(), dtype, false);
        let stream = export_iterator(Box::new(batches.into_iter()), field);
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// A table from the parquet file that its copy is.
#[pyfunction]
pub(crate) fn read_table(py: Python<'_>, file: &[u8]) -> PyResult<Table> {
    let frame = ParquetReader::new(Cursor::new(file)).finish();
    frame.map(Table::new).map_err(|error| errors::raised(py, &error.into()))
}
