//! The passes in tensor operations: works on any backend, and is what the overrides are tested against.

use burn::tensor::backend::Backend;
use burn::tensor::{DType, Tensor};

use super::level_tensors::LevelTensors;
use super::matrix::Matrix;
use super::{DidBackend, LevelDesign, LevelSolver, LevelWeights, multiplier_matrix};
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, KeptRows, Leg, LogitJob, LogitStat,
    Multipliers, OddsLimits, StratumPlan, TILE, Weight, add,
};

/// A tile of a chunk.
struct Tile<B: Backend> {
    y: Matrix<B>,
    x: Option<Matrix<B>>,
    w: Option<Matrix<B>>,
    ones: Matrix<B>,
    k: usize,
}

impl<B: Backend> Tile<B> {
    fn new(chunk: &Chunk<B>, start: usize) -> Self {
        Self::thinned(chunk, start, 1)
    }

    /// The first `1 / thinning` of the tile's rows.
    fn thinned(chunk: &Chunk<B>, start: usize, thinning: usize) -> Self {
        let length = TILE.min(chunk.rows - start).div_ceil(thinning);
        let rows = chunk.first + start..chunk.first + start + length;
        let cut = |t: &Tensor<B, 2>| Matrix::from(t).slice([0..t.dims()[0], rows.clone()]);
        let y = cut(&chunk.y);
        let ones = y.clone().slice([0..1, 0..rows.len()]).zeros_like().add_scalar(1.0);
        Self { ones, y, x: chunk.x.as_ref().map(cut), w: chunk.w.as_ref().map(cut), k: chunk.k }
    }

    fn row(matrix: &Matrix<B>, index: usize) -> Matrix<B> {
        let rows = matrix.dims()[1];
        matrix.clone().slice([index..index + 1, 0..rows])
    }

    fn weight(&self, weight: Weight) -> Matrix<B> {
        let column = |j| self.w.as_ref().map_or(self.ones.clone(), |w| Self::row(w, j));
        match weight {
            Weight::Ones => self.ones.clone(),
            Weight::Column(j) => column(j),
            Weight::Product(i, j) => column(i) * column(j),
        }
    }

    /// `(1, x)`, `[k, rows]`.
    fn design(&self, version: usize) -> Matrix<B> {
        match &self.x {
            None => self.ones.clone(),
            Some(x) => {
                let kx = self.k - 1;
                let x = x.clone().slice([version * kx..(version + 1) * kx, 0..x.dims()[1]]);
                Matrix::stack(vec![self.ones.clone(), x])
            }
        }
    }

    /// `z'v`, `[1, rows]`.
    fn linear(&self, version: usize, v: &[f64]) -> Matrix<B> {
        let z = self.design(version);
        let v = z.upload_like(v.to_vec(), [1, v.len()]);
        v.matmul(z)
    }

    /// The logistic function; of minus the log-odds, what it lacks to 1.
    fn propensity(log_odds: Matrix<B>) -> Matrix<B> {
        // `activation::sigmoid` rounds to single precision, and `recip` of NdArray's SIMD layer has twelve bits.
        let ones = log_odds.ones_like();
        ones / log_odds.neg().exp().add_scalar(1.0)
    }

    /// Odds within the limits, 0 where they are trimmed.
    fn odds(log_odds: Matrix<B>, limits: OddsLimits) -> Matrix<B> {
        let bound = log_odds_bound(log_odds.dtype());
        let odds = log_odds.clamp(-bound, bound).exp();
        if limits.below.is_infinite() {
            return if limits.largest.is_finite() { odds.clamp_max(limits.largest) } else { odds };
        }
        let trimmed = odds.clone().greater_equal_elem(limits.below);
        odds.mask_fill(trimmed, 0.0)
    }
}

/// Bound of `|η|`. In single precision it is where `e^η` still has four digits.
pub(super) fn log_odds_bound(dtype: DType) -> f64 {
    if dtype == DType::F64 { 700.0 } else { 30.0 }
}

/// The normal equations of fixed effects.
pub(super) fn levels<B: Backend>(
    design: &LevelDesign<'_>,
    weights: &LevelWeights<'_>,
    device: &B::Device,
    precision: Precision,
) -> Box<dyn LevelSolver> {
    Box::new(LevelTensors::<B>::new(design, weights, device, precision.dtype()))
}

pub(super) fn gram<B: Backend>(
    chunk: &Chunk<B>,
    jobs: &[GramJob],
    trim: f64,
    out: &mut [Gram],
) -> Result<()> {
    for start in (0..chunk.rows).step_by(TILE) {
        let tile = Tile::new(chunk, start);
        for (job, out) in jobs.iter().zip(&mut *out) {
            let mut omega = tile.weight(job.w);
            if let Some(gamma) = &job.odds {
                let odds = Tile::odds(tile.linear(job.x, gamma), OddsLimits::new(trim));
                let trimmed = omega.clone().mask_fill(odds.clone().greater_elem(0.0), 0.0);
                let counted =
                    tile.ones.clone().mask_fill(trimmed.clone().lower_equal_elem(0.0), 0.0);
                out.weights.trimmed_rows += counted.total()?;
                out.weights.trimmed_weight += trimmed.total()?;
                omega = omega * odds;
            }
            out.weights.squares += (omega.clone() * omega.clone()).total()?;
            let z = tile.design(job.x);
            let wz = z.clone() * omega;
            add(&mut out.zz, &wz.clone().matmul(z.transpose()).download()?);
            add(&mut out.zy, &wz.matmul(tile.y.clone().transpose()).download()?);
        }
    }
    Ok(())
}

