//! Rows of files as frames.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use polars::prelude::*;
use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::storage::{self, Stamp};
use crate::read::columns::{Label, LabelColumn, MissingValues, Table, Values, total_order};
use crate::read::files::parquet::{FRAME_ROWS, FilePart, ParquetFile, ParquetFiles, found};
use crate::read::panel::frame::{Frame, read};
use crate::read::panel::reader::Reader;
use crate::read::panel::request::Request;
use crate::read::panel::roles::Roles;

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

/// Rows of whole units, as they were read.
pub(crate) struct Shard {
    pub(super) frame: Frame,
    /// Memory that it takes, at most: columns, and codes of their values.
    pub bytes: u64,
}

/// What a worker must know to read the rows of a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reading {
    pub(super) roles: Roles,
    missing: MissingValues,
    by_row: bool,
    /// Types of the columns needed, as a parquet file without rows.
    types: Vec<u8>,
}

impl Reading {
    /// The reading of files, and their rows in parts of about `part_rows` rows (or the usual number): whole row groups.
    ///
    /// # Errors
    /// As for reading the files: what cannot be opened, columns that are not there, types that differ.
    pub fn of(
        paths: &[PathBuf],
        request: &Request<'_>,
        part_rows: Option<usize>,
    ) -> Result<(Self, Vec<RowRange>)> {
        let rows = part_rows.unwrap_or(FRAME_ROWS);
        let (schema, parts) =
            ParquetFiles::parts(&found(paths)?, &request.roles.wanted(), |_| rows)?;
        let mut types = Vec::new();
        storage::parquet(&mut types).finish(&mut DataFrame::empty_with_schema(&schema))?;
        let reader = request.reader();
        let (roles, missing) = (reader.roles.clone(), reader.missing.clone());
        let range = |part: FilePart| RowRange {
            path: part.source.path().to_owned(),
            start: part.start,
            rows: part.rows,
            stamp: part.source.stamp().cloned().map(Stamp::shared),
        };
        let parts = parts.into_iter().map(range).collect();
        Ok((Self { roles, missing, by_row: reader.by_row, types }, parts))
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { roles: &self.roles, missing: &self.missing, by_row: self.by_row }
    }

    /// An error unless this is how the rows of a request are read.
    ///
    /// # Errors
    /// [`DidError::Config`] naming the first option that differs.
    pub fn check_same(&self, request: &Request<'_>) -> Result<()> {
        let (own, other) = (&self.roles, request.roles);
        let shown = |name: &Option<String>| name.clone().unwrap_or_else(|| "none".into());
        for (option, own, other) in [
            ("outcome", own.outcome.clone(), other.outcome.clone()),
            ("unit", shown(&own.unit), shown(&other.unit)),
            ("time", own.time.clone(), other.time.clone()),
            ("group", own.group.clone(), other.group.clone()),
            ("eligible", shown(&own.eligible), shown(&other.eligible)),
            ("weights", shown(&own.weights), shown(&other.weights)),
            ("cluster", shown(&own.cluster), shown(&other.cluster)),
        ] {
            if own != other {
                let got = format!("`{other}` for a sample that was prepared with `{own}`");
                let expected = "what the sample was prepared with, or another sample";
                return Err(DidError::config(option, expected, got));
            }
        }
        let reader = request.reader();
        // Some of the covariates will do.
        let other = &Roles { covariates: own.covariates.clone(), ..other.clone() };
        if own == other && self.missing == *reader.missing && self.by_row == reader.by_row {
            return Ok(());
        }
        Err(DidError::config(
            "the prepared sample",
            "the frequency, treatment, missing values and kind of data that it was prepared with",
            "others; prepare a sample with these options",
        ))
    }

    /// Types of the columns, or of the column that orders rows.
    fn schema(&self, keys_only: bool) -> Result<Schema> {
        let types = ParquetReader::new(Cursor::new(&self.types)).finish()?;
        let key = self.roles.unit.as_ref().unwrap_or(&self.roles.outcome);
        let is_wanted = |name: &PlSmallStr| !keys_only || name.as_str() == key;
        Ok(types.schema().iter_fields().filter(|field| is_wanted(field.name())).collect())
    }

    /// All rows of some ranges.
    pub(super) fn rows(&self, ranges: &[RowRange]) -> Result<DataFrame> {
        let schema = self.schema(false)?;
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

    /// The rows of a shard.
    ///
    /// # Errors
    /// If they cannot be read, or something is wrong with them.
    pub fn shard(&self, ranges: &[RowRange]) -> Result<Shard> {
        let rows = self.rows(ranges)?;
        let frame = Frame::new(&rows, self.reader())?;
        Ok(Shard { frame, bytes: 2 * rows.estimated_size() as u64 })
    }

    /// What orders the rows of a range.
    pub(super) fn keys(&self, range: &RowRange) -> Result<RowKeys> {
        RowKeys::of(&range.read(&self.schema(true)?)?, &self.roles)
    }

    /// Reads the rows of a range, whose first has the number `first_row` among all, for the errors that name a row.
    ///
    /// # Errors
    /// What is wrong with a row.
    pub fn check(&self, range: &RowRange, first_row: usize) -> Result<()> {
        read(&range.read(&self.schema(false)?)?, self.reader(), first_row).map(drop)
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
    pub fn of(df: &DataFrame, roles: &Roles) -> Result<Self> {
        Ok(match &roles.unit {
            Some(unit) => Self::Units(Table::plain(df).labels(unit, "unit")?),
            None => Self::Outcomes(Table::plain(df).numbers(&roles.outcome, "outcome")?),
        })
    }

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
