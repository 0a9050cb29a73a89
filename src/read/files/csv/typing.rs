//! What files that are read whole and files that are converted have in common.

use std::path::PathBuf;

use super::file::CsvFile;
use super::kinds::{FieldKind, FoundFields};
use super::part::{ColumnPart, Typing};
use super::reading::{CsvColumn, ReadPiece, Reading};
use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, Wanted};
use crate::read::files::problem;

/// What `work` makes of files that have all columns of the roles, in any order, cut into pieces of `size` bytes.
pub(super) fn opened<T>(
    size: usize,
    paths: &[PathBuf],
    roles: &Wanted,
    missing: &MissingValues,
    progress: Option<&Progress>,
    work: impl FnOnce(&Reading<'_>) -> Result<T>,
) -> Result<T> {
    let names = roles.names();
    let only = paths.len() == 1;
    let files = paths.iter().map(|path| CsvFile::open(path, roles, &names, only));
    let files: Vec<CsvFile<'_>> = files.collect::<Result<_>>()?;
    let column = |name: &String| CsvColumn { name: name.clone(), label: roles.is_label(name) };
    let columns: Vec<CsvColumn> = names.iter().map(column).collect();
    let typing = Typing { missing, numbers_may_be_missing: missing.has_numbers() };
    work(&Reading { files: &files, columns: &columns, typing, size, progress })
}

/// The types of all columns, of what their fields are.
///
/// # Errors
/// If some numbers have decimal points and others decimal commas.
pub(super) fn kinds(reading: &Reading<'_>, found: &[FoundFields]) -> Result<Vec<FieldKind>> {
    let kinds = found.iter().zip(reading.columns).map(|(found, column)| found.kind(column.label));
    let kinds: Vec<FieldKind> = kinds.collect();
    check_decimals(reading.files, reading.columns, found, &kinds)?;
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

/// An error if some numbers have decimal points and others decimal commas, so that one of the two may be something else.
fn check_decimals(
    files: &[CsvFile<'_>],
    columns: &[CsvColumn],
    found: &[FoundFields],
    kinds: &[FieldKind],
) -> Result<()> {
    let numbers =
        || columns.iter().zip(found).zip(kinds).filter(|(_, kind)| **kind != FieldKind::Text);
    let commas = numbers().find(|((_, found), _)| found.commas);
    let points = numbers().find(|((_, found), _)| found.points);
    let (Some(((commas, _), _)), Some(((points, _), _))) = (commas, points) else { return Ok(()) };
    let text = format!(
        "numbers of column `{}` have decimal commas and numbers of column `{}` decimal points; write the file with one of the two",
        commas.name, points.name
    );
    let path = files.iter().find(|file| file.header.allows_commas()).unwrap_or(&files[0]).path;
    Err(problem(path, text))
}
