//! NdArray: the passes run on slices of the tensors, without copies, over fixed tiles on all cores.

use burn::tensor::Tensor;
use burn_ndarray::{NdArray, NdArrayTensor};

use super::{DidBackend, default};
use crate::error::Result;
use crate::kernel::{self, HostChunk, Sink};
use crate::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, LogitJob, LogitStat, StratumPlan,
};

/// Double precision, fused.
impl DidBackend for NdArray<f64> {
    const NAME: &'static str = "ndarray";

    fn gram(chunk: &Chunk<Self>, job: &GramJob, trim: f64, out: &mut Gram) -> Result<()> {
        match with_host(chunk, |host| kernel::gram(host, job, trim, out)) {
            Some(()) => Ok(()),
            None => default::gram(chunk, job, trim, out),
        }
    }

    fn logit(
        chunk: &Chunk<Self>,
        job: &LogitJob,
        gamma: &[f64],
        out: &mut LogitStat,
    ) -> Result<()> {
        match with_host(chunk, |host| kernel::logit(host, job, gamma, out)) {
            Some(()) => Ok(()),
            None => default::logit(chunk, job, gamma, out),
        }
    }

    fn influence(
        chunk: &Chunk<Self>,
        plan: &StratumPlan,
        trim: f64,
        consumers: &Consumers,
        out: &mut InfluenceStat,
    ) -> Result<()> {
        let active = plan.active();
        let sink = Sink { active: &active, consumers, columns: out.cross.len().isqrt() };
        match with_host(chunk, |host| kernel::influence(host, plan, trim, &sink, out)) {
            Some(()) => Ok(()),
            None => default::influence(chunk, plan, trim, consumers, out),
        }
    }
}

/// Single precision, by the default bodies.
impl DidBackend for NdArray<f32> {
    const NAME: &'static str = "ndarray";
}

/// Runs `f` on the chunk's memory; `None` if its tensors are not contiguous doubles.
fn with_host<R>(chunk: &Chunk<NdArray<f64>>, f: impl FnOnce(&HostChunk<'_>) -> R) -> Option<R> {
    let primitive = |t: &Tensor<NdArray<f64>, 2>| t.clone().into_primitive().tensor();
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
fn with_slice<R>(tensor: Option<&NdArrayTensor>, f: impl FnOnce(&[f64]) -> R) -> Option<R> {
    match tensor {
        None => Some(f(&[])),
        Some(NdArrayTensor::F64(storage)) => storage.view().as_slice().map(f),
        Some(_) => None,
    }
}
