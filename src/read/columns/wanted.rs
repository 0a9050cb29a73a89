//! Which columns of the data are needed, whatever they are for.

use crate::base::error::Result;

/// Columns that are read.
pub(crate) trait Wanted {
    /// Names of all columns needed, without duplicates.
    fn names(&self) -> Vec<String>;

    /// An error naming the first column that is not among the names.
    fn find_in(&self, names: &[&str]) -> Result<()>;

    /// Whether the values of a column are compared only.
    fn is_label(&self, name: &str) -> bool;
}
