//! Random chunks and plans, and comparisons of a backend with the CPU backend, in the public interface alone.
#![allow(dead_code, unreachable_pub, reason = "each user takes a part")]

use burn::tensor::{DType, Tensor, TensorData};
use burn_did::backend::{Cpu, DidBackend};
use burn_did::pass::{
    Chunk, Consumers, Dot, Gram, GramJob, InfluenceStat, KeptRows, Leg, LogitJob, LogitStat,
    Multipliers, PlanColumn, Share, StratumPlan, TILE, Weight,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Trimming threshold of the samples.
pub const TRIM: f64 = 0.995;

/// Rows of a segment, of which a fit's chunks are parts.
pub const SEGMENT: usize = 64 * TILE;

/// Host data of one stratum; shapes as in [`Chunk`].
pub struct Sample {
    pub rows: usize,
    pub k: usize,
    pub periods: usize,
    pub versions: usize,
    pub y: Vec<f64>,
    pub x: Vec<f64>,
    pub w: Vec<f64>,
    pub clusters: usize,
}

impl Sample {
    /// Outcomes and covariates uniform on (-1, 1), two columns of weights with some zeros.
    pub fn new(rows: usize, k: usize, seed: u64) -> Self {
        let (periods, versions) = (3, 2);
        let mut random = SmallRng::seed_from_u64(seed);
        // Single-precision values, so that every backend starts from the same numbers.
        let mut uniform = |n: usize| -> Vec<f64> {
            (0..n).map(|_| f64::from(random.random_range(-1.0f32..1.0))).collect()
        };
        let y = uniform(periods * rows);
        let x = uniform(versions * (k - 1) * rows);
        let w = uniform(2 * rows).iter().map(|w| if *w < -0.8 { 0.0 } else { w + 1.5 }).collect();
        Self { rows, k, periods, versions, y, x, w, clusters: 7 }
    }

    /// The rows `range` as a chunk of stratum 0.
    pub fn chunk<B: DidBackend>(
        &self,
        device: &B::Device,
        dtype: DType,
        range: std::ops::Range<usize>,
    ) -> Chunk<B> {
        let matrix = |data: &[f64]| -> Option<Tensor<B, 2>> {
            let columns = data.len() / self.rows;
            let cut: Vec<f64> =
                data.chunks_exact(self.rows).flat_map(|c| c[range.clone()].to_vec()).collect();
            let data = TensorData::new(cut, [columns, range.len()]).convert_dtype(dtype);
            (columns > 0).then(|| Tensor::from_data(data, (device, dtype)))
        };
        let ranks = range.clone().map(|i| i as u64 * 3 + 1);
        let clusters = range.clone().map(|i| u32::try_from(i * i % self.clusters).expect("small"));
        let mut chunk = Chunk::new(0, matrix(&self.y).expect("outcomes"), ranks.collect());
        chunk.x = matrix(&self.x);
        chunk.w = matrix(&self.w);
        chunk.cluster = clusters.collect();
        chunk.k = self.k;
        chunk
    }

    /// The rows `range` as chunks of `length` rows.
    pub fn chunks<B: DidBackend>(
        &self,
        device: &B::Device,
        dtype: DType,
        range: std::ops::Range<usize>,
        length: usize,
    ) -> Vec<Chunk<B>> {
        let end = range.end;
        let chunk = |start| self.chunk(device, dtype, start..(start + length).min(end));
        range.step_by(length).map(chunk).collect()
    }

    /// All rows in the chunks of a fit whose data are resident.
    pub fn segments<B: DidBackend>(&self, device: &B::Device, dtype: DType) -> Vec<Chunk<B>> {
        self.chunks(device, dtype, 0..self.rows, SEGMENT)
    }

    /// Coefficients of moderate size; those of a propensity score reach past the trimming threshold.
    pub fn coefficients(&self, seed: u64, size: f64) -> Vec<f64> {
        let mut random = SmallRng::seed_from_u64(seed);
        (0..self.k).map(|_| size * random.random_range(-1.0..1.0)).collect()
    }

    /// A plan that uses every term of the influence formula and every weight.
    pub fn plan(&self) -> StratumPlan {
        let dots = (0..6)
            .map(|j| {
                let version = if j % 2 == 0 { 0 } else { self.versions - 1 };
                Dot::new(version, self.coefficients(j, if j == 0 { 3.0 } else { 1.0 }))
            })
            .collect();
        let mut plain = Leg::default();
        (plain.post, plain.base) = (1, Some(0));
        (plain.c, plain.f) = (0.7, -0.1);
        let mut full = Leg::default();
        (full.post, full.base, full.w) = (2, Some(1), Weight::Column(1));
        (full.prop, full.beta) = (Some(0), Some(1));
        (full.b, full.e, full.a) = (Some(2), Some(3), Some(4));
        (full.c, full.f, full.h, full.h_tau) = (0.3, 0.05, 0.4, 0.2);
        let mut treated = full.clone();
        (treated.treated, treated.prop, treated.base) = (true, Some(1), None);
        (treated.w, treated.h, treated.h_tau) = (Weight::Product(0, 1), 0.0, 0.0);
        let mut without_nuisances = full.clone();
        (without_nuisances.beta, without_nuisances.a) = (None, None);
        let columns = (0..11).map(|c| {
            let legs = match c % 4 {
                0 => vec![plain.clone()],
                1 => vec![full.clone()],
                2 => vec![treated.clone(), plain.clone()],
                _ => vec![without_nuisances.clone(), treated.clone()],
            };
            PlanColumn::new(12 - c, legs)
        });
        let mut plan = StratumPlan::default();
        (plan.dots, plan.props, plan.columns) = (dots, vec![0, 5], columns.collect());
        plan.share = Some(Share::new(0, Weight::Column(0), 0.01));
        plan
    }
}

/// Influence columns of [`Sample::plan`], one of which is inactive.
pub const COLUMNS: usize = 13;

/// Cross-products of the chunks, added up, of each job.
pub fn grams<B: DidBackend>(chunks: &[Chunk<B>], jobs: &[GramJob], periods: usize) -> Vec<Gram> {
    let mut sums = vec![Gram::zero(chunks[0].k, periods); jobs.len()];
    for chunk in chunks {
        B::gram(chunk, jobs, TRIM, &mut sums).expect("gram");
    }
    sums
}

/// Cross-products of the chunks, added up.
pub fn gram<B: DidBackend>(chunks: &[Chunk<B>], job: &GramJob, periods: usize) -> Gram {
    grams(chunks, std::slice::from_ref(job), periods).swap_remove(0)
}

/// Derivatives of logit models over the chunks.
pub fn logits<B: DidBackend>(
    chunks: &[Chunk<B>],
    jobs: &[LogitJob],
    thinning: usize,
) -> Vec<LogitStat> {
    let mut sums = vec![LogitStat::zero(chunks[0].k); jobs.len()];
    for chunk in chunks {
        B::logit(chunk, thinning, jobs, &mut sums).expect("logit");
    }
    sums
}

/// Derivatives of a logit model over the chunks.
pub fn logit<B: DidBackend>(chunks: &[Chunk<B>], job: &LogitJob, thinning: usize) -> LogitStat {
    logits(chunks, std::slice::from_ref(job), thinning).swap_remove(0)
}

/// Sums over the influence values of the chunks, and the values that are kept.
pub fn influence<B: DidBackend>(
    chunks: &[Chunk<B>],
    plan: &StratumPlan,
    consumers: Consumers,
) -> (InfluenceStat, Vec<KeptRows>) {
    let mut stat = InfluenceStat::zero(COLUMNS, &consumers);
    let mut kept = Vec::new();
    for chunk in chunks {
        kept.extend(B::influence(chunk, plan, TRIM, &consumers, &mut stat).expect("influence"));
    }
    (stat, kept)
}

/// The consumers, one after another.
pub fn consumers(clusters: usize, multipliers: Multipliers) -> [Consumers; 2] {
    let kept = Consumers::default().keep_rows(true);
    [kept.multipliers(multipliers), kept.clusters(clusters)]
}

/// Largest difference relative to the largest entry.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| {
        assert!(a.is_finite(), "not finite: {a}");
        m.max((a - b).abs())
    }) / scale
}

