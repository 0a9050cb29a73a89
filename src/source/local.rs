//! Chunks on the devices of this machine.

use std::sync::mpsc::sync_channel;

use super::{Source, Work};
use crate::backend::{DidBackend, Matrix};
use crate::error::{DidError, Result};
use crate::options::Precision;
use crate::panel::{Layout, Panel, Sample, Spill, Strata, StratumData};
use crate::pass::{Chunk, Pass, Stat, TILE};
use crate::progress::Progress;

/// Rows of a segment: the statistic of a stratum is the sum of its segments', whichever device forms them.
const SEGMENT: usize = 64 * TILE;

/// How a sample is put on the devices.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalOptions {
    pub precision: Precision,
    /// Rows of a chunk, rounded up to whole tiles; a segment if `None`.
    pub chunk_rows: Option<usize>,
    /// Bytes of unit data that may be on a device at once.
    pub memory_budget: Option<u64>,
    pub progress: Option<Progress>,
}

/// A sample on the devices of one backend: resident if it fits, else uploaded chunk by chunk in every pass.
pub(crate) struct Local<B: DidBackend> {
    sample: Sample,
    options: LocalOptions,
    devices: Vec<B::Device>,
    segments: Vec<Segment<B>>,
    /// Strata that stay on the host.
    strata: Vec<StratumData>,
    spill: Option<Box<Spill>>,
    outcome_columns: usize,
}

/// Rows that one device works on at a time.
struct Segment<B: DidBackend> {
    stratum: usize,
    rows: usize,
    held: Held<B>,
}

enum Held<B: DidBackend> {
    Resident(Vec<Chunk<B>>),
    /// First row in the host's stratum, and rows of a chunk.
    Streamed(usize, usize),
    /// Pieces in the file.
    Spilled(std::ops::Range<usize>),
}

impl<B: DidBackend> Local<B> {
    /// Puts the panel on the devices, segments in turn.
    ///
    /// # Errors
    /// [`DidError::Precision`], [`DidError::Device`], [`DidError::Memory`], or [`DidError::Config`] without a device.
    pub fn new(panel: Panel, devices: &[B::Device], options: LocalOptions) -> Result<Self> {
        let Panel { sample, strata } = panel;
        let outcome_columns = match sample.layout {
            Layout::RepeatedCrossSections => 1,
            Layout::Balanced | Layout::Unbalanced => sample.periods.len(),
        };
        let budget = budget::<B>(devices, &options)?;
        let mut local = Self {
            sample,
            options,
            devices: devices.to_vec(),
            segments: Vec::new(),
            strata: Vec::new(),
            spill: None,
            outcome_columns,
        };
        match strata {
            Strata::Resident(strata) => local.hold(strata, budget)?,
            Strata::Spilled(spill) => local.hold_file(spill),
        }
        Ok(local)
    }

    fn hold(&mut self, strata: Vec<StratumData>, budget: Option<u64>) -> Result<()> {
        let width = match self.options.precision {
            Precision::F64 => 8,
            Precision::F32 => 4,
        };
        let values = |s: &StratumData| (s.y.len() + s.x.len() + s.w.len()) as u64;
        let bytes: u64 = strata.iter().map(|s| values(s) * width).sum();
        let streamed = budget.is_some_and(|b| bytes > b.saturating_mul(self.devices.len() as u64));
        let total = strata.len() as u64;
        for (stratum, data) in strata.into_iter().enumerate() {
            if let Some(progress) = &self.options.progress {
                progress.report("upload", stratum as u64, total);
            }
            let row_bytes = values(&data) * width / data.rows.max(1) as u64;
            let chunk_rows = self.chunk_rows(budget.filter(|_| streamed), row_bytes)?;
            let total = data.rows;
            let undivided = !streamed && total <= SEGMENT.min(chunk_rows);
            if undivided && total > 0 {
                let chunk = self.chunk(stratum, data, self.next_device());
                let held = Held::Resident(vec![chunk]);
                self.segments.push(Segment { stratum, rows: total, held });
                continue;
            }
            for start in (0..total).step_by(SEGMENT) {
                let end = (start + SEGMENT).min(total);
                let held = if streamed {
                    Held::Streamed(start, chunk_rows)
                } else {
                    let chunk = |a: usize| {
                        let piece = cut(&data, a, (a + chunk_rows).min(end));
                        self.chunk(stratum, piece, self.next_device())
                    };
                    Held::Resident((start..end).step_by(chunk_rows).map(chunk).collect())
                };
                self.segments.push(Segment { stratum, rows: end - start, held });
            }
            if streamed {
                self.strata.push(data);
            }
        }
        Ok(())
    }

    fn hold_file(&mut self, spill: Box<Spill>) {
        for stratum in 0..spill.strata() {
            let pieces: Vec<usize> = spill.rows(stratum).collect();
            let each = SEGMENT / pieces.first().map_or(SEGMENT, |rows| (*rows).max(TILE));
            for start in (0..pieces.len()).step_by(each.max(1)) {
                let range = start..(start + each.max(1)).min(pieces.len());
                let rows = pieces[range.clone()].iter().sum();
                self.segments.push(Segment { stratum, rows, held: Held::Spilled(range) });
            }
        }
        self.spill = Some(spill);
    }

    /// The device of the segment that is added next.
    fn next_device(&self) -> &B::Device {
        &self.devices[self.segments.len() % self.devices.len()]
    }

