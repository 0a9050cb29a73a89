//! Parquet files as frames of whole units, in ascending order of the units' labels.

mod file;
mod files;
mod group;
mod open;
mod schema;

pub(super) use file::Source;
pub(crate) use files::ParquetFiles;
pub(super) use files::Part;
pub(super) use group::{rows_by_bucket, splitters};
pub(super) use open::FRAME_ROWS;
