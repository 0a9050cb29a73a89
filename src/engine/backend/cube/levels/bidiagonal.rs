//! LSMR's bidiagonalisation on a device that holds a design.

use super::super::kernels::rows::{norm, update};
use super::super::kernels::{self, LEVEL_ENTRIES, LEVEL_UNITS};
use super::super::runtime::{Buffer, GpuRuntime, Launches, grid, guarded, index, launch};
use super::design::{DeviceDesign, last, units};
use crate::base::error::Result;
use crate::engine::backend::{
    BIDIAGONAL_STEPS, BidiagonalProblem, BidiagonalStep, BidiagonalUpdate,
};

/// The vectors of LSMR, over cells and over the levels of all factors.
pub(crate) struct LanczosBuffers {
    pub columns: usize,
    /// Whether no step was taken, and whether none was combined.
    first: bool,
    combined: bool,
    roots: Option<Buffer>,
    scales: Buffer,
    /// `β u`, and with its roots.
    u: Buffer,
    weighted: Buffer,
    /// The last `v` before some steps, and those of the steps.
    v: Vec<Buffer>,
    /// Which of them is the last.
    last: usize,
    scaled: Buffer,
    h: Buffer,
    hbar: Buffer,
    pub x: Buffer,
    lead_sums: Vec<Buffer>,
    level_sums: Vec<Buffer>,
    partial: Buffer,
    norms: Buffer,
}

impl<R: GpuRuntime> DeviceDesign<R> {
    pub(crate) fn lanczos(&self, problem: &BidiagonalProblem<'_>) -> Result<LanczosBuffers> {
        let (gpu, columns) = (&self.gpu, problem.columns);
        let all = self.all_levels();
        let vector = || gpu.empty(all * columns);
        let [lead_sums, level_sums] = self.stage_buffers(columns);
        let entries = self.cells.max(all) * columns;
        let at = LanczosBuffers {
            columns,
            first: true,
            combined: false,
            roots: problem.roots.map(|roots| gpu.floats(roots.to_vec())),
            scales: gpu.floats(problem.scales.to_vec()),
            u: gpu.floats(problem.b.to_vec()),
            weighted: gpu.empty(self.cells * columns),
            v: (0..=BIDIAGONAL_STEPS).map(|_| vector()).collect(),
            last: 0,
            scaled: vector(),
            h: vector(),
            hbar: vector(),
            x: vector(),
            lead_sums,
            level_sums,
            partial: gpu.empty(entries.div_ceil(LEVEL_ENTRIES) * columns),
            norms: gpu.empty(norm::ROWS * columns),
        };
        let buffers = [&at.u, &at.weighted, &at.scaled, &at.h, &at.hbar, &at.x];
        for buffer in buffers.into_iter().chain(&at.v).chain(&at.lead_sums).chain(&at.level_sums) {
            gpu.check(buffer)?;
        }
        Ok(at)
    }

    /// Levels of all factors.
    fn all_levels(&self) -> usize {
        self.leading + self.levels
    }

    /// Takes some steps; returns the norms of each.
    pub(crate) fn advance_lanczos(
        &self,
        at: &mut LanczosBuffers,
        count: usize,
    ) -> Result<Vec<BidiagonalStep>> {
        let columns = at.columns;
        let count = count.min(BIDIAGONAL_STEPS);
        at.v.swap(0, at.last);
        let first = at.first;
        (at.last, at.first) = (count, false);
        let read = guarded::<R, _>(&self.device, || {
            let stages = self.lead_stages.len() + self.level_stages.len();
            let work = Launches::new(&self.gpu, count * (6 + stages));
            let norms_found = self.gpu.empty(norm::ROWS * count * columns);
            for step in 0..count {
                self.lanczos_step(&work, at, step, first && step == 0, &norms_found);
            }
            work.read_one(&norms_found)
        })?;
        let step = |norms: &[f64]| {
            let row = |number: usize| norms[number * columns..][..columns].to_vec();
            BidiagonalStep { beta: row(norm::BETA), alpha: row(norm::ALPHA) }
        };
        Ok(read.chunks_exact(norm::ROWS * columns).map(step).collect())
    }

