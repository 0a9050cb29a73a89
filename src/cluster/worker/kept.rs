//! Influence values in files: as a pass leaves them, and as users see them.

use std::io::Write;
use std::path::{Path, PathBuf};

use polars::prelude::*;

use super::files::fresh;
use crate::base::error::{DidError, Result};
use crate::base::storage;
use crate::cluster::manifest::SegmentEntry;
use crate::cluster::task::{Finishing, KeptFile, KeptPart, Unfinished};
use crate::cluster::wire::{decode, digest};
use crate::engine::pass::{KeptRows, Seal, add};
use crate::engine::source::KeptColumn;
use crate::engine::source::influence::frame;
use crate::read::files::problem;

/// Rows of a row group of the files that users see.
const ROWS: usize = 1 << 16;

/// Place of a row that is nowhere.
const NOWHERE: (u32, u32) = (u32::MAX, u32::MAX);

/// Writes what a pass kept of a segment, in the pieces in which its rows were arranged: ranks, then columns.
pub(super) fn keep(rows: &KeptRows, entry: &SegmentEntry, directory: &Path) -> Result<KeptFile> {
    let KeptRows { ranks, clusters: _, columns, values } = rows;
    if Seal::of(ranks) != entry.seal || values.len() != columns.len() * ranks.len() {
        return Err(other_rows());
    }
    let path = fresh(directory, "kept", "bin");
    let mut file = storage::create(&path).map_err(|source| DidError::io(&path, source))?;
    let mut digests = Vec::with_capacity(entry.pieces.len());
    let mut at = 0;
    for piece in &entry.pieces {
        let end = at + piece.rows;
        let mut bytes: Vec<u8> = bytemuck::cast_slice(&ranks[at..end]).to_vec();
        for column in values.chunks_exact(ranks.len().max(1)) {
            bytes.extend_from_slice(bytemuck::cast_slice(&column[at..end]));
        }
        file.write_all(&bytes).map_err(|source| DidError::io(&path, source))?;
        digests.push(digest(&bytes));
        at = end;
    }
    file.finish().map_err(|source| DidError::io(&path, source))?;
    Ok(KeptFile { path, columns: columns.clone(), digests })
}

/// Rows that a pass left, as they are read again.
struct RowsReadBack<'a> {
    part: &'a KeptPart,
    ranks: Vec<u64>,
    /// Column by column.
    values: Vec<f64>,
    labels: Option<Vec<String>>,
}

/// Writes the file of some units that follow on each other.
///
/// # Errors
/// [`DidError::Io`], or [`DidError::Engine`] if what is read is not what was written, or not of these units.
pub(super) fn finish(work: &Unfinished<'_>) -> Result<(PathBuf, Seal)> {
    let Unfinished { parts, first, rows, finishing, directory } = work;
    // No memory is taken for more than files have.
    for part in parts {
        let length =
            storage::length(&part.path).map_err(|source| DidError::io(&part.path, source))?;
        let end = part.bytes().and_then(|bytes| bytes.checked_add(part.offset));
        if end.is_none_or(|end| end > length) {
            let problem = format!("{} is shorter than what was kept", part.path.display());
            return Err(DidError::Engine { problem });
        }
    }
    let all = parts.iter().try_fold(0usize, |all, part| all.checked_add(part.rows));
    if all != Some(*rows) {
        return Err(other_rows());
    }
    let read: Vec<RowsReadBack<'_>> = parts.iter().map(read).collect::<Result<_>>()?;
    let mut places = vec![NOWHERE; *rows];
    let mut seal = Seal::default();
    for (number, part) in (0u32..).zip(&read) {
        seal += Seal::of(&part.ranks);
        for (row, rank) in (0u32..).zip(&part.ranks) {
            let place = rank.checked_sub(*first).and_then(|at| usize::try_from(at).ok());
            let place = place.and_then(|at| places.get_mut(at)).filter(|place| **place == NOWHERE);
            *place.ok_or_else(other_rows)? = (number, row);
        }
    }
    let path = fresh(directory, "influence", "parquet");
    let mut file = storage::create(&path).map_err(|source| DidError::io(&path, source))?;
    let none = finished(&read, &[], *first, finishing)?;
    let unwritten = |error: PolarsError| problem(&path, error.to_string());
    let mut writer = storage::parquet(&mut file).batched(none.schema()).map_err(unwritten)?;
    let mut start = *first;
    for places in places.chunks(ROWS) {
        let rows = finished(&read, places, start, finishing)?;
        writer.write_batch(&rows).map_err(unwritten)?;
        start += places.len() as u64;
    }
    writer.finish().map_err(unwritten)?;
    drop(writer);
    file.finish().map_err(|source| DidError::io(&path, source))?;
    Ok((path, seal))
}

