//! Chunks on the devices of this machine.

mod answers;

use std::sync::Mutex;

use super::answer::Ledger;
use super::host::{HostStrata, apply};
use super::upload::{host_rows, put};
use super::{RawSource, Source};
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::base::parallel::{self, held};
use crate::base::progress::Progress;
use crate::engine::backend::{AtOnce, DeviceWork, DidBackend, HostRows};
use crate::engine::condition::{Change, Look, LookStat, Raw};
use crate::engine::pass::{Chunk, SEGMENT, TILE};
use crate::read::panel::{Sample, Spill, Strata, StratumData};

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
    fn rows(&self) -> Vec<usize> {
        self.host.rows()
    }

    fn answer(&self, look: &Look) -> Result<Vec<LookStat>> {
        self.host.answer(look)
    }
}

impl<B: DidBackend> RawSource for LocalStrata<B> {
    /// Puts the changed strata on the devices, segments in turn.
    fn condition(self: Box<Self>, sample: Sample, change: Change) -> Result<Box<dyn Source>> {
        let Self { host: HostStrata { strata, ledger, length }, devices, options } = *self;
        let _span = tracing::info_span!("upload").entered();
        let budget = budget::<B>(&devices, &options)?;
        let mut local = Local::<B> {
            sample,
            options,
            devices,
            ledger,
            held: Vec::new(),
            strata: Vec::new(),
            spill: None,
            work: Mutex::default(),
        };
        match strata {
            Strata::Resident(strata) => {
                change.check_room(strata.iter().map(|s| s.rows).sum())?;
                local.hold(strata, &change, length, budget)?;
            }
            Strata::Spilled(spill) => {
                local.held = local.ledger.entries().iter().map(|_| HeldRows::Spilled).collect();
                local.spill = Some((spill, change));
            }
        }
        Ok(Box::new(local))
    }
}

/// A sample on the devices of one backend: resident if it fits, else uploaded chunk by chunk in every pass.
pub(crate) struct Local<B: DidBackend> {
    sample: Sample,
    options: LocalOptions,
    devices: Vec<B::Device>,
    ledger: Ledger,
    /// Where the rows of each segment are.
    held: Vec<HeldRows<B>>,
    /// Strata that stay on the host.
    strata: Vec<StratumData>,
    /// Strata in a file, and how they change when they are read.
    spill: Option<(Box<Spill>, Change)>,
    /// What the devices have done.
    work: Mutex<DeviceWork>,
}

/// Where the rows of a segment are, on which one device works at a time.
enum HeldRows<B: DidBackend> {
    Resident(Vec<Chunk<B>>),
    /// On the host: their first in the stratum, and rows of a chunk.
    Streamed(usize, usize),
    Spilled,
}

