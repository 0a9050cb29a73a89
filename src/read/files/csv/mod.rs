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
//! | the parts of a column as one; all columns | `joined.rs`, `typing.rs` |
//! | files that need not fit in memory | `converted.rs` |
//!
//! A piece is read into the narrowest types that its own fields have. What all pieces have is then the type of the column, into
//! which the parts are converted. Only where fields turn out to be text after others were taken for numbers, such columns are
//! read once more. In memory are the values of the columns that are asked for, the pieces that are being read (2 MiB and their
//! values, for each core) and at the end, once more, as many columns as there are cores.

mod converted;
mod field;
mod file;
mod header;
mod joined;
mod kinds;
mod lines;
mod members;
mod part;
mod pieces;
mod reading;
mod scanner;
mod source;
#[cfg(test)]
mod tests;
mod typing;

use std::path::Path;
use std::sync::Mutex;

use polars::prelude::*;

use crate::base::error::Result;
use crate::base::parallel;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, ReadAsMissing, TokenCounts, Wanted};
use crate::read::files::Files;

pub(super) use converted::{Conversion, about_rows, converted};
use header::Header;
use kinds::{FoundFields, Mode};
pub(super) use lines::line_of;
use part::ColumnPart;
use reading::Reading;
use typing::{by_column, kinds, opened};

/// The columns of CSV files that were asked for.
pub(crate) struct CsvData {
    pub frame: DataFrame,
    pub missing: Vec<ReadAsMissing>,
}

impl CsvData {
    /// Reads the columns of the roles. Files must have them all, in any order.
    pub fn read(
        files: &Files,
        roles: &Wanted,
        missing: &MissingValues,
        progress: Option<&Progress>,
    ) -> Result<Self> {
        Self::in_pieces_of(pieces::PIECE, files, roles, missing, progress)
    }

    fn in_pieces_of(
        size: usize,
        files: &Files,
        roles: &Wanted,
        missing: &MissingValues,
        progress: Option<&Progress>,
    ) -> Result<Self> {
        opened(size, files, roles, missing, progress, whole)
    }
}

/// All columns, in memory.
fn whole(reading: &Reading<'_>) -> Result<CsvData> {
    let columns = reading.columns;
    let read = reading.pieces(&vec![Some(Mode::Typed); columns.len()])?;
    let rows = read.iter().map(|piece| piece.rows).sum();
    let mut parts = by_column(read, columns.len());
    let found: Vec<FoundFields> = parts.iter().map(|parts| joined::found(parts.iter())).collect();
    let kinds = kinds(reading, &found)?;
    let again = kinds.iter().zip(&parts).map(|(kind, parts)| joined::again(*kind, parts.iter()));
    let again: Vec<Option<Mode>> = again.collect();
    if again.iter().any(Option::is_some) {
        // What was taken for numbers is given up before it is read as text.
        for (parts, _) in parts.iter_mut().zip(&again).filter(|(_, mode)| mode.is_some()) {
            parts.clear();
        }
        for (parts, read) in parts.iter_mut().zip(by_column(reading.pieces(&again)?, columns.len()))
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
    Ok(CsvData { frame: DataFrame::new(rows, read)?, missing: all })
}

/// Names of the columns of a file.
pub(super) fn names(path: &Path) -> Result<Vec<String>> {
    Ok(Header::read(path, &[])?.names)
}
