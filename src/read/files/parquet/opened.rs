//! An open parquet file.

use std::fs::File;
use std::io;
use std::ops::Range;

use polars::prelude::*;
use polars_buffer::Buffer;
use polars_parquet::read::{ColumnChunkMetadata, RowGroupMetadata, read_metadata};

use super::chunk::{self, Chunk};
use super::columns::{self, Groups};
use super::fetched::Fetched;
use super::file::ParquetFile;
use super::halves;
use super::schema::are_categories;
use super::zone::unknown_zone;
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::storage::Stamp;
use crate::read::files::{PARQUET, problem};

/// A file whose metadata were read, and which is what it was when it was first opened.
pub(super) struct OpenFile<'a> {
    source: &'a ParquetFile,
    file: File,
    fetched: Option<Fetched>,
    pub metadata: FileMetadata,
    pub stamp: Stamp,
}

impl<'a> OpenFile<'a> {
    /// Opens a file.
    ///
    /// # Errors
    /// If the file cannot be read, or has changed since its stamp was taken.
    pub fn new(source: &'a ParquetFile) -> Result<Self> {
        let fetched = source.fetched()?;
        let file = source.file(fetched.as_ref())?;
        let stamp = match &fetched {
            Some(fetched) => fetched.stamp(),
            None => Stamp::of(&file).map_err(|e| source.io(e))?,
        };
        if source.stamp().is_some_and(|before| !before.is_of(&stamp)) {
            return Err(source.changed());
        }
        let metadata = read_metadata(&mut &file).map_err(|e| {
            let now = Stamp::of(&file);
            if fetched.is_none() && now.is_ok_and(|now| !stamp.is_of(&now)) {
                return source.changed();
            }
            if fetched.is_none() && is_text(&file) {
                let text = "it begins like a text, and not like a parquet file; if it is a CSV file, name it .csv";
                return problem(source.path(), text);
            }
            source.unreadable(e)
        })?;
        let stamp = stamp.with_footer(metadata.footer_buf.as_slice());
        if source.stamp().is_some_and(|before| !before.is_of(&stamp)) {
            return Err(source.changed());
        }
        let opened = Self { source, file, fetched, metadata, stamp };
        opened.check_rows()?;
        Ok(opened)
    }

    /// Its columns; those of types that other programs made are what they are stored as.
    pub fn schema(&self) -> Result<ArrowSchema> {
        let mut schema = self.declared()?;
        for field in schema.iter_values_mut() {
            if let ArrowDataType::Extension(of_program) = &field.dtype {
                field.dtype = of_program.inner.clone();
            }
        }
        Ok(schema)
    }

    fn declared(&self) -> Result<ArrowSchema> {
        infer_schema(&self.metadata).map_err(|e| self.unreadable(e))
    }

    /// Some of its rows: the first, and how many. Categories are texts where they are wanted as such.
    ///
    /// # Errors
    /// If they cannot be read, the file is damaged, or was changed meanwhile.
    pub fn rows(
        &self,
        (first, rows): (usize, usize),
        columns: &[String],
        as_text: impl Fn(&str) -> bool,
    ) -> Result<DataFrame> {
        let groups = self.groups(first, rows);
        if let Some(fetched) = &self.fetched {
            let mut places = Vec::new();
            for (group, _) in &groups {
                for column in columns {
                    for leaf in group.columns_under_root_iter(column).into_iter().flatten() {
                        places.push(self.place(leaf)?);
                    }
                }
            }
            fetched.add(places).map_err(|e| self.source.io(e))?;
        }
        let mut schema = self.schema()?;
        for (name, field) in schema.iter_mut() {
            if as_text(name) && are_categories(&DataType::from_arrow_field(field)) {
                *field = ArrowField::new(name.clone(), ArrowDataType::Utf8View, true);
            }
        }
        let is_half = |name: &String| {
            schema.get(name).is_some_and(|field| field.dtype() == &ArrowDataType::Float16)
        };
        let (halves, others): (Vec<_>, Vec<_>) = columns.iter().cloned().partition(is_half);
        let mut read = self.columns(&groups, &schema, &others)?;
        if !halves.is_empty() {
            let as_bytes = infer_schema(&halves::as_bytes(&self.metadata));
            let as_bytes = as_bytes.map_err(|e| self.unreadable(e))?;
            for bytes in self.columns(&groups, &as_bytes, &halves)? {
                read.push(halves::in_singles(&bytes).map_err(|e| self.unreadable(e))?);
            }
        }
        self.check_unchanged()?;
        let height = groups.iter().map(|(_, rows)| rows.len()).sum();
        DataFrame::new(height, read).map_err(|e| self.unreadable(e))
    }

