//! Columns of several row groups in one piece, each decoded into its place.

use std::sync::Mutex;

use polars::prelude::*;

use crate::base::error::{DidError, Result};
use crate::base::parallel::{self, held};

/// Row groups of which columns are decoded.
pub(super) struct Groups<'a> {
    /// How many rows of each.
    pub rows: &'a [usize],
    /// Decodes a column of one of them.
    pub column: &'a (dyn Fn(usize, &ArrowField) -> Result<Series> + Sync),
    /// What an error of decoding is.
    pub failed: &'a (dyn Fn(PolarsError) -> DidError + Sync),
}

/// Columns of some rows of some row groups: columns and row groups at the same time, whatever has more. Beside the columns, memory is
/// taken for a row group of one column for each core; columns of other types than numbers are put together at the end.
pub(super) fn read(groups: &Groups<'_>, fields: &[&ArrowField]) -> Result<Vec<Column>> {
    let columns = parallel::map(fields.len(), |column| whole(groups, fields[column]));
    columns.into_iter().map(|column| column.map(IntoColumn::into_column)).collect()
}

fn whole(groups: &Groups<'_>, field: &ArrowField) -> Result<Series> {
    let dtype = DataType::from_arrow_field(field);
    match (groups.rows, dtype) {
        ([], dtype) => Ok(Series::new_empty(field.name.clone(), &dtype)),
        ([_], _) => (groups.column)(0, field).map(|read| read.rechunk()),
        (_, DataType::Float64) => numbers::<Float64Type>(groups, field),
        (_, DataType::Float32) => numbers::<Float32Type>(groups, field),
        (_, DataType::Int64) => numbers::<Int64Type>(groups, field),
        (_, DataType::Int32) => numbers::<Int32Type>(groups, field),
        (_, DataType::Int16) => numbers::<Int16Type>(groups, field),
        (_, DataType::Int8) => numbers::<Int8Type>(groups, field),
        (_, DataType::UInt64) => numbers::<UInt64Type>(groups, field),
        (_, DataType::UInt32) => numbers::<UInt32Type>(groups, field),
        (_, DataType::UInt16) => numbers::<UInt16Type>(groups, field),
        (_, DataType::UInt8) => numbers::<UInt8Type>(groups, field),
        _ => others(groups, field),
    }
}

/// A column of numbers: every row group is copied to where it belongs as soon as it is decoded, while it is in the cache.
fn numbers<T: PolarsNumericType>(groups: &Groups<'_>, field: &ArrowField) -> Result<Series>
where
    ChunkedArray<T>: IntoSeries,
{
    // Zeros are given by the system as they are first written to, by the core that does.
    let mut values = vec![T::Native::default(); groups.rows.iter().sum()];
    let mut rest = values.as_mut_slice();
    let mut places = Vec::with_capacity(groups.rows.len());
    for rows in groups.rows {
        let (place, after) = rest.split_at_mut(*rows);
        places.push(Mutex::new(place));
        rest = after;
    }
    let nulls = parallel::map(places.len(), |index| -> Result<Option<BooleanChunked>> {
        let read = (groups.column)(index, field)?;
        let column = read.unpack::<T>().map_err(groups.failed)?;
        let mut place = held(&places[index]);
        if column.len() != place.len() {
            let (name, found, rows) = (&field.name, column.len(), place.len());
            let text = polars_err!(ComputeError: "column `{name}` has {found} rows of {rows}");
            return Err((groups.failed)(text));
        }
        let mut start = 0;
        for array in column.downcast_iter() {
            place[start..start + array.len()].copy_from_slice(array.values());
            start += array.len();
        }
        Ok((column.null_count() > 0).then(|| column.is_not_null()))
    });
    drop(places);
    let nulls: Vec<Option<BooleanChunked>> = nulls.into_iter().collect::<Result<_>>()?;
    let validity = nulls.iter().any(Option::is_some).then(|| valid(groups, nulls));
    let validity = validity.as_ref().and_then(|valid| valid.downcast_iter().next());
    let validity = validity.map(|valid| valid.values().clone());
    let name = field.name.clone();
    Ok(ChunkedArray::<T>::from_vec_validity(name, values, validity).into_series())
}

/// Whether each row of all row groups has a value, in one piece.
fn valid(groups: &Groups<'_>, nulls: Vec<Option<BooleanChunked>>) -> BooleanChunked {
    let mut all: Vec<bool> = Vec::with_capacity(groups.rows.iter().sum());
    for (rows, valid) in groups.rows.iter().zip(nulls) {
        match valid {
            None => all.extend(std::iter::repeat_n(true, *rows)),
            Some(valid) => all.extend(valid.iter().map(|valid| valid.unwrap_or_default())),
        }
    }
    BooleanChunked::from_slice(PlSmallStr::EMPTY, &all)
}

/// A column of any type, put together when all row groups are decoded.
fn others(groups: &Groups<'_>, field: &ArrowField) -> Result<Series> {
    let parts = parallel::map(groups.rows.len(), |index| (groups.column)(index, field));
    let mut whole: Option<Series> = None;
    for part in parts {
        match &mut whole {
            None => whole = Some(part?),
            Some(whole) => drop(whole.append(&part?).map_err(groups.failed)?),
        }
    }
    let empty = || Series::new_empty(field.name.clone(), &DataType::from_arrow_field(field));
    Ok(whole.map_or_else(empty, |whole| whole.rechunk()))
}
