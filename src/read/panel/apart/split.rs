//! Writing rows that are in no order once more, in buckets of whole units.

use std::path::{Path, PathBuf};

use polars::prelude::*;

use super::ends::Ends;
use super::rows::{RowRange, RowReading};
use crate::base::error::{DidError, Result};
use crate::base::storage;
use crate::read::columns::Label;
use crate::read::files::parquet::{FRAME_ROWS, rows_by_bucket, splitters};
use crate::read::files::problem;

/// Most buckets; every part's copy has all of them.
const MAX_BUCKETS: usize = 1_024;

/// Labels between buckets of about `bucket_rows` rows (or the usual number).
pub(crate) fn cuts(parts: &[RowRange], ends: Vec<Ends>, bucket_rows: Option<usize>) -> Cuts {
    let rows = parts.iter().fold(0, |rows: usize, part| rows.saturating_add(part.rows));
    let buckets = rows.div_ceil(bucket_rows.unwrap_or(FRAME_ROWS)).clamp(1, MAX_BUCKETS);
    Cuts(splitters(ends.into_iter().flat_map(|ends| ends.sample).collect(), buckets))
}

/// Labels at which buckets start, but for the first.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Cuts(Vec<Label>);

impl RowReading {
    /// Writes the rows of a part to a file, bucket by bucket; returns how many are in each.
    ///
    /// # Errors
    /// If they cannot be read or written.
    pub fn split(&self, part: &RowRange, cuts: &Cuts, to: &Path) -> Result<Vec<usize>> {
        let df = self.rows(std::slice::from_ref(part))?;
        let keys = self.keys_of(&df)?;
        let buckets = rows_by_bucket(df.height(), |row| keys.label(row), &cuts.0);
        let io = |source| DidError::io(to, source);
        let mut file = storage::create(to).map_err(io)?;
        let unwritten = |error: PolarsError| problem(to, error.to_string());
        let writer = storage::parquet(&mut file);
        let writer = writer.with_compression(ParquetCompression::Uncompressed);
        let mut writer = writer.batched(df.schema()).map_err(unwritten)?;
        let mut rows = Vec::with_capacity(buckets.len());
        for bucket in buckets {
            rows.push(bucket.len());
            if !bucket.is_empty() {
                let rows = df.take(&IdxCa::from_vec(PlSmallStr::EMPTY, bucket))?;
                writer.write_batch(&rows).map_err(unwritten)?;
            }
        }
        writer.finish().map_err(unwritten)?;
        drop(writer);
        file.finish().map_err(io)?;
        Ok(rows)
    }
}

/// The buckets as shards, from the files that the parts were written to and the rows of each bucket in each.
pub(crate) fn bucket_shards(written: &[(PathBuf, Vec<usize>)]) -> Vec<Vec<RowRange>> {
    let buckets = written.iter().map(|(_, rows)| rows.len()).max().unwrap_or(0);
    let mut shards = vec![Vec::new(); buckets];
    for (path, buckets) in written {
        let mut start = 0;
        for (shard, rows) in shards.iter_mut().zip(buckets.iter().copied()) {
            if rows > 0 {
                shard.push(RowRange { path: path.clone(), start, rows, stamp: None });
            }
            start += rows;
        }
    }
    shards.retain(|shard| !shard.is_empty());
    shards
}