    /// Whole tiles that two chunks of fit the budget.
    fn chunk_rows(&self, budget: Option<u64>, row_bytes: u64) -> Result<usize> {
        let asked = self.options.chunk_rows.unwrap_or(SEGMENT).clamp(1, SEGMENT);
        let asked = asked.next_multiple_of(TILE);
        let Some(budget) = budget else { return Ok(asked) };
        let rows = usize::try_from(budget / 2 / row_bytes.max(1)).unwrap_or(usize::MAX);
        let fitting = rows / TILE * TILE;
        if fitting == 0 {
            return Err(DidError::Memory {
                what: "the smallest chunk of the sample",
                needed: 2 * row_bytes * TILE as u64,
                available: budget,
                remedy: "raise the memory budget",
            });
        }
        Ok(asked.min(fitting))
    }

    /// Moves the rows to a device.
    fn chunk(&self, stratum: usize, data: StratumData, device: &B::Device) -> Chunk<B> {
        let StratumData { rows, y, x, w, rank, cluster } = data;
        let dtype = self.options.precision.dtype();
        let upload = |v: Vec<f64>| {
            let shape = [v.len() / rows, rows];
            Matrix::upload(v, shape, device, dtype).into()
        };
        Chunk {
            stratum,
            rows,
            y: upload(y),
            x: (!x.is_empty()).then(|| upload(x)),
            w: (!w.is_empty()).then(|| upload(w)),
            rank,
            cluster,
            k: self.sample.design.k(),
        }
    }

    /// The statistic of one segment.
    fn segment<P: Pass>(
        &self,
        pass: &P,
        segment: &Segment<B>,
        device: &B::Device,
    ) -> Result<P::Stat> {
        let mut stat = pass.identity();
        let stratum = segment.stratum;
        match &segment.held {
            Held::Resident(chunks) => {
                for chunk in chunks {
                    pass.accumulate(chunk, &mut stat)?;
                }
            }
            Held::Streamed(first, chunk_rows) => {
                let end = first + segment.rows;
                for start in (*first..end).step_by(*chunk_rows) {
                    let piece = cut(&self.strata[stratum], start, (start + chunk_rows).min(end));
                    pass.accumulate(&self.chunk(stratum, piece, device), &mut stat)?;
                }
            }
            Held::Spilled(pieces) => {
                for (piece, spill) in
                    pieces.clone().flat_map(|p| self.spill.iter().map(move |s| (p, s)))
                {
                    let piece = spill.read(stratum, piece)?;
                    pass.accumulate(&self.chunk(stratum, piece, device), &mut stat)?;
                }
            }
        }
        Ok(stat)
    }
}

/// Bytes of unit data that may be on each device.
fn budget<B: DidBackend>(devices: &[B::Device], options: &LocalOptions) -> Result<Option<u64>> {
    if devices.is_empty() {
        return Err(DidError::Config {
            option: "devices",
            expected: "at least one device",
            got: "none".into(),
        });
    }
    let mut budget = options.memory_budget;
    for device in devices {
        let available = B::probe(device, options.precision)?;
        // A fifth of free memory is left for working space.
        let free = available.free_bytes.map(|b| b / 5 * 4);
        budget = budget.into_iter().chain(free).min();
    }
    Ok(budget)
}

/// Rows `start..end` of a stratum.
fn cut(data: &StratumData, start: usize, end: usize) -> StratumData {
    let columns = |v: &[f64]| -> Vec<f64> {
        v.chunks_exact(data.rows).flat_map(|c| &c[start..end]).copied().collect()
    };
    StratumData {
        rows: end - start,
        y: columns(&data.y),
        x: columns(&data.x),
        w: columns(&data.w),
        rank: data.rank[start..end].to_vec(),
        cluster: data.cluster.get(start..end).map(<[u32]>::to_vec).unwrap_or_default(),
    }
}

impl<B: DidBackend> Source for Local<B> {
    fn sample(&self) -> &Sample {
        &self.sample
    }

    fn backend(&self) -> &'static str {
        B::NAME
    }

    fn precision(&self) -> Precision {
        self.options.precision
    }

    fn outcome_columns(&self) -> usize {
        self.outcome_columns
    }

    fn check(&self, work: &Work<'_>) -> Result<()> {
        work.check_memory(&self.sample, self.devices.len())
    }

    /// Each device works on its segments in order, on a thread of its own; the statistics are added in the order of the
    /// segments.
    fn run<P: Pass>(&self, pass: &P) -> Result<P::Stat> {
        let devices = self.devices.len();
        let wanted: Vec<(usize, &Segment<B>)> =
            self.segments.iter().enumerate().filter(|(_, s)| pass.reads(s.stratum)).collect();
        let total = wanted.iter().map(|(_, s)| s.rows as u64).sum();
        let mut stat = pass.identity();
        let mut done = 0;
        let mut add = |part: P::Stat, rows: usize| {
            stat.merge(part);
            done += rows as u64;
            if let Some(progress) = &self.options.progress {
                progress.report(P::NAME, done, total);
            }
        };
        if let [device] = self.devices.as_slice() {
            for (_, segment) in wanted {
                add(self.segment(pass, segment, device)?, segment.rows);
            }
            return Ok(stat);
        }
        std::thread::scope(|scope| {
            let results: Vec<_> = (0..devices)
                .map(|d| {
                    let (send, receive) = sync_channel(1);
                    let own: Vec<_> =
                        wanted.iter().filter(|(i, _)| i % devices == d).map(|(_, s)| *s).collect();
                    scope.spawn(move || {
                        for segment in own {
                            // Nobody listens any more once another device has failed.
                            if send.send(self.segment(pass, segment, &self.devices[d])).is_err() {
                                return;
                            }
                        }
                    });
                    receive
                })
                .collect();
            for (i, segment) in &wanted {
                let stopped = |_| DidError::Device {
                    device: format!("{:?}", self.devices[i % devices]),
                    problem: "its thread stopped".into(),
                };
                add(results[i % devices].recv().map_err(stopped)??, segment.rows);
            }
            Ok::<(), DidError>(())
        })?;
        Ok(stat)
    }
}
