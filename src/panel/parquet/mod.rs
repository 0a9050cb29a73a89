//! Parquet files as frames of whole units, in ascending order of the units' labels.

mod fetched;
mod file;
mod files;
mod group;
mod open;
mod schema;

pub(crate) use files::ParquetFiles;
#[cfg(any(feature = "cluster", test))]
pub(super) use {
    file::Source,
    files::Part,
    group::{rows_by_bucket, splitters},
    open::FRAME_ROWS,
};
