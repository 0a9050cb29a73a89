//! Rows that are written once more, to a temporary parquet file, and read again from there.

use std::fs::File;
use std::io::{self, Write};

use polars::io::parquet::write::BatchedWriter;
use polars::prelude::*;

use super::file::ParquetFile;
use crate::base::error::{DidError, Result};
use crate::base::{storage, temporary};

/// A temporary file that is being written, uncompressed.
pub(crate) struct TemporaryParquet {
    file: Arc<File>,
    /// Once columns are known.
    writer: Option<BatchedWriter<Box<dyn Write>>>,
}

impl TemporaryParquet {
    /// A new file.
    ///
    /// # Errors
    /// [`DidError::Temporary`] if it cannot be made or written, as for all of its functions.
    pub fn new() -> Result<Self> {
        Ok(Self { file: Arc::new(temporary::file()?), writer: None })
    }

    /// Appends rows, at most so many in a row group. The first frame has the types of the columns, even if it has no rows.
    pub fn write(&mut self, df: &DataFrame, group_rows: usize) -> Result<()> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => {
                let to = storage::parquet(Arc::clone(&self.file));
                let to = to.with_compression(ParquetCompression::Uncompressed);
                self.writer.insert(to.batched(df.schema()).map_err(failed)?)
            }
        };
        let mut starts = (0..df.height()).step_by(group_rows.max(1));
        starts.try_for_each(|start| {
            writer.write_batch(&df.slice(start as i64, group_rows)).map_err(failed)
        })
    }

    /// The file, which is complete.
    pub fn finish(self) -> Result<ParquetFile> {
        if let Some(writer) = self.writer {
            writer.finish().map_err(failed)?;
        }
        Ok(ParquetFile::Temporary(self.file))
    }
}

fn failed(error: PolarsError) -> DidError {
    match error {
        PolarsError::IO { error, .. } => {
            temporary::failed(io::Error::new(error.kind(), error.to_string()))
        }
        other => other.into(),
    }
}
