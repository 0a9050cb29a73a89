//! Chunks on the devices of this machine.

use std::sync::mpsc::sync_channel;

use super::answer::{Answer, HERE, Ledger, Merge};
use super::host::{HostStrata, apply, pieces};
use super::upload::{cut, upload};
use super::{AnyPass, AnyStat, Keep, Source, Work};
use crate::backend::DidBackend;
use crate::condition::{Change, Look, LookStat, Raw};
use crate::error::{DidError, Result};
use crate::options::Precision;
use crate::panel::{Sample, Spill, Strata, StratumData};
use crate::pass::{Chunk, SEGMENT, Seal, Segment, TILE};
use crate::progress::Progress;

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

/// Strata on the host, on their way to the devices.
pub(crate) struct LocalStrata<B: DidBackend> {
    host: HostStrata,
    devices: Vec<B::Device>,
    options: LocalOptions,
}

impl<B: DidBackend> LocalStrata<B> {
    pub fn new(host: HostStrata, devices: &[B::Device], options: LocalOptions) -> Self {
        Self { host, devices: devices.to_vec(), options }
    }
}

impl<B: DidBackend> Raw for LocalStrata<B> {
    type Conditioned = Local<B>;

    fn rows(&self) -> Vec<usize> {
        self.host.rows()
    }

    fn answer(&self, look: &Look) -> Result<Vec<LookStat>> {
        self.host.answer(look)
    }

    /// Puts the changed strata on the devices, segments in turn.
    ///
    /// # Errors
    /// [`DidError::Precision`], [`DidError::Device`], [`DidError::Memory`], or [`DidError::Config`] without a device.
    fn condition(self, sample: Sample, change: Change) -> Result<Local<B>> {
        let Self { host: HostStrata { strata, ledger, length }, devices, options } = self;
        let _span = tracing::info_span!("upload").entered();
        let budget = budget::<B>(&devices, &options)?;
        let mut local = Local {
            sample,
            options,
            devices,
            ledger,
            held: Vec::new(),
            strata: Vec::new(),
            spill: None,
        };
        match strata {
            Strata::Resident(mut strata) => {
                apply(&change, &mut strata);
                local.hold(strata, length, budget)?;
            }
            Strata::Spilled(spill) => {
                local.held = local.ledger.entries().iter().map(|_| Held::Spilled).collect();
                local.spill = Some((spill, change));
            }
        }
        Ok(local)
    }
}

/// A sample on the devices of one backend: resident if it fits, else uploaded chunk by chunk in every pass.
pub(crate) struct Local<B: DidBackend> {
    sample: Sample,
    options: LocalOptions,
    devices: Vec<B::Device>,
    ledger: Ledger,
    /// Where the rows of each segment are.
    held: Vec<Held<B>>,
    /// Strata that stay on the host.
    strata: Vec<StratumData>,
    /// Strata in a file, and how they change when they are read.
    spill: Option<(Box<Spill>, Change)>,
}

/// Where the rows of a segment are, on which one device works at a time.
enum Held<B: DidBackend> {
    Resident(Vec<Chunk<B>>),
    /// On the host: their first in the stratum, and rows of a chunk.
    Streamed(usize, usize),
    Spilled,
}

