//! A parquet file: one of the user's, or a temporary one without a name.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use polars::prelude::*;
use polars_parquet::read::RowGroupMetadata;

use super::fetched::Fetched;
use super::opened::OpenFile;
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
    /// The file that the path names now. Later reads are refused if another file has taken its place.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn found(path: &Path) -> Result<Self> {
        let path = Arc::new(path.to_owned());
        let stamp = OpenFile::new(&Self::Path(Arc::clone(&path), None))?.stamp;
        Ok(Self::Path(path, Some(Arc::new(stamp))))
    }

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

    /// Its columns and number of rows.
    pub fn schema(&self) -> Result<(Schema, usize)> {
        let opened = OpenFile::new(self)?;
        let mut schema = Schema::from_arrow_schema(&opened.schema()?);
        // Half precision is read as single, so that no temporary file has it.
        for dtype in schema.iter_values_mut().filter(|dtype| **dtype == DataType::Float16) {
            *dtype = DataType::Float32;
        }
        Ok((schema, opened.metadata.num_rows))
    }

    /// Rows of its row groups.
    pub fn row_groups(&self) -> Result<Vec<usize>> {
        let opened = OpenFile::new(self)?;
        Ok(opened.metadata.row_groups.iter().map(RowGroupMetadata::num_rows).collect())
    }

    /// Some of its rows: the first, and how many.
    pub fn rows(&self, rows: (usize, usize), columns: &[String]) -> Result<DataFrame> {
        OpenFile::new(self)?.rows(rows, columns)
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
        DidError::Io { path: self.path().display().to_string(), source }
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
