//! Conjugate gradients on the levels of fixed effects, all of whose vectors stay on the device.

use std::fmt;

use cubecl::prelude::CubeDim;

use super::bidiagonal::Lanczos;
use super::buffers::{Buffer, Gpu, guarded};
use super::kernels::{self, FOUND, LEVEL_ENTRIES, LEVEL_UNITS, SCALARS};
use super::pieces::{fitting, stages, transposed};
use super::tables::index;
use super::work::{Stamp, Work, grid};
use super::{GpuRuntime, meter};
use crate::backend::{
    BidiagonalProblem, BidiagonalStep, BidiagonalUpdate, LevelDesign, LevelSolver, LevelStep,
    LevelWeights,
};
use crate::error::Result;
use crate::options::Precision;

/// A design on a device.
pub(super) struct Levels<R: GpuRuntime> {
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
    pub of_lead: Vec<Pieces>,
    pub of_levels: Vec<Pieces>,
    weights: Weights,
    most: usize,
    state: Option<State>,
    lanczos: Option<Lanczos>,
}

/// Pieces of entries one after another, or of pieces.
pub(super) struct Pieces {
    pub starts: Buffer,
    pub count: usize,
}

/// Weights as the kernels read them.
struct Weights {
    /// Of cells; `None` if all are 1.
    cells: Option<Buffer>,
    lead: Buffer,
    /// `M`, then `1 / w`.
    scales: Buffer,
}

/// What is known of a solution.
struct State {
    columns: usize,
    /// Whether no step was taken.
    first: bool,
    effects: Buffer,
    sums: Buffer,
    direction: Buffer,
    /// By cell.
    fitted: Buffer,
    /// Sums of pieces, stage by stage: by level of the leading factor, and by level of the others.
    of_lead: Vec<Buffer>,
    of_levels: Vec<Buffer>,
    partial: Buffer,
    scalars: Buffer,
}

impl<R: GpuRuntime> Levels<R> {
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
                    Pieces { starts: gpu.indices(starts), count }
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
                state: None,
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

    fn state(&self, sums: &[f64], columns: usize) -> Result<State> {
        let gpu = &self.gpu;
        let [of_lead, of_levels] = self.stage_buffers(columns);
        let vector = || gpu.empty(self.levels * columns);
        let state = State {
            columns,
            first: true,
            effects: vector(),
            sums: gpu.floats(sums.to_vec()),
            direction: vector(),
            fitted: gpu.empty(self.cells * columns),
            of_lead,
            of_levels,
            partial: gpu.empty(2 * self.cubes(columns) * columns),
            scalars: gpu.empty(SCALARS * columns),
        };
        let own = [&state.effects, &state.sums, &state.direction, &state.fitted];
        for buffer in own.into_iter().chain(&state.of_lead).chain(&state.of_levels) {
            gpu.check(buffer)?;
        }
        Ok(state)
    }

    /// Room for the sums of pieces, stage by stage.
    pub(super) fn stage_buffers(&self, columns: usize) -> [Vec<Buffer>; 2] {
        [&self.of_lead, &self.of_levels].map(|stages| {
            stages.iter().map(|stage| self.gpu.empty(stage.count * columns)).collect()
        })
    }

    /// Cubes that take a sum over all levels.
    fn cubes(&self, columns: usize) -> usize {
        (self.levels * columns).div_ceil(LEVEL_ENTRIES)
    }

    /// Launches of a step.
    fn launches(&self) -> usize {
        6 + self.of_lead.len() + self.of_levels.len()
    }