fn read(part: &KeptPart) -> Result<RowsReadBack<'_>> {
    let KeptPart { path, offset, rows, digest: sent, columns, labels } = part;
    let length = part.bytes().and_then(|bytes| usize::try_from(bytes).ok());
    let length = length.ok_or_else(other_rows)?;
    let bytes =
        storage::range(path, *offset, length).map_err(|source| DidError::io(path, source))?;
    if digest(&bytes) != *sent {
        let problem = format!("{} was damaged after it was written", path.display());
        return Err(DidError::Engine { problem });
    }
    let (ranks, values) = bytes.split_at(8 * rows);
    let labels = labels.as_ref().map(|(path, first)| -> Result<Vec<String>> {
        let bytes = storage::read(path).map_err(|source| DidError::io(path, source))?;
        let mut labels: Vec<String> = decode(&bytes)?;
        let end = first.checked_add(*rows).filter(|end| *end <= labels.len());
        labels.truncate(end.ok_or_else(other_rows)?);
        Ok(labels.split_off(*first))
    });
    let mut values_of = vec![0.0; columns.len() * rows];
    bytemuck::cast_slice_mut(&mut values_of).copy_from_slice(values);
    let mut ranks_of = vec![0u64; *rows];
    bytemuck::cast_slice_mut(&mut ranks_of).copy_from_slice(ranks);
    Ok(RowsReadBack { part, ranks: ranks_of, values: values_of, labels: labels.transpose()? })
}

/// Rows at some places; the first row has the rank `start`.
fn finished(
    read: &[RowsReadBack<'_>],
    places: &[(u32, u32)],
    start: u64,
    finishing: &Finishing,
) -> Result<DataFrame> {
    let label = |(rank, (part, row)): (u64, &(u32, u32))| {
        let labels = &read[*part as usize].labels;
        labels.as_ref().map_or_else(|| rank.to_string(), |labels| labels[*row as usize].clone())
    };
    let units = (start..).zip(places).map(label).collect();
    let columns = finishing.columns.iter().filter_map(|KeptColumn { name, from }| {
        let mut columns = from.iter().map(|j| scaled(read, places, *j, finishing.scale));
        let mut sum = columns.next()?;
        columns.for_each(|column| add(&mut sum, &column));
        Some((name.as_str(), sum))
    });
    frame(units, columns.collect())
}

/// A column of the pass at some places, in units of the outcome and on the scale of one observation.
fn scaled(
    read: &[RowsReadBack<'_>],
    places: &[(u32, u32)],
    column: usize,
    (n, y_scale): (f64, f64),
) -> Vec<f64> {
    let starts: Vec<Option<usize>> = read
        .iter()
        .map(|RowsReadBack { part, .. }| {
            let at = part.columns.iter().position(|known| *known == column);
            at.map(|at| at * part.rows)
        })
        .collect();
    let value = |(part, row): &(u32, u32)| {
        let (part, row) = (*part as usize, *row as usize);
        starts[part].map_or(0.0, |start| read[part].values[start + row] * n * y_scale)
    };
    places.iter().map(value).collect()
}

fn other_rows() -> DidError {
    DidError::Engine { problem: "the influence values that were kept belong to other rows".into() }
}
