//! Score and information of a logit model on the host.

use std::ops::Range;

use super::dot::{accumulate_dots, accumulate_linear, sum};
use super::gram::{cross_products, mirror};
use super::math::propensity;
use super::{BLOCK, HostChunk, blocks, for_tiles, vectorized};
use crate::pass::{Gram, LogitJob, LogitStat};

/// Adds the chunk's derivatives at `gamma` to `out`.
pub(crate) fn logit(chunk: &HostChunk<'_>, job: &LogitJob, gamma: &[f64], out: &mut LogitStat) {
    for_tiles(
        chunk.rows,
        |tile| {
            vectorized(
                #[inline(always)]
                || logit_tile(chunk, job, gamma, &tile),
            )
        },
        |_, part| out.add(&part),
    );
}

#[inline(always)]
fn logit_tile(
    chunk: &HostChunk<'_>,
    job: &LogitJob,
    gamma: &[f64],
    tile: &Range<usize>,
) -> LogitStat {
    let k = chunk.k;
    let mut stat = LogitStat::zero(k);
    let mut information = Gram::zero(k, 0);
    let mut scratch = vec![0.0; 3 * BLOCK];
    for block in blocks(tile) {
        let n = block.len();
        let (residual, rest) = scratch.split_at_mut(BLOCK);
        let (variance, wx) = rest.split_at_mut(BLOCK);
        let (residual, variance, wx) = (&mut residual[..n], &mut variance[..n], &mut wx[..n]);
        let x = chunk.covariates(job.x, &block);
        chunk.weights(job.w, &block, residual);
        variance.fill(0.0);
        accumulate_linear(gamma, &x, variance);
        stat.max_p = stat.max_p.max(residuals(job.treated, residual, variance));
        stat.score[0] += sum(residual);
        accumulate_dots(residual, &x, &mut stat.score[1..]);
        cross_products(variance, &x, &[], wx, &mut information);
    }
    mirror(&mut information.zz, k);
    stat.hessian = information.zz;
    stat
}

/// Turns weights into `w (D - p)` and log-odds into `w p (1 - p)`; returns the largest `p`.
#[inline(always)]
fn residuals(treated: bool, weight: &mut [f64], log_odds: &mut [f64]) -> f64 {
    let d = f64::from(u8::from(treated));
    let mut max_p = [0.0f64; 8];
    for (weight, log_odds) in weight.chunks_mut(8).zip(log_odds.chunks_mut(8)) {
        for ((w, eta), max_p) in weight.iter_mut().zip(log_odds).zip(&mut max_p) {
            let p = propensity(*eta);
            *max_p = if *w > 0.0 { max_p.max(p) } else { *max_p };
            *eta = *w * p * (1.0 - p);
            *w *= d - p;
        }
    }
    max_p.into_iter().fold(0.0, f64::max)
}
