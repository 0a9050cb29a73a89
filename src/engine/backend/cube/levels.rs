//! A design of fixed effects on a device, and the solvers all of whose vectors stay there.

use std::fmt;

use cubecl::prelude::CubeDim;

use super::bidiagonal::LanczosBuffers;
use super::buffers::{Buffer, Gpu, guarded};
use super::conjugate::ConjugateBuffers;
use super::kernels::{self, LEVEL_ENTRIES, LEVEL_UNITS};
use super::pieces::{fitting, stages, transposed};
use super::tables::index;
use super::work::{Launches, Stamp, grid};
use super::{GpuRuntime, meter};
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::backend::{
    BidiagonalProblem, BidiagonalStep, BidiagonalUpdate, LevelDesign, LevelSolver, LevelStep,
    LevelWeights,
};

/// A design on a device.
pub(super) struct DeviceLevels<R: GpuRuntime> {
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
    most: usize,
    conjugate: Option<ConjugateBuffers>,
    lanczos: Option<LanczosBuffers>,
}

/// Pieces of entries one after another, or of pieces.
pub(super) struct EntryRuns {
    pub starts: Buffer,
    pub count: usize,
}

/// Weights as the kernels read them.
pub(super) struct DeviceWeights {
    /// Of cells; `None` if all are 1.
    pub cells: Option<Buffer>,
    pub lead: Buffer,
    /// `M`, then `1 / w`.
    pub scales: Buffer,
}

impl<R: GpuRuntime> DeviceLevels<R> {
    /// Holds a design.
    ///
    /// # Errors
    /// [`DidError::Device`](crate::DidError::Device) if it does not fit, or the device does not answer.
    pub(super) fn hold(
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
                weights: upload(&gpu, weights),
                most,
                conjugate: None,
                lanczos: None,
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

    /// Room for the sums of pieces, stage by stage.
    pub(super) fn stage_buffers(&self, columns: usize) -> [Vec<Buffer>; 2] {
        [&self.of_lead, &self.of_levels].map(|stages| {
            stages.iter().map(|stage| self.gpu.empty(stage.count * columns)).collect()
        })
    }

    /// What the stages make of what is in `from`: by `index`, or of consecutive entries.
    #[expect(unsafe_code, reason = "pieces are of the entries of the stage before")]
    fn add(
        &self,
        work: &Launches<'_, R>,
        columns: usize,
        (from, index_of): (&Buffer, Option<&Buffer>),
        pieces: &EntryRuns,
        out: &Buffer,
    ) {
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: see above; each unit writes an entry of its own.
        unsafe {
            kernels::add_pieces::launch_unchecked::<R>(
                &self.gpu.client,
                units(pieces.count * columns),
                CubeDim::new_1d(index(LEVEL_UNITS)),
                from.arg(),
                index_of.unwrap_or(&pieces.starts).arg(),
                pieces.starts.arg(),
                out.arg(),
                stamps,
                slot,
                number,
                index(pieces.count),
                columns,
                index_of.is_some(),
                self.gpu.dtype.into(),
            );
        }
    }

    /// Sums by level of the leading factor, from those of the first pieces.
    pub(super) fn add_lead(&self, work: &Launches<'_, R>, columns: usize, sums: &[Buffer]) {
        for (stage, pieces) in self.of_lead.iter().enumerate().skip(1) {
            self.add(work, columns, (&sums[stage - 1], None), pieces, &sums[stage]);
        }
    }

    /// Sums of cells by level of the other factors.
    pub(super) fn add_levels(
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
    #[expect(unsafe_code, reason = "vectors are of all rows, sums of all cubes")]
    pub(super) fn products(
        &self,
        work: &Launches<'_, R>,
        columns: usize,
        [p, q]: [&Buffer; 2],
        rows: usize,
        partial: &Buffer,
    ) -> usize {
        let cubes = (rows * columns).div_ceil(LEVEL_ENTRIES);
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: see above; each cube writes sums of its own.
        unsafe {
            kernels::curvatures::launch_unchecked::<R>(
                &self.gpu.client,
                grid(cubes),
                CubeDim::new_1d(index(LEVEL_UNITS)),
                p.arg(),
                q.arg(),
                partial.arg(),
                stamps,
                slot,
                number,
                index(rows),
                index(cubes),
                columns,
                self.gpu.dtype.into(),
            );
        }
        cubes
    }
}

/// A grid with a unit for each entry.
pub(super) fn units(entries: usize) -> cubecl::prelude::CubeCount {
    grid(entries.div_ceil(LEVEL_UNITS))
}

fn upload<R: GpuRuntime>(gpu: &Gpu<R>, weights: &LevelWeights<'_>) -> DeviceWeights {
    let inverse = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|x| if *x > 0.0 { 1.0 / x } else { 0.0 }).collect()
    };
    let scales = [inverse(weights.diagonal), inverse(weights.rest)].concat();
    DeviceWeights {
        cells: weights.cells.map(|cells| gpu.floats(cells.to_vec())),
        lead: gpu.floats(weights.lead.to_vec()),
        scales: gpu.floats(scales),
    }
}

