//! What happens to rows on the way to a first stage.

use serde::{Deserialize, Serialize};

use crate::read::columns::ReadAsMissing;
use crate::read::files::FilesRead;

/// What happened to the rows between the data and the sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StageAudit {
    /// Files read; none if the data were in memory.
    pub files: FilesRead,
    /// What was read as missing.
    pub read_as_missing: Vec<ReadAsMissing>,
    /// Rows read.
    pub rows_in: usize,
    /// Rows dropped for a missing or non-finite value, by column (a row counts for its first such column).
    pub rows_missing: Vec<(String, usize)>,
    /// Rows dropped for a weight of zero.
    pub rows_weightless: usize,
    /// Treated rows that cannot be imputed.
    pub rows_not_imputed: usize,
    /// Rows in the sample.
    pub rows: usize,
}
