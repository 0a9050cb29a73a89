//! Columns of several row groups in one piece, each decoded into its place.

use std::ops::Range;
use std::sync::Mutex;

use polars::prelude::*;
use polars_parquet::read::RowGroupMetadata;

use super::opened::OpenFile;
use crate::base::error::Result;
use crate::base::parallel::{self, held};

/// Row groups, and which rows of each.
pub(super) type Groups<'a> = [(&'a RowGroupMetadata, Range<usize>)];

/// Columns of some rows of some row groups: columns and row groups at the same time, whatever has more. Beside the columns, memory is
/// taken for a row group of one column for each core; columns of other types than numbers are put together at the end.
pub(super) fn read(
    file: &OpenFile<'_>,
    groups: &Groups<'_>,
    fields: &[&ArrowField],
) -> Result<Vec<Column>> {
    let columns = parallel::map(fields.len(), |column| whole(file, groups, fields[column]));
    columns.into_iter().map(|column| column.map(IntoColumn::into_column)).collect()
}

fn whole(file: &OpenFile<'_>, groups: &Groups<'_>, field: &ArrowField) -> Result<Series> {
    let dtype = DataType::from_arrow_field(field);
    match (groups, dtype) {
        ([], dtype) => Ok(Series::new_empty(field.name.clone(), &dtype)),
        ([(group, rows)], _) => file.column(group, rows.clone(), field).map(|read| read.rechunk()),
        (_, DataType::Float64) => numbers::<Float64Type>(file, groups, field),
        (_, DataType::Float32) => numbers::<Float32Type>(file, groups, field),
        (_, DataType::Int64) => numbers::<Int64Type>(file, groups, field),
        (_, DataType::Int32) => numbers::<Int32Type>(file, groups, field),
        (_, DataType::Int16) => numbers::<Int16Type>(file, groups, field),
        (_, DataType::Int8) => numbers::<Int8Type>(file, groups, field),
        (_, DataType::UInt64) => numbers::<UInt64Type>(file, groups, field),
        (_, DataType::UInt32) => numbers::<UInt32Type>(file, groups, field),
        (_, DataType::UInt16) => numbers::<UInt16Type>(file, groups, field),
        (_, DataType::UInt8) => numbers::<UInt8Type>(file, groups, field),
        _ => others(file, groups, field),
    }
}

/// A column of numbers: every row group is copied to where it belongs as soon as it is decoded, while it is in the cache.
fn numbers<T: PolarsNumericType>(
    file: &OpenFile<'_>,
    groups: &Groups<'_>,
    field: &ArrowField,
) -> Result<Series>
where
    ChunkedArray<T>: IntoSeries,
{
    let rows: usize = groups.iter().map(|(_, rows)| rows.len()).sum();
    // Zeros are given by the system as they are first written to, by the core that does.
    let mut values = vec![T::Native::default(); rows];
    let mut rest = values.as_mut_slice();
    let mut places = Vec::with_capacity(groups.len());
    for (_, rows) in groups {
        let (place, after) = rest.split_at_mut(rows.len());
        places.push(Mutex::new(place));
        rest = after;
    }
    let nulls = parallel::map(groups.len(), |index| -> Result<Option<BooleanChunked>> {
        let (group, rows) = &groups[index];
        let read = file.column(group, rows.clone(), field)?;
        let column = read.unpack::<T>().map_err(|e| file.unreadable(e))?;
        if column.len() != rows.len() {
            let text =
                format!("column `{}` has {} rows of {}", field.name, column.len(), rows.len());
            return Err(file.damaged(text + "; the file is damaged"));
        }
        let mut place = held(&places[index]);
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
    let mut all: Vec<bool> = Vec::with_capacity(groups.iter().map(|(_, rows)| rows.len()).sum());
    for ((_, rows), valid) in groups.iter().zip(nulls) {
        match valid {
            None => all.extend(std::iter::repeat_n(true, rows.len())),
            Some(valid) => all.extend(valid.iter().map(|valid| valid.unwrap_or_default())),
        }
    }
    BooleanChunked::from_slice(PlSmallStr::EMPTY, &all)
}

/// A column of any type, put together when all row groups are decoded.
fn others(file: &OpenFile<'_>, groups: &Groups<'_>, field: &ArrowField) -> Result<Series> {
    let mut parts = parallel::map(groups.len(), |index| {
        let (group, rows) = &groups[index];
        file.column(group, rows.clone(), field)
    })
    .into_iter();
    let dtype = DataType::from_arrow_field(field);
    let mut whole =
        parts.next().unwrap_or_else(|| Ok(Series::new_empty(field.name.clone(), &dtype)))?;
    for part in parts {
        whole.append(&part?).map_err(|e| file.unreadable(e))?;
    }
    Ok(whole.rechunk())
}
