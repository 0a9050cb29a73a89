//! Influence blocks on the host, and their consumers.

use std::ops::Range;

use super::linear::linear;
use super::logistic::{propensity, trimmed_odds};
use super::products::{Columns, products};
use super::{BLOCK, BlockDesign, HostChunk, blocks, for_tiles, mirror, multiplier};
use crate::base::simd::vectorized;
use crate::engine::backend::basis::BasisPlan;
use crate::engine::pass::{
    Consumers, InfluenceStat, KeptRows, Leg, OddsLimits, StratumPlan, Weight, add,
};

/// Where a chunk's influence values go.
pub(crate) struct Sink<'a> {
    /// Global indices of the block's columns.
    pub active: &'a [usize],
    /// What is done with the values.
    pub consumers: &'a Consumers,
}

/// Forms the chunk's influence values tile by tile and adds what the consumers make of them to `out`; returns the values if
/// they are kept.
pub(crate) fn influence(
    chunk: &HostChunk<'_>,
    plan: &StratumPlan,
    trim: f64,
    sink: &Sink<'_>,
    out: &mut InfluenceStat,
) -> Option<KeptRows> {
    let of_plan = |plan: &StratumPlan, tile: &Range<usize>, block: &mut [f64]| {
        vectorized(
            #[inline(always)]
            || influence_tile(chunk, plan, trim, tile, block),
        );
    };
    let sums_alone = sink.consumers.clusters.is_none() && !sink.consumers.keep_rows;
    if let Some(linear) = BasisPlan::of(plan).filter(|linear| sums_alone && linear.is_smaller()) {
        let form = |plan: &StratumPlan, tile: &Range<usize>, columns: usize| {
            let mut block = vec![0.0; columns * tile.len()];
            of_plan(plan, tile, &mut block);
            let mut part = TileSums::default();
            part.reduce(&block, &chunk.rank[tile.clone()], columns, sink.consumers);
            part
        };
        for_tiles(
            chunk.rows,
            |tile| {
                let mut basis = form(&linear.basis, &tile, linear.basis.columns.len());
                if !linear.is_accurate(&basis.cross) {
                    return (false, form(plan, &tile, sink.active.len()));
                }
                if let Some(multipliers) = &sink.consumers.multipliers {
                    basis.draws = linear.draws(&basis.draws, multipliers.draws);
                }
                (true, basis)
            },
            |tile, (of_basis, mut part)| {
                if of_basis {
                    linear.add_cross(&std::mem::take(&mut part.cross), sink.active, &mut out.cross);
                }
                part.fold(sink, &[], tile.len(), out);
            },
        );
        let m = out.cross.len().isqrt();
        mirror(&mut out.cross, m);
        None
    } else {
        let form = |tile: &Range<usize>, block: &mut [f64]| of_plan(plan, tile, block);
        consume(chunk.rows, chunk.rank, chunk.cluster, form, sink, out)
    }
}

/// Feeds blocks `[active, tile]` written by `form` to the consumers; returns the values if they are kept.
pub(crate) fn consume(
    rows: usize,
    rank: &[u64],
    cluster: &[u32],
    form: impl Fn(&Range<usize>, &mut [f64]) + Sync,
    sink: &Sink<'_>,
    out: &mut InfluenceStat,
) -> Option<KeptRows> {
    let active = sink.active.len();
    let clustered = sink.consumers.clusters.is_some();
    let mut kept_values = sink.consumers.keep_rows.then(|| vec![0.0; active * rows]);
    for_tiles(
        rows,
        |tile| {
            let mut block = vec![0.0; active * tile.len()];
            form(&tile, &mut block);
            let mut part = TileSums::default();
            if !clustered {
                part.reduce(&block, &rank[tile], active, sink.consumers);
            }
            if clustered || sink.consumers.keep_rows {
                part.block = block;
            }
            part
        },
        |tile, part| {
            part.fold(sink, &cluster[tile.start.min(cluster.len())..], tile.len(), out);
            if let Some(kept_values) = &mut kept_values {
                for (j, column) in part.block.chunks_exact(tile.len()).enumerate() {
                    kept_values[j * rows + tile.start..j * rows + tile.end].copy_from_slice(column);
                }
            }
        },
    );
    kept_values.map(|values| KeptRows {
        ranks: rank.to_vec(),
        clusters: cluster.to_vec(),
        columns: sink.active.to_vec(),
        values,
    })
}

/// Sums of one tile over its active columns.
#[derive(Default)]
struct TileSums {
    cross: Vec<f64>,
    draws: Vec<f64>,
    block: Vec<f64>,
}

impl TileSums {
    fn reduce(&mut self, block: &[f64], rank: &[u64], active: usize, consumers: &Consumers) {
        // A stratum may have no column, as of the never treated if no cell has an estimate.
        if active == 0 {
            return;
        }
        self.cross = vec![0.0; active * active];
        cross_block(block, rank.len(), active, &mut self.cross);
        if let Some(spec) = &consumers.multipliers {
            self.draws = vec![0.0; active * spec.draws];
            vectorized(
                #[inline(always)]
                || multiplier::accumulate(block, rank.len(), rank, spec, &mut self.draws),
            );
        }
    }

    fn fold(&self, sink: &Sink<'_>, cluster: &[u32], rows: usize, out: &mut InfluenceStat) {
        if !self.cross.is_empty() {
            out.add_cross(sink.active, &self.cross);
        }
        if let Some(spec) = &sink.consumers.multipliers {
            out.add_draws(sink.active, spec.draws, &self.draws);
        }
        if let Some(clusters) = sink.consumers.clusters {
            out.add_clusters(sink.active, clusters, &cluster[..rows], &self.block);
        }
    }
}

