//! How rows are read, on every engine.

use super::roles::Roles;
use crate::read::columns::MissingValues;

/// What the reading of a frame needs to know.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub roles: &'a Roles,
    pub missing: &'a MissingValues,
    /// Whether every row is a unit of its own.
    pub by_row: bool,
}