impl<B: DidBackend> Local<B> {
    /// Changes strata that are in memory, and holds them in segments of `length` rows.
    fn hold(
        &mut self,
        mut strata: Vec<StratumData>,
        change: &Change,
        length: usize,
        budget: Option<u64>,
    ) -> Result<()> {
        let width = match self.options.precision {
            Precision::F64 => 8,
            Precision::F32 => 4,
        };
        let expands = change.expands();
        if expands {
            apply(change, &mut strata)?;
        }
        let values = |s: &StratumData| (s.y.len() + s.x.len() + s.w.len()) as u64;
        let bytes: u64 = strata.iter().map(|s| values(s) * width).sum();
        let streamed = budget.is_some_and(|b| bytes > b.saturating_mul(self.devices.len() as u64));
        // Rows that are cut into pieces are changed then, while they are at hand.
        let by_piece = !expands && !streamed && B::at_once().is_none();
        if !expands && !by_piece {
            apply(change, &mut strata)?;
        }
        if let Some(at_once) = B::at_once().filter(|_| !streamed) {
            return self.hold_together(at_once, &strata, length);
        }
        let total = strata.len() as u64;
        for (stratum, mut data) in strata.into_iter().enumerate() {
            if let Some(progress) = &self.options.progress {
                progress.report("upload", stratum as u64, total);
            }
            let row_bytes = values(&data) * width / data.rows.max(1) as u64;
            let chunk_rows = self.chunk_rows(budget.filter(|_| streamed), row_bytes)?;
            let total = data.rows;
            let undivided = !streamed && total <= length.min(chunk_rows);
            if undivided && total > 0 {
                if by_piece {
                    change.apply(stratum, &mut data)?;
                }
                let chunk = self.chunk(stratum, data, self.device_of(self.held.len()))?;
                self.held.push(HeldRows::Resident(vec![chunk]));
                continue;
            }
            let segments = total.div_ceil(length);
            if streamed {
                let starts = (0..segments).map(|part| part * length);
                self.held.extend(starts.map(|start| HeldRows::Streamed(start, chunk_rows)));
                self.strata.push(data);
                continue;
            }
            let uploaded = parallel::map(segments, |part| {
                let rows = parallel::part(part, length, total);
                let device = self.device_of(self.held.len() + part);
                let chunk = |start: usize| {
                    let mut piece = data.cut(start, (start + chunk_rows).min(rows.end));
                    if by_piece {
                        change.apply(stratum, &mut piece)?;
                    }
                    self.chunk(stratum, piece, device)
                };
                rows.clone().step_by(chunk_rows).map(chunk).collect::<Result<_>>()
            });
            for chunks in uploaded {
                self.held.push(HeldRows::Resident(chunks?));
            }
        }
        Ok(())
    }

    /// Holds strata in segments of `length` rows, all of a device in one call.
    fn hold_together(
        &mut self,
        at_once: &dyn AtOnce<B>,
        strata: &[StratumData],
        length: usize,
    ) -> Result<()> {
        let segments: Vec<HostRows<'_>> = strata
            .iter()
            .enumerate()
            .flat_map(|(stratum, data)| {
                let starts = (0..data.rows).step_by(length);
                starts.map(move |a| host_rows(stratum, data, a..(a + length).min(data.rows)))
            })
            .collect();
        let (k, dtype) = (self.sample.design.k(), self.options.precision.dtype());
        let devices = self.devices.len();
        let mut slots: Vec<Option<HeldRows<B>>> = segments.iter().map(|_| None).collect();
        let upload = || -> Result<()> {
            for (d, device) in self.devices.iter().enumerate() {
                if let Some(progress) = &self.options.progress {
                    progress.report("upload", d as u64, devices as u64);
                }
                let of_device: Vec<_> = segments.iter().skip(d).step_by(devices).cloned().collect();
                let chunks = at_once.hold(&of_device, k, dtype, device)?;
                for (slot, chunk) in slots.iter_mut().skip(d).step_by(devices).zip(chunks) {
                    *slot = Some(HeldRows::Resident(vec![chunk]));
                }
            }
            Ok(())
        };
        let ((), done) = Self::measured(upload)?;
        *held(&self.work) += done;
        self.held.extend(slots.into_iter().flatten());
        Ok(())
    }

    /// What `work` gives, and what it had the devices do.
    fn measured<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, DeviceWork)> {
        let done = || B::at_once().map(AtOnce::work).unwrap_or_default();
        done();
        Ok((work()?, done()))
    }

    /// The device of a segment.
    fn device_of(&self, segment: usize) -> &B::Device {
        &self.devices[segment % self.devices.len()]
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
    fn chunk(&self, stratum: usize, data: StratumData, device: &B::Device) -> Result<Chunk<B>> {
        put(stratum, data, self.sample.design.k(), self.options.precision, device)
    }
}

/// Bytes of unit data that may be on each device.
fn budget<B: DidBackend>(devices: &[B::Device], options: &LocalOptions) -> Result<Option<u64>> {
    if devices.is_empty() {
        return Err(DidError::config("devices", "at least one device", "none"));
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
