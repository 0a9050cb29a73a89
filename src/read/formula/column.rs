//! Columns of the data as a formula sees them.

use crate::base::error::DidError;
use crate::read::columns::Values;

/// Code of a missing category.
pub(super) const MISSING: u32 = u32::MAX;

/// A raw column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RawColumn {
    /// NaN and infinities are missing.
    Numeric(Values),
    /// Codes index `levels`, whose order is that of the dummies; [`u32::MAX`] is missing.
    Factor { codes: Vec<u32>, levels: Vec<String> },
}

impl RawColumn {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numeric(values) => values.len(),
            Self::Factor { codes, .. } => codes.len(),
        }
    }
}

/// Numbers cannot be categories if doubles do not tell them apart.
pub(super) fn indistinct_levels(column: &str) -> DidError {
    DidError::ColumnType {
        column: column.to_owned(),
        role: "categorical covariate",
        expected: "integers up to 2^53, as larger ones are not told apart as numbers; convert it to text",
        got: "integers beyond 2^53".to_owned(),
    }
}

pub(super) fn too_many_levels(column: &str) -> DidError {
    DidError::ColumnType {
        column: column.to_owned(),
        role: "categorical covariate",
        expected: "at most 65536 levels; leave out an identifier, and use a continuous column without `C()`",
        got: "more levels".to_owned(),
    }
}
