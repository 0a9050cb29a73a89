//! A parquet file: one of the user's, or a temporary one without a name.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use polars::prelude::*;

use crate::error::{DidError, Result};
use crate::files::problem;
use crate::storage::Object;
use crate::temporary;

use super::fetched;

/// Where rows are read from.
#[derive(Clone, Debug)]
pub(in crate::panel) enum Source {
    Path(Arc<PathBuf>),
    /// Read by one reader at a time, as its handles share their position.
    Temporary(Arc<File>),
}

impl Source {
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
        let object = self.object()?;
        let file = self.file(object.as_ref())?;
        let mut reader = ParquetReader::new(file.try_clone().map_err(|e| self.io(e))?);
        let arrow = reader.schema().map_err(|e| self.unreadable(e))?;
        let half = arrow.iter_values().any(|field| field.dtype() == &ArrowDataType::Float16);
        if half && let Self::Path(path) = self {
            if object.is_some() {
                let remedy = "half precision is read from directories only; write the columns as single precision";
                return Err(problem(path, remedy));
            }
            return Self::rows_with_halves(path, rows, &columns).map_err(|e| self.unreadable(e));
        }
        if let Some(object) = object {
            let metadata = reader.get_metadata().map_err(|e| self.unreadable(e))?;
            fetched::add_rows(&object, &file, metadata, rows, &columns).map_err(|e| self.io(e))?;
        }
        let reader = reader.with_columns(Some(columns)).with_slice(Some(rows));
        reader.finish().map_err(|e| self.unreadable(e))
    }

    /// As [`rows`](Self::rows), from a file with half precision, which the eager reader of polars asserts not to meet.
    fn rows_with_halves(
        path: &Path,
        (start, rows): (usize, usize),
        columns: &[String],
    ) -> PolarsResult<DataFrame> {
        let args = ScanArgsParquet { glob: false, ..ScanArgsParquet::default() };
        let all = LazyFrame::scan_parquet(PlRefPath::new(path.display().to_string()), args)?;
        let names: Vec<Expr> = columns.iter().map(col).collect();
        all.slice(start as i64, rows as IdxSize).select(names).collect()
    }

    /// A reader of its metadata, and of its rows if it is a file.
    fn open(&self) -> Result<ParquetReader<File>> {
        Ok(ParquetReader::new(self.file(self.object()?.as_ref())?))
    }

    /// The object that it is, if it is not a file.
    fn object(&self) -> Result<Option<Object>> {
        match self {
            Self::Path(path) => Object::of(path).map_err(|e| self.io(e)),
            Self::Temporary(_) => Ok(None),
        }
    }

    /// It as a file; of an object, what tells where everything is.
    fn file(&self, object: Option<&Object>) -> Result<File> {
        match (self, object) {
            (Self::Path(_), Some(object)) => fetched::footer(object).map_err(|e| self.io(e)),
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
