//! Columns of CSV files, in types that all their fields decide.
//!
//! | step | file |
//! |---|---|
//! | names, what separates them, and where columns are | `header.rs`, `file.rs` |
//! | bytes, decompressed | `source.rs` |
//! | pieces of whole records | `pieces.rs` |
//! | records and fields of a piece, and mistakes in them | `scanner.rs` |
//! | what a field may be, and the type of all fields of a column | `field.rs`, `kinds.rs` |
//! | a column in a piece; all pieces on all cores | `part.rs`, `reading.rs` |
//! | the parts of a column as one | `joined.rs` |
//!
//! A piece is read into the narrowest types that its own fields have. What all pieces have is then the type of the column, into
//! which the parts are converted. Only where fields turn out to be text after others were taken for numbers, such columns are
//! read once more. In memory are the values of the columns that are asked for, the pieces that are being read (2 MiB and their
//! values, for each core) and at the end, once more, as many columns as there are cores.

mod field;
mod file;
mod header;
mod joined;
mod kinds;
mod lines;
mod part;
mod pieces;
mod reading;
mod scanner;
mod source;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use polars::prelude::*;

use super::problem;
use crate::base::error::Result;
use crate::base::parallel;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, ReadAsMissing, TokenCounts, Wanted};

use file::CsvFile;
use header::Header;
use kinds::{FieldKind, FoundFields};
pub(super) use lines::line_of;
use part::{ColumnPart, Mode, Typing};
use reading::{CsvColumn, ReadPiece, Reading};

/// The columns of CSV files that were asked for.
pub(crate) struct CsvData {
    pub frame: DataFrame,
    pub missing: Vec<ReadAsMissing>,
}

impl CsvData {
    /// Reads the columns of the roles. Files must have them all, in any order.
    pub fn read(
        paths: &[PathBuf],
        roles: &Wanted,
        missing: &MissingValues,
        progress: Option<&Progress>,
    ) -> Result<Self> {
        Self::in_pieces_of(pieces::PIECE, paths, roles, missing, progress)
    }

    fn in_pieces_of(
        size: usize,
        paths: &[PathBuf],
        roles: &Wanted,
        missing: &MissingValues,
        progress: Option<&Progress>,
    ) -> Result<Self> {
        let names = roles.names();
        let only = paths.len() == 1;
        let files = paths.iter().map(|path| CsvFile::open(path, roles, &names, only));
        let files: Vec<CsvFile<'_>> = files.collect::<Result<_>>()?;
        let column = |name: &String| CsvColumn { name: name.clone(), label: roles.is_label(name) };
        let columns: Vec<CsvColumn> = names.iter().map(column).collect();
        let typing = Typing { missing, numbers_may_be_missing: missing.has_numbers() };
        let reading = Reading { files: &files, columns: &columns, typing, size, progress };
        let read = reading.pieces(&vec![Some(Mode::Typed); columns.len()])?;
        let rows = read.iter().map(|piece| piece.rows).sum();
        let mut parts = by_column(read, columns.len());
        let found: Vec<FoundFields> =
            parts.iter().map(|parts| joined::found(parts.iter())).collect();
        let kinds = found.iter().zip(&columns).map(|(found, column)| found.kind(column.label));
        let kinds: Vec<FieldKind> = kinds.collect();
        check_decimals(&files, &columns, &found, &kinds)?;
        let again =
            kinds.iter().zip(&parts).map(|(kind, parts)| joined::again(*kind, parts.iter()));
        let again: Vec<Option<Mode>> = again.collect();
        if again.iter().any(Option::is_some) {
            // What was taken for numbers is given up before it is read as text.
            for (parts, _) in parts.iter_mut().zip(&again).filter(|(_, mode)| mode.is_some()) {
                parts.clear();
            }
            for (parts, read) in
                parts.iter_mut().zip(by_column(reading.pieces(&again)?, columns.len()))
            {
                parts.extend(read);
            }
        }
        let parts: Vec<Mutex<Vec<ColumnPart>>> = parts.into_iter().map(Mutex::new).collect();
        let series = parallel::map(columns.len(), |column| {
            let parts = std::mem::take(&mut *parallel::held(&parts[column]));
            joined::column(&columns[column].name, kinds[column], parts, rows)
        });
        let mut all = Vec::new();
        let mut read: Vec<Column> = Vec::with_capacity(columns.len());
        for (column, series) in columns.iter().zip(series) {
            let (series, words): (Series, TokenCounts) = series?;
            all.extend(words.of(&column.name));
            read.push(series.into_column());
        }
        Ok(Self { frame: DataFrame::new(rows, read)?, missing: all })
    }
}

/// Names of the columns of a file.
pub(super) fn names(path: &Path) -> Result<Vec<String>> {
    Ok(Header::read(path, &[])?.names)
}

/// The parts of each column, in order.
fn by_column(pieces: Vec<ReadPiece>, columns: usize) -> Vec<Vec<ColumnPart>> {
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
