//! The parts of a column as one, in the type that holds all its fields.

use polars::prelude::*;

use super::kinds::{FieldKind, FoundFields, Mode};
use super::part::{ColumnPart, PartValues};
use crate::base::memory;
use crate::read::columns::TokenCounts;

/// Memory of a value in one piece, or of a text's place.
const VALUE: u128 = 16;

const REMEDY: &str = "write the data to parquet, from which panels are streamed";

/// What the fields of all parts are.
pub(super) fn found<'p>(parts: impl Iterator<Item = &'p ColumnPart>) -> FoundFields {
    parts.fold(FoundFields::default(), |found, part| found.join(part.found))
}

/// How parts have to be read again to be of a type, if they have to.
pub(super) fn again<'p>(
    kind: FieldKind,
    parts: impl Iterator<Item = &'p ColumnPart>,
) -> Option<Mode> {
    let mode = kind.mode();
    let mut others = parts.filter(|part| !matches!(part.values, PartValues::Texts(_)));
    (mode != Mode::Typed && others.next().is_some()).then_some(mode)
}

/// The column of all parts in one piece, and what of it was read as missing.
pub(super) fn column(
    name: &str,
    kind: FieldKind,
    parts: Vec<ColumnPart>,
    rows: usize,
) -> crate::base::error::Result<(Series, TokenCounts)> {
    memory::check("a column of a CSV file", VALUE * rows as u128, REMEDY)?;
    let mut words = TokenCounts::default();
    for part in &parts {
        words = words.join(part.words.clone());
    }
    let name: PlSmallStr = name.into();
    let series = match kind {
        FieldKind::Int64 => numbers::<Int64Type>(name, parts, rows, add_integers, None),
        FieldKind::UInt64 => numbers::<UInt64Type>(name, parts, rows, add_integers, None),
        FieldKind::Int128 => numbers::<Int128Type>(name, parts, rows, add_integers, None),
        // As in a data frame: not the same as nothing, though missing as well.
        FieldKind::Float64 => numbers::<Float64Type>(name, parts, rows, add_floats, Some(f64::NAN)),
        FieldKind::Boolean => booleans(name, parts, rows),
        FieldKind::Text | FieldKind::Digits => texts(name, parts)?,
    };
    Ok((series, words))
}

fn numbers<T: PolarsNumericType>(
    name: PlSmallStr,
    parts: Vec<ColumnPart>,
    rows: usize,
    add: fn(PartValues, &mut Vec<T::Native>),
    not_a_number: Option<T::Native>,
) -> Series
where
    ChunkedArray<T>: IntoSeries,
{
    let mut values: Vec<T::Native> = Vec::with_capacity(rows);
    let mut nulls = Vec::new();
    for part in parts {
        let first = values.len();
        add(part.values, &mut values);
        nulls.extend(part.nulls.iter().map(|row| first + *row as usize));
        let not_numbers = part.not_numbers.iter().map(|row| first + *row as usize);
        match not_a_number {
            None => nulls.extend(not_numbers),
            Some(not_a_number) => not_numbers.for_each(|row| values[row] = not_a_number),
        }
    }
    let validity = (!nulls.is_empty()).then(|| valid(values.len(), &nulls));
    let validity = validity.as_ref().and_then(|valid| valid.downcast_iter().next());
    let validity = validity.map(|valid| valid.values().clone());
    ChunkedArray::<T>::from_vec_validity(name, values, validity).into_series()
}

/// Whether each row has a value.
fn valid(rows: usize, nulls: &[usize]) -> BooleanChunked {
    let mut valid = vec![true; rows];
    for row in nulls {
        valid[*row] = false;
    }
    BooleanChunked::from_slice(PlSmallStr::EMPTY, &valid)
}

fn add_integers<T: TryFrom<i64> + TryFrom<i128> + Default>(part: PartValues, all: &mut Vec<T>) {
    // The type has them all; what it has not is the place of a row without a value.
    match part {
        PartValues::Integers(values) => {
            all.extend(values.into_iter().map(|v| T::try_from(v).unwrap_or_default()));
        }
        PartValues::Wide(values) => {
            all.extend(values.into_iter().map(|v| T::try_from(v).unwrap_or_default()));
        }
        _ => {}
    }
}

fn add_floats(part: PartValues, all: &mut Vec<f64>) {
    match part {
        PartValues::Integers(values) => all.extend(values.into_iter().map(|v| v as f64)),
        PartValues::Wide(values) => all.extend(values.into_iter().map(|v| v as f64)),
        PartValues::Floats(values) => all.extend_from_slice(&values),
        _ => {}
    }
}

fn booleans(name: PlSmallStr, parts: Vec<ColumnPart>, rows: usize) -> Series {
    let mut all: Vec<Option<bool>> = Vec::with_capacity(rows);
    for part in parts {
        let first = all.len();
        match part.values {
            PartValues::Booleans(values) => all.extend(values.into_iter().map(Some)),
            // Without any value.
            PartValues::Integers(values) => all.extend(values.into_iter().map(|_| None)),
            _ => {}
        }
        for row in part.nulls.iter().chain(&part.not_numbers) {
            all[first + *row as usize] = None;
        }
    }
    BooleanChunked::from_slice_options(name, &all).into_series()
}

fn texts(name: PlSmallStr, parts: Vec<ColumnPart>) -> PolarsResult<Series> {
    let mut all = StringChunked::full_null(name, 0);
    for part in parts {
        if let PartValues::Texts(texts) = part.values {
            all.append(&texts)?;
        }
    }
    Ok(all.rechunk().into_owned().into_series())
}