    /// What the stages make of what is in `from`: by `index`, or of consecutive entries.
    #[expect(unsafe_code, reason = "pieces are of the entries of the stage before")]
    fn add(
        &self,
        work: &Work<'_, R>,
        columns: usize,
        (from, index_of): (&Buffer, Option<&Buffer>),
        pieces: &Pieces,
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

    /// `S p`, in the last of the levels' stages.
    #[expect(unsafe_code, reason = "codes are of levels, segments and pieces of cells")]
    fn image(&self, work: &Work<'_, R>, at: &State) {
        let (gpu, columns) = (&self.gpu, at.columns);
        let weights = self.weights.cells.as_ref();
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: see above; each unit writes the entries of its piece of cells, and one sum.
        unsafe {
            kernels::gather_levels::launch_unchecked::<R>(
                &gpu.client,
                units(self.of_lead[0].count * columns),
                CubeDim::new_1d(index(LEVEL_UNITS)),
                at.direction.arg(),
                self.codes.arg(),
                weights.unwrap_or(&self.weights.lead).arg(),
                self.of_lead[0].starts.arg(),
                at.fitted.arg(),
                at.of_lead[0].arg(),
                stamps,
                slot,
                number,
                index(self.of_lead[0].count),
                columns,
                self.others,
                weights.is_some(),
                gpu.dtype.into(),
            );
        }
        self.add_lead(work, columns, &at.of_lead);
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: see above; each unit writes an entry of its own.
        unsafe {
            kernels::subtract_means::launch_unchecked::<R>(
                &gpu.client,
                units(self.cells * columns),
                CubeDim::new_1d(index(LEVEL_UNITS)),
                at.fitted.arg(),
                at.of_lead[self.of_lead.len() - 1].arg(),
                self.weights.lead.arg(),
                self.segments.arg(),
                weights.unwrap_or(&self.weights.lead).arg(),
                stamps,
                slot,
                number,
                index(self.cells),
                columns,
                weights.is_some(),
                gpu.dtype.into(),
            );
        }
        self.add_levels(work, columns, &at.fitted, &at.of_levels);
    }

    /// Sums by level of the leading factor, from those of the first pieces.
    pub(super) fn add_lead(&self, work: &Work<'_, R>, columns: usize, sums: &[Buffer]) {
        for (stage, pieces) in self.of_lead.iter().enumerate().skip(1) {
            self.add(work, columns, (&sums[stage - 1], None), pieces, &sums[stage]);
        }
    }

    /// Sums of cells by level of the other factors.
    pub(super) fn add_levels(
        &self,
        work: &Work<'_, R>,
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
        work: &Work<'_, R>,
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

    /// `θ`, `g`, `g'M g` and `β` after a step of `α`, or at the start.
    #[expect(unsafe_code, reason = "vectors are of all levels, sums of all cubes")]
    fn advance(&self, work: &Work<'_, R>, at: &State, found: &Buffer, row: Option<usize>) {
        let (gpu, columns, cubes) = (&self.gpu, at.columns, self.cubes(at.columns));
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: see above; each unit writes entries of its own.
        unsafe {
            kernels::advance::launch_unchecked::<R>(
                &gpu.client,
                grid(cubes),
                CubeDim::new_1d(index(LEVEL_UNITS)),
                at.effects.arg(),
                at.sums.arg(),
                at.direction.arg(),
                at.of_levels[self.of_levels.len() - 1].arg(),
                self.weights.scales.arg(),
                at.scalars.arg(),
                at.partial.arg(),
                stamps,
                slot,
                number,
                index(self.levels),
                index(cubes),
                columns,
                row.is_none(),
                gpu.dtype.into(),
            );
        }
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: one cube reads the sums of the cubes; `found` has a row for each step.
        unsafe {
            kernels::find_turns::launch_unchecked::<R>(
                &gpu.client,
                grid(1),
                CubeDim::new_1d(index(LEVEL_UNITS)),
                at.partial.arg(),
                at.scalars.arg(),
                found.arg(),
                stamps,
                slot,
                number,
                index(cubes),
                index(row.unwrap_or(0)),
                columns,
                row.is_none(),
                gpu.dtype.into(),
            );
        }
    }

    /// The direction, its image, and the step along it.
    #[expect(unsafe_code, reason = "vectors are of all levels, sums of all cubes")]
    fn turn(&self, work: &Work<'_, R>, at: &State, found: &Buffer, row: usize, live: u32) {
        let (gpu, columns) = (&self.gpu, at.columns);
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: see above; each unit writes an entry of its own.
        unsafe {
            kernels::turn::launch_unchecked::<R>(
                &gpu.client,
                units(self.levels * columns),
                CubeDim::new_1d(index(LEVEL_UNITS)),
                at.direction.arg(),
                at.sums.arg(),
                self.weights.scales.arg(),
                at.scalars.arg(),
                stamps,
                slot,
                number,
                index(self.levels),
                columns,
                at.first && row == 0,
                gpu.dtype.into(),
            );
        }
        self.image(work, at);
        let image = &at.of_levels[self.of_levels.len() - 1];
        let cubes = self.products(work, columns, [&at.direction, image], self.levels, &at.partial);
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: one cube reads the sums of the cubes; `found` has a row for each step.
        unsafe {
            kernels::find_steps::launch_unchecked::<R>(
                &gpu.client,
                grid(1),
                CubeDim::new_1d(index(LEVEL_UNITS)),
                at.partial.arg(),
                at.scalars.arg(),
                found.arg(),
                stamps,
                slot,
                number,
                index(cubes),
                live,
                index(row),
                columns,
                gpu.dtype.into(),
            );
        }
    }
}

/// A grid with a unit for each entry.
pub(super) fn units(entries: usize) -> cubecl::prelude::CubeCount {
    grid(entries.div_ceil(LEVEL_UNITS))
}

fn upload<R: GpuRuntime>(gpu: &Gpu<R>, weights: &LevelWeights<'_>) -> Weights {
    let inverse = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|x| if *x > 0.0 { 1.0 / x } else { 0.0 }).collect()
    };
    let scales = [inverse(weights.diagonal), inverse(weights.rest)].concat();
    Weights {
        cells: weights.cells.map(|cells| gpu.floats(cells.to_vec())),
        lead: gpu.floats(weights.lead.to_vec()),
        scales: gpu.floats(scales),
    }
}

