//! Rows of files as frames, and what orders them.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use polars::prelude::*;
use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::storage::{self, Stamp};
use crate::read::columns::{Label, LabelColumn, Table, Values, Wanted, total_order};
use crate::read::files::parquet::{FRAME_ROWS, FilePart, ParquetFile, ParquetFiles, found};

/// Rows of a file, one after another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowRange {
    /// The parquet file.
    pub path: PathBuf,
    /// Its first row.
    pub start: usize,
    /// Number of rows.
    pub rows: usize,
    /// What the file was when it was found; what workers wrote for each other has none.
    pub stamp: Option<Stamp>,
}

/// What a worker must know to read the columns of some files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RowReading {
    /// Types of the columns, as a parquet file without rows.
    types: Vec<u8>,
    key: RowKey,
}

/// The column that orders rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RowKey {
    Unit(String),
    Outcome(String),
}

impl RowReading {
    /// The reading of files, and their rows in parts of about `part_rows` rows (or the usual number): whole row groups.
    ///
    /// # Errors
    /// As for reading the files: what cannot be opened, columns that are not there, types that differ.
    pub(super) fn of(
        paths: &[PathBuf],
        wanted: &Wanted,
        key: RowKey,
        part_rows: Option<usize>,
    ) -> Result<(Self, Vec<RowRange>)> {
        let rows = part_rows.unwrap_or(FRAME_ROWS);
        let (schema, parts) = ParquetFiles::parts(&found(paths)?, wanted, |_| rows)?;
        let mut types = Vec::new();
        storage::parquet(&mut types).finish(&mut DataFrame::empty_with_schema(&schema))?;
        let range = |part: FilePart| RowRange {
            path: part.source.path().to_owned(),
            start: part.start,
            rows: part.rows,
            stamp: part.source.stamp().cloned().map(Stamp::shared),
        };
        Ok((Self { types, key }, parts.into_iter().map(range).collect()))
    }

    /// Types of the columns that are wanted.
    fn schema(&self, is_wanted: &dyn Fn(&str) -> bool) -> Result<Schema> {
        let types = ParquetReader::new(Cursor::new(&self.types)).finish()?;
        let fields = types.schema().iter_fields().filter(|field| is_wanted(field.name()));
        Ok(fields.collect())
    }

    /// All rows of some ranges.
    pub(super) fn rows(&self, ranges: &[RowRange]) -> Result<DataFrame> {
        let schema = self.schema(&|_| true)?;
        let mut all: Option<DataFrame> = None;
        for range in ranges {
            let rows = range.read(&schema)?;
            match &mut all {
                None => all = Some(rows),
                Some(all) => {
                    all.vstack_mut(&rows)?;
                }
            }
        }
        let mut all = all.unwrap_or_else(|| DataFrame::empty_with_schema(&schema));
        all.rechunk_mut();
        Ok(all)
    }

    /// Some columns of a range.
    pub(super) fn columns(
        &self,
        range: &RowRange,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<DataFrame> {
        range.read(&self.schema(is_wanted)?)
    }

    /// What orders the rows of a range.
    pub(super) fn keys(&self, range: &RowRange) -> Result<RowKeys> {
        let (RowKey::Unit(key) | RowKey::Outcome(key)) = &self.key;
        self.keys_of(&self.columns(range, &|name| name == key)?)
    }

    /// What orders some rows.
    pub(super) fn keys_of(&self, rows: &DataFrame) -> Result<RowKeys> {
        Ok(match &self.key {
            RowKey::Unit(unit) => RowKeys::Units(Table::plain(rows).labels(unit, "unit")?),
            RowKey::Outcome(outcome) => {
                RowKeys::Outcomes(Table::plain(rows).numbers(outcome, "outcome")?)
            }
        })
    }
}

impl RowRange {
    fn read(&self, schema: &Schema) -> Result<DataFrame> {
        let source =
            ParquetFile::Path(Arc::new(self.path.clone()), self.stamp.clone().map(Arc::new));
        let df = FilePart { source, start: self.start, rows: self.rows }.read(schema)?;
        if df.height() == self.rows {
            return Ok(df);
        }
        Err(changed(&self.path, self.rows, df.height()))
    }
}

/// A file has other rows than it had.
fn changed(path: &Path, expected: usize, found: usize) -> DidError {
    let problem = format!("{found} rows are where {expected} were: the file has changed meanwhile");
    crate::read::files::problem(path, problem)
}

/// What orders rows: labels of units, or outcomes.
pub(super) enum RowKeys {
    Units(LabelColumn),
    Outcomes(Values),
}

impl RowKeys {
    /// The key of a row; `None` if it is missing.
    pub fn label(&self, row: usize) -> Option<Label> {
        match self {
            Self::Units(labels) => labels.label(row),
            Self::Outcomes(y) => {
                y.get(row).filter(|y| !y.is_nan()).map(|y| Label::Integer(total_order(*y)))
            }
        }
    }

    /// Whether all rows have a key, and these ascend; of outcomes nobody asks.
    pub fn ascend(&self) -> bool {
        match self {
            Self::Units(labels) => labels.runs().is_some(),
            Self::Outcomes(_) => false,
        }
    }
}
