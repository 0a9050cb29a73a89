//! A frame's rows as columns of the strata.

use std::ops::Range;

use super::grid::Grid;
use super::rows::Rows;
use super::stratum::{StratumData, StratumShape};
use crate::base::error::Result;
use crate::base::parallel;
use crate::base::segment::TILE;
use crate::read::columns::MISSING;
use crate::read::formula::{Design, Present};

/// Rows of a tile in every column.
struct TileOf<'a> {
    start: usize,
    rank: &'a mut [u64],
    cluster: &'a mut [u32],
    y: Vec<&'a mut [f64]>,
    x: Vec<&'a mut [f64]>,
    w: Vec<&'a mut [f64]>,
}

/// What filling needs besides a frame's rows and their places.
pub(super) struct Filling<'a> {
    pub shape: StratumShape,
    pub present: &'a Present,
    /// The sample's clusters by the frame's cluster codes.
    pub clusters: Vec<u32>,
}

impl Filling<'_> {
    /// Writes a grid's rows to the stratum's rows from `at` on; a rank of 0 in the grid is `first_rank` in the sample.
    pub fn fill(
        &self,
        rows: &Rows,
        grid: &Grid,
        first_rank: u64,
        stratum: &mut StratumData,
        at: usize,
    ) -> Result<()> {
        let design = rows.covariates.design(self.present)?;
        let target = at..at + grid.n;
        let ranks = stratum.rank[target.clone()].chunks_mut(TILE).enumerate();
        let mut tiles: Vec<TileOf<'_>> = ranks
            .map(|(tile, rank)| {
                let (y, x, w) = (Vec::new(), Vec::new(), Vec::new());
                TileOf { start: tile * TILE, rank, cluster: &mut [], y, x, w }
            })
            .collect();
        if self.shape.clustered {
            let clusters = stratum.cluster[target.clone()].chunks_mut(TILE);
            tiles.iter_mut().zip(clusters).for_each(|(tile, cluster)| tile.cluster = cluster);
        }
        let total = stratum.rows;
        split(&mut stratum.y, total, &target, &mut tiles, |t| &mut t.y);
        split(&mut stratum.x, total, &target, &mut tiles, |t| &mut t.x);
        split(&mut stratum.w, total, &target, &mut tiles, |t| &mut t.w);
        parallel::map_items(tiles, |_, mut tile: TileOf<'_>| {
            let units = tile.start..(tile.start + TILE).min(grid.n);
            for (out, rank) in tile.rank.iter_mut().zip(&grid.rank[units.clone()]) {
                *out = first_rank + u64::from(*rank);
            }
            self.fill_clusters(rows, &grid.first[units.clone()], tile.cluster);
            self.fill_outcomes(rows, grid, &units, &mut tile.y);
            self.fill_covariates(&design, grid, &units, &mut tile.x);
            self.fill_weights(rows, grid, &units, &mut tile.w);
        });
        Ok(())
    }

    /// Clusters of units by their first rows.
    fn fill_clusters(&self, rows: &Rows, first: &[u32], clusters: &mut [u32]) {
        let Some(codes) = &rows.cluster else { return };
        for (out, row) in clusters.iter_mut().zip(first) {
            *out = self.clusters[codes.codes[*row as usize] as usize];
        }
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
