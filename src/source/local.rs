//! Chunks on one device of this machine.

use burn::tensor::{Tensor, TensorData};

use super::Source;
use crate::backend::DidBackend;
use crate::error::{DidError, Result};
use crate::options::Precision;
use crate::panel::{Layout, Panel, Sample, Spill, Strata, StratumData};
use crate::pass::{Chunk, Pass, TILE};
use crate::progress::Progress;

/// How a sample is put on a device.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalOptions {
    pub precision: Precision,
    /// Rows of a chunk, rounded up to whole tiles; all rows of a stratum if `None`.
    pub chunk_rows: Option<usize>,
    /// Bytes of unit data that may be on the device at once.
    pub memory_budget: Option<u64>,
    pub progress: Option<Progress>,
}

/// A sample on one device: resident if it fits, else uploaded chunk by chunk in every pass.
pub(crate) struct Local<B: DidBackend> {
    sample: Sample,
    options: LocalOptions,
    device: B::Device,
    strata: Vec<Held<B>>,
    spill: Option<Box<Spill>>,
    outcome_columns: usize,
}

enum Held<B: DidBackend> {
    Resident(Vec<Chunk<B>>),
    Streamed { data: StratumData, chunk_rows: usize },
    Spilled,
}

impl<B: DidBackend> Local<B> {
    /// Puts the panel on the device.
    ///
    /// # Errors
    /// [`DidError::Precision`], [`DidError::Device`] or [`DidError::Memory`].
    pub fn new(panel: Panel, device: &B::Device, options: LocalOptions) -> Result<Self> {
        let available = B::probe(device, options.precision)?;
        // A fifth of free memory is left for working space.
        let free = available.free_bytes.map(|b| b / 5 * 4);
        let budget = options.memory_budget.into_iter().chain(free).min();
        let Panel { sample, strata } = panel;
        let outcome_columns = match sample.layout {
            Layout::RepeatedCrossSections => 1,
            Layout::Balanced | Layout::Unbalanced => sample.periods.len(),
        };
        let width = match options.precision {
            Precision::F64 => 8,
            Precision::F32 => 4,
        };
        let mut local = Self {
            sample,
            options,
            device: device.clone(),
            strata: Vec::new(),
            spill: None,
            outcome_columns,
        };
        let strata = match strata {
            Strata::Resident(strata) => strata,
            Strata::Spilled(spill) => {
                local.strata = (0..spill.strata()).map(|_| Held::Spilled).collect();
                local.spill = Some(spill);
                return Ok(local);
            }
        };
        let values = |s: &StratumData| (s.y.len() + s.x.len() + s.w.len()) as u64;
        let bytes: u64 = strata.iter().map(|s| values(s) * width).sum();
        let streamed = budget.is_some_and(|b| bytes > b);
        for (stratum, data) in strata.into_iter().enumerate() {
            let row_bytes = values(&data) * width / data.rows.max(1) as u64;
            let chunk_rows = local.chunk_rows(budget.filter(|_| streamed), row_bytes)?;
            let held = if streamed {
                Held::Streamed { data, chunk_rows }
            } else {
                Held::Resident(local.upload_all(stratum, data, chunk_rows))
            };
            local.strata.push(held);
        }
        Ok(local)
    }

    /// Whole tiles that two chunks of fit the budget.
    fn chunk_rows(&self, budget: Option<u64>, row_bytes: u64) -> Result<usize> {
        let asked = self.options.chunk_rows.map_or(usize::MAX, |r| r.max(1).next_multiple_of(TILE));
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

    fn upload_all(&self, stratum: usize, data: StratumData, chunk_rows: usize) -> Vec<Chunk<B>> {
        let rows = data.rows;
        if rows <= chunk_rows {
            return if rows == 0 { Vec::new() } else { vec![self.chunk(stratum, data)] };
        }
        (0..rows)
            .step_by(chunk_rows)
            .map(|start| self.chunk(stratum, cut(&data, start, (start + chunk_rows).min(rows))))
            .collect()
    }

    /// Moves the rows to the device.
    fn chunk(&self, stratum: usize, data: StratumData) -> Chunk<B> {
        let StratumData { rows, y, x, w, rank, cluster } = data;
        let dtype = self.options.precision.dtype();
        let upload = |v: Vec<f64>| {
            let shape = [v.len() / rows, rows];
            Tensor::<B, 2>::from_data(TensorData::new(v, shape), (&self.device, dtype))
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

    fn precision(&self) -> Precision {
        self.options.precision
    }

    fn outcome_columns(&self) -> usize {
        self.outcome_columns
    }

    fn run<P: Pass>(&self, pass: &P) -> Result<P::Stat> {
        let mut stat = pass.identity();
        let strata = self.strata.len() as u64;
        for (stratum, held) in self.strata.iter().enumerate() {
            if pass.reads(stratum) {
                match held {
                    Held::Resident(chunks) => {
                        for chunk in chunks {
                            pass.accumulate(chunk, &mut stat)?;
                        }
                    }
                    Held::Streamed { data, chunk_rows } => {
                        for start in (0..data.rows).step_by(*chunk_rows) {
                            let end = (start + chunk_rows).min(data.rows);
                            let chunk = self.chunk(stratum, cut(data, start, end));
                            pass.accumulate(&chunk, &mut stat)?;
                        }
                    }
                    Held::Spilled => {
                        let Some(spill) = &self.spill else { continue };
                        for segment in 0..spill.segments(stratum) {
                            let chunk = self.chunk(stratum, spill.read(stratum, segment)?);
                            pass.accumulate(&chunk, &mut stat)?;
                        }
                    }
                }
            }
            if let Some(progress) = &self.options.progress {
                progress.report(P::NAME, stratum as u64 + 1, strata);
            }
        }
        Ok(stat)
    }
}