/// Largest distances from the CPU backend of each operation on one sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Distances {
    pub gram: f64,
    pub logit: f64,
    pub rows: f64,
    pub cross: f64,
    pub draws: f64,
    pub clusters: f64,
}

impl Distances {
    pub fn max(self, other: Self) -> Self {
        Self {
            gram: self.gram.max(other.gram),
            logit: self.logit.max(other.logit),
            rows: self.rows.max(other.rows),
            cross: self.cross.max(other.cross),
            draws: self.draws.max(other.draws),
            clusters: self.clusters.max(other.clusters),
        }
    }

    pub fn largest(self) -> f64 {
        [self.gram, self.logit, self.rows, self.cross, self.draws, self.clusters]
            .into_iter()
            .fold(0.0, f64::max)
    }
}

/// All operations of a sample on `B` against the CPU backend, in the chunks of a fit.
pub fn compare<B: DidBackend>(
    sample: &Sample,
    device: &B::Device,
    dtype: DType,
    multipliers: Multipliers,
) -> Distances {
    let mut worst = Distances::default();
    let host = sample.segments::<Cpu>(&Default::default(), DType::F64);
    let here = sample.segments::<B>(device, dtype);
    for w in [Weight::Ones, Weight::Column(1), Weight::Product(0, 1)] {
        for odds in [None, Some(sample.coefficients(0, 3.0))] {
            let outcomes = (0..sample.periods).collect();
            let job = GramJob::new(0, 1, w, odds, outcomes);
            let (a, b) = (gram(&here, &job, sample.periods), gram(&host, &job, sample.periods));
            worst.gram = worst.gram.max(gram_distance(&a, &b));
        }
        for (treated, thinning) in [(false, 1), (true, 1), (true, 8)] {
            let gamma = sample.coefficients(9, 2.0);
            let job = LogitJob::new(0, 0, w, treated, gamma);
            let (a, b) = (logit(&here, &job, thinning), logit(&host, &job, thinning));
            worst.logit = worst.logit.max(logit_distance(&a, &b));
        }
    }
    let plan = sample.plan();
    for consumers in consumers(sample.clusters, multipliers) {
        let (a, own) = influence(&here, &plan, consumers);
        let (b, other) = influence(&host, &plan, consumers);
        assert_eq!(own.len(), other.len());
        for (own, other) in own.iter().zip(&other) {
            assert_eq!((&own.ranks, &own.columns), (&other.ranks, &other.columns));
            worst.rows = worst.rows.max(distance(&own.values, &other.values));
        }
        worst.cross = worst.cross.max(distance(&a.cross, &b.cross));
        worst.draws = worst.draws.max(distance(&a.draws, &b.draws));
        worst.clusters = worst.clusters.max(distance(&a.clusters, &b.clusters));
    }
    worst
}

