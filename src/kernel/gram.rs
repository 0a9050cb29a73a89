//! Weighted cross-products on the host.

use std::ops::Range;

use super::dot::{accumulate_dots, accumulate_linear, sum};
use super::math::propensity;
use super::{BLOCK, HostChunk, blocks, for_tiles, vectorized};
use crate::pass::{Gram, GramJob};

/// Adds the chunk's cross-products to `out`.
pub(crate) fn gram(chunk: &HostChunk<'_>, job: &GramJob, trim: f64, out: &mut Gram) {
    for_tiles(
        chunk.rows,
        |tile| {
            vectorized(
                #[inline(always)]
                || gram_tile(chunk, job, trim, &tile),
            )
        },
        |_, part| out.add(&part),
    );
}

#[inline(always)]
fn gram_tile(chunk: &HostChunk<'_>, job: &GramJob, trim: f64, tile: &Range<usize>) -> Gram {
    let (k, periods) = (chunk.k, chunk.periods());
    let mut gram = Gram::zero(k, periods);
    let mut scratch = vec![0.0; 2 * BLOCK];
    for block in blocks(tile) {
        let (omega, wx) = scratch.split_at_mut(BLOCK);
        let omega = &mut omega[..block.len()];
        let x = chunk.covariates(job.x, &block);
        chunk.weights(job.w, &block, omega);
        if let Some(gamma) = &job.odds {
            multiply_by_odds(gamma, &x, trim, omega, &mut wx[..block.len()]);
        }
        let y: Vec<&[f64]> = (0..periods).map(|t| chunk.outcome(t, &block)).collect();
        cross_products(omega, &x, &y, &mut wx[..block.len()], &mut gram);
    }
    mirror(&mut gram.zz, k);
    gram
}

/// Multiplies `omega` by the trimmed odds of the propensity score.
#[inline(always)]
fn multiply_by_odds(
    gamma: &[f64],
    x: &[&[f64]],
    trim: f64,
    omega: &mut [f64],
    log_odds: &mut [f64],
) {
    log_odds.fill(0.0);
    accumulate_linear(gamma, x, log_odds);
    for (o, eta) in omega.iter_mut().zip(log_odds.iter()) {
        let p = propensity(*eta);
        *o = if p < trim { *o * p / (1.0 - p) } else { 0.0 };
    }
}

/// Adds `Σ ω z z'` (upper triangle) and `Σ ω z y'` of a block.
#[inline(always)]
pub(super) fn cross_products(
    omega: &[f64],
    x: &[&[f64]],
    y: &[&[f64]],
    wx: &mut [f64],
    out: &mut Gram,
) {
    let (k, periods) = (x.len() + 1, y.len());
    out.zz[0] += sum(omega);
    accumulate_dots(omega, x, &mut out.zz[1..k]);
    accumulate_dots(omega, y, &mut out.zy[..periods]);
    for (i, xi) in x.iter().enumerate() {
        for ((wx, w), x) in wx.iter_mut().zip(omega).zip(*xi) {
            *wx = w * x;
        }
        let row = i + 1;
        accumulate_dots(wx, &x[i..], &mut out.zz[row * k + row..row * k + k]);
        accumulate_dots(wx, y, &mut out.zy[row * periods..(row + 1) * periods]);
    }
}

/// Copies the upper triangle to the lower one.
pub(super) fn mirror(a: &mut [f64], k: usize) {
    for i in 0..k {
        for j in 0..i {
            a[i * k + j] = a[j * k + i];
        }
    }
}
