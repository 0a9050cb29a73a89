//! Where files are: in directories, or in object stores, whose paths begin with `s3://`, `gs://` or `az://`.

#[cfg(feature = "object-store")]
mod objects;
#[cfg(not(feature = "object-store"))]
#[path = "no_objects.rs"]
mod objects;
#[cfg(any(feature = "object-store", test))]
mod secrets;
#[cfg(feature = "cluster")]
mod shared;
mod stamp;

use std::io::Write;
use std::path::Path;

use polars::prelude::ParquetWriter;

pub(crate) use objects::{Object, Version};
#[cfg(feature = "cluster")]
pub(crate) use shared::{
    check_directory, create, fresh_directory, is_empty, length, range, read, remove_directory,
    rename, whole, write,
};
pub(crate) use stamp::Stamp;

/// Beginnings of the paths of objects: of S3 or what speaks its protocol, of Google Cloud Storage, of Azure Blob Storage.
const SCHEMES: [&str; 3] = ["s3", "gs", "az"];

/// A writer of parquet. Where it writes to is behind a pointer: what polars writes with is large, and compiled once this way.
pub(crate) fn parquet<'a>(to: impl Write + 'a) -> ParquetWriter<Box<dyn Write + 'a>> {
    ParquetWriter::new(Box::new(to))
}

/// Scheme and rest of a path, if it is one in an object store.
fn split(path: &Path) -> Option<(&str, &str)> {
    path.to_str()?.split_once("://").filter(|(scheme, _)| SCHEMES.contains(scheme))
}
