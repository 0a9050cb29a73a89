//! Files that nobody else can read and that are gone when the process ends, however it ends.

use std::fs::File;
use std::io;

use crate::error::{DidError, Result};

/// A new file without a name among the system's temporary files (`TMPDIR`). Where a file cannot be without a name, it is
/// readable by its owner only and deleted when it is closed.
pub(crate) fn file() -> Result<File> {
    tempfile::tempfile().map_err(failed)
}

/// What became of a temporary file.
pub(crate) fn failed(source: io::Error) -> DidError {
    DidError::Temporary { directory: std::env::temp_dir().display().to_string(), source }
}