/// Upper triangle of `U'U` for a block `[active, rows]`.
fn cross_block(block: &[f64], rows: usize, active: usize, cross: &mut [f64]) {
    let mut columns = Vec::with_capacity(active);
    for range in blocks(&(0..rows)) {
        let at = Columns { data: &block[range.start..], stride: rows, count: active };
        columns.clear();
        columns.extend((0..active).map(|j| &block[j * rows + range.start..j * rows + range.end]));
        products(at, &columns, 0, cross);
    }
}

/// Writes the influence values of a tile, `[active, tile]`.
#[inline(always)]
fn influence_tile(
    chunk: &HostChunk<'_>,
    plan: &StratumPlan,
    trim: f64,
    tile: &Range<usize>,
    out: &mut [f64],
) {
    let mut scratch = Scratch::new(plan);
    for range in blocks(tile) {
        let local = range.start - tile.start..range.end - tile.start;
        scratch.prepare(chunk, plan, trim, &range);
        for (column, out) in plan.columns.iter().zip(out.chunks_exact_mut(tile.len())) {
            for leg in &column.legs {
                scratch.add_leg(chunk, leg, &range, &mut out[local.clone()]);
            }
        }
        if let Some(share) = &plan.share {
            let out = &mut out[plan.columns.len() * tile.len()..][local];
            chunk.weights(share.w, &range, out);
            for o in out {
                *o *= share.scale;
            }
        }
    }
}

/// Buffers of one block: linear predictors, propensity scores and odds, and three columns of working space.
struct Scratch {
    rows: usize,
    dots: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    weight: Vec<f64>,
    residual: Vec<f64>,
    value: Vec<f64>,
}

impl Scratch {
    fn new(plan: &StratumPlan) -> Self {
        let buffer = |columns: usize| vec![0.0; columns * BLOCK];
        Self {
            rows: 0,
            dots: buffer(plan.dots.len()),
            p: buffer(plan.props.len()),
            q: buffer(plan.props.len()),
            weight: buffer(1),
            residual: buffer(1),
            value: buffer(1),
        }
    }

    #[inline(always)]
    fn prepare(
        &mut self,
        chunk: &HostChunk<'_>,
        plan: &StratumPlan,
        trim: f64,
        range: &Range<usize>,
    ) {
        self.rows = range.len();
        let mut design = BlockDesign::default();
        design.start(range);
        for (dot, out) in plan.dots.iter().zip(self.dots.chunks_exact_mut(BLOCK)) {
            linear(&dot.v, &design.columns(chunk, dot.x)[1..], &mut out[..range.len()]);
        }
        let limits = OddsLimits::new(trim);
        for (j, dot) in plan.props.iter().enumerate() {
            let log_odds = &self.dots[dot * BLOCK..dot * BLOCK + range.len()];
            let p = &mut self.p[j * BLOCK..j * BLOCK + range.len()];
            let q = &mut self.q[j * BLOCK..j * BLOCK + range.len()];
            for ((p, q), eta) in p.iter_mut().zip(q).zip(log_odds) {
                *p = propensity(*eta).0;
                *q = trimmed_odds(*eta, limits);
            }
        }
    }

    /// Adds `w [ (d - z'β)(c + z'b - h q) + z'e + f + h τ q + (p - D) z'a ]`.
    #[inline(always)]
    fn add_leg(&mut self, chunk: &HostChunk<'_>, leg: &Leg, range: &Range<usize>, out: &mut [f64]) {
        let n = self.rows;
        let dot = |index: usize| &self.dots[index * BLOCK..index * BLOCK + n];
        let residual = &mut self.residual[..n];
        let value = &mut self.value[..n];
        residual.copy_from_slice(chunk.outcome(leg.post, range));
        if let Some(base) = leg.base {
            subtract(residual, chunk.outcome(base, range));
        }
        if let Some(beta) = leg.beta {
            subtract(residual, dot(beta));
        }
        value.fill(leg.c);
        if let Some(b) = leg.b {
            add(value, dot(b));
        }
        if let Some(prop) = leg.prop.filter(|_| leg.h != 0.0) {
            add_scaled(value, -leg.h, &self.q[prop * BLOCK..prop * BLOCK + n]);
        }
        for (v, r) in value.iter_mut().zip(residual) {
            *v = *v * *r + leg.f;
        }
        if let Some(e) = leg.e {
            add(value, dot(e));
        }
        if let Some(prop) = leg.prop {
            if leg.h_tau != 0.0 {
                add_scaled(value, leg.h_tau, &self.q[prop * BLOCK..prop * BLOCK + n]);
            }
            if let Some(a) = leg.a {
                let d = f64::from(u8::from(leg.treated));
                let p = &self.p[prop * BLOCK..prop * BLOCK + n];
                for ((v, p), a) in value.iter_mut().zip(p).zip(dot(a)) {
                    *v += (p - d) * a;
                }
            }
        }
        match leg.w {
            Weight::Ones => add(out, value),
            weight => {
                let w = &mut self.weight[..n];
                chunk.weights(weight, range, w);
                for ((o, w), v) in out.iter_mut().zip(w).zip(value) {
                    *o += *w * *v;
                }
            }
        }
    }
}

#[inline(always)]
fn subtract(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= b;
    }
}

#[inline(always)]
fn add_scaled(a: &mut [f64], scale: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += scale * b;
    }
}
