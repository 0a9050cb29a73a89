//! Parquet files as frames of whole units, in ascending order of the units' labels.

mod fetched;
mod file;
mod files;
mod group;
mod halves;
mod open;
mod schema;

use std::path::Path;
use std::sync::Arc;

use polars::prelude::DataFrame;

use crate::error::Result;

pub(crate) use files::ParquetFiles;
#[cfg(any(feature = "cluster", test))]
pub(super) use {
    file::ParquetFile,
    files::FilePart,
    group::{rows_by_bucket, splitters},
    open::FRAME_ROWS,
};

/// Some columns of a file as they are.
///
/// # Errors
/// If it cannot be read, or has no such columns.
pub(crate) fn columns(path: &Path, names: &[&str]) -> Result<DataFrame> {
    let source = file::ParquetFile::Path(Arc::new(path.to_owned()));
    let rows = source.schema()?.1;
    source.rows((0, rows), names.iter().map(ToString::to_string).collect())
}