    /// The row groups that have some rows, and which of each.
    fn groups(&self, first: usize, rows: usize) -> Vec<(&RowGroupMetadata, Range<usize>)> {
        let (mut groups, mut start) = (Vec::new(), 0_usize);
        let end = first.saturating_add(rows);
        for group in &self.metadata.row_groups {
            let next = start.saturating_add(group.num_rows());
            let range = first.max(start)..end.min(next);
            if range.start < range.end {
                groups.push((group, range.start - start..range.end - start));
            }
            start = next;
        }
        groups
    }

    /// Columns of some rows of some row groups.
    fn columns(
        &self,
        groups: &[(&RowGroupMetadata, Range<usize>)],
        schema: &ArrowSchema,
        names: &[String],
    ) -> Result<Vec<Column>> {
        let fields = names.iter().map(|name| {
            schema.get(name).ok_or_else(|| self.damaged(format!("there is no column `{name}`")))
        });
        let fields: Vec<&ArrowField> = fields.collect::<Result<_>>()?;
        fields.iter().try_for_each(|field| self.check_zone(field))?;
        self.check_periods(names)?;
        self.check_memory(groups, &fields)?;
        let rows: Vec<usize> = groups.iter().map(|(_, rows)| rows.len()).collect();
        let decode = |index: usize, field: &ArrowField| {
            let (group, rows) = &groups[index];
            self.column(group, rows.clone(), field)
        };
        let failed = |error| self.unreadable(error);
        columns::read(&Groups { rows: &rows, column: &decode, failed: &failed }, &fields)
    }

    /// An error if timestamps have a time zone that polars does not know.
    fn check_zone(&self, field: &ArrowField) -> Result<()> {
        let Some(zone) = unknown_zone(field.dtype()) else { return Ok(()) };
        let text = format!(
            "column `{}` has timestamps of the time zone `{zone}`, which is none of the IANA data base; convert it to UTC or to a zone with a name, or leave it out",
            field.name
        );
        Err(problem(self.source.path(), text))
    }

    /// An error if columns have periods of pandas, which are stored as numbers that count from 1970.
    fn check_periods(&self, names: &[String]) -> Result<()> {
        let declared = self.declared()?;
        let is_period = |name: &&String| {
            let dtype = declared.get(name).map(ArrowField::dtype);
            matches!(dtype, Some(ArrowDataType::Extension(of_program)) if of_program.name == PERIOD)
        };
        let Some(name) = names.iter().find(is_period) else { return Ok(()) };
        let text = format!(
            "column `{name}` has periods of pandas, which the file holds as numbers that count from 1970; write them as dates (`.dt.to_timestamp()`), or leave the column out"
        );
        Err(problem(self.source.path(), text))
    }

    /// An error unless there is room for columns of some rows, which is a lie of a damaged file if they have fewer.
    fn check_memory(
        &self,
        groups: &[(&RowGroupMetadata, Range<usize>)],
        fields: &[&ArrowField],
    ) -> Result<()> {
        let mut needed = 0_u128;
        for (group, rows) in groups {
            for field in fields {
                for leaf in group.columns_under_root_iter(&field.name).into_iter().flatten() {
                    needed += u128::from(chunk::decoded_bytes(leaf, rows.len()));
                }
            }
        }
        let Err(none) = memory::check("the columns read", COPIES * needed, REMEDY) else {
            return Ok(());
        };
        self.verify(fields)?;
        Err(none)
    }

    /// An error unless the pages of columns have the rows that are declared.
    pub fn verify(&self, fields: &[&ArrowField]) -> Result<()> {
        for group in &self.metadata.row_groups {
            for field in fields {
                self.chunks(group, field)?;
            }
        }
        Ok(())
    }

    /// Some rows of a column of a row group.
    fn column(
        &self,
        group: &RowGroupMetadata,
        rows: Range<usize>,
        field: &ArrowField,
    ) -> Result<Series> {
        let chunks = self.chunks(group, field)?;
        chunk::decode(chunks, field, rows).map_err(|e| self.unreadable(e))
    }

