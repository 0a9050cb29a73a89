//! The passes over slices of host memory: the CPU backend's override, what conditioning looks at correlations with, and the
//! only home of user-supplied estimators.
//!
//! Loops are written so that the compiler vectorises them; [`vectorized`](crate::base::simd::vectorized) selects the instruction
//! set at run time. Sums run over four fixed lanes, so they do not depend on it.

mod gram;
mod influence;
mod linear;
mod logistic;
mod logit;
mod multiplier;
pub(crate) mod products;
mod subsets;
mod weighting;

use std::ops::Range;

use crate::base::parallel;
use crate::engine::pass::{TILE, Weight};

pub(crate) use gram::gram;
pub(crate) use influence::{Sink, consume, influence};
pub(crate) use logit::logit;
pub(crate) use multiplier::cluster_draws;
pub(crate) use weighting::weighting;

/// Rows of a cache-sized block inside a tile.
const BLOCK: usize = 256;

/// Rows and columns of a matrix that are mirrored together.
const SQUARE: usize = 64;

/// The leading constant of a design.
static ONES: [f64; BLOCK] = [1.0; BLOCK];

/// A chunk in host memory; shapes as in [`Chunk`](crate::engine::pass::Chunk).
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostChunk<'a> {
    pub rows: usize,
    pub y: &'a [f64],
    pub x: &'a [f64],
    pub w: &'a [f64],
    pub rank: &'a [u64],
    pub cluster: &'a [u32],
    pub k: usize,
}

impl<'a> HostChunk<'a> {
    fn column(data: &'a [f64], rows: usize, index: usize, range: &Range<usize>) -> &'a [f64] {
        &data[index * rows + range.start..index * rows + range.end]
    }

    fn outcome(&self, index: usize, range: &Range<usize>) -> &'a [f64] {
        Self::column(self.y, self.rows, index, range)
    }

    /// The stored covariates of a version (the constant is not among them).
    fn covariates(self, version: usize, range: &Range<usize>) -> impl Iterator<Item = &'a [f64]> {
        let kx = self.k - 1;
        (0..kx).map(move |j| Self::column(self.x, self.rows, version * kx + j, range))
    }

    #[inline(always)]
    fn weights(&self, weight: Weight, range: &Range<usize>, out: &mut [f64]) {
        match weight {
            Weight::Ones => out.fill(1.0),
            Weight::Column(j) => out.copy_from_slice(Self::column(self.w, self.rows, j, range)),
            Weight::Product(i, j) => {
                let a = Self::column(self.w, self.rows, i, range);
                let b = Self::column(self.w, self.rows, j, range);
                for ((o, a), b) in out.iter_mut().zip(a).zip(b) {
                    *o = a * b;
                }
            }
        }
    }
}

/// Maps tiles of `rows` in parallel and folds the results in tile order.
fn for_tiles<S: Send>(
    rows: usize,
    map: impl Fn(Range<usize>) -> S + Sync,
    mut fold: impl FnMut(Range<usize>, S),
) {
    let tiles: Vec<Range<usize>> =
        (0..rows).step_by(TILE).map(|s| s..(s + TILE).min(rows)).collect();
    if let [tile] = tiles.as_slice() {
        fold(tile.clone(), map(tile.clone()));
        return;
    }
    let wave = 8 * rayon::current_num_threads();
    for tiles in tiles.chunks(wave) {
        let parts: Vec<S> = parallel::map(tiles.len(), |t| map(tiles[t].clone()));
        for (tile, part) in tiles.iter().zip(parts) {
            fold(tile.clone(), part);
        }
    }
}

/// Maps the first `1 / thinning` of every tile of `rows` for all jobs and folds the results into `out`, one entry a job, in
/// tile order. Where there are too few tiles for all threads, several share a tile, each with a part of the jobs.
fn for_jobs<J: Sync, S, P: Send>(
    rows: usize,
    thinning: usize,
    jobs: &[J],
    out: &mut [S],
    map: impl Fn(Range<usize>, &[J]) -> Vec<P> + Sync,
    mut fold: impl FnMut(&J, &mut S, P),
) {
    let mut merge = |first: usize, parts: Vec<P>| {
        for ((job, out), part) in jobs[first..].iter().zip(&mut out[first..]).zip(parts) {
            fold(job, out, part);
        }
    };
    let tiles = rows.div_ceil(TILE);
    let wanted = 4 * rayon::current_num_threads();
    let alone = rows * jobs.len() <= 4 * TILE * thinning;
    let share = if alone { jobs.len() } else { jobs.len().div_ceil(wanted.div_ceil(tiles)) };
    let part = |tile: usize, job: usize| {
        let start = tile * TILE;
        let end = start + TILE.min(rows - start).div_ceil(thinning);
        map(start..end, &jobs[job..(job + share).min(jobs.len())])
    };
    let items: Vec<(usize, usize)> = (0..tiles)
        .flat_map(|tile| (0..jobs.len()).step_by(share).map(move |job| (tile, job)))
        .collect();
    if let [(tile, job)] = items[..] {
        merge(job, part(tile, job));
        return;
    }
    for items in items.chunks(8 * wanted) {
        let parts = parallel::map(items.len(), |i| part(items[i].0, items[i].1));
        for ((_, job), parts) in items.iter().zip(parts) {
            merge(*job, parts);
        }
    }
}

/// Columns `(1, x)` of one block, remembered while jobs ask for the same covariate version.
#[derive(Default)]
struct BlockDesign<'a> {
    block: Range<usize>,
    version: Option<usize>,
    columns: Vec<&'a [f64]>,
}

impl<'a> BlockDesign<'a> {
    fn start(&mut self, block: &Range<usize>) {
        (self.block, self.version) = (block.clone(), None);
    }

    fn columns(&mut self, chunk: &HostChunk<'a>, version: usize) -> &[&'a [f64]] {
        if self.version != Some(version) {
            self.version = Some(version);
            self.columns.clear();
            self.columns.push(&ONES[..self.block.len()]);
            self.columns.extend(chunk.covariates(version, &self.block));
        }
        &self.columns
    }
}

/// Copies the upper triangle to the lower one.
fn mirror(a: &mut [f64], k: usize) {
    // Square by square, so that what is read across the rows stays in the cache.
    for rows in (0..k).step_by(SQUARE) {
        for columns in (0..=rows).step_by(SQUARE) {
            for i in rows..(rows + SQUARE).min(k) {
                for j in columns..(columns + SQUARE).min(i) {
                    a[i * k + j] = a[j * k + i];
                }
            }
        }
    }
}

/// Splits a tile into cache-sized blocks.
fn blocks(tile: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
    let (start, end) = (tile.start, tile.end);
    (start..end).step_by(BLOCK).map(move |s| s..(s + BLOCK).min(end))
}