    #[expect(unsafe_code, reason = "launches are unchecked")]
    fn lanczos_step(
        &self,
        work: &Launches<'_, R>,
        at: &LanczosBuffers,
        step: usize,
        first: bool,
        found: &Buffer,
    ) {
        let columns = at.columns;
        let (leading, all) = (index(self.leading), self.all_levels());
        // SAFETY: codes and segments name levels, and pieces name cells; a unit writes the entries of the cells of its piece, and one sum.
        unsafe {
            launch!(
                work,
                kernels::advance_cells,
                units(self.lead_stages[0].count * columns),
                LEVEL_UNITS,
                at.scaled.arg(),
                self.codes.arg(),
                self.segments.arg(),
                at.roots.as_ref().unwrap_or(&at.scales).arg(),
                self.lead_stages[0].starts.arg(),
                at.norms.arg(),
                at.u.arg(),
                at.weighted.arg(),
                at.lead_sums[0].arg(),
                index(self.lead_stages[0].count),
                leading,
                columns,
                self.others,
                at.roots.is_some(),
                first
            );
        }
        self.add_lead(work, columns, &at.lead_sums);
        self.add_levels(work, columns, &at.weighted, &at.level_sums);
        let beta = Norm {
            which: norm::BETA,
            row: norm::ROWS * step + norm::BETA,
            norms: &at.norms,
            found,
        };
        self.norms(work, at, &at.u, self.cells, &beta);
        // SAFETY: vectors have an entry for each level; each unit writes its own entry.
        unsafe {
            launch!(
                work,
                kernels::advance_levels,
                units(all * columns),
                LEVEL_UNITS,
                last(&at.lead_sums).arg(),
                last(&at.level_sums).arg(),
                at.scales.arg(),
                at.norms.arg(),
                at.v[step].arg(),
                at.v[step + 1].arg(),
                leading,
                index(all),
                columns,
                first
            );
        }
        let alpha = Norm {
            which: norm::ALPHA,
            row: norm::ROWS * step + norm::ALPHA,
            norms: &at.norms,
            found,
        };
        self.norms(work, at, &at.v[step + 1], all, &alpha);
        // SAFETY: vectors have an entry for each level; each unit writes its own entry of each vector.
        unsafe {
            launch!(
                work,
                kernels::normalise,
                units(all * columns),
                LEVEL_UNITS,
                at.v[step + 1].arg(),
                at.scaled.arg(),
                at.scales.arg(),
                at.norms.arg(),
                index(all),
                columns
            );
        }
    }

    /// Norms by column of a vector of so many rows.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    fn norms(
        &self,
        work: &Launches<'_, R>,
        at: &LanczosBuffers,
        vector: &Buffer,
        rows: usize,
        norm: &Norm<'_>,
    ) {
        let columns = at.columns;
        let cubes = self.products(work, columns, [vector, vector], rows, &at.partial);
        // SAFETY: one cube reads the sums of all cubes; `found` has a row for each norm.
        unsafe {
            launch!(
                work,
                kernels::find_norms,
                grid(1),
                LEVEL_UNITS,
                at.partial.arg(),
                norm.norms.arg(),
                norm.found.arg(),
                index(cubes),
                index(norm.row),
                columns,
                norm.which
            );
        }
    }

    /// Updates the vectors by the last steps; returns `‖x‖`.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    pub(crate) fn combine_lanczos(
        &self,
        at: &mut LanczosBuffers,
        updates: &[BidiagonalUpdate],
    ) -> Result<Vec<f64>> {
        let (gpu, columns, all) = (&self.gpu, at.columns, self.all_levels());
        let steps = (updates.len() / columns).min(at.last);
        let mut coefficients = vec![0.0; update::ROWS * updates.len()];
        let rows = coefficients.chunks_exact_mut(update::ROWS * columns);
        for (rows, updates) in rows.zip(updates.chunks_exact(columns)) {
            for (column, of_column) in updates.iter().enumerate() {
                rows[update::LIVE * columns + column] = of_column.live;
                rows[update::HBAR * columns + column] = of_column.hbar;
                rows[update::X * columns + column] = of_column.x;
                rows[update::H * columns + column] = of_column.h;
            }
        }
        let first = at.last - steps + 1;
        let combined = at.combined;
        let norms = guarded::<R, _>(&self.device, || {
            let work = Launches::new(gpu, steps + 2);
            let (coefficients, norms) = (gpu.floats(coefficients), gpu.empty(columns));
            for step in 0..steps {
                // SAFETY: vectors have an entry for each level, and there are coefficients for each step; each unit writes its own entry of each vector.
                unsafe {
                    launch!(
                        work,
                        kernels::combine,
                        units(all * columns),
                        LEVEL_UNITS,
                        at.v[first + step].arg(),
                        coefficients.arg(),
                        at.h.arg(),
                        at.hbar.arg(),
                        at.x.arg(),
                        index(all),
                        index(step),
                        columns,
                        !combined && step == 0
                    );
                }
            }
            let spare = gpu.empty(norm::ROWS * columns);
            let of_x = Norm { which: norm::BETA, row: 0, norms: &spare, found: &norms };
            self.norms(&work, at, &at.x, all, &of_x);
            work.read_one(&norms)
        })?;
        at.combined = true;
        Ok(norms)
    }
}

/// Which norm it is, `β` or `α`, and where it goes: for the steps to come, and to be read.
struct Norm<'a> {
    which: usize,
    row: usize,
    norms: &'a Buffer,
    found: &'a Buffer,
}