/// As [`compare`], of one call with `jobs` jobs of different coefficients, weights, versions and roles.
pub fn compare_jobs<B: DidBackend>(
    sample: &Sample,
    device: &B::Device,
    dtype: DType,
    jobs: usize,
) -> Distances {
    let weights = [Weight::Ones, Weight::Column(0), Weight::Product(0, 1)];
    let gamma = |j| sample.coefficients(j as u64, 1.0);
    let gram_job = |j: usize| {
        let odds = (!j.is_multiple_of(4)).then(|| gamma(j));
        let outcomes = (0..sample.periods).collect();
        GramJob::new(0, j % sample.versions, weights[j % 3], odds, outcomes)
    };
    let logit_job = |j: usize| {
        let treated = j.is_multiple_of(5);
        LogitJob::new(0, j % sample.versions, weights[j % 3], treated, gamma(j))
    };
    let gram_jobs: Vec<GramJob> = (0..jobs).map(gram_job).collect();
    let logit_jobs: Vec<LogitJob> = (0..jobs).map(logit_job).collect();
    let host = sample.segments::<Cpu>(&Default::default(), DType::F64);
    let here = sample.segments::<B>(device, dtype);
    let mut worst = Distances::default();
    let (a, b) =
        (grams(&here, &gram_jobs, sample.periods), grams(&host, &gram_jobs, sample.periods));
    for (a, b) in a.iter().zip(&b) {
        worst.gram = worst.gram.max(gram_distance(a, b));
    }
    let (a, b) = (logits(&here, &logit_jobs, 1), logits(&host, &logit_jobs, 1));
    for (a, b) in a.iter().zip(&b) {
        worst.logit = worst.logit.max(logit_distance(a, b));
    }
    worst
}

fn gram_distance(a: &Gram, b: &Gram) -> f64 {
    let weights = |gram: &Gram| {
        [gram.weights.squares, gram.weights.trimmed_rows, gram.weights.trimmed_weight]
    };
    distance(&a.zz, &b.zz).max(distance(&a.zy, &b.zy)).max(distance(&weights(a), &weights(b)))
}

fn logit_distance(a: &LogitStat, b: &LogitStat) -> f64 {
    distance(&a.score, &b.score)
        .max(distance(&a.hessian, &b.hessian))
        .max((a.max_p - b.max_p).abs())
}
