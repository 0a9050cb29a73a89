//! The three passes over slices of host memory: the CPU backend's override, and the only home of user-supplied estimators.
//!
//! Loops are written so that the compiler vectorises them; [`vectorized`] selects the instruction set at run time. Sums
//! run over eight fixed lanes, so they do not depend on it.

mod dot;
mod gram;
mod influence;
mod linear;
mod logit;
mod masks;
mod math;
mod multiplier;
mod philox;
mod subsets;

use std::ops::Range;

use rayon::prelude::*;

use crate::pass::{TILE, Weight};

pub(crate) use gram::gram;
pub(crate) use influence::{Sink, consume, influence};
pub(crate) use logit::logit;
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub(crate) use masks::MAMMEN_LOWER;
pub(crate) use masks::masks;
pub(crate) use multiplier::{cluster_draws, law_levels};
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub(crate) use philox::ROUNDS;
pub(crate) use philox::{standard_normals, uniform};

/// Rows of a cache-sized block inside a tile.
const BLOCK: usize = 512;

/// Largest propensity score: larger ones are set to it.
pub(crate) const MAX_PROPENSITY: f64 = 1.0 - 1e-6;

/// A chunk in host memory; shapes as in [`Chunk`](crate::pass::Chunk).
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostChunk<'a> {
    pub rows: usize,
    pub y: &'a [f64],
    pub x: &'a [f64],
    pub w: &'a [f64],
    pub rank: &'a [u32],
    pub cluster: &'a [u32],
    pub k: usize,
}

impl<'a> HostChunk<'a> {
    /// Number of outcome columns.
    pub fn periods(&self) -> usize {
        self.y.len() / self.rows.max(1)
    }

    fn column(data: &'a [f64], rows: usize, index: usize, range: &Range<usize>) -> &'a [f64] {
        &data[index * rows + range.start..index * rows + range.end]
    }

    fn outcome(&self, index: usize, range: &Range<usize>) -> &'a [f64] {
        Self::column(self.y, self.rows, index, range)
    }

    /// The stored covariates of a version (the constant is not among them).
    fn covariates(&self, version: usize, range: &Range<usize>) -> Vec<&'a [f64]> {
        let kx = self.k - 1;
        (0..kx).map(|j| Self::column(self.x, self.rows, version * kx + j, range)).collect()
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

/// Runs `f` compiled for the best instruction set of this machine.
///
/// That reaches only what is inlined: pass `#[inline(always)] || ..`, and mark so what it calls.
fn vectorized<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
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
        let parts: Vec<S> = tiles.par_iter().map(|t| map(t.clone())).collect();
        for (tile, part) in tiles.iter().zip(parts) {
            fold(tile.clone(), part);
        }
    }
}

/// Splits a tile into cache-sized blocks.
fn blocks(tile: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
    let (start, end) = (tile.start, tile.end);
    (start..end).step_by(BLOCK).map(move |s| s..(s + BLOCK).min(end))
}
