//! Files and directories that nobody else can read and that are gone when the process ends.

#[cfg(feature = "cluster")]
mod directory;
mod ending;

use std::fs::File;
use std::io;

use crate::base::error::{DidError, Result};

#[cfg(feature = "cluster")]
pub(crate) use directory::PrivateDirectory;
pub(crate) use ending::Listed;
#[cfg(feature = "ballista")]
pub(crate) use ending::before_the_end;
pub use ending::clear_away;

/// A new file without a name among the system's temporary files (`TMPDIR`). Where a file cannot be without a name, it is
/// readable by its owner only and deleted when it is closed.
pub(crate) fn file() -> Result<File> {
    tempfile::tempfile().map_err(failed)
}

/// What became of a temporary file.
pub(crate) fn failed(source: io::Error) -> DidError {
    DidError::Temporary { directory: std::env::temp_dir().display().to_string(), source }
}