    /// The chunks of a column of a row group: one but for nested columns.
    fn chunks<'g>(
        &self,
        group: &'g RowGroupMetadata,
        field: &ArrowField,
    ) -> Result<Vec<Chunk<'g>>> {
        let leaves = group.columns_under_root_iter(&field.name).into_iter().flatten();
        let mut chunks = Vec::new();
        for metadata in leaves {
            let damaged = |text| self.damaged(text);
            chunk::check_rows(metadata, group.num_rows()).map_err(damaged)?;
            let bytes = self.bytes(self.place(metadata)?)?;
            let read = Chunk { metadata, bytes: Buffer::from_vec(bytes) };
            let page = read.check().map_err(damaged)?;
            memory::check("a page of a parquet file", page.into(), REMEDY)?;
            chunks.push(read);
        }
        if chunks.is_empty() {
            return Err(self.damaged(format!("a row group has no column `{}`", field.name)));
        }
        Ok(chunks)
    }

    /// Where a chunk is.
    fn place(&self, chunk: &ColumnChunkMetadata) -> Result<Range<u64>> {
        chunk::place(chunk, self.stamp.length()).map_err(|text| self.damaged(text))
    }

    /// Some of the file's bytes.
    fn bytes(&self, place: Range<u64>) -> Result<Vec<u8>> {
        let length = place.end - place.start;
        memory::check("a column of a parquet file", length.into(), REMEDY)?;
        let mut bytes = vec![0; length as usize];
        read_at(&self.file, &mut bytes, place.start).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.source.changed(),
            _ => self.source.io(error),
        })?;
        Ok(bytes)
    }

    /// An error unless the row groups have the rows that the file is said to have.
    fn check_rows(&self) -> Result<()> {
        let rows = self.metadata.row_groups.iter().map(RowGroupMetadata::num_rows);
        let rows = rows.fold(0, usize::saturating_add);
        if rows == self.metadata.num_rows {
            return Ok(());
        }
        let text = format!(
            "{} rows are declared, and {rows} in the row groups; the file is damaged",
            self.metadata.num_rows
        );
        Err(self.damaged(text))
    }

    /// An error if the file is no longer what it was when it was opened. Objects are asked for the bytes of their version.
    fn check_unchanged(&self) -> Result<()> {
        if self.fetched.is_some() {
            return Ok(());
        }
        let now = Stamp::of(&self.file).map_err(|e| self.source.io(e))?;
        if self.stamp.is_of(&now) { Ok(()) } else { Err(self.source.changed()) }
    }

    /// What decoding ends with: nonsense may have been written meanwhile.
    fn unreadable(&self, error: PolarsError) -> DidError {
        self.check_unchanged().err().unwrap_or_else(|| self.source.unreadable(error))
    }

    fn damaged(&self, text: String) -> DidError {
        self.check_unchanged().err().unwrap_or_else(|| problem(self.source.path(), text))
    }
}

/// The type in which pandas writes its periods.
const PERIOD: &str = "pandas.period";

/// Decoded columns, and the same in one piece.
const COPIES: u128 = 2;

const REMEDY: &str =
    "free memory, or write the file in smaller row groups and have it streamed (`--memory-budget`)";

/// Whether a file begins like a text, as CSV files do.
fn is_text(file: &File) -> bool {
    let mut first = [0; 4];
    let is_of_text = |byte: &u8| !byte.is_ascii_control() || b"\t\r\n".contains(byte);
    read_at(file, &mut first, 0).is_ok() && first != PARQUET && first.iter().all(is_of_text)
}

/// Reads at a place, whatever the position of the file is.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

