//! What a worker has read, within a number of bytes: shards until they are arranged, and segments of arranged samples.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::files;
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::base::parallel::held;
use crate::cluster::manifest::{Manifest, SampleFile, SegmentEntry};
use crate::cluster::wire::{digest, encode};
use crate::engine::backend::DidBackend;
use crate::engine::condition::Change;
use crate::engine::pass::Chunk;
use crate::engine::source::put;
use crate::read::panel::StratumData;
use crate::read::panel::apart::{
    CovariateChoice, Reading, RowRange, Shard, UnitReading, UnitShard,
};

/// With more manifests than this, manifests without a kept segment are dropped.
const MANIFESTS: usize = 16;

/// How a segment is held for passes.
pub(super) struct Held<'a> {
    choice: Option<&'a CovariateChoice>,
    change: &'a Change,
    k: usize,
    precision: Precision,
    /// Of all these.
    digest: u64,
}

impl<'a> Held<'a> {
    pub fn new(
        choice: Option<&'a CovariateChoice>,
        change: &'a Change,
        k: usize,
        precision: Precision,
    ) -> Result<Self> {
        let digest = digest(&encode(&(choice, change, k, precision))?);
        Ok(Self { choice, change, k, precision, digest })
    }
}

/// A segment of a sample.
type SegmentKey = (SampleFile, u32);

/// Rows of a segment.
enum CachedRows<B: DidBackend> {
    /// As they were read.
    Raw(Arc<StratumData>),
    /// On the device, after the change with this digest.
    Chunk(u64, Arc<Chunk<B>>),
}

struct CachedSegment<B: DidBackend> {
    rows: CachedRows<B>,
    bytes: u64,
    /// When it was last used, in uses.
    used: u64,
}

/// A shard, for a sample in a directory.
struct Looked {
    of: PathBuf,
    rows: ShardRows,
    bytes: u64,
}

/// The rows of a shard.
#[derive(Clone)]
enum ShardRows {
    /// That are to be arranged.
    Sample(Arc<Shard>),
    /// Whose units are asked one by one.
    Units(Arc<UnitShard>),
}

/// What is kept.
struct Shelf<B: DidBackend> {
    /// Keyed by a digest of the shard and the sample.
    shards: HashMap<u64, Looked>,
    manifests: HashMap<SampleFile, Arc<Manifest>>,
    segments: HashMap<SegmentKey, CachedSegment<B>>,
    bytes: u64,
    uses: u64,
}

/// Shards and segments within a budget. Shards, which no pass reads, are kept in what is free of half of it, and go first. A pass
/// over a sample reads its segments in turn, so that the least recently used of them is the next to be wanted: to make room,
/// segments of other samples go, least recently used first, and never those of the same sample.
pub(super) struct Cache<B: DidBackend> {
    budget: u64,
    shelf: Mutex<Shelf<B>>,
    bytes_read: AtomicU64,
}

impl<B: DidBackend> Cache<B> {
    pub fn new(budget: u64) -> Self {
        let (shards, manifests, segments) = (HashMap::new(), HashMap::new(), HashMap::new());
        let shelf = Mutex::new(Shelf { shards, manifests, segments, bytes: 0, uses: 0 });
        Self { budget, shelf, bytes_read: AtomicU64::new(0) }
    }

    /// Bytes of rows that were read from storage so far.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// The rows of a shard, for the sample in a directory.
    pub fn shard(
        &self,
        reading: &Reading,
        ranges: &[RowRange],
        directory: &Path,
    ) -> Result<Arc<Shard>> {
        let key = digest(&encode(&(reading, ranges, directory))?);
        if let Some(ShardRows::Sample(shard)) = self.kept_shard(key) {
            return Ok(shard);
        }
        let shard = Arc::new(reading.shard(ranges)?);
        self.keep_shard(key, directory, ShardRows::Sample(Arc::clone(&shard)), shard.bytes);
        Ok(shard)
    }

    /// The rows of a shard whose units are asked one by one, for the fit that writes to a directory.
    pub fn units(
        &self,
        reading: &UnitReading,
        ranges: &[RowRange],
        directory: &Path,
        moved: &[(f64, f64)],
    ) -> Result<Arc<UnitShard>> {
        let key = digest(&encode(&(reading, ranges, directory, moved))?);
        if let Some(ShardRows::Units(shard)) = self.kept_shard(key) {
            return Ok(shard);
        }
        let shard = Arc::new(reading.shard(ranges, moved)?);
        self.keep_shard(key, directory, ShardRows::Units(Arc::clone(&shard)), shard.bytes);
        Ok(shard)
    }

    fn kept_shard(&self, key: u64) -> Option<ShardRows> {
        held(&self.shelf).shards.get(&key).map(|kept| kept.rows.clone())
    }

    /// Keeps the rows of a shard if there is room.
    fn keep_shard(&self, key: u64, directory: &Path, rows: ShardRows, bytes: u64) {
        let mut shelf = held(&self.shelf);
        let fits = |shelf: &Shelf<B>| shelf.bytes + bytes <= self.budget / 2;
        if !fits(&shelf) {
            shelf.drop_shards(|kept| kept.of != directory);
        }
        if fits(&shelf) && !shelf.shards.contains_key(&key) {
            shelf.bytes += bytes;
            shelf.shards.insert(key, Looked { of: directory.into(), rows, bytes });
        }
    }

