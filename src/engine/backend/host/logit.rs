//! Scores and information of logit models on the host.

use std::ops::Range;

use super::gram::multiply_columns;
use super::linear::linear;
use super::logistic::propensity;
use super::products::{Columns, products};
use super::{BLOCK, BlockDesign, HostChunk, blocks, for_jobs, mirror};
use crate::base::simd::vectorized;
use crate::engine::pass::{LogitJob, LogitStat, add};

/// Adds the derivatives from the first `1 / thinning` of every tile's rows to `out`, one entry a job.
pub(crate) fn logit(
    chunk: &HostChunk<'_>,
    thinning: usize,
    jobs: &[LogitJob],
    out: &mut [LogitStat],
) {
    for_jobs(
        chunk.rows,
        thinning,
        jobs,
        out,
        |tile, jobs| {
            vectorized(
                #[inline(always)]
                || logit_tile(chunk, jobs, &tile),
            )
        },
        |_, out, part| {
            add(&mut out.score, &part.score);
            add(&mut out.hessian, &part.hessian);
            out.max_p = out.max_p.max(part.max_p);
        },
    );
}

#[inline(always)]
fn logit_tile(chunk: &HostChunk<'_>, jobs: &[LogitJob], tile: &Range<usize>) -> Vec<LogitStat> {
    let k = chunk.k;
    // Score, then information, `[1 + k, k]`.
    let mut sums = vec![0.0; jobs.len() * (k + 1) * k];
    let mut max_p = vec![0.0; jobs.len()];
    // Columns of residuals, then of variances times the design.
    let mut weighted = vec![0.0; (k + 1) * BLOCK];
    let mut design = BlockDesign::default();
    for block in blocks(tile) {
        let n = block.len();
        design.start(&block);
        let sums = sums.chunks_exact_mut((k + 1) * k);
        for ((job, sums), max_p) in jobs.iter().zip(sums).zip(&mut max_p) {
            let z = design.columns(chunk, job.x);
            let (residual, rest) = weighted.split_at_mut(BLOCK);
            let (variance, wx) = rest.split_at_mut(BLOCK);
            let (residual, variance) = (&mut residual[..n], &mut variance[..n]);
            chunk.weights(job.w, &block, residual);
            linear(&job.gamma, &z[1..], variance);
            *max_p = residuals(job.treated, residual, variance).max(*max_p);
            multiply_columns(variance, &z[1..], wx);
            let weighted = Columns { data: &weighted, stride: BLOCK, count: k + 1 };
            products(weighted, z, 1, sums);
        }
    }
    let sums = sums.chunks_exact_mut((k + 1) * k);
    sums.zip(max_p)
        .map(|(sums, max_p)| {
            let (score, hessian) = sums.split_at_mut(k);
            mirror(hessian, k);
            LogitStat { score: score.to_vec(), hessian: hessian.to_vec(), max_p }
        })
        .collect()
}

/// Turns weights into `w (D - p)` and log-odds into `w p (1 - p)`; returns the largest `p` of rows with weight.
#[inline(always)]
fn residuals(treated: bool, weight: &mut [f64], log_odds: &mut [f64]) -> f64 {
    let d = f64::from(u8::from(treated));
    let row = |w: &mut f64, eta: &mut f64, max_p: &mut f64| {
        let (p, rest) = propensity(*eta);
        let counted = if *w > 0.0 { p } else { 0.0 };
        *max_p = if counted > *max_p { counted } else { *max_p };
        *eta = *w * p * rest;
        *w *= d * rest - (1.0 - d) * p;
    };
    let mut max_p = [0.0; 4];
    let (weights, rest_w) = weight.as_chunks_mut::<4>();
    let (etas, rest_eta) = log_odds.as_chunks_mut::<4>();
    for (w, eta) in weights.iter_mut().zip(etas) {
        for ((w, eta), max_p) in w.iter_mut().zip(eta).zip(&mut max_p) {
            row(w, eta, max_p);
        }
    }
    for (w, eta) in rest_w.iter_mut().zip(rest_eta) {
        row(w, eta, &mut max_p[0]);
    }
    max_p.into_iter().fold(0.0, f64::max)
}
