//! Conjugate gradients on the levels of a design that a device holds.

use super::super::kernels::rows::{found, scalar};
use super::super::kernels::{self, LEVEL_ENTRIES, LEVEL_UNITS};
use super::super::runtime::{Buffer, GpuRuntime, Launches, grid, guarded, index, launch};
use super::design::{DeviceDesign, last, units};
use crate::base::error::Result;
use crate::engine::backend::LevelStep;

/// The vectors of conjugate gradients.
pub(crate) struct ConjugateBuffers {
    pub columns: usize,
    /// Whether no step was taken yet.
    first: bool,
    pub effects: Buffer,
    sums: Buffer,
    direction: Buffer,
    /// By cell.
    fitted: Buffer,
    /// Sums of pieces, stage by stage: by level of the leading factor, and by level of the others.
    lead_sums: Vec<Buffer>,
    level_sums: Vec<Buffer>,
    partial: Buffer,
    scalars: Buffer,
}

impl<R: GpuRuntime> DeviceDesign<R> {
    /// Starts from sums by level; the buffers of an earlier solution of as many columns are used again.
    pub(crate) fn conjugate(
        &self,
        sums: &[f64],
        columns: usize,
        before: Option<ConjugateBuffers>,
    ) -> Result<ConjugateBuffers> {
        match before.filter(|before| before.columns == columns) {
            Some(at) => {
                Ok(ConjugateBuffers { sums: self.gpu.floats(sums.to_vec()), first: true, ..at })
            }
            None => self.room(sums, columns),
        }
    }

    fn room(&self, sums: &[f64], columns: usize) -> Result<ConjugateBuffers> {
        let gpu = &self.gpu;
        let [lead_sums, level_sums] = self.stage_buffers(columns);
        let vector = || gpu.empty(self.levels * columns);
        let state = ConjugateBuffers {
            columns,
            first: true,
            effects: vector(),
            sums: gpu.floats(sums.to_vec()),
            direction: vector(),
            fitted: gpu.empty(self.cells * columns),
            lead_sums,
            level_sums,
            partial: gpu.empty(2 * self.cubes(columns) * columns),
            scalars: gpu.empty(scalar::ROWS * columns),
        };
        let buffers = [&state.effects, &state.sums, &state.direction, &state.fitted];
        for buffer in buffers.into_iter().chain(&state.lead_sums).chain(&state.level_sums) {
            gpu.check(buffer)?;
        }
        Ok(state)
    }

    /// Some steps, in which the columns that are live advance.
    pub(crate) fn advance_conjugate(
        &self,
        at: &mut ConjugateBuffers,
        live: &[bool],
        count: usize,
    ) -> Result<Vec<LevelStep>> {
        let columns = at.columns;
        let read = guarded::<R, _>(&self.device, || {
            let work = Launches::new(&self.gpu, count * self.launches() + 2);
            let scalars = self.gpu.empty(count * found::ROWS * columns);
            let bits = live.iter().rev().fold(0, |bits, live| bits << 1 | u32::from(*live));
            if at.first {
                self.advance(&work, at, &scalars, None);
            }
            for row in 0..count {
                self.turn(&work, at, &scalars, row, bits);
                self.advance(&work, at, &scalars, Some(row));
            }
            work.read_one(&scalars)
        })?;
        at.first = false;
        let step = |rows: &[f64]| {
            let row = |number: usize| rows[number * columns..][..columns].to_vec();
            LevelStep {
                curvature: row(found::CURVATURE),
                preconditioned: row(found::PRECONDITIONED),
                normal: row(found::NORMAL),
            }
        };
        Ok(read.chunks_exact(found::ROWS * columns).map(step).collect())
    }

    /// Cubes that take a sum over all levels.
    fn cubes(&self, columns: usize) -> usize {
        (self.levels * columns).div_ceil(LEVEL_ENTRIES)
    }

    /// Launches of a step.
    fn launches(&self) -> usize {
        6 + self.lead_stages.len() + self.level_stages.len()
    }

