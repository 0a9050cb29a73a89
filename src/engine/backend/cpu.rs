//! NdArray: the passes run on slices of the tensors, without copies, over fixed tiles on all cores.

use burn::backend::ndarray::{NdArray, NdArrayTensor};
use burn::tensor::{Tensor, TensorPrimitive};

use super::host::{self, HostChunk, Sink};
use super::{CPU_NAME, DidBackend, LevelDesign, LevelSolver, LevelWeights, default};
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, KeptRows, LogitJob, LogitStat, StratumPlan,
};

/// Double precision, fused.
impl DidBackend for NdArray<f64> {
    const NAME: &'static str = CPU_NAME;

    fn gram(chunk: &Chunk<Self>, jobs: &[GramJob], trim: f64, out: &mut [Gram]) -> Result<()> {
        match with_host(chunk, |chunk| host::gram(chunk, jobs, trim, out)) {
            Some(()) => Ok(()),
            None => default::gram(chunk, jobs, trim, out),
        }
    }

    fn logit(
        chunk: &Chunk<Self>,
        thinning: usize,
        jobs: &[LogitJob],
        out: &mut [LogitStat],
    ) -> Result<()> {
        match with_host(chunk, |chunk| host::logit(chunk, thinning, jobs, out)) {
            Some(()) => Ok(()),
            None => default::logit(chunk, thinning, jobs, out),
        }
    }

    fn influence(
        chunk: &Chunk<Self>,
        plan: &StratumPlan,
        trim: f64,
        consumers: &Consumers,
        out: &mut InfluenceStat,
    ) -> Result<Option<KeptRows>> {
        let active = plan.active();
        let sink = Sink { active: &active, consumers };
        match with_host(chunk, |chunk| host::influence(chunk, plan, trim, &sink, out)) {
            Some(kept) => Ok(kept),
            None => default::influence(chunk, plan, trim, consumers, out),
        }
    }

    /// The host's passes take fewer steps, and none of them a copy.
    fn levels(
        _: &LevelDesign<'_>,
        _: &LevelWeights<'_>,
        _: &Self::Device,
        _: Precision,
    ) -> Result<Option<Box<dyn LevelSolver>>> {
        Ok(None)
    }
}

/// Single precision, by the default bodies.
impl DidBackend for NdArray<f32> {
    const NAME: &'static str = CPU_NAME;
}

