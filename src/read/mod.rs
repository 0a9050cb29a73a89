//! From files and data frames to the validated estimation sample.
//!
//! - Lives here: reading of CSV and parquet files, formulas, columns, and the panel with its strata.
//! - May import: `base`.
//! - Must not import: `engine` or anything above it. Columns stay as they were read; what is computed of them is asked of a source.

pub(crate) mod files;
pub(crate) mod input;
pub(crate) mod panel;