    /// `S p`, in the last of the levels' stages.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    fn image(&self, work: &Launches<'_, R>, at: &ConjugateBuffers) {
        let columns = at.columns;
        let weights = self.weights.cells.as_ref();
        // SAFETY: codes name levels, and pieces name cells; a unit writes the entries of the cells of its piece, and one sum.
        unsafe {
            launch!(
                work,
                kernels::gather_levels,
                units(self.lead_stages[0].count * columns),
                LEVEL_UNITS,
                at.direction.arg(),
                self.codes.arg(),
                weights.unwrap_or(&self.weights.lead).arg(),
                self.lead_stages[0].starts.arg(),
                at.fitted.arg(),
                at.lead_sums[0].arg(),
                index(self.lead_stages[0].count),
                columns,
                self.others,
                weights.is_some()
            );
        }
        self.add_lead(work, columns, &at.lead_sums);
        // SAFETY: segments name levels of the leading factor; each unit writes its own entry.
        unsafe {
            launch!(
                work,
                kernels::subtract_means,
                units(self.cells * columns),
                LEVEL_UNITS,
                at.fitted.arg(),
                last(&at.lead_sums).arg(),
                self.weights.lead.arg(),
                self.segments.arg(),
                weights.unwrap_or(&self.weights.lead).arg(),
                index(self.cells),
                columns,
                weights.is_some()
            );
        }
        self.add_levels(work, columns, &at.fitted, &at.level_sums);
    }

    /// `θ`, `g`, `g'M g` and `β` after a step of `α`, or at the start.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    fn advance(
        &self,
        work: &Launches<'_, R>,
        at: &ConjugateBuffers,
        found: &Buffer,
        row: Option<usize>,
    ) {
        let (columns, cubes) = (at.columns, self.cubes(at.columns));
        // SAFETY: vectors have an entry for each level; each unit writes its own entries, and each cube its own sums.
        unsafe {
            launch!(
                work,
                kernels::advance,
                grid(cubes),
                LEVEL_UNITS,
                at.effects.arg(),
                at.sums.arg(),
                at.direction.arg(),
                last(&at.level_sums).arg(),
                self.weights.scales.arg(),
                at.scalars.arg(),
                at.partial.arg(),
                index(self.levels),
                index(cubes),
                columns,
                row.is_none()
            );
        }
        // SAFETY: one cube reads the sums of all cubes; `found` has rows for each step.
        unsafe {
            launch!(
                work,
                kernels::find_turns,
                grid(1),
                LEVEL_UNITS,
                at.partial.arg(),
                at.scalars.arg(),
                found.arg(),
                index(cubes),
                index(row.unwrap_or(0)),
                columns,
                row.is_none()
            );
        }
    }

    /// The direction, its image, and the step along it.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    fn turn(
        &self,
        work: &Launches<'_, R>,
        at: &ConjugateBuffers,
        found: &Buffer,
        row: usize,
        live: u32,
    ) {
        let columns = at.columns;
        // SAFETY: vectors have an entry for each level; each unit writes its own entry.
        unsafe {
            launch!(
                work,
                kernels::turn,
                units(self.levels * columns),
                LEVEL_UNITS,
                at.direction.arg(),
                at.sums.arg(),
                self.weights.scales.arg(),
                at.scalars.arg(),
                index(self.levels),
                columns,
                at.first && row == 0
            );
        }
        self.image(work, at);
        let image = last(&at.level_sums);
        let cubes = self.products(work, columns, [&at.direction, image], self.levels, &at.partial);
        // SAFETY: one cube reads the sums of all cubes; `found` has rows for each step.
        unsafe {
            launch!(
                work,
                kernels::find_steps,
                grid(1),
                LEVEL_UNITS,
                at.partial.arg(),
                at.scalars.arg(),
                found.arg(),
                index(cubes),
                live,
                index(row),
                columns
            );
        }
    }
}
