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
    /// Factors beside the leading one.
    pub others: usize,
    /// Levels of these factors.
    pub levels: usize,
    /// Levels of the leading factor.
    pub leading: usize,
    /// Levels of the other factors by cell.
    pub codes: Buffer,
    /// Level of the leading factor by cell.
    pub segments: Buffer,
    /// Cells by level of the other factors.
    index: Buffer,
    pub lead_stages: Vec<PieceStage>,
    pub level_stages: Vec<PieceStage>,
    pub weights: DeviceWeights,
    /// Columns that there is room for.
    pub most: usize,
}

/// A stage of sums by level: consecutive entries, or sums of the stage before, in pieces.
pub(crate) struct PieceStage {
    /// First entry of each piece, and one past the last.
    pub starts: Buffer,
    /// Number of pieces.
    pub count: usize,
}

/// What a stage adds up: all values in order, or those that an index names.
struct Terms<'a> {
    values: &'a Buffer,
    index: Option<&'a Buffer>,
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
            let by_level = transposed(design);
            let stages = [stages(design.starts), stages(&by_level.starts)];
            let most = fitting(&gpu, design, &stages, free)?;
            let [lead_stages, level_stages] = stages.map(|stages| {
                let pieces = |starts: Vec<u32>| {
                    let count = starts.len() - 1;
                    PieceStage { starts: gpu.indices(starts), count }
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
                index: gpu.indices(by_level.cells),
                lead_stages,
                level_stages,
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
        [&self.lead_stages, &self.level_stages].map(|stages| {
            stages.iter().map(|stage| self.gpu.empty(stage.count * columns)).collect()
        })
    }

    /// Sums of the pieces of a stage.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    fn add_pieces(
        &self,
        work: &Launches<'_, R>,
        columns: usize,
        terms: &Terms<'_>,
        pieces: &PieceStage,
        out: &Buffer,
    ) {
        // SAFETY: pieces name values, or entries of the index, which name values; a unit writes an entry of its own.
        unsafe {
            launch!(
                work,
                kernels::add_pieces,
                units(pieces.count * columns),
                LEVEL_UNITS,
                terms.values.arg(),
                terms.index.unwrap_or(&pieces.starts).arg(),
                pieces.starts.arg(),
                out.arg(),
                index(pieces.count),
                columns,
                terms.index.is_some()
            );
        }
    }

    /// Sums by level of the leading factor, from those of the first pieces.
    pub(crate) fn add_lead(&self, work: &Launches<'_, R>, columns: usize, sums: &[Buffer]) {
        for (stage, pieces) in self.lead_stages.iter().enumerate().skip(1) {
            let terms = Terms { values: &sums[stage - 1], index: None };
            self.add_pieces(work, columns, &terms, pieces, &sums[stage]);
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
        for (stage, pieces) in self.level_stages.iter().enumerate() {
            let terms = match stage {
                0 => Terms { values: cells, index: Some(&self.index) },
                _ => Terms { values: &sums[stage - 1], index: None },
            };
            self.add_pieces(work, columns, &terms, pieces, &sums[stage]);
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
                kernels::inner_products,
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

/// The sums by level among those of all stages.
pub(crate) fn last(sums: &[Buffer]) -> &Buffer {
    &sums[sums.len() - 1]
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
