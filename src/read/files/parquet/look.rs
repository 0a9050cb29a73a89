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

    /// Whether a column of categories has so many that they are read sooner as text, which needs no table of all of them. Where there are
    /// few, a row takes less than two bytes of the file: its category's number.
    pub fn has_many_categories(&self, name: &str) -> Result<bool> {
        let opened = OpenFile::new(self)?;
        let groups = opened.metadata.row_groups.iter();
        let chunks =
            groups.flat_map(|group| group.columns_under_root_iter(name).into_iter().flatten());
        let bytes = chunks.map(|chunk| chunk.uncompressed_size().max(0) as usize);
        let bytes = bytes.fold(0, usize::saturating_add);
        Ok(bytes / 2 >= opened.metadata.num_rows.max(1))
    }

    /// Rows of its row groups.
    pub fn row_groups(&self) -> Result<Vec<usize>> {
        let opened = OpenFile::new(self)?;
        Ok(opened.metadata.row_groups.iter().map(RowGroupMetadata::num_rows).collect())
    }

    /// Some of its rows: the first, and how many.
    pub fn rows(&self, rows: (usize, usize), columns: &[String]) -> Result<DataFrame> {
        OpenFile::new(self)?.rows(rows, columns, |_| false)
    }

    /// Some of its rows, in the columns of a schema: categories are read as the texts that the schema says they are.
    pub fn rows_of(&self, rows: (usize, usize), schema: &Schema) -> Result<DataFrame> {
        let columns: Vec<String> = schema.iter_names().map(ToString::to_string).collect();
        let as_text = |name: &str| schema.get(name) == Some(&DataType::String);
        OpenFile::new(self)?.rows(rows, &columns, as_text)
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
