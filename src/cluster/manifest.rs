//! The pieces of files that make up the arranged sample.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::wire::{decode, digest, encode};
use crate::base::error::{DidError, Result};
use crate::base::storage;
use crate::engine::condition::Change;
use crate::engine::pass::{Extent, Seal, Segment, ask};
use crate::engine::source::AnyPass;
use crate::read::panel::apart::{CovariateChoice, PlacementPlan, StratumShape};

/// A sample that workers can read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct SampleFile {
    /// Its manifest.
    pub path: PathBuf,
    /// The manifest's digest, so that nobody takes another for it.
    pub digest: u64,
}

/// The segments of a sample and where their rows are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Columns of the strata.
    pub shape: StratumShape,
    /// Number of strata.
    pub strata: usize,
    files: Vec<PathBuf>,
    /// Of each file, the labels of its rows' units; none if they are not kept.
    labels: Vec<PathBuf>,
    /// In the order of segments.
    pub entries: Vec<SegmentEntry>,
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SegmentEntry {
    pub segment: Segment,
    /// Rows of its stratum before it.
    pub first: usize,
    pub seal: Seal,
    pub pieces: Vec<FilePiece>,
}

/// Rows of a segment that are together in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct FilePiece {
    file: u32,
    pub offset: u64,
    pub rows: usize,
    /// Digest of its bytes.
    pub digest: u64,
}

/// A file with the rows of a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ShardFile {
    pub path: PathBuf,
    /// In the order in which they lie in the file, without gaps.
    pub pieces: Vec<WrittenPiece>,
    /// Labels of the rows' units in the same order, if they are kept.
    pub labels: Option<PathBuf>,
}

/// A piece that was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct WrittenPiece {
    pub segment: Segment,
    /// Row of the segment that it starts with.
    pub start: usize,
    pub seal: Seal,
    pub digest: u64,
}

impl Manifest {
    /// The sample with so many rows in each stratum, in segments of `length` rows, from what was written of the shards in
    /// their order.
    ///
    /// # Errors
    /// [`DidError::Engine`] if the pieces are not all rows of the sample, each once.
    pub fn new(
        plan: &PlacementPlan,
        rows: &[usize],
        length: usize,
        shards: Vec<ShardFile>,
    ) -> Result<Self> {
        let shape = plan.shape();
        let mut entries: BTreeMap<Segment, SegmentEntry> = BTreeMap::new();
        for (stratum, rows) in rows.iter().enumerate() {
            for part in 0..rows.div_ceil(length) {
                let (segment, seal) = (Segment { stratum, part }, Seal::default());
                let entry =
                    SegmentEntry { segment, first: part * length, seal, pieces: Vec::new() };
                entries.insert(segment, entry);
            }
        }
        let (mut files, mut labels) = (Vec::new(), Vec::new());
        for ShardFile { path, pieces, labels: of_rows } in shards {
            let mut offset = 0;
            for WrittenPiece { segment, start, seal, digest } in pieces {
                let entry = entries.get_mut(&segment);
                let entry = entry.filter(|entry| entry.seal.rows == start as u64);
                let entry = entry.ok_or_else(|| broken(segment, "does not follow on"))?;
                let (file, rows) = (files.len() as u32, seal.rows as usize);
                entry.pieces.push(FilePiece { file, offset, rows, digest });
                entry.seal += seal;
                offset += shape.row_bytes() * seal.rows;
            }
            files.push(path);
            labels.extend(of_rows);
        }
        let (strata, entries) = (rows.len(), entries.into_values().collect());
        if plan.keeps_labels() != (labels.len() == files.len()) && !files.is_empty() {
            let problem = "labels of units are missing, or were not asked for".into();
            return Err(DidError::Engine { problem });
        }
        let manifest = Self { shape, strata, files, labels, entries };
        manifest.check(rows, length)?;
        Ok(manifest)
    }

