//! Strata in the memory or in a file of this machine, as they were read.

use std::ops::Range;

use super::answer::{Answer, LOCAL, Ledger, Merge};
use crate::base::error::{DidError, Result};
use crate::base::parallel;
use crate::engine::condition::{Change, Look, LookStat, Piece, Raw};
use crate::engine::pass::{SEGMENT, Seal, Segment, TILE};
use crate::read::panel::{Panel, Sample, Spill, Strata, StratumData};

/// Strata and their segments.
pub(crate) struct HostStrata {
    pub(super) strata: Strata,
    pub(super) ledger: Ledger,
    /// Rows of a segment.
    pub(super) length: usize,
}

impl HostStrata {
    /// Strata in segments of the usual length.
    pub fn new(strata: Strata) -> Self {
        Self::with_segments(strata, SEGMENT)
    }

    /// Strata in segments of `length` rows, which is a number of tiles; those of a file have the usual length.
    pub(crate) fn with_segments(strata: Strata, length: usize) -> Self {
        let (ledger, length) = match &strata {
            Strata::Resident(strata) => (resident(strata, length), length),
            Strata::Spilled(spill) => (spilled(spill), SEGMENT),
        };
        Self { strata, ledger, length }
    }

    /// What a segment of the strata answers.
    fn segment(&self, look: &Look, segment: Segment, seal: Seal) -> Result<Answer<LookStat>> {
        let Segment { stratum, part } = segment;
        let mut stat = look.none(stratum);
        let (first, rows) = (part * self.length, seal.rows as usize);
        let read = match &self.strata {
            Strata::Resident(strata) => {
                let data = &strata[stratum];
                look.add(&Piece { stratum, first, data, start: first, rows }, &mut stat)?;
                seal
            }
            Strata::Spilled(spill) => {
                let (mut read, mut first) = (Seal::default(), first);
                for piece in pieces(spill, segment) {
                    let data = &spill.read(stratum, piece)?;
                    let piece = Piece { stratum, first, data, start: 0, rows: data.rows };
                    look.add(&piece, &mut stat)?;
                    read += Seal::of(piece.ranks());
                    first += data.rows;
                }
                read
            }
        };
        Ok(Answer { question: LOCAL, segment, seal: read, stat, kept: Vec::new() })
    }
}

impl Raw for HostStrata {
    fn rows(&self) -> Vec<usize> {
        self.ledger.rows()
    }

    fn answer(&self, look: &Look) -> Result<Vec<LookStat>> {
        let mut merge = Merge::new(&self.ledger, look, LOCAL);
        let mut none = |_| Err(DidError::Engine { problem: "a look keeps no rows".into() });
        let entries = self.ledger.entries();
        let reads = |entry: &&(Segment, Seal)| look.reads(entry.0.stratum);
        let answer = |(segment, seal): &(Segment, Seal)| self.segment(look, *segment, *seal);
        let mut read = entries.iter().filter(reads);
        if let Strata::Resident(_) = self.strata {
            let read: Vec<_> = read.collect();
            let mut answers = parallel::map(read.len(), |i| answer(read[i])).into_iter();
            answers.try_for_each(|answer| merge.add(answer?, &mut none))?;
        } else {
            // One at a time: they are in a file because memory is short.
            read.try_for_each(|entry| merge.add(answer(entry)?, &mut none))?;
        }
        merge.finish()
    }
}

impl HostStrata {
    /// The changed strata in memory.
    pub fn condition(mut self, sample: Sample, change: Change) -> Result<Panel> {
        if let Strata::Resident(strata) = &mut self.strata {
            apply(&change, strata)?;
        }
        let panel = Panel { sample, strata: self.strata };
        panel.resident()?;
        Ok(panel)
    }
}

/// Changes all strata.
pub(super) fn apply(change: &Change, strata: &mut [StratumData]) -> Result<()> {
    strata.iter_mut().enumerate().try_for_each(|(stratum, data)| change.apply(stratum, data))
}

/// Segments of strata in memory.
fn resident(strata: &[StratumData], length: usize) -> Ledger {
    let segments = strata.iter().enumerate().flat_map(|(stratum, data)| {
        (0..data.rows.div_ceil(length)).map(move |part| (Segment { stratum, part }, data))
    });
    let segments: Vec<(Segment, &StratumData)> = segments.collect();
    let sealed = parallel::map(segments.len(), |i| {
        let (segment, data) = segments[i];
        (segment, Seal::of(&data.rank[parallel::part(segment.part, length, data.rows)]))
    });
    Ledger::new(strata.len(), sealed)
}

/// Segments of strata in a file, as they were written.
fn spilled(spill: &Spill) -> Ledger {
    let mut entries = Vec::new();
    for stratum in 0..spill.strata() {
        let seals: Vec<Seal> = spill.seals(stratum).collect();
        for (part, seals) in seals.chunks(pieces_of_segment(spill, stratum)).enumerate() {
            let mut seal = Seal::default();
            for piece in seals {
                seal += *piece;
            }
            entries.push((Segment { stratum, part }, seal));
        }
    }
    Ledger::new(spill.strata(), entries)
}

/// Pieces of the file that make a segment; a stratum's last segment may have fewer.
fn pieces_of_segment(spill: &Spill, stratum: usize) -> usize {
    let first = spill.seals(stratum).next().map_or(SEGMENT, |seal| seal.rows as usize);
    (SEGMENT / first.max(TILE)).max(1)
}

/// Pieces of the file that are a segment.
pub(super) fn pieces(spill: &Spill, segment: Segment) -> Range<usize> {
    let each = pieces_of_segment(spill, segment.stratum);
    let start = segment.part * each;
    start..(start + each).min(spill.seals(segment.stratum).count())
}
