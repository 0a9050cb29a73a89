//! A column of a row group: read by its place, looked through, and decoded.
//!
//! Nothing is mapped into memory, so that a file that gets shorter is an error of a read. What a file declares is compared with
//! what its pages have before memory is taken for it.

use std::io::Cursor;
use std::ops::Range;

use polars::prelude::*;
use polars_buffer::Buffer;
use polars_io::parquet::read::_internal::to_deserializer;
use polars_parquet::read::{ColumnChunkMetadata, Filter};
use polars_parquet_format::thrift::protocol::TCompactInputProtocol;
use polars_parquet_format::{PageHeader, PageType};

/// Bytes of a page's header, at most.
const HEADER: usize = 1 << 24;

/// Bytes of a row of text beside the text: a view, and a bit.
const TEXT: u64 = 17;

/// Why a chunk is not what its file says, in words that follow the file's name.
type Checked<T> = std::result::Result<T, String>;

/// What the pages of a chunk have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pages {
    values: u64,
    /// Bytes of the largest, as it is read.
    largest: u64,
}

/// Bytes of a chunk, and what it is.
pub(super) struct Chunk<'a> {
    pub metadata: &'a ColumnChunkMetadata,
    pub bytes: Buffer<u8>,
}

/// Where a chunk is in a file of some bytes.
pub(super) fn place(chunk: &ColumnChunkMetadata, length: u64) -> Checked<Range<u64>> {
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let range = u64::try_from(start).ok().zip(u64::try_from(chunk.compressed_size()).ok());
    let range = range.and_then(|(start, bytes)| Some(start..start.checked_add(bytes)?));
    range.filter(|range| range.end <= length).ok_or_else(|| {
        format!(
            "column `{}` is said to lie where the file has ended; the file is damaged",
            name(chunk)
        )
    })
}

/// An error unless a chunk is said to have as many values as its row group has rows; lists may have more.
pub(super) fn check_rows(chunk: &ColumnChunkMetadata, rows: usize) -> Checked<()> {
    let flat = chunk.descriptor().descriptor.max_rep_level == 0;
    let values = u64::try_from(chunk.num_values()).ok();
    if values.is_some_and(|values| !flat || values == rows as u64) {
        return Ok(());
    }
    Err(format!(
        "column `{}` is said to have {} values in {rows} rows; the file is damaged",
        name(chunk),
        chunk.num_values()
    ))
}

impl Chunk<'_> {
    /// An error unless its pages have the values that it is said to have; else the bytes of its largest page.
    pub fn check(&self) -> Checked<u64> {
        let declared = u64::try_from(self.metadata.num_values()).unwrap_or(0);
        let pages = pages(self.bytes.as_slice(), declared).ok_or_else(|| {
            format!(
                "the pages of column `{}` cannot be read; the file is damaged",
                name(self.metadata)
            )
        })?;
        if pages.values != declared {
            return Err(format!(
                "column `{}` is said to have {declared} values and its pages have {}; the file is damaged",
                name(self.metadata),
                pages.values
            ));
        }
        Ok(pages.largest)
    }
}

/// Memory of so many decoded rows of a chunk, without the bytes of texts.
pub(super) fn decoded_bytes(chunk: &ColumnChunkMetadata, rows: usize) -> u64 {
    value_bytes(chunk).saturating_mul(rows as u64)
}

/// Decodes some rows of a column, from its chunks: one but for nested columns.
pub(super) fn decode(
    chunks: Vec<Chunk<'_>>,
    field: &ArrowField,
    rows: Range<usize>,
) -> PolarsResult<Series> {
    let chunks = chunks.into_iter().map(|chunk| (chunk.metadata, chunk.bytes)).collect();
    let filter = Some(Filter::new_ranged(rows.start, rows.end));
    let (arrays, _) = to_deserializer(chunks, field.clone(), filter)?;
    Series::try_from((field, arrays))
}

/// Walks over the headers of pages until they have the values declared; `None` if they are damaged, or end before.
fn pages(bytes: &[u8], declared: u64) -> Option<Pages> {
    let (mut pages, mut at) = (Pages::default(), 0);
    while pages.values < declared && at < bytes.len() {
        let mut cursor = Cursor::new(&bytes[at..]);
        let header = {
            let mut protocol = TCompactInputProtocol::new(&mut cursor, HEADER);
            PageHeader::read_from_in_protocol(&mut protocol).ok()?
        };
        let bytes_of = |size: i32| usize::try_from(size).ok();
        let (written, read) =
            (bytes_of(header.compressed_page_size)?, bytes_of(header.uncompressed_page_size)?);
        at = at.checked_add(cursor.position() as usize)?.checked_add(written)?;
        if at > bytes.len() {
            return None;
        }
        let (values, room) = match header.type_ {
            PageType::DATA_PAGE => (header.data_page_header?.num_values, 0),
            PageType::DATA_PAGE_V2 => (header.data_page_header_v2?.num_values, 0),
            PageType::DICTIONARY_PAGE => (0, header.dictionary_page_header?.num_values),
            _ => (0, 0),
        };
        pages.values += u64::try_from(values).ok()?;
        let room = u64::try_from(room).ok()?.saturating_mul(TEXT);
        pages.largest = pages.largest.max(room.saturating_add(read as u64));
    }
    Some(pages)
}

/// Memory of a value, without the bytes of texts.
fn value_bytes(chunk: &ColumnChunkMetadata) -> u64 {
    use polars_parquet::read::PhysicalType::{
        Boolean, ByteArray, Double, FixedLenByteArray, Float, Int32, Int64, Int96,
    };
    match chunk.physical_type() {
        Boolean => 1,
        Int32 | Float => 4,
        Int64 | Double => 8,
        Int96 => 12,
        FixedLenByteArray(bytes) => bytes as u64,
        ByteArray => TEXT,
    }
}

fn name(chunk: &ColumnChunkMetadata) -> String {
    let path = &chunk.descriptor().path_in_schema;
    path.iter().map(PlSmallStr::as_str).collect::<Vec<_>>().join(".")
}
