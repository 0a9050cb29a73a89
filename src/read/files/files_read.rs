//! Which files were read, as results say it.

use serde::{Deserialize, Serialize};

/// Files that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FilesRead {
    /// How many.
    pub number: usize,
    /// Paths of the first of them, in the order in which they were read.
    pub paths: Vec<String>,
}

impl FilesRead {
    /// Files that are named, at most.
    const NAMED: usize = 20;

    pub(crate) fn new(paths: impl ExactSizeIterator<Item = String>) -> Self {
        Self { number: paths.len(), paths: paths.take(Self::NAMED).collect() }
    }
}
