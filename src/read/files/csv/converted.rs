//! CSV files that need not fit in memory: typed by a look at all fields, and then written once as parquet to a temporary file, which is
//! read piece by piece.

use std::path::{Path, PathBuf};

use polars::prelude::*;

use super::header::Header;
use super::joined;
use super::kinds::{FoundFields, Mode};
use super::part::ColumnPart;
use super::pieces::PIECE;
use super::reading::ReadPiece;
use super::scanner::count;
use super::source::Source;
use super::typing::{by_column, kinds, opened};
use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, ReadAsMissing, TokenCounts, Wanted};
use crate::read::files::Files;
use crate::read::files::parquet::{ParquetFile, TemporaryParquet};

/// Pieces that a core reads before they are written.
const ROUND: usize = 4;

/// Memory of a piece while it is converted, in multiples of its text.
const CONVERTED: u64 = 8;

/// Bytes of the smallest piece.
const SMALLEST: usize = 1 << 16;

/// Bytes by which the number of rows is estimated.
const LOOKED_AT: usize = 1 << 20;

/// How CSV files are converted.
pub(crate) struct Conversion<'a> {
    pub missing: &'a MissingValues,
    /// Rows of a row group at most.
    pub rows: usize,
    pub memory_budget: Option<u64>,
    pub progress: Option<&'a Progress>,
}

/// The columns of CSV files that were asked for, as parquet in a temporary file, and what of them was read as missing. `keep` has
/// the rows and columns of a frame that are written.
pub(crate) fn converted(
    files: &Files,
    roles: &Wanted,
    conversion: &Conversion<'_>,
    mut keep: impl FnMut(DataFrame) -> Result<DataFrame>,
) -> Result<(ParquetFile, Vec<ReadAsMissing>)> {
    let Conversion { missing, rows, memory_budget, progress } = *conversion;
    let threads = rayon::current_num_threads();
    let affordable = memory_budget.map(|bytes| bytes / (CONVERTED * (ROUND * threads) as u64));
    let size = affordable.map_or(PIECE, |bytes| (bytes as usize).clamp(SMALLEST, PIECE));
    opened(size, files, roles, missing, progress, |reading| {
        let columns = reading.columns;
        let pieces = ROUND * threads;
        let mut found = vec![FoundFields::default(); columns.len()];
        let typed = vec![Some(Mode::Typed); columns.len()];
        reading.rounds(&typed, pieces, "reading types", &mut |read| {
            for (found, parts) in found.iter_mut().zip(by_column(read, columns.len())) {
                *found = found.join(joined::found(parts.iter()));
            }
            Ok(())
        })?;
        let kinds = kinds(reading, &found)?;
        let modes: Vec<Option<Mode>> = kinds.iter().map(|kind| Some(kind.mode())).collect();
        let mut words = vec![TokenCounts::default(); columns.len()];
        let mut file = TemporaryParquet::new()?;
        let mut write = |read: Vec<ReadPiece>| -> Result<()> {
            let height = read.iter().map(|piece| piece.rows).sum();
            let parts: Vec<Vec<ColumnPart>> = by_column(read, columns.len());
            let mut series: Vec<Column> = Vec::with_capacity(columns.len());
            for ((column, (kind, parts)), words) in
                columns.iter().zip(kinds.iter().zip(parts)).zip(&mut words)
            {
                let (read, more) = joined::column(&column.name, *kind, parts, height)?;
                *words = std::mem::take(words).join(more);
                series.push(read.into_column());
            }
            file.write(&keep(DataFrame::new(height, series)?)?, rows)
        };
        // Without any row there is a schema.
        write(Vec::new())?;
        reading.rounds(&modes, pieces, "converting", &mut write)?;
        let missing = columns.iter().zip(words).flat_map(|(column, words)| words.of(&column.name));
        Ok((file.finish()?, missing.collect()))
    })
}

/// Rows of files, as many as their first lines let expect.
pub(crate) fn about_rows(paths: &[PathBuf]) -> Result<u64> {
    let mut rows = 0_u64;
    for path in paths {
        rows = rows.saturating_add(about_rows_of(path)?);
    }
    Ok(rows)
}

fn about_rows_of(path: &Path) -> Result<u64> {
    Header::read(path, &[])?;
    let mut source = Source::open(path)?;
    let mut bytes = vec![0; LOOKED_AT];
    let length = source.fill(&mut bytes)?;
    let lines = count(&bytes[..length], b'\n') as u128;
    // As many as in the bytes of the file that were read for these.
    let share = u128::from(source.stored()) * lines / u128::from(source.position().max(1));
    Ok(u64::try_from(share).unwrap_or(u64::MAX))
}
