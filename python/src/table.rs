//! Data frames of results, which Python reads by the Arrow C stream interface.

use polars::prelude::{AnyValue, CompatLevel, DataFrame};
use polars_arrow::array::StructArray;
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::ffi::export_iterator;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

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
