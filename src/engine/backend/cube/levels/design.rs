//! A design of fixed effects on a device, and the sums by level and over all levels that both solvers take.

use super::super::kernels::{self, LEVEL_ENTRIES, LEVEL_UNITS};
use super::super::runtime::{
    Buffer, Gpu, GpuRuntime, Launches, grid, guarded, index, launch, meter,
};
use super::pieces::{fitting, stages, transposed};
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::backend::{LevelDesign, LevelWeights};

/// A design on a device.
pub(crate) struct DeviceDesign<R: GpuRuntime> {
    pub gpu: Gpu<R>,
    pub device: R::Device,
    pub cells: usize,
    pub others: usize,
    pub levels: usize,
    /// How many levels the leading factor has.
    pub leading: usize,
    /// Levels of the other factors by cell.
    pub codes: Buffer,
    /// Level of the leading factor by cell.
    pub segments: Buffer,
    /// Cells by level of the other factors.
    index: Buffer,
    pub of_lead: Vec<EntryRuns>,
    pub of_levels: Vec<EntryRuns>,
    pub weights: DeviceWeights,
    /// Columns that there is room for.
    pub most: usize,
}

/// Pieces of entries one after another, or of pieces.
pub(crate) struct EntryRuns {
    pub starts: Buffer,
    pub count: usize,
}

/// Weights as the kernels read them.
pub(crate) struct DeviceWeights {
    /// Of cells; `None` if all are 1.
    pub cells: Option<Buffer>,
    pub lead: Buffer,
    /// `M`, then `1 / w`.
    pub scales: Buffer,
}

impl<R: GpuRuntime> DeviceDesign<R> {
    /// Holds a design.
    pub(crate) fn hold(
        design: &LevelDesign<'_>,
        weights: &LevelWeights<'_>,
        device: &R::Device,
        precision: Precision,
    ) -> Result<Self> {
        let free = R::probe(device, precision)?.free_bytes;
        guarded::<R, _>(device, || {
            let gpu = Gpu::<R>::new(device, precision.dtype());
            let (starts, cells) = transposed(design);
            let stages = [stages(design.starts), stages(&starts)];
            let most = fitting(&gpu, design, &stages, free)?;
            let [of_lead, of_levels] = stages.map(|stages| {
                let pieces = |starts: Vec<u32>| {
                    let count = starts.len() - 1;
                    EntryRuns { starts: gpu.indices(starts), count }
                };
                stages.into_iter().map(pieces).collect()
            });
            let held = Self {
                device: device.clone(),
                cells: design.cells(),
                others: design.others,
                levels: design.levels,
                leading: design.segments(),
                codes: gpu.indices(design.codes.to_vec()),
                segments: gpu.indices(design.segment_of_cells()),
                index: gpu.indices(cells),
                of_lead,
                of_levels,
                weights: DeviceWeights::upload(&gpu, weights),
                most,
                gpu,
            };
            for buffer in [&held.codes, &held.segments, &held.index, &held.weights.scales] {
                held.gpu.check(buffer)?;
            }
            let words = held.codes.len() + held.segments.len() + held.index.len();
            meter::note(|done| done.resident_bytes += 4 * words as u64);
            Ok(held)
        })
    }

    /// Replaces the weights.
    pub(crate) fn weigh(&mut self, weights: &LevelWeights<'_>) -> Result<()> {
        let gpu = &self.gpu;
        self.weights = guarded::<R, _>(&self.device, || Ok(DeviceWeights::upload(gpu, weights)))?;
        Ok(())
    }

    /// Room for the sums of pieces, stage by stage.
    pub(crate) fn stage_buffers(&self, columns: usize) -> [Vec<Buffer>; 2] {
        [&self.of_lead, &self.of_levels].map(|stages| {
            stages.iter().map(|stage| self.gpu.empty(stage.count * columns)).collect()
        })
    }

    /// What the stages make of what is in `from`: by `index`, or of consecutive entries.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    fn add(
        &self,
        work: &Launches<'_, R>,
        columns: usize,
        (from, index_of): (&Buffer, Option<&Buffer>),
        pieces: &EntryRuns,
        out: &Buffer,
    ) {
        // SAFETY: pieces name entries of `from`, or of the index of `from`; a unit writes an entry of its own.
        unsafe {
            launch!(
                work,
                kernels::add_pieces,
                units(pieces.count * columns),
                LEVEL_UNITS,
                from.arg(),
                index_of.unwrap_or(&pieces.starts).arg(),
                pieces.starts.arg(),
                out.arg(),
                index(pieces.count),
                columns,
                index_of.is_some()
            );
        }
    }

    /// Sums by level of the leading factor, from those of the first pieces.
    pub(crate) fn add_lead(&self, work: &Launches<'_, R>, columns: usize, sums: &[Buffer]) {
        for (stage, pieces) in self.of_lead.iter().enumerate().skip(1) {
            self.add(work, columns, (&sums[stage - 1], None), pieces, &sums[stage]);
        }
    }

    /// Sums of cells by level of the other factors.
    pub(crate) fn add_levels(
        &self,
        work: &Launches<'_, R>,
        columns: usize,
        cells: &Buffer,
        sums: &[Buffer],
    ) {
        for (stage, pieces) in self.of_levels.iter().enumerate() {
            let from = match stage {
                0 => (cells, Some(&self.index)),
                _ => (&sums[stage - 1], None),
            };
            self.add(work, columns, from, pieces, &sums[stage]);
        }
    }

    /// Sums of products of two vectors of so many rows, by cube; how many cubes.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    pub(crate) fn products(
        &self,
        work: &Launches<'_, R>,
        columns: usize,
        [p, q]: [&Buffer; 2],
        rows: usize,
        partial: &Buffer,
    ) -> usize {
        let cubes = (rows * columns).div_ceil(LEVEL_ENTRIES);
        // SAFETY: both vectors have so many rows; a cube writes sums of its own, for which `partial` has room.
        unsafe {
            launch!(
                work,
                kernels::curvatures,
                grid(cubes),
                LEVEL_UNITS,
                p.arg(),
                q.arg(),
                partial.arg(),
                index(rows),
                index(cubes),
                columns
            );
        }
        cubes
    }
}

/// A grid with a unit for each entry.
pub(crate) fn units(entries: usize) -> cubecl::prelude::CubeCount {
    grid(entries.div_ceil(LEVEL_UNITS))
}

impl DeviceWeights {
    fn upload<R: GpuRuntime>(gpu: &Gpu<R>, weights: &LevelWeights<'_>) -> Self {
        let inverse = |values: &[f64]| -> Vec<f64> {
            values.iter().map(|x| if *x > 0.0 { 1.0 / x } else { 0.0 }).collect()
        };
        let scales = [inverse(weights.diagonal), inverse(weights.rest)].concat();
        Self {
            cells: weights.cells.map(|cells| gpu.floats(cells.to_vec())),
            lead: gpu.floats(weights.lead.to_vec()),
            scales: gpu.floats(scales),
        }
    }
}