    /// Every row is there once: segments have their numbers of rows, and together the ranks from zero on.
    fn check(&self, rows: &[usize], length: usize) -> Result<()> {
        let mut all = Seal::default();
        for SegmentEntry { segment, first, seal, .. } in &self.entries {
            if seal.rows as usize != (rows[segment.stratum] - first).min(length) {
                return Err(broken(*segment, "lacks rows"));
            }
            all += *seal;
        }
        if all == Seal::of_range(0, all.rows) {
            return Ok(());
        }
        let problem = "the arranged rows are not those of the sample".into();
        Err(DidError::Engine { problem })
    }

    /// Publishes the sample.
    ///
    /// # Errors
    /// [`DidError::Io`].
    pub fn write(&self, path: PathBuf) -> Result<SampleFile> {
        let bytes = encode(self)?;
        let digest = digest(&bytes);
        storage::write(&path, &bytes).map_err(|source| DidError::io(&path, source))?;
        Ok(SampleFile { path, digest })
    }

    /// That of a sample.
    ///
    /// # Errors
    /// [`DidError::Io`] if it cannot be read, [`DidError::Engine`] if it is another.
    pub fn read(sample: &SampleFile) -> Result<Self> {
        let bytes =
            storage::read(&sample.path).map_err(|source| DidError::io(&sample.path, source))?;
        if digest(&bytes) != sample.digest {
            let problem = format!("{} is another sample's manifest", sample.path.display());
            return Err(DidError::Engine { problem });
        }
        decode(&bytes)
    }

    /// Columns of the strata with the covariates that are chosen.
    ///
    /// # Errors
    /// [`DidError::Engine`] if they have no such covariates.
    pub fn chosen(&self, choice: Option<&CovariateChoice>) -> Result<StratumShape> {
        ask(choice.is_none_or(|choice| choice.is_of(&self.shape)))?;
        Ok(choice.map_or(self.shape, |choice| choice.shape(self.shape)))
    }

    /// An error unless a pass and a change fit these rows.
    ///
    /// # Errors
    /// [`DidError::Engine`], or [`DidError::Memory`] if the sums of the pass have no room.
    pub fn check_pass(
        &self,
        pass: &AnyPass,
        change: &Change,
        k: usize,
        choice: Option<&CovariateChoice>,
    ) -> Result<()> {
        let (shape, strata) = (self.chosen(choice)?, &self.strata);
        let has = Extent {
            strata: *strata,
            k,
            versions: change.versions(shape.versions),
            outcomes: shape.periods,
            weights: shape.weight_columns(),
            clustered: shape.clustered,
        };
        let of_these = change.is_of(*strata, shape.periods, shape.covariates);
        ask(of_these && k == change.design_columns(shape.covariates))?;
        pass.check(&has)
    }

    /// All pieces, as positions of their entries and among those, in groups whose rows have ranks that follow on each other: by
    /// files, which have whole units in the order of their labels, or by segments.
    pub fn following(&self, by_stratum: bool) -> Vec<Vec<(usize, usize)>> {
        let groups = if by_stratum { self.entries.len() } else { self.files.len() };
        let mut following = vec![Vec::new(); groups];
        for (entry, SegmentEntry { pieces, .. }) in self.entries.iter().enumerate() {
            for (piece, FilePiece { file, .. }) in pieces.iter().enumerate() {
                let group = if by_stratum { entry } else { *file as usize };
                following[group].push((entry, piece));
            }
        }
        following.retain(|group| !group.is_empty());
        following
    }

    /// The file with the labels of a piece's rows, and which of them is the first row's.
    pub fn labels_of(&self, piece: &FilePiece) -> Result<Option<(PathBuf, usize)>> {
        if self.labels.is_empty() {
            return Ok(None);
        }
        let path = self.labels.get(piece.file as usize).cloned().ok_or_else(no_file)?;
        Ok(Some((path, (piece.offset / self.shape.row_bytes()) as usize)))
    }

    /// The file that a piece is in.
    pub fn file(&self, piece: &FilePiece) -> Result<&Path> {
        let file = self.files.get(piece.file as usize).map(PathBuf::as_path);
        file.ok_or_else(no_file)
    }
}

fn no_file() -> DidError {
    DidError::Engine { problem: "a piece is in no file".into() }
}

fn broken(Segment { stratum, part }: Segment, what: &str) -> DidError {
    let problem = format!("what was arranged of part {part} of stratum {stratum} {what}");
    DidError::Engine { problem }
}
