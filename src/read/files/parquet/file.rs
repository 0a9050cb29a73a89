//! A parquet file: one of the user's, or a temporary one without a name.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use polars::prelude::{Arc, PolarsError};

use super::fetched::Fetched;
use crate::base::error::{DidError, Result};
use crate::base::storage::{Object, Stamp};
use crate::base::temporary;
use crate::read::files::problem;

/// Where rows are read from.
#[derive(Clone, Debug)]
pub(crate) enum ParquetFile {
    /// A file by its name, which must be what it was when it was found, if that is known.
    Path(Arc<PathBuf>, Option<Arc<Stamp>>),
    /// Read by one reader at a time, as its handles share their position.
    Temporary(Arc<File>),
}

impl ParquetFile {
    /// What errors call it.
    pub fn path(&self) -> &Path {
        match self {
            Self::Path(path, _) => path,
            Self::Temporary(_) => Path::new("temporary file"),
        }
    }

    /// What it was when it was found.
    pub fn stamp(&self) -> Option<&Stamp> {
        match self {
            Self::Path(_, stamp) => stamp.as_deref(),
            Self::Temporary(_) => None,
        }
    }

    /// What tells where everything is in an object, if it is not a file.
    pub(super) fn fetched(&self) -> Result<Option<Fetched>> {
        let Self::Path(path, _) = self else { return Ok(None) };
        let object = Object::of(path).map_err(|e| self.io(e))?;
        object.map(Fetched::footer).transpose().map_err(|e| self.io(e))
    }

    /// It as a file.
    pub(super) fn file(&self, fetched: Option<&Fetched>) -> Result<File> {
        match (self, fetched) {
            (Self::Path(..), Some(fetched)) => fetched.file().map_err(|e| self.io(e)),
            (Self::Path(path, _), None) => File::open(&**path).map_err(|e| self.io(e)),
            (Self::Temporary(file), _) => {
                let mut file = file.try_clone().map_err(temporary::failed)?;
                file.seek(SeekFrom::Start(0)).map_err(temporary::failed)?;
                Ok(file)
            }
        }
    }

    pub(super) fn io(&self, source: std::io::Error) -> DidError {
        DidError::io(self.path(), source)
    }

    pub(super) fn unreadable(&self, error: PolarsError) -> DidError {
        problem(self.path(), error.to_string())
    }

    /// It is no longer what it was.
    pub(super) fn changed(&self) -> DidError {
        let text = "the file was changed or replaced while it was read, so that no number is formed of it; fit again when nobody \
                    writes to it";
        problem(self.path(), text)
    }
}
