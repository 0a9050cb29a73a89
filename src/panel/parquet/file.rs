//! A parquet file: one of the user's, or a temporary one without a name.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use polars::prelude::*;

use crate::error::{DidError, Result};
use crate::files::problem;
use crate::storage::Object;
use crate::temporary;

use super::fetched::Fetched;
use super::halves;

/// Where rows are read from.
#[derive(Clone, Debug)]
pub(in crate::panel) enum ParquetFile {
    Path(Arc<PathBuf>),
    /// Read by one reader at a time, as its handles share their position.
    Temporary(Arc<File>),
}

impl ParquetFile {
    /// What errors call it.
    pub fn path(&self) -> &Path {
        match self {
            Self::Path(path) => path,
            Self::Temporary(_) => Path::new("temporary file"),
        }
    }

    /// Its columns and number of rows.
    pub fn schema(&self) -> Result<(Schema, usize)> {
        let mut reader = self.open()?;
        let schema = reader.schema().map_err(|e| self.unreadable(e))?;
        let rows = reader.num_rows().map_err(|e| self.unreadable(e))?;
        let mut schema = Schema::from_arrow_schema(&schema);
        // Half precision is read as single, so that no temporary file has it.
        for dtype in schema.iter_values_mut().filter(|dtype| **dtype == DataType::Float16) {
            *dtype = DataType::Float32;
        }
        Ok((schema, rows))
    }

    /// Rows of its row groups.
    pub fn row_groups(&self) -> Result<Vec<usize>> {
        let mut reader = self.open()?;
        let metadata = reader.get_metadata().map_err(|e| self.unreadable(e))?;
        Ok(metadata.row_groups.iter().map(|group| group.num_rows()).collect())
    }

    /// Some of its rows: the first, and how many.
    pub fn rows(&self, rows: (usize, usize), columns: Vec<String>) -> Result<DataFrame> {
        let fetched = self.fetched()?;
        let open = || self.file(fetched.as_ref()).map(ParquetReader::new);
        let mut reader = open()?;
        let schema = reader.schema().map_err(|e| self.unreadable(e))?;
        let metadata = reader.get_metadata().map_err(|e| self.unreadable(e))?.clone();
        if let Some(fetched) = &fetched {
            fetched.add_rows(&metadata, rows, &columns).map_err(|e| self.io(e))?;
        }
        let read = |reader: ParquetReader<File>, columns| {
            let reader = reader.with_columns(Some(columns)).with_slice(Some(rows));
            reader.finish().map_err(|e| self.unreadable(e))
        };
        let is_half = |name: &String| {
            schema.get(name).is_some_and(|field| field.dtype() == &ArrowDataType::Float16)
        };
        let (halves, others): (Vec<_>, Vec<_>) = columns.into_iter().partition(is_half);
        if halves.is_empty() {
            return read(reader, others);
        }
        let mut of_bytes = open()?;
        of_bytes.set_metadata(Arc::new(halves::as_bytes(&metadata)));
        let bytes = read(of_bytes, halves)?;
        let mut frame = halves::in_singles(&bytes).map_err(|e| self.unreadable(e))?;
        if !others.is_empty() {
            let others = read(reader, others)?;
            frame.hstack_mut(others.columns()).map_err(|e| self.unreadable(e))?;
        }
        Ok(frame)
    }

    /// A reader of its metadata, and of its rows if it is a file.
    fn open(&self) -> Result<ParquetReader<File>> {
        self.file(self.fetched()?.as_ref()).map(ParquetReader::new)
    }

    /// What tells where everything is in an object, if it is not a file.
    fn fetched(&self) -> Result<Option<Fetched>> {
        let Self::Path(path) = self else { return Ok(None) };
        let object = Object::of(path).map_err(|e| self.io(e))?;
        object.map(Fetched::footer).transpose().map_err(|e| self.io(e))
    }

    /// It as a file.
    fn file(&self, fetched: Option<&Fetched>) -> Result<File> {
        match (self, fetched) {
            (Self::Path(_), Some(fetched)) => fetched.file().map_err(|e| self.io(e)),
            (Self::Path(path), None) => File::open(&**path).map_err(|e| self.io(e)),
            (Self::Temporary(file), _) => {
                let mut file = file.try_clone().map_err(temporary::failed)?;
                file.seek(SeekFrom::Start(0)).map_err(temporary::failed)?;
                Ok(file)
            }
        }
    }

    fn io(&self, source: std::io::Error) -> DidError {
        DidError::Io { path: self.path().display().to_string(), source }
    }

    fn unreadable(&self, error: PolarsError) -> DidError {
        problem(self.path(), error.to_string())
    }
}
