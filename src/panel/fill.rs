//! A frame's rows as columns of the strata.

use std::ops::Range;

use rayon::prelude::*;

use super::codes::MISSING;
use super::columns::Rows;
use super::formula::{Design, Present};
use super::grid::Grid;
use super::sample::{StratumData, WeightLayout};
use crate::error::Result;
use crate::pass::TILE;

/// Columns of a stratum, the same for all strata.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Outcome columns.
    pub periods: usize,
    /// Covariate versions.
    pub versions: usize,
    /// Covariates without the constant.
    pub covariates: usize,
    pub weights: WeightLayout,
    /// Whether units can be missing in some periods.
    pub presence: bool,
    /// Whether one of a unit's outcomes is subtracted from all.
    pub changes: bool,
    pub clustered: bool,
}

impl Shape {
    /// Weight columns: weights, and for unbalanced panels presence and the units' mean weights.
    pub fn weight_columns(&self) -> usize {
        match (self.presence, self.weights) {
            (true, WeightLayout::Constant) => self.periods,
            (true, _) => 2 * self.periods + 1,
            (false, _) => self.sampling_columns(),
        }
    }

    /// Columns of sampling weights by period.
    pub fn sampling_columns(&self) -> usize {
        match (self.presence, self.weights) {
            (_, WeightLayout::Constant) => 0,
            (false, WeightLayout::Invariant) => 1,
            _ => self.periods,
        }
    }

    /// Columns of doubles.
    pub fn columns(&self) -> usize {
        self.periods + self.versions * self.covariates + self.weight_columns()
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> u64 {
        8 * self.columns() as u64 + 8 + 4 * u64::from(self.clustered)
    }

    /// An empty stratum of `rows` rows.
    pub fn stratum(&self, rows: usize) -> StratumData {
        StratumData {
            rows,
            y: vec![0.0; self.periods * rows],
            x: vec![0.0; self.versions * self.covariates * rows],
            w: vec![0.0; self.weight_columns() * rows],
            rank: vec![0; rows],
            cluster: if self.clustered { vec![0; rows] } else { Vec::new() },
        }
    }
}

/// Rows of a tile in every column.
struct TileOf<'a> {
    start: usize,
    y: Vec<&'a mut [f64]>,
    x: Vec<&'a mut [f64]>,
    w: Vec<&'a mut [f64]>,
}

/// What filling needs besides the rows.
pub(super) struct Filling<'a> {
    pub shape: Shape,
    pub present: &'a Present,
    /// The sample's clusters by the frame's cluster codes.
    pub clusters: Vec<u32>,
}

impl Filling<'_> {
    /// Writes a grid's rows to the stratum's rows from `at` on.
    pub fn fill(
        &self,
        rows: &Rows,
        grid: &Grid,
        stratum: &mut StratumData,
        at: usize,
    ) -> Result<()> {
        let design = rows.covariates.design(self.present)?;
        let target = at..at + grid.n;
        stratum.rank[target.clone()].copy_from_slice(&grid.rank);
        if let Some(codes) = rows.cluster.as_ref().filter(|_| self.shape.clustered) {
            for (out, row) in stratum.cluster[target.clone()].iter_mut().zip(&grid.first) {
                *out = self.clusters[codes.codes[*row as usize] as usize];
            }
        }
        let mut tiles: Vec<TileOf<'_>> = (0..grid.n)
            .step_by(TILE)
            .map(|start| TileOf { start, y: Vec::new(), x: Vec::new(), w: Vec::new() })
            .collect();
        let total = stratum.rows;
        split(&mut stratum.y, total, &target, &mut tiles, |t| &mut t.y);
        split(&mut stratum.x, total, &target, &mut tiles, |t| &mut t.x);
        split(&mut stratum.w, total, &target, &mut tiles, |t| &mut t.w);
        tiles.into_par_iter().for_each(|mut tile| {
            let units = tile.start..(tile.start + TILE).min(grid.n);
            self.fill_outcomes(rows, grid, &units, &mut tile.y);
            self.fill_covariates(&design, grid, &units, &mut tile.x);
            self.fill_weights(rows, grid, &units, &mut tile.w);
        });
        Ok(())
    }

    fn fill_outcomes(&self, rows: &Rows, grid: &Grid, units: &Range<usize>, y: &mut [&mut [f64]]) {
        let values: &[f64] = &rows.y;
        let mut buffer = Vec::new();
        for (p, out) in y.iter_mut().enumerate() {
            let listed = grid.rows(p, units, &mut buffer);
            for (out, row) in out.iter_mut().zip(listed) {
                *out = if *row == MISSING { 0.0 } else { values[*row as usize] };
            }
        }
        if self.shape.changes {
            subtract_smallest(y);
        }
    }

    fn fill_covariates(
        &self,
        design: &Design,
        grid: &Grid,
        units: &Range<usize>,
        x: &mut [&mut [f64]],
    ) {
        let mut buffer = Vec::new();
        let columns = design.covariates();
        for (version, out) in x.chunks_mut(columns.len().max(1)).enumerate() {
            let listed = grid.filled(version, units, &mut buffer);
            for (j, out) in columns.clone().zip(out) {
                design.fill(j, listed, out);
            }
        }
    }

    /// Sampling weights by period, and for unbalanced panels presence and each unit's mean weight.
    fn fill_weights(&self, rows: &Rows, grid: &Grid, units: &Range<usize>, w: &mut [&mut [f64]]) {
        let mut buffer = Vec::new();
        let (sampling, presence) = w.split_at_mut(self.shape.sampling_columns());
        if let Some(values) = &rows.w {
            for (p, out) in sampling.iter_mut().enumerate() {
                for (out, row) in out.iter_mut().zip(grid.rows(p, units, &mut buffer)) {
                    *out = if *row == MISSING { 0.0 } else { values[*row as usize] };
                }
            }
        }
        let (presence, mean) = presence.split_at_mut(presence.len().min(self.shape.periods));
        for (p, out) in presence.iter_mut().enumerate() {
            for (out, row) in out.iter_mut().zip(grid.rows(p, units, &mut buffer)) {
                *out = f64::from(u8::from(*row != MISSING));
            }
        }
        for mean in mean {
            for (i, mean) in mean.iter_mut().enumerate() {
                let total = |columns: &[&mut [f64]]| columns.iter().map(|c| c[i]).sum::<f64>();
                *mean = total(sampling) / total(presence);
            }
        }
    }
}

/// Subtracts from each unit's outcomes the one of smallest magnitude. A difference of two of them then has an error of the
/// order of their own rounding, whatever the unit's other outcomes are.
fn subtract_smallest(y: &mut [&mut [f64]]) {
    let Some((first, later)) = y.split_first() else { return };
    let mut smallest = first.to_vec();
    for column in later {
        for (smallest, y) in smallest.iter_mut().zip(column.iter()) {
            *smallest = if y.abs() < smallest.abs() { *y } else { *smallest };
        }
    }
    for column in y {
        column.iter_mut().zip(&smallest).for_each(|(y, smallest)| *y -= smallest);
    }
}

/// Hands the tiles their parts of the rows `target` of every column.
fn split<'a>(
    columns: &'a mut [f64],
    rows: usize,
    target: &Range<usize>,
    tiles: &mut [TileOf<'a>],
    part: impl for<'b> Fn(&'b mut TileOf<'a>) -> &'b mut Vec<&'a mut [f64]>,
) {
    for column in columns.chunks_exact_mut(rows.max(1)) {
        for (piece, tile) in column[target.clone()].chunks_mut(TILE).zip(tiles.iter_mut()) {
            part(tile).push(piece);
        }
    }
}
