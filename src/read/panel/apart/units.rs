//! Rows of whole units in files, for what is asked of units one by one.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::rows::{RowKey, RowRange, RowReading};
use crate::base::error::Result;
use crate::read::columns::MissingValues;
use crate::read::panel::overview::{Overview, PanelColumns, TimesFound, UnitRows};

/// What a worker must know to read the rows of units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UnitReading {
    pub rows: RowReading,
    columns: PanelColumns,
    missing: MissingValues,
}

/// Rows of whole units, as they were read.
pub(crate) struct UnitShard {
    pub rows: UnitRows,
    /// Memory that it takes, at most: columns, and codes of their values.
    pub bytes: u64,
}

impl UnitReading {
    /// The reading of files, and their rows in parts of about `part_rows` rows (or the usual number): whole row groups.
    ///
    /// # Errors
    /// As for reading the files: what cannot be opened, columns that are not there, types that differ.
    pub fn of(
        paths: &[PathBuf],
        columns: &PanelColumns,
        missing: &MissingValues,
        part_rows: Option<usize>,
    ) -> Result<(Self, Vec<RowRange>)> {
        let key = RowKey::Unit(columns.unit.clone().unwrap_or_default());
        let (rows, parts) = RowReading::of(paths, &columns.wanted(), key, part_rows)?;
        Ok((Self { rows, columns: columns.clone(), missing: missing.clone() }, parts))
    }

    /// The periods and groups of a range.
    ///
    /// # Errors
    /// If they cannot be read, or something is wrong with them.
    pub fn times(&self, range: &RowRange) -> Result<TimesFound> {
        let PanelColumns { time, group, .. } = &self.columns;
        let is_wanted = |name: &str| name == time || group.as_deref() == Some(name);
        let rows = self.rows.columns(range, &is_wanted)?;
        TimesFound::of(&rows, &self.columns, &self.missing, 0)
    }

    /// The rows of a shard; groups that are `moved` are taken as others.
    ///
    /// # Errors
    /// If they cannot be read, or something is wrong with them.
    pub fn shard(&self, ranges: &[RowRange], moved: &[(f64, f64)]) -> Result<UnitShard> {
        let rows = self.rows.rows(ranges)?;
        // Columns as they were read and as doubles, and codes of their values.
        let bytes = 2 * rows.estimated_size() + 8 * rows.height() * rows.width();
        let rows = UnitRows::new(&rows, &self.columns, &self.missing, Some(moved))?;
        Ok(UnitShard { rows, bytes: bytes as u64 })
    }

    /// What a shard shows; sums are less the `shifts`, and changes are from one of the `periods` to the next.
    ///
    /// # Errors
    /// [`DidError::Config`](crate::DidError::Config) for more cells than can be held.
    pub fn overview(&self, shard: &UnitShard, shifts: &[f64], periods: &[f64]) -> Result<Overview> {
        Overview::of(&shard.rows, &self.columns, shifts, Some(periods))
    }

    /// Reads the rows of a range, whose first has the number `first_row` among all, for the errors that name a row.
    ///
    /// # Errors
    /// What is wrong with a row.
    pub fn check(&self, range: &RowRange, first_row: usize) -> Result<()> {
        let rows = self.rows.rows(std::slice::from_ref(range))?;
        self.columns.check(&rows, &self.missing, first_row)
    }
}
