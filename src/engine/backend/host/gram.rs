//! Weighted cross-products on the host.

use std::ops::Range;

use super::linear::linear;
use super::logistic::trimmed_odds;
use super::products::{ALL, Columns, products};
use super::{BLOCK, BlockDesign, HostChunk, blocks, for_jobs, mirror};
use crate::base::simd::vectorized;
use crate::engine::pass::{Gram, GramJob, OddsLimits, WeightSums, add};

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
            out.weights.add(&part.weights);
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
    let mut weight_lanes = vec![WeightLanes::default(); jobs.len()];
    let mut weighted = vec![0.0; k * BLOCK];
    let mut log_odds = vec![0.0; BLOCK];
    let mut design = BlockDesign::default();
    let mut y = Vec::new();
    for block in blocks(tile) {
        let n = block.len();
        design.start(&block);
        for ((job, part), lanes) in jobs.iter().zip(&mut parts).zip(&mut weight_lanes) {
            let z = design.columns(chunk, job.x);
            let (omega, wx) = weighted.split_at_mut(BLOCK);
            let omega = &mut omega[..n];
            chunk.weights(job.w, &block, omega);
            if let Some(gamma) = &job.odds {
                linear(gamma, &z[1..], &mut log_odds[..n]);
                lanes.weigh_by_odds(omega, &log_odds[..n], limits);
            }
            lanes.add_squares(omega);
            multiply_columns(omega, &z[1..], wx);
            y.clear();
            y.extend(job.outcomes.iter().map(|t| chunk.outcome(*t, &block)));
            let weighted = Columns { data: &weighted, stride: BLOCK, count: k };
            products(weighted, z, 0, &mut part.zz);
            products(weighted, &y, ALL, &mut part.zy);
        }
    }
    for (part, lanes) in parts.iter_mut().zip(weight_lanes) {
        mirror(&mut part.zz, k);
        part.weights = lanes.sums();
    }
    parts
}

/// Sums of weights in lanes that vectorise, whose order does not depend on the instruction set.
#[derive(Clone, Copy, Default)]
struct WeightLanes {
    squares: [f64; LANES],
    trimmed_rows: [f64; LANES],
    trimmed_weight: [f64; LANES],
}

const LANES: usize = 4;

impl WeightLanes {
    /// Multiplies a block's weights by the odds within the limits.
    #[inline(always)]
    fn weigh_by_odds(&mut self, weights: &mut [f64], log_odds: &[f64], limits: OddsLimits) {
        let Self { trimmed_rows, trimmed_weight, .. } = self;
        let mut row = |w: &mut f64, eta: &f64, lane: usize| {
            let odds = trimmed_odds(*eta, limits);
            // Odds are positive unless they are trimmed.
            let trimmed = if odds > 0.0 { 0.0 } else { *w };
            trimmed_rows[lane] += if trimmed > 0.0 { 1.0 } else { 0.0 };
            trimmed_weight[lane] += trimmed;
            *w *= odds;
        };
        let (whole, rest) = weights.as_chunks_mut::<LANES>();
        let (whole_odds, rest_odds) = log_odds.as_chunks::<LANES>();
        for (weights, log_odds) in whole.iter_mut().zip(whole_odds) {
            for (lane, (w, eta)) in weights.iter_mut().zip(log_odds).enumerate() {
                row(w, eta, lane);
            }
        }
        for (w, eta) in rest.iter_mut().zip(rest_odds) {
            row(w, eta, 0);
        }
    }

    /// Adds the squares of a block's weights.
    #[inline(always)]
    fn add_squares(&mut self, weights: &[f64]) {
        let (whole, rest) = weights.as_chunks::<LANES>();
        for weights in whole {
            for (sum, w) in self.squares.iter_mut().zip(weights) {
                *sum += w * w;
            }
        }
        for w in rest {
            self.squares[0] += w * w;
        }
    }

    fn sums(&self) -> WeightSums {
        let [squares, trimmed_rows, trimmed_weight] =
            [self.squares, self.trimmed_rows, self.trimmed_weight].map(|lanes| lanes.iter().sum());
        WeightSums { squares, trimmed_rows, trimmed_weight }
    }
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
