//! What a parquet file says of itself, and some of its rows.

use std::path::Path;

use polars::prelude::*;
use polars_parquet::read::RowGroupMetadata;

use super::file::ParquetFile;
use super::opened::OpenFile;
use super::zone::unknown_zone;
use crate::base::error::Result;

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

    /// Its columns and number of rows.
    pub fn schema(&self) -> Result<(Schema, usize)> {
        let opened = OpenFile::new(self)?;
        let mut schema = types(&opened.schema()?);
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
}

/// Types as polars has them; columns with a time zone that it does not know are timestamps until they are read.
fn types(schema: &ArrowSchema) -> Schema {
    let of_field = |field: &ArrowField| match unknown_zone(field.dtype()) {
        Some(_) => DataType::Datetime(TimeUnit::Microseconds, None),
        None => DataType::from_arrow_field(field),
    };
    schema.iter_values().map(|field| Field::new(field.name.clone(), of_field(field))).collect()
}
