//! Weighted cross-products on the host.

use std::ops::Range;

use super::linear::linear;
use super::logistic::trimmed_odds;
use super::products::{ALL, Columns, products};
use super::{BLOCK, BlockDesign, HostChunk, blocks, for_jobs, mirror};
use crate::pass::{Gram, GramJob, OddsLimits, add};
use crate::simd::vectorized;

/// Adds the chunk's cross-products to `out`, one entry a job.
pub(crate) fn gram(chunk: &HostChunk<'_>, jobs: &[GramJob], trim: f64, out: &mut [Gram]) {
    for_jobs(
        chunk.rows,
        1,
        jobs,
        out,
        |tile, jobs| {
            vectorized(
                #[inline(always)]
                || gram_tile(chunk, jobs, OddsLimits::new(trim), &tile),
            )
        },
        |job, out, part| {
            add(&mut out.zz, &part.zz);
            let (periods, width) = (out.zy.len() / chunk.k, job.outcomes.len());
            for (i, sums) in part.zy.chunks_exact(width.max(1)).enumerate() {
                for (t, sum) in job.outcomes.iter().zip(sums) {
                    out.zy[i * periods + t] += sum;
                }
            }
        },
    );
}

/// Cross-products of a tile, with the job's own outcome columns only.
#[inline(always)]
fn gram_tile(
    chunk: &HostChunk<'_>,
    jobs: &[GramJob],
    limits: OddsLimits,
    tile: &Range<usize>,
) -> Vec<Gram> {
    let k = chunk.k;
    let mut parts: Vec<Gram> = jobs.iter().map(|j| Gram::zero(k, j.outcomes.len())).collect();
    let mut weighted = vec![0.0; k * BLOCK];
    let mut log_odds = vec![0.0; BLOCK];
    let mut design = BlockDesign::default();
    let mut y = Vec::new();
    for block in blocks(tile) {
        let n = block.len();
        design.start(&block);
        for (job, part) in jobs.iter().zip(&mut parts) {
            let z = design.columns(chunk, job.x);
            let (omega, wx) = weighted.split_at_mut(BLOCK);
            let omega = &mut omega[..n];
            chunk.weights(job.w, &block, omega);
            if let Some(gamma) = &job.odds {
                linear(gamma, &z[1..], &mut log_odds[..n]);
                for (o, eta) in omega.iter_mut().zip(&log_odds) {
                    *o *= trimmed_odds(*eta, limits);
                }
            }
            multiply_columns(omega, &z[1..], wx);
            y.clear();
            y.extend(job.outcomes.iter().map(|t| chunk.outcome(*t, &block)));
            let weighted = Columns { data: &weighted, stride: BLOCK, count: k };
            products(weighted, z, 0, &mut part.zz);
            products(weighted, &y, ALL, &mut part.zy);
        }
    }
    for part in &mut parts {
        mirror(&mut part.zz, k);
    }
    parts
}

/// `out_j = ω x_j` in columns of [`BLOCK`].
#[inline(always)]
pub(super) fn multiply_columns(omega: &[f64], x: &[&[f64]], out: &mut [f64]) {
    for (out, x) in out.chunks_exact_mut(BLOCK).zip(x) {
        for ((out, w), x) in out.iter_mut().zip(omega).zip(*x) {
            *out = w * x;
        }
    }
}
