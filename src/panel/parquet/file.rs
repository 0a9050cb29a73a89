//! A parquet file: one of the user's, or a temporary one without a name.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use polars::prelude::*;

use crate::error::{DidError, Result};
use crate::files::problem;
use crate::temporary;

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
        let mut reader = self.open()?;
        let arrow = reader.schema().map_err(|e| self.unreadable(e))?;
        let half = arrow.iter_values().any(|field| field.dtype() == &ArrowDataType::Float16);
        if half && let Self::Path(path) = self {
            return Self::rows_with_halves(path, rows, &columns).map_err(|e| self.unreadable(e));
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

    fn open(&self) -> Result<ParquetReader<File>> {
        let file = match self {
            Self::Path(path) => File::open(&**path).map_err(|source| {
                let path = path.display().to_string();
                DidError::Io { path, source }
            })?,
            Self::Temporary(file) => {
                let mut file = file.try_clone().map_err(temporary::failed)?;
                file.seek(SeekFrom::Start(0)).map_err(temporary::failed)?;
                file
            }
        };
        Ok(ParquetReader::new(file))
    }

    fn unreadable(&self, error: PolarsError) -> DidError {
        problem(self.path(), error.to_string())
    }
}