/// Reads at a place.
#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut start: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, start)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                start += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;
    use std::time::Duration;

    /// A file with a column whose rows count up from `first`, in groups of 1,000.
    fn write(path: &PathBuf, first: i64) {
        let x: Vec<i64> = (0..4_000).map(|row| first + row).collect();
        let mut df = df!("x" => x).unwrap();
        let writer = ParquetWriter::new(File::create(path).unwrap());
        let writer = writer.with_compression(ParquetCompression::Uncompressed);
        writer.with_row_group_size(Some(1_000)).finish(&mut df).unwrap();
    }

    fn refused(file: &ParquetFile) -> String {
        let read = file.rows((0, 4_000), &["x".to_owned()]);
        let error = read.expect_err("the file is another").to_string();
        assert!(error.contains("a.parquet"), "{error}");
        error
    }

    #[test]
    fn rows_are_those_asked_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.parquet");
        write(&path, 5);
        let file = ParquetFile::found(&path).unwrap();
        for (first, rows, expected) in [
            (0, 4_000, 5..4_005),
            (0, usize::MAX, 5..4_005),
            (999, 2, 1_004..1_006),
            (1_000, 1_000, 1_005..2_005),
            (3_999, 9, 4_004..4_005),
            (4_000, 1, 0..0),
            (0, 0, 0..0),
        ] {
            let read = file.rows((first, rows), &["x".to_owned()]).unwrap();
            let x: Vec<i64> =
                read.column("x").unwrap().i64().unwrap().into_no_null_iter().collect();
            assert_eq!(x, expected.collect::<Vec<i64>>(), "{first} {rows}");
        }
        assert!(file.rows((0, 1), &["z".to_owned()]).unwrap_err().to_string().contains("`z`"));
    }

    /// Numbers that are put where they belong one by one, and others, with missing values in some row groups.
    #[test]
    fn row_groups_are_one_column() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.parquet");
        let some = |row: i64| (row / 100 != 3 || row % 3 > 0).then_some(row);
        let integers = Series::new("i64".into(), (0..1_000).map(some).collect::<Vec<_>>());
        let mut columns = vec![integers.clone().into_column()];
        for dtype in [
            DataType::Float64,
            DataType::Float32,
            DataType::Int32,
            DataType::Int16,
            DataType::UInt64,
            DataType::UInt32,
            DataType::UInt16,
            DataType::String,
            DataType::Date,
            DataType::Boolean,
        ] {
            let name = dtype.to_string().into();
            columns.push(integers.cast(&dtype).unwrap().with_name(name).into_column());
        }
        let bytes: Vec<Option<i64>> = (0..1_000).map(|row| some(row).map(|v| v % 100)).collect();
        let bytes = Series::new("i8".into(), bytes);
        columns.push(bytes.cast(&DataType::Int8).unwrap().into_column());
        columns.push(bytes.cast(&DataType::UInt8).unwrap().with_name("u8".into()).into_column());
        let mut df = DataFrame::new(1_000, columns).unwrap();
        for size in [100, 130, 1_000] {
            let writer = ParquetWriter::new(File::create(&path).unwrap());
            let _ = writer.with_row_group_size(Some(size)).finish(&mut df).unwrap();
            let file = ParquetFile::found(&path).unwrap();
            let names: Vec<String> =
                df.get_column_names_owned().iter().map(ToString::to_string).collect();
            for (first, rows) in [(0, 1_000), (250, 300), (299, 2), (700, 999)] {
                let read = file.rows((first, rows), &names).unwrap();
                let expected = df.slice(first as i64, rows);
                assert!(read.equals_missing(&expected), "{size} {first} {rows}");
                for column in read.columns() {
                    let column = column.as_materialized_series();
                    assert_eq!(
                        (column.n_chunks(), column.dtype()),
                        (1, df.column(column.name()).unwrap().dtype())
                    );
                }
            }
        }
    }

    #[test]
    fn a_file_that_was_changed_is_another() {
        let directory = tempfile::tempdir().unwrap();
        let (path, new) = (directory.path().join("a.parquet"), directory.path().join("b.parquet"));
        write(&path, 0);
        let file = ParquetFile::found(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        let with_time = |path: &PathBuf| {
            File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
        };
        // Replaced by a file of the same length and time.
        write(&new, 1_000_000);
        with_time(&new);
        fs::rename(&new, &path).unwrap();
        assert!(refused(&file).contains("changed or replaced"));
        // Written anew in place, to the same and to another length.
        let file = ParquetFile::found(&path).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        fs::write(&path, &bytes).unwrap();
        assert!(refused(&file).contains("changed or replaced"));
        let file = ParquetFile::found(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(refused(&file).contains("changed or replaced"));
    }

    /// With a map of the file this would end the process.
    #[test]
    fn a_file_that_gets_shorter_while_it_is_open_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.parquet");
        write(&path, 0);
        let file = ParquetFile::found(&path).unwrap();
        let opened = OpenFile::new(&file).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(100).unwrap();
        let error = opened.rows((0, 4_000), &["x".to_owned()], |_| false).unwrap_err().to_string();
        assert!(error.contains("changed or replaced"), "{error}");
    }
}