impl<B: DidBackend> Local<B> {
    /// Holds strata that are in memory, in segments of `length` rows.
    fn hold(&mut self, strata: Vec<StratumData>, length: usize, budget: Option<u64>) -> Result<()> {
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
            let undivided = !streamed && total <= length.min(chunk_rows);
            if undivided && total > 0 {
                let chunk = self.chunk(stratum, data, self.next_device());
                self.held.push(Held::Resident(vec![chunk]));
                continue;
            }
            for start in (0..total).step_by(length) {
                let end = (start + length).min(total);
                let held = if streamed {
                    Held::Streamed(start, chunk_rows)
                } else {
                    let chunk = |a: usize| {
                        let piece = cut(&data, a, (a + chunk_rows).min(end));
                        self.chunk(stratum, piece, self.next_device())
                    };
                    Held::Resident((start..end).step_by(chunk_rows).map(chunk).collect())
                };
                self.held.push(held);
            }
            if streamed {
                self.strata.push(data);
            }
        }
        Ok(())
    }

    /// The device of the segment that is added next.
    fn next_device(&self) -> &B::Device {
        &self.devices[self.held.len() % self.devices.len()]
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
        upload(stratum, data, self.sample.design.k(), self.options.precision, device)
    }

    /// What one segment answers.
    fn segment(
        &self,
        pass: &AnyPass,
        (segment, seal): (Segment, Seal),
        held: &Held<B>,
        device: &B::Device,
    ) -> Result<Answer<AnyStat>> {
        let stratum = segment.stratum;
        let mut stat = pass.none_of(stratum);
        let mut kept = Vec::new();
        let mut add = |chunk: &Chunk<B>| -> Result<()> {
            kept.extend(pass.accumulate(chunk, &mut stat)?);
            Ok(())
        };
        let mut read = seal;
        match held {
            Held::Resident(chunks) => chunks.iter().try_for_each(add)?,
            Held::Streamed(first, chunk_rows) => {
                let end = first + seal.rows as usize;
                for start in (*first..end).step_by(*chunk_rows) {
                    let piece = cut(&self.strata[stratum], start, (start + chunk_rows).min(end));
                    add(&self.chunk(stratum, piece, device))?;
                }
            }
            Held::Spilled => {
                let Some((spill, change)) = &self.spill else {
                    let problem = "a segment is in a file that there is not".into();
                    return Err(DidError::Engine { problem });
                };
                read = Seal::default();
                for piece in pieces(spill, segment) {
                    let mut piece = spill.read(stratum, piece)?;
                    read += Seal::of(&piece.rank);
                    change.apply(stratum, &mut piece);
                    add(&self.chunk(stratum, piece, device))?;
                }
            }
        }
        Ok(Answer { question: HERE, segment, seal: read, stat, kept })
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

    fn check(&self, work: &Work<'_>) -> Result<()> {
        work.check_memory(&self.sample, self.devices.len())
    }

    /// Each device works on its segments in order, on a thread of its own.
    fn answer(&self, pass: &AnyPass, keep: &mut Keep<'_>) -> Result<AnyStat> {
        let devices = self.devices.len();
        let entries = self.ledger.entries().iter().copied().zip(&self.held).enumerate();
        let wanted: Vec<_> =
            entries.filter(|(_, ((segment, _), _))| pass.reads(segment.stratum)).collect();
        let mut merge = Merge::new(&self.ledger, pass, HERE);
        let mut add = |answer: Answer<AnyStat>| -> Result<()> {
            merge.add(answer, keep)?;
            if let Some(progress) = &self.options.progress {
                let (done, total) = merge.rows();
                progress.report(pass.name(), done, total);
            }
            Ok(())
        };
        if let [device] = self.devices.as_slice() {
            for (_, (entry, held)) in wanted {
                add(self.segment(pass, entry, held, device)?)?;
            }
            return merge.finish();
        }
        std::thread::scope(|scope| {
            let results: Vec<_> = (0..devices)
                .map(|d| {
                    let (send, receive) = sync_channel(1);
                    let own: Vec<_> = wanted.iter().filter(|(i, _)| i % devices == d).collect();
                    scope.spawn(move || {
                        for (_, (entry, held)) in own {
                            let answer = self.segment(pass, *entry, held, &self.devices[d]);
                            // Nobody listens any more once another device has failed.
                            if send.send(answer).is_err() {
                                return;
                            }
                        }
                    });
                    receive
                })
                .collect();
            for (i, _) in &wanted {
                let stopped = |_| DidError::Device {
                    device: format!("{:?}", self.devices[i % devices]),
                    problem: "its thread stopped".into(),
                };
                add(results[i % devices].recv().map_err(stopped)??)?;
            }
            Ok::<(), DidError>(())
        })?;
        merge.finish()
    }
}
