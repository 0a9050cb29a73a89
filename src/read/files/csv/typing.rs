//! What files that are read whole and files that are converted have in common.

use super::file::CsvFile;
use super::kinds::{FieldKind, FoundFields};
use super::part::ColumnPart;
use super::reading::{CsvColumn, ReadPiece, Reading};
use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::read::columns::{Kind, MissingValues, Wanted};
use crate::read::files::{DecimalMark, Files, problem};

/// What `work` makes of files that have all columns of the roles, in any order, cut into pieces of `size` bytes.
pub(super) fn opened<T>(
    size: usize,
    files: &Files,
    roles: &Wanted,
    missing: &MissingValues,
    progress: Option<&Progress>,
    work: impl FnOnce(&Reading<'_>) -> Result<T>,
) -> Result<T> {
    let names = roles.names();
    let Files { paths, decimal, .. } = files;
    let only = paths.len() == 1;
    let files = paths.iter().map(|path| CsvFile::open(path, roles, &names, only, *decimal));
    let files: Vec<CsvFile<'_>> = files.collect::<Result<_>>()?;
    let is_read = |name: &str| names.iter().any(|read| read == name);
    let column = |name: &String| CsvColumn {
        name: name.clone(),
        kind: roles.kind_of(name),
        missing: missing.words(name, is_read),
    };
    let columns: Vec<CsvColumn> = names.iter().map(column).collect();
    work(&Reading { files: &files, columns: &columns, decimal: *decimal, size, progress })
}

/// The types of all columns, of what their fields are.
///
/// # Errors
/// If some numbers have decimal points and others decimal commas.
pub(super) fn kinds(reading: &Reading<'_>, found: &[FoundFields]) -> Result<Vec<FieldKind>> {
    let kinds = found.iter().zip(reading.columns).map(|(found, column)| found.kind(column.kind));
    let kinds: Vec<FieldKind> = kinds.collect();
    check_decimals(reading, found, &kinds)?;
    Ok(kinds)
}

/// The parts of each column, in order.
pub(super) fn by_column(pieces: Vec<ReadPiece>, columns: usize) -> Vec<Vec<ColumnPart>> {
    let mut parts: Vec<Vec<ColumnPart>> = (0..columns).map(|_| Vec::new()).collect();
    for piece in pieces {
        for (parts, part) in parts.iter_mut().zip(piece.parts) {
            parts.extend(part);
        }
    }
    parts
}

/// An error if some numbers have decimal points and others decimal commas, so that one of the two may be something else, if every comma or
/// every point may separate thousands, or if numbers have points where commas are said to separate decimals.
fn check_decimals(reading: &Reading<'_>, found: &[FoundFields], kinds: &[FieldKind]) -> Result<()> {
    let columns = reading.columns.iter().zip(found).zip(kinds);
    let numbers: Vec<(&str, &FoundFields)> = columns
        .filter(|(_, kind)| **kind != FieldKind::Text)
        .map(|((column, found), _)| (column.name.as_str(), found))
        .collect();
    let first = |has: fn(&FoundFields) -> bool| {
        numbers.iter().find(|(_, found)| has(found)).map(|(name, _)| *name)
    };
    let (commas, points) = (first(|found| found.commas), first(|found| found.points));
    // Only values are calculated with.
    let is_value = |name: &str| {
        reading.columns.iter().any(|column| column.name == name && column.kind == Kind::Value)
    };
    let of_value = numbers.iter().find(|(name, found)| found.points && is_value(name));
    let of_value = of_value.map(|(name, _)| *name);
    let is_shown = numbers.iter().any(|(_, f)| f.decimal_commas || f.decimal_points);
    let unknown = reading.decimal.is_none() && !is_shown;
    let has_semicolons = reading.files.iter().any(|file| file.header.separator == b';');
    let problem_text = match (commas, points.filter(|_| commas.is_some()).or(of_value)) {
        (Some(commas), Some(points)) if points == commas => format!(
            "some numbers of column `{commas}` have decimal commas and others decimal points; write the file with one of the two"
        ),
        (Some(commas), Some(points)) => format!(
            "numbers of column `{commas}` have decimal commas and numbers of column `{points}` decimal points; write the file with one of the two"
        ),
        (Some(commas), None) if unknown => format!(
            "column `{commas}` has numbers as 1,234, and no number of the columns used shows whether commas separate decimals or thousands; say so by `--decimal` (`DataFiles::decimal`), or write the file with decimal points"
        ),
        (None, Some(points)) if reading.decimal == Some(DecimalMark::Comma) => format!(
            "numbers of column `{points}` have points, and decimal commas were asked for (`--decimal`, `DataFiles::decimal`); write numbers without separators of thousands, or leave the option out if points separate decimals"
        ),
        // A comma separates decimals in most files with semicolons, and a point thousands.
        (None, Some(points)) if unknown && has_semicolons => format!(
            "column `{points}` has numbers as 1.234 between semicolons, and no number of the columns used shows whether points separate decimals or thousands; say `--decimal point` (`DataFiles::decimal`) if they separate decimals, or write the file without separators of thousands"
        ),
        _ => return Ok(()),
    };
    let path = reading.files.iter().find(|file| file.commas).unwrap_or(&reading.files[0]).path;
    Err(problem(path, problem_text))
}