/// Runs `f` on the chunk's memory; `None` if its tensors are not contiguous doubles.
fn with_host<R>(chunk: &Chunk<NdArray<f64>>, f: impl FnOnce(&HostChunk<'_>) -> R) -> Option<R> {
    let primitive = |t: &Tensor<NdArray<f64>, 2>| t.clone().into_primitive();
    let (y, x, w) =
        (primitive(&chunk.y), chunk.x.as_ref().map(primitive), chunk.w.as_ref().map(primitive));
    let (y, x, w) = (Some(&y), x.as_ref(), w.as_ref());
    with_slice(y, |y| {
        with_slice(x, |x| {
            with_slice(w, |w| {
                f(&HostChunk {
                    rows: chunk.rows,
                    y,
                    x,
                    w,
                    rank: &chunk.rank,
                    cluster: &chunk.cluster,
                    k: chunk.k,
                })
            })
        })
    })
    .flatten()
    .flatten()
}

/// Runs `f` on a tensor's memory, or on nothing if there is no tensor.
fn with_slice<R>(
    tensor: Option<&TensorPrimitive<NdArray<f64>>>,
    f: impl FnOnce(&[f64]) -> R,
) -> Option<R> {
    match tensor {
        None => Some(f(&[])),
        Some(TensorPrimitive::Float(NdArrayTensor::F64(storage))) => {
            storage.view().as_slice().map(f)
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::DType;

    use super::*;
    use crate::base::options::Multiplier;
    use crate::engine::backend::sample::{COLUMNS, Sample, TRIM, distance};
    use crate::engine::pass::{Multipliers, Weight, WeightSums};

    /// The fused override against the tensor operations, which are the readable statement of each pass.
    #[test]
    fn host_kernels_agree_with_the_default_bodies() {
        type Cpu = NdArray<f64>;
        let mut trimmed = 0.0;
        for (rows, k) in [(1, 1), (4_095, 2), (4_096, 3), (4_097, 4), (10_000, 8)] {
            let sample = Sample::new(rows, k, 7);
            let chunk = sample.chunk::<Cpu>(&Default::default(), DType::F64, 0..rows);
            for w in [Weight::Ones, Weight::Column(0), Weight::Product(0, 1)] {
                let odds = Some(sample.coefficients(0, 3.0));
                let outcomes = vec![0, 1, 2];
                let plain_job = GramJob { stratum: 0, x: 0, w, odds: None, outcomes };
                let jobs = [plain_job.clone(), GramJob { x: 1, odds, ..plain_job }];
                let zero = vec![Gram::zero(k, 3); 2];
                for trim in [TRIM, 0.6] {
                    let [mut fused, mut plain] = [zero.clone(), zero.clone()];
                    Cpu::gram(&chunk, &jobs, trim, &mut fused).expect("fused");
                    default::gram(&chunk, &jobs, trim, &mut plain).expect("default");
                    for (fused, plain) in fused.iter().zip(&plain) {
                        assert!(distance(&fused.zz, &plain.zz) < 1e-12);
                        assert!(distance(&fused.zy, &plain.zy) < 1e-12);
                        let sums = |gram: &Gram| {
                            let WeightSums { squares, trimmed_rows, trimmed_weight } = gram.weights;
                            [squares, trimmed_rows, trimmed_weight]
                        };
                        assert!(distance(&sums(fused), &sums(plain)) < 1e-12);
                    }
                    let [kept, by_odds] = [0, 1].map(|job: usize| fused[job].weights.trimmed_rows);
                    assert!(kept == 0.0, "rows without odds are not trimmed");
                    trimmed += by_odds;
                }

                let job = |treated, seed| {
                    let gamma = sample.coefficients(seed, 2.0);
                    LogitJob { stratum: 0, x: 0, w, treated, gamma }
                };
                let jobs = [job(true, 1), job(false, 2)];
                let zero = vec![LogitStat::zero(k); 2];
                for thinning in [1, 8] {
                    let [mut fused, mut plain] = [zero.clone(), zero.clone()];
                    Cpu::logit(&chunk, thinning, &jobs, &mut fused).expect("fused");
                    default::logit(&chunk, thinning, &jobs, &mut plain).expect("default");
                    for (fused, plain) in fused.iter().zip(&plain) {
                        assert!(distance(&fused.score, &plain.score) < 1e-12);
                        assert!(distance(&fused.hessian, &plain.hessian) < 1e-12);
                        assert!((fused.max_p - plain.max_p).abs() < 1e-14);
                    }
                }
            }
            for law in [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb] {
                let multipliers = Multipliers { law, seed: 2, draws: 140 };
                for consumers in
                    crate::engine::backend::sample::consumers(sample.clusters, multipliers)
                {
                    let zero = InfluenceStat::zero(COLUMNS, &consumers);
                    let [mut fused, mut plain] = [zero.clone(), zero];
                    let plan = sample.plan();
                    let own = Cpu::influence(&chunk, &plan, TRIM, &consumers, &mut fused);
                    let other = default::influence(&chunk, &plan, TRIM, &consumers, &mut plain);
                    let rows = |kept: Result<Option<KeptRows>>| kept.expect("ran").expect("kept");
                    assert!(distance(&fused.cross, &plain.cross) < 1e-12);
                    assert!(distance(&fused.draws, &plain.draws) < 1e-12);
                    assert!(distance(&fused.clusters, &plain.clusters) < 1e-12);
                    assert!(distance(&rows(own).values, &rows(other).values) < 1e-12);
                }
            }
        }
        assert!(trimmed > 0.0, "no odds were trimmed");
    }
}
