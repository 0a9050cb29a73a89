//! The external grouping of rows that are in no order: one more writing and reading of the columns needed, in temporary files.
//!
//! Splitters from a sample of the labels cut their range into buckets of about a frame each; every row goes to the file of
//! its bucket. A bucket has all rows of its units, and buckets ascend.

use polars::prelude::*;

use super::files::{FilePart, ParquetFiles};
use super::temporary::TemporaryParquet;
use crate::base::error::Result;
use crate::read::columns::Label;

/// Buckets, each an open file.
const MAX_BUCKETS: usize = 256;

pub(super) fn group(
    mut files: ParquetFiles,
    sample: Vec<Label>,
    frame_rows: usize,
) -> Result<ParquetFiles> {
    let rows = usize::try_from(files.rows).unwrap_or(usize::MAX);
    let splitters = splitters(sample, rows.div_ceil(frame_rows).clamp(1, MAX_BUCKETS));
    let mut buckets: Vec<Option<(TemporaryParquet, usize)>> =
        (0..=splitters.len()).map(|_| None).collect();
    let mut done = 0;
    for part in &files.parts {
        let df = part.read(&files.schema)?;
        done += df.height() as u64;
        let labels = files.labels(&df)?;
        let rows = rows_by_bucket(df.height(), |row| labels.label(row), &splitters);
        for (bucket, rows) in rows.into_iter().enumerate() {
            if rows.is_empty() {
                continue;
            }
            let rows = df.take(&IdxCa::from_vec(PlSmallStr::EMPTY, rows))?;
            let entry = &mut buckets[bucket];
            let (file, written) = match entry {
                Some(open) => open,
                None => entry.insert((TemporaryParquet::new()?, 0)),
            };
            file.write(&rows, rows.height())?;
            *written += rows.height();
        }
        files.report("grouping by unit", done);
    }
    let mut parts = Vec::new();
    for (file, rows) in buckets.into_iter().flatten() {
        parts.push(FilePart { source: file.finish()?, start: 0, rows });
    }
    let as_written = Some(std::mem::replace(&mut files.parts, parts));
    Ok(ParquetFiles { as_written, whole_units: true, ..files })
}

/// Labels that cut the range of a sample of them into so many buckets of about equal size.
pub(crate) fn splitters(mut sample: Vec<Label>, buckets: usize) -> Vec<Label> {
    sample.sort_unstable();
    let at = |b| sample.get(b * sample.len() / buckets);
    let mut splitters: Vec<Label> = (1..buckets).filter_map(at).cloned().collect();
    splitters.dedup();
    splitters
}

/// Rows of each bucket; rows without a label are in the first.
pub(crate) fn rows_by_bucket(
    rows: usize,
    label: impl Fn(usize) -> Option<Label>,
    splitters: &[Label],
) -> Vec<Vec<IdxSize>> {
    let mut buckets = vec![Vec::new(); splitters.len() + 1];
    for (row, index) in (0..rows).zip(0..) {
        let bucket = label(row).map_or(0, |label| splitters.partition_point(|s| *s <= label));
        buckets[bucket].push(index);
    }
    buckets
}
