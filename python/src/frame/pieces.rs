//! Frames of polars whose columns are in pieces.
//!
//! Before it hands over a whole frame, polars puts the pieces of all columns together, of those that are not read, too, and keeps the pieces'
//! memory: a copy of the frame. A column that is asked for alone is handed over piece by piece, in place.

use polars::prelude::{Column, DataFrame, DataType};
use pyo3::prelude::*;

use super::{Holds, read_stream};
use crate::columns::Reading;
use crate::errors;

/// The columns of a frame with `__arrow_c_stream__`, of which those that are read have their values.
pub(crate) fn read(
    data: &Bound<'_, PyAny>,
    reading: impl Fn(&str) -> Reading,
) -> PyResult<DataFrame> {
    if !is_in_pieces(data)? {
        return read_stream(data, Holds::Columns, reading);
    }
    let height: usize = data.getattr("height")?.extract()?;
    let names: Vec<String> = data.getattr("columns")?.extract()?;
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        if reading(&name) == Reading::Unread {
            columns.push(Column::full_null(name.into(), height, &DataType::Null));
            continue;
        }
        let series = data.call_method1("get_column", (&name,))?;
        columns.append(&mut read_stream(&series, Holds::Column(&name), &reading)?.into_columns());
    }
    DataFrame::new(height, columns).map_err(|error| errors::data(data.py(), &error.to_string()))
}

/// Whether data are a frame of polars with a column of several pieces.
fn is_in_pieces(data: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = data.get_type();
    if class.name()? != "DataFrame" || !class.module()?.to_string().starts_with("polars.") {
        return Ok(false);
    }
    let pieces: Vec<usize> = data.call_method1("n_chunks", ("all",))?.extract()?;
    Ok(pieces.iter().any(|pieces| *pieces > 1))
}
