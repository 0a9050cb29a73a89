//! Deviations of effects from the averages of their cells, summed by cluster.
//!
//! The treated part of a target's influence value is `Σ v_it (τ_it - τ̄)` over the treated rows of a cluster. The average `τ̄` of a
//! cell is weighted so that it minimises the variance if effects within the cell are the same (Borusyak, Jaravel and Spiess 2024,
//! equation 8), with `a_c = Σ v_it` and `s_c = Σ v_it τ_it` over the rows of cluster `c` in the cell:
//!
//! ```text
//! τ̄ = Σ_c a_c s_c / Σ_c a_c²,      and with the cluster left out the deviation is A / (A - a_c²) times as large, A = Σ_c a_c²
//! ```

use rayon::slice::ParallelSliceMut;

use super::options::{AveragedBy, CellAverages, Imputation};
use crate::base::buckets::Buckets;
use crate::estimator::first_stage::{FirstStage, StageCell, Target};
use crate::estimator::fixed_effects::fine;

/// What rounding leaves of `A - a_c²`, of `A`.
const ROUNDING: f64 = 1e-12;

/// Treated rows by cell and cluster.
pub(super) struct TreatedCells {
    rows: Vec<u32>,
    /// First row of each cluster in a cell, and the number of rows.
    parts: Vec<u32>,
    /// First part of each cell, and the number of parts.
    cells: Vec<u32>,
    /// The groups in periods of each cell.
    members: Vec<Vec<usize>>,
}

/// A target's deviations.
pub(super) struct Deviations {
    /// Cells, as rows of the sample, in which one cluster has all the weight, so that it cannot be left out.
    pub alone: Vec<u32>,
}

impl TreatedCells {
    pub fn new(stage: &FirstStage<'_>, by: AveragedBy) -> Self {
        let sample = stage.sample;
        let key = |cell: &StageCell| -> (i128, i128) {
            match by {
                AveragedBy::GroupTime => (fine(cell.group), fine(cell.time)),
                AveragedBy::Group => (fine(cell.group), 0),
                AveragedBy::EventTime => (cell.event.map_or(0, fine), 0),
                AveragedBy::Time => (fine(cell.time), 0),
                AveragedBy::All => (0, 0),
            }
        };
        let keys: Vec<(i128, i128)> = sample.cells.iter().map(key).collect();
        let mut known = keys.clone();
        known.sort_unstable();
        known.dedup();
        let of_cell: Vec<u32> =
            keys.iter().map(|key| known.partition_point(|k| k < key) as u32).collect();
        let treated = || (0u32..).zip(&stage.design().treated).filter(|(_, treated)| **treated);
        let cell = |row: u32| of_cell[sample.cell[row as usize] as usize];
        let mut by_cell = Buckets::new(known.len(), || treated().map(|(row, _)| (cell(row), row)));
        let cluster = |row: &u32| sample.clusters[*row as usize];
        let (mut parts, mut cells) = (Vec::new(), Vec::new());
        for of_cell in 0..known.len() {
            let first = by_cell.starts[of_cell];
            let rows = by_cell.of_mut(of_cell);
            if rows.is_empty() {
                continue;
            }
            if !rows.is_sorted_by_key(cluster) {
                rows.par_sort_by_key(cluster);
            }
            cells.push(parts.len() as u32);
            let mut start = first;
            for part in rows.chunk_by(|a, b| cluster(a) == cluster(b)) {
                parts.push(start);
                start += part.len() as u32;
            }
        }
        let rows = by_cell.items;
        cells.push(parts.len() as u32);
        parts.push(rows.len() as u32);
        let members = |first: &u32| -> Vec<usize> {
            let row = rows[parts[*first as usize] as usize] as usize;
            let own = of_cell[sample.cell[row] as usize];
            (0..of_cell.len()).filter(|cell| of_cell[*cell] == own).collect()
        };
        let members = cells[..cells.len() - 1].iter().map(members).collect();
        Self { rows, parts, cells, members }
    }

    /// Adds a target's deviations to the sums of the clusters.
    pub fn add(
        &self,
        config: &Imputation,
        stage: &FirstStage<'_>,
        target: &Target,
        psi: &mut [f64],
    ) -> Deviations {
        let sample = stage.sample;
        let weight = |row: usize| target.weights.of(sample, row);
        let mut alone = Vec::new();
        let mut sums: Vec<[f64; 2]> = Vec::new();
        for (cell, members) in self.cells.windows(2).zip(&self.members) {
            let by_cell = target.weights.of_cells();
            if by_cell.is_some_and(|by_cell| members.iter().all(|member| by_cell[*member] == 0.0)) {
                continue;
            }
            sums.clear();
            let (mut squares, mut products, mut by_row) = (0.0, 0.0, [0.0; 2]);
            for part in self.parts[cell[0] as usize..=cell[1] as usize].windows(2) {
                let (mut a, mut s) = (0.0, 0.0);
                for row in &self.rows[part[0] as usize..part[1] as usize] {
                    let (v, effect) = (weight(*row as usize), stage.residuals[*row as usize]);
                    a += v;
                    s += v * effect;
                    by_row[0] += v * v;
                    by_row[1] += v * v * effect;
                }
                squares += a * a;
                products += a * s;
                sums.push([a, s]);
            }
            let average = match config.cell_averages {
                CellAverages::Cluster => products / squares,
                CellAverages::Row => by_row[1] / by_row[0],
            };
            let average = if average.is_finite() { average } else { 0.0 };
            let first = &self.parts[cell[0] as usize..cell[1] as usize];
            for (part, [a, s]) in first.iter().zip(&sums) {
                let row = self.rows[*part as usize];
                let mut deviation = s - average * a;
                if config.leave_out && *a != 0.0 {
                    let others = squares - a * a;
                    if others <= ROUNDING * squares {
                        alone.push(row);
                        continue;
                    }
                    deviation *= squares / others;
                }
                psi[sample.clusters[row as usize] as usize] += deviation;
            }
        }
        Deviations { alone }
    }
}
