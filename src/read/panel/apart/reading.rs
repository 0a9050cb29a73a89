//! Rows of files as the rows of a sample.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::rows::{RowKey, RowRange, RowReading};
use crate::base::error::{DidError, Result};
use crate::read::columns::MissingValues;
use crate::read::panel::frame::{Frame, read};
use crate::read::panel::reader::Reader;
use crate::read::panel::request::Request;
use crate::read::panel::roles::Roles;

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
    pub rows: RowReading,
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
        let wanted = request.roles.wanted();
        let reader = request.reader();
        let (roles, missing) = (reader.roles.clone(), reader.missing.clone());
        let key = match &roles.unit {
            Some(unit) => RowKey::Unit(unit.clone()),
            None => RowKey::Outcome(roles.outcome.clone()),
        };
        let (rows, parts) = RowReading::of(paths, &wanted, key, part_rows)?;
        Ok((Self { rows, roles, missing, by_row: reader.by_row }, parts))
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

    /// The rows of a shard.
    ///
    /// # Errors
    /// If they cannot be read, or something is wrong with them.
    pub fn shard(&self, ranges: &[RowRange]) -> Result<Shard> {
        let rows = self.rows.rows(ranges)?;
        let frame = Frame::new(&rows, self.reader())?;
        Ok(Shard { frame, bytes: 2 * rows.estimated_size() as u64 })
    }

    /// Reads the rows of a range, whose first has the number `first_row` among all, for the errors that name a row.
    ///
    /// # Errors
    /// What is wrong with a row.
    pub fn check(&self, range: &RowRange, first_row: usize) -> Result<()> {
        let rows = self.rows.rows(std::slice::from_ref(range))?;
        read(&rows, self.reader(), first_row).map(drop)
    }
}