impl<R: GpuRuntime> fmt::Debug for Levels<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Levels").field("device", &self.device).finish_non_exhaustive()
    }
}

impl<R: GpuRuntime> LevelSolver for Levels<R> {
    fn columns(&self) -> usize {
        self.most
    }

    fn weigh(&mut self, weights: &LevelWeights<'_>) -> Result<()> {
        let gpu = &self.gpu;
        self.weights = guarded::<R, _>(&self.device, || Ok(upload(gpu, weights)))?;
        Ok(())
    }

    fn begin(&mut self, sums: &[f64], columns: usize) -> Result<()> {
        let before = self.state.take().filter(|state| state.columns == columns);
        let state = guarded::<R, _>(&self.device, || match before {
            Some(state) => Ok(State { sums: self.gpu.floats(sums.to_vec()), first: true, ..state }),
            None => self.state(sums, columns),
        })?;
        (self.state, self.lanczos) = (Some(state), None);
        meter::note(|done| done.passes += 1);
        Ok(())
    }

    fn steps(&mut self, live: &[bool], count: usize) -> Result<Vec<LevelStep>> {
        let Some(at) = &self.state else { return Ok(Vec::new()) };
        let columns = at.columns;
        let read = guarded::<R, _>(&self.device, || {
            let work = Work::new(&self.gpu, count * self.launches() + 2);
            let found = self.gpu.empty(count * FOUND * columns);
            let bits = live.iter().rev().fold(0, |bits, live| bits << 1 | u32::from(*live));
            if at.first {
                self.advance(&work, at, &found, None);
            }
            for row in 0..count {
                self.turn(&work, at, &found, row, bits);
                self.advance(&work, at, &found, Some(row));
            }
            work.read(&[&found])
        })?;
        if let Some(at) = &mut self.state {
            at.first = false;
        }
        let step = |scalars: &[f64]| LevelStep {
            curvature: scalars[..columns].to_vec(),
            preconditioned: scalars[columns..2 * columns].to_vec(),
            normal: scalars[2 * columns..].to_vec(),
        };
        Ok(read.iter().flat_map(|found| found.chunks_exact(FOUND * columns)).map(step).collect())
    }

    fn begin_bidiagonal(&mut self, problem: &BidiagonalProblem<'_>) -> Result<()> {
        (self.state, self.lanczos) = (None, None);
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
            let x = guarded::<R, _>(&self.device, || Work::new(&self.gpu, 1).read(&[&at.x]))?;
            let lead = self.leading * at.columns;
            return Ok(x.into_iter().next().map(|x| x[lead..].to_vec()).unwrap_or_default());
        }
        let Some(at) = &self.state else { return Ok(Vec::new()) };
        let read = guarded::<R, _>(&self.device, || Work::new(&self.gpu, 1).read(&[&at.effects]))?;
        Ok(read.into_iter().next().unwrap_or_default())
    }
}