impl<R: GpuRuntime> fmt::Debug for DeviceLevels<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Levels").field("device", &self.device).finish_non_exhaustive()
    }
}

impl<R: GpuRuntime> LevelSolver for DeviceLevels<R> {
    fn columns(&self) -> usize {
        self.most
    }

    fn weigh(&mut self, weights: &LevelWeights<'_>) -> Result<()> {
        let gpu = &self.gpu;
        self.weights = guarded::<R, _>(&self.device, || Ok(upload(gpu, weights)))?;
        Ok(())
    }

    fn begin(&mut self, sums: &[f64], columns: usize) -> Result<()> {
        let before = self.conjugate.take();
        let at = guarded::<R, _>(&self.device, || self.conjugate(sums, columns, before))?;
        (self.conjugate, self.lanczos) = (Some(at), None);
        meter::note(|done| done.passes += 1);
        Ok(())
    }

    fn steps(&mut self, live: &[bool], count: usize) -> Result<Vec<LevelStep>> {
        let Some(mut at) = self.conjugate.take() else { return Ok(Vec::new()) };
        let steps = self.advance_conjugate(&mut at, live, count);
        self.conjugate = Some(at);
        steps
    }

    fn begin_bidiagonal(&mut self, problem: &BidiagonalProblem<'_>) -> Result<()> {
        (self.conjugate, self.lanczos) = (None, None);
        self.lanczos = Some(guarded::<R, _>(&self.device, || self.lanczos(problem))?);
        meter::note(|done| done.passes += 1);
        Ok(())
    }

    fn bidiagonalise(&mut self, count: usize) -> Result<Vec<BidiagonalStep>> {
        let Some(mut at) = self.lanczos.take() else { return Ok(Vec::new()) };
        let steps = self.advance_lanczos(&mut at, count);
        self.lanczos = Some(at);
        steps
    }

    fn combine(&mut self, updates: &[BidiagonalUpdate]) -> Result<Vec<f64>> {
        let Some(mut at) = self.lanczos.take() else { return Ok(Vec::new()) };
        let norms = self.combine_lanczos(&mut at, updates);
        self.lanczos = Some(at);
        norms
    }

    fn effects(&mut self) -> Result<Vec<f64>> {
        if let Some(at) = &self.lanczos {
            let x = guarded::<R, _>(&self.device, || Launches::new(&self.gpu, 1).read_one(&at.x))?;
            return Ok(x[self.leading * at.columns..].to_vec());
        }
        let Some(at) = &self.conjugate else { return Ok(Vec::new()) };
        guarded::<R, _>(&self.device, || Launches::new(&self.gpu, 1).read_one(&at.effects))
    }
}
