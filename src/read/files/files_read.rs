//! Which files and rows were read, as results say it.

use serde::{Deserialize, Serialize};

use crate::base::error::Message;

/// Files that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FilesRead {
    /// How many.
    pub number: usize,
    /// Paths of the first of them, in the order in which they were read.
    pub paths: Vec<String>,
    /// The rows that were chosen, if not all.
    #[serde(default)]
    pub chosen: Option<ChosenRows>,
    /// Warnings about columns as they were read, of data frames, too.
    #[serde(default)]
    pub warnings: Vec<Message>,
}

impl FilesRead {
    /// Files that are named, at most.
    const NAMED: usize = 20;

    pub(crate) fn new(paths: impl ExactSizeIterator<Item = String>) -> Self {
        let (number, paths) = (paths.len(), paths.take(Self::NAMED).collect());
        Self { number, paths, ..Self::default() }
    }
}

/// Rows of files that were chosen by [conditions](crate::options::RowCondition).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChosenRows {
    /// Rows of the files.
    pub rows: usize,
    /// Rows that meet all conditions.
    pub chosen: usize,
    /// The other rows by condition; each counts for the first that it does not meet.
    pub left_out: Vec<RowsLeftOut>,
}

/// Rows that do not meet a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RowsLeftOut {
    /// The condition, as in `year <= 2014`.
    pub condition: String,
    /// How many.
    pub rows: usize,
    /// How many of them because the column is missing.
    pub missing: usize,
}