pub(super) fn logit<B: Backend>(
    chunk: &Chunk<B>,
    thinning: usize,
    jobs: &[LogitJob],
    out: &mut [LogitStat],
) -> Result<()> {
    for start in (0..chunk.rows).step_by(TILE) {
        let tile = Tile::thinned(chunk, start, thinning);
        for (job, out) in jobs.iter().zip(&mut *out) {
            let (w, z) = (tile.weight(job.w), tile.design(job.x));
            let eta = tile.linear(job.x, &job.gamma);
            let (p, rest) = (Tile::<B>::propensity(eta.clone()), Tile::<B>::propensity(eta.neg()));
            let residual = w.clone() * if job.treated { rest.clone() } else { p.clone().neg() };
            let variance = w.clone() * p.clone() * rest;
            add(&mut out.score, &z.clone().matmul(residual.transpose()).download()?);
            let hessian = (z.clone() * variance).matmul(z.transpose());
            add(&mut out.hessian, &hessian.download()?);
            let positive = p.mask_fill(w.lower_equal_elem(0.0), 0.0);
            let [max_p] = positive.max().download()?[..] else { continue };
            out.max_p = out.max_p.max(max_p);
        }
    }
    Ok(())
}

pub(super) fn influence<B: DidBackend>(
    chunk: &Chunk<B>,
    plan: &StratumPlan,
    trim: f64,
    consumers: &Consumers,
    out: &mut InfluenceStat,
) -> Result<Option<KeptRows>> {
    let active = plan.active();
    let mut kept_values =
        vec![0.0; if consumers.keep_rows { active.len() * chunk.rows } else { 0 }];
    for start in (0..chunk.rows).step_by(TILE) {
        let tile = B::influence_rows(chunk, plan, trim, start)?;
        let rows = start..start + tile.dims()[1];
        if let Some(clusters) = consumers.clusters {
            let cluster = &chunk.cluster[rows.clone()];
            out.add_clusters(&active, clusters, cluster, &Matrix::from(&tile).download()?);
        } else {
            out.add_cross(&active, &B::cross_moments(tile.clone())?);
            if let Some(spec) = &consumers.multipliers {
                let sums = B::multiplier_sums(tile.clone(), &chunk.rank[rows.clone()], spec)?;
                out.add_draws(&active, spec.draws, &sums);
            }
        }
        if consumers.keep_rows {
            for (j, column) in Matrix::from(&tile).download()?.chunks_exact(rows.len()).enumerate()
            {
                let at = j * chunk.rows;
                kept_values[at + rows.start..at + rows.end].copy_from_slice(column);
            }
        }
    }
    Ok(consumers.keep_rows.then(|| KeptRows {
        ranks: chunk.rank.clone(),
        clusters: chunk.cluster.clone(),
        columns: active,
        values: kept_values,
    }))
}

pub(super) fn influence_rows<B: Backend>(
    chunk: &Chunk<B>,
    plan: &StratumPlan,
    trim: f64,
    start: usize,
) -> Tensor<B, 2> {
    let tile = Tile::new(chunk, start);
    let dots: Vec<_> = plan.dots.iter().map(|d| tile.linear(d.x, &d.v)).collect();
    let props: Vec<_> = plan
        .props
        .iter()
        .map(|d| {
            let eta = dots[*d].clone();
            (Tile::<B>::propensity(eta.clone()), Tile::odds(eta, OddsLimits::new(trim)))
        })
        .collect();
    let zero = tile.ones.clone().zeros_like();
    let mut columns: Vec<Matrix<B>> = plan
        .columns
        .iter()
        .map(|c| c.legs.iter().fold(zero.clone(), |u, l| u + leg(&tile, l, &dots, &props)))
        .collect();
    if let Some(share) = &plan.share {
        columns.push(tile.weight(share.w).mul_scalar(share.scale));
    }
    Matrix::stack(columns).into()
}

/// `w [ (d - z'β)(c + z'b - h q) + z'e + f + h τ q + (p - D) z'a ]`, `[1, rows]`.
fn leg<B: Backend>(
    tile: &Tile<B>,
    leg: &Leg,
    dots: &[Matrix<B>],
    props: &[(Matrix<B>, Matrix<B>)],
) -> Matrix<B> {
    let mut d = Tile::row(&tile.y, leg.post);
    if let Some(base) = leg.base {
        d = d - Tile::row(&tile.y, base);
    }
    if let Some(beta) = leg.beta {
        d = d - dots[beta].clone();
    }
    let mut factor = tile.ones.clone().mul_scalar(leg.c);
    if let Some(b) = leg.b {
        factor = factor + dots[b].clone();
    }
    let mut shift = tile.ones.clone().mul_scalar(leg.f);
    if let Some(e) = leg.e {
        shift = shift + dots[e].clone();
    }
    if let Some((p, q)) = leg.prop.map(|j| props[j].clone()) {
        factor = factor - q.clone().mul_scalar(leg.h);
        shift = shift + q.mul_scalar(leg.h_tau);
        if let Some(a) = leg.a {
            let treated = f64::from(u8::from(leg.treated));
            shift = shift + p.sub_scalar(treated) * dots[a].clone();
        }
    }
    tile.weight(leg.w) * (d * factor + shift)
}

pub(super) fn cross_moments<B: Backend>(tile: &Tensor<B, 2>) -> Result<Vec<f64>> {
    let tile = Matrix::from(tile);
    tile.clone().matmul(tile.transpose()).download()
}

pub(super) fn multiplier_sums<B: Backend>(
    tile: &Tensor<B, 2>,
    rank: &[u64],
    spec: &Multipliers,
) -> Result<Vec<f64>> {
    let tile = Matrix::from(tile);
    let v = tile.upload_like(multiplier_matrix(spec, rank), [spec.draws, rank.len()]);
    tile.matmul(v.transpose()).download()
}
