//! Arranged rows in files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::error::{DidError, Result};
use crate::base::storage;
use crate::cluster::manifest::{Manifest, SegmentEntry, ShardFile, WrittenPiece};
use crate::cluster::wire::{digest, encode};
use crate::engine::pass::{Seal, Segment, mix};
use crate::read::panel::StratumData;
use crate::read::panel::apart::{Arranged, ArrangedShard};

/// A name that no other attempt has, on any machine.
pub(super) fn fresh(directory: &Path, kind: &str, ending: &str) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos() as u64);
    let chance = rand::random::<u64>();
    directory.join(format!("{kind}-{:016x}{:016x}.{ending}", mix(now ^ number), chance))
}

/// Writes the rows of a shard, by strata and within them in pieces of segments of `length` rows.
pub(super) fn write(
    arranged: &ArrangedShard,
    length: usize,
    directory: &Path,
) -> Result<ShardFile> {
    let path = fresh(directory, "rows", "bin");
    let mut file = storage::create(&path).map_err(|source| DidError::io(&path, source))?;
    let mut pieces = Vec::new();
    for (stratum, Arranged { start, data }) in arranged.strata.iter().enumerate() {
        let mut from = 0;
        while from < data.rows {
            let (part, row) = ((start + from) / length, (start + from) % length);
            let rows = (length - row).min(data.rows - from);
            let piece = data.cut(from, from + rows);
            let mut bytes = Vec::new();
            let written = piece.write(rows, &mut bytes).and_then(|()| file.write_all(&bytes));
            written.map_err(|source| DidError::io(&path, source))?;
            pieces.push(WrittenPiece {
                segment: Segment { stratum, part },
                start: row,
                seal: Seal::of(&piece.rank),
                digest: digest(&bytes),
            });
            from += rows;
        }
    }
    file.finish().map_err(|source| DidError::io(&path, source))?;
    let labels = arranged.labels.as_ref().map(|labels| -> Result<PathBuf> {
        let path = fresh(directory, "labels", "bin");
        storage::write(&path, &encode(labels)?).map_err(|source| DidError::io(&path, source))?;
        Ok(path)
    });
    Ok(ShardFile { path, pieces, labels: labels.transpose()? })
}

/// Reads the rows of a segment.
///
/// # Errors
/// [`DidError::Io`], or [`DidError::Engine`] if what is read is not what was written.
pub(super) fn read(manifest: &Manifest, entry: &SegmentEntry) -> Result<StratumData> {
    let shape = manifest.shape;
    let rows: u64 = entry.pieces.iter().map(|piece| piece.rows as u64).sum();
    if rows != entry.seal.rows {
        let problem = "a segment's pieces have other rows than it".into();
        return Err(DidError::Engine { problem });
    }
    // No memory is taken for more than files have.
    for piece in &entry.pieces {
        let path = manifest.file(piece)?;
        let length = storage::length(path).map_err(|source| DidError::io(path, source))?;
        let end = (piece.rows as u64).checked_mul(shape.row_bytes());
        let end = end.and_then(|bytes| bytes.checked_add(piece.offset));
        if end.is_none_or(|end| end > length) {
            let problem = format!("{} is shorter than what was written", path.display());
            return Err(DidError::Engine { problem });
        }
    }
    let mut data = shape.stratum(entry.seal.rows as usize);
    let mut at = 0;
    for piece in &entry.pieces {
        let path = manifest.file(piece)?;
        let length = piece.rows * shape.row_bytes() as usize;
        let bytes = storage::range(path, piece.offset, length);
        let bytes = bytes.map_err(|source| DidError::io(path, source))?;
        if digest(&bytes) != piece.digest {
            let problem = format!("{} was damaged after it was written", path.display());
            return Err(DidError::Engine { problem });
        }
        let mut rows = shape.stratum(piece.rows);
        rows.read(&mut bytes.as_slice()).map_err(|source| DidError::io(path, source))?;
        data.copy_rows(at, &rows, 0, piece.rows);
        at += piece.rows;
    }
    if Seal::of(&data.rank) != entry.seal {
        let problem = "a segment's rows are not those that were arranged".into();
        return Err(DidError::Engine { problem });
    }
    Ok(data)
}
