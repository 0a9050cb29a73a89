//! Parquet files as frames of whole units, in ascending order of the units' labels.

mod chunk;
mod columns;
mod fetched;
mod file;
mod files;
mod group;
mod halves;
mod look;
mod open;
mod opened;
mod schema;
mod temporary;
mod zone;

use std::path::Path;

use polars::prelude::DataFrame;

use crate::base::error::Result;

pub(super) use schema::wider;

pub(crate) use file::ParquetFile;
pub(crate) use files::ParquetFiles;
pub(crate) use open::found;
pub(in crate::read::files) use temporary::TemporaryParquet;
#[cfg(feature = "cluster")]
pub(crate) use {
    files::FilePart,
    group::{rows_by_bucket, splitters},
    open::FRAME_ROWS,
};

/// Names of the columns of a file.
pub(super) fn names(path: &Path) -> Result<Vec<String>> {
    let (schema, _) = file::ParquetFile::found(path)?.schema()?;
    Ok(schema.iter_names().map(ToString::to_string).collect())
}

/// Some columns of a file as they are.
///
/// # Errors
/// If it cannot be read, or has no such columns.
pub(crate) fn columns(path: &Path, names: &[&str]) -> Result<DataFrame> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    file::ParquetFile::Path(path.to_owned().into(), None).rows((0, usize::MAX), &names)
}