    /// The rows of a shard that nothing looks at afterwards: they are no longer kept.
    pub fn take_shard(
        &self,
        reading: &Reading,
        ranges: &[RowRange],
        directory: &Path,
    ) -> Result<Arc<Shard>> {
        let key = digest(&encode(&(reading, ranges, directory))?);
        let mut shelf = held(&self.shelf);
        if let Some(kept) = shelf.shards.remove(&key) {
            shelf.bytes -= kept.bytes;
            if let ShardRows::Sample(shard) = kept.rows {
                return Ok(shard);
            }
        }
        drop(shelf);
        Ok(Arc::new(reading.shard(ranges)?))
    }

    /// The rows of a segment as they were read.
    pub fn raw(
        &self,
        sample: &SampleFile,
        segment: u32,
    ) -> Result<(SegmentEntry, Arc<StratumData>)> {
        let manifest = self.manifest(sample)?;
        let entry = entry(&manifest, segment)?;
        let cached = self.find(sample, segment, |rows| match rows {
            CachedRows::Raw(data) => Some(Arc::clone(data)),
            CachedRows::Chunk(..) => None,
        });
        if let Some(data) = cached {
            return Ok((entry, data));
        }
        let data = Arc::new(files::read(&manifest, &entry)?);
        let bytes = manifest.shape.row_bytes() * entry.seal.rows;
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
        self.keep(sample, segment, CachedRows::Raw(Arc::clone(&data)), bytes);
        Ok((entry, data))
    }

    /// The rows of a segment, changed and on the device.
    pub fn chunk(
        &self,
        sample: &SampleFile,
        segment: u32,
        held: &Held<'_>,
        device: &B::Device,
    ) -> Result<(SegmentEntry, Arc<Chunk<B>>)> {
        let cached = self.find(sample, segment, |rows| match rows {
            CachedRows::Chunk(change, chunk) if *change == held.digest => Some(Arc::clone(chunk)),
            CachedRows::Chunk(..) | CachedRows::Raw(_) => None,
        });
        if let Some(chunk) = cached {
            return Ok((entry(&*self.manifest(sample)?, segment)?, chunk));
        }
        let (entry, data) = self.raw(sample, segment)?;
        self.drop_segment(sample, segment);
        let mut data = Arc::unwrap_or_clone(data);
        let (stratum, shape) = (entry.segment.stratum, self.manifest(sample)?.shape);
        if let Some(choice) = held.choice {
            data.x = choice.columns(shape.covariates, data.rows, &data.x);
        }
        held.change.apply(stratum, &mut data)?;
        let chunk = Arc::new(put(stratum, data, held.k, held.precision, device)?);
        let held_as = held.choice.map_or(shape, |choice| choice.shape(shape));
        let bytes = held_as.row_bytes() * entry.seal.rows;
        self.keep(sample, segment, CachedRows::Chunk(held.digest, Arc::clone(&chunk)), bytes);
        Ok((entry, chunk))
    }

    /// The sample's manifest, read once.
    pub fn manifest(&self, sample: &SampleFile) -> Result<Arc<Manifest>> {
        if let Some(manifest) = held(&self.shelf).manifests.get(sample) {
            return Ok(Arc::clone(manifest));
        }
        let manifest = Arc::new(Manifest::read(sample)?);
        let mut shelf = held(&self.shelf);
        let Shelf { manifests, segments, .. } = &mut *shelf;
        if manifests.len() >= MANIFESTS {
            manifests.retain(|sample, _| segments.keys().any(|(kept, _)| kept == sample));
        }
        manifests.insert(sample.clone(), Arc::clone(&manifest));
        Ok(manifest)
    }

    fn find<T>(
        &self,
        sample: &SampleFile,
        segment: u32,
        wanted: impl Fn(&CachedRows<B>) -> Option<T>,
    ) -> Option<T> {
        let mut shelf = held(&self.shelf);
        shelf.uses += 1;
        let now = shelf.uses;
        let cached = shelf.segments.get_mut(&(sample.clone(), segment))?;
        cached.used = now;
        wanted(&cached.rows)
    }

    fn drop_segment(&self, sample: &SampleFile, segment: u32) {
        let mut shelf = held(&self.shelf);
        if let Some(cached) = shelf.segments.remove(&(sample.clone(), segment)) {
            shelf.bytes -= cached.bytes;
        }
    }

    /// Keeps rows if there is room, or can be made.
    fn keep(&self, sample: &SampleFile, segment: u32, rows: CachedRows<B>, bytes: u64) {
        let mut shelf = held(&self.shelf);
        if shelf.bytes + bytes > self.budget {
            shelf.drop_shards(|_| true);
        }
        while shelf.bytes + bytes > self.budget {
            let others = shelf.segments.iter().filter(|((other, _), _)| other != sample);
            let oldest = others.min_by_key(|(_, kept)| kept.used).map(|(key, _)| key.clone());
            let Some(kept) = oldest.and_then(|key| shelf.segments.remove(&key)) else { return };
            shelf.bytes -= kept.bytes;
        }
        let used = shelf.uses;
        let before =
            shelf.segments.insert((sample.clone(), segment), CachedSegment { rows, bytes, used });
        shelf.bytes += bytes;
        shelf.bytes -= before.map_or(0, |kept| kept.bytes);
    }
}

impl<B: DidBackend> Shelf<B> {
    fn drop_shards(&mut self, is_dropped: impl Fn(&Looked) -> bool) {
        let bytes = &mut self.bytes;
        self.shards.retain(|_, kept| {
            let stays = !is_dropped(kept);
            *bytes -= if stays { 0 } else { kept.bytes };
            stays
        });
    }
}

fn entry(manifest: &Manifest, segment: u32) -> Result<SegmentEntry> {
    let entry = manifest.entries.get(segment as usize).cloned();
    entry.ok_or_else(|| DidError::Engine { problem: format!("there is no segment {segment}") })
}
