//! Of a parquet file in an object store only what is wanted is fetched: into a file without a name that has the object's length, and
//! holes where nothing was fetched.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;

use polars::prelude::FileMetadata;

use crate::storage::Object;

/// Bytes at the end that are fetched at once, in the hope that the metadata are among them.
const TAIL: u64 = 1 << 16;
/// Bytes of the length of the metadata and of the format's mark, which end a file.
const END: u64 = 8;
/// Ranges with gaps of at most so many bytes are fetched as one.
const GAP: u64 = 1 << 20;

/// The file with the object's metadata.
pub(super) fn footer(object: &Object) -> io::Result<File> {
    let length = object.length()?;
    let file = tempfile::tempfile()?;
    file.set_len(length)?;
    let tail = length.saturating_sub(TAIL)..length;
    let bytes = fetch(object, &file, &tail)?;
    if let Some(end) = bytes.len().checked_sub(END as usize) {
        let size = [bytes[end], bytes[end + 1], bytes[end + 2], bytes[end + 3]];
        let start = length.saturating_sub(END + u64::from(u32::from_le_bytes(size)));
        if start < tail.start {
            fetch(object, &file, &(start..tail.start))?;
        }
    }
    Ok(file)
}

/// Adds columns of some rows, the first and how many: those of whole row groups.
pub(super) fn add_rows(
    object: &Object,
    file: &File,
    metadata: &FileMetadata,
    (first, rows): (usize, usize),
    columns: &[String],
) -> io::Result<()> {
    let (mut ranges, mut start) = (Vec::new(), 0);
    for group in &metadata.row_groups {
        let end = start + group.num_rows();
        if start < first + rows && first < end {
            for column in columns {
                let chunks = group.columns_under_root_iter(column).into_iter().flatten();
                ranges.extend(chunks.map(|chunk| chunk.byte_range()));
            }
        }
        start = end;
    }
    for range in joined(ranges) {
        fetch(object, file, &range)?;
    }
    Ok(())
}

/// The ranges in their order, with those as one that are next to each other.
fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(GAP) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined
}

fn fetch(object: &Object, mut file: &File, range: &Range<u64>) -> io::Result<Vec<u8>> {
    let bytes = object.range(range.start, range.end - range.start)?;
    file.seek(SeekFrom::Start(range.start))?;
    file.write_all(&bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_fetched_as_one() {
        let far = 3 * GAP;
        let ranges = vec![far..far + 5, 0..10, 4..6, 10 + GAP..20 + GAP, far + 2..far + 9];
        assert_eq!(joined(ranges), [0..20 + GAP, far..far + 9]);
        assert!(joined(Vec::new()).is_empty());
    }
}
