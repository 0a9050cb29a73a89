//! Backends: aliases, and the operations a Burn backend needs to run the passes.
//!
//! Any Burn backend works with the default bodies, which are tensor operations and the readable reference:
//! `impl DidBackend for MyBackend { const NAME: &'static str = "mine"; }`. The backends below override them where a
//! measurement showed that it pays.

mod at_once;
pub(crate) mod basis;
mod default;
mod device;
#[cfg_attr(
    not(feature = "cpu"),
    allow(
        dead_code,
        unused_imports,
        reason = "without the CPU's backend only user-supplied estimators run here"
    )
)]
pub(crate) mod host;
mod level_tensors;
mod levels;
mod matrix;
mod memory;

#[cfg(feature = "cpu")]
mod cpu;
#[cfg(any(feature = "wgpu", feature = "cuda"))]
mod cube;
#[cfg(all(test, feature = "cpu"))]
#[path = "../../../tests/support/sample.rs"]
mod sample;

use burn::tensor::Tensor;
use burn::tensor::backend::Backend;

use crate::base::error::Result;
use crate::base::options::{Multiplier, Precision};
use crate::engine::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, KeptRows, LogitJob, LogitStat, Multipliers,
    StratumPlan,
};

pub use at_once::{AtOnce, DeviceWork, HostRows, Segments};
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub use cube::GpuRuntime;
pub use device::{BackendName, Device, OnDevices};
pub use levels::{
    BIDIAGONAL_STEPS, BidiagonalProblem, BidiagonalStep, BidiagonalUpdate, LEVEL_COLUMNS,
    LevelDesign, LevelSolver, LevelStep, LevelWeights,
};
pub(crate) use matrix::Matrix;
pub use memory::Availability;

#[cfg(feature = "cuda")]
pub use burn::backend::cuda::CudaDevice;
#[cfg(feature = "wgpu")]
pub use burn::backend::wgpu::WgpuDevice;

/// Name of the CPU's backend in reports, also where this crate is built without it.
pub(crate) const CPU_NAME: &str = "ndarray";

/// CPU backend in double precision.
#[cfg(feature = "cpu")]
pub type Cpu = burn::backend::NdArray<f64>;

/// NVIDIA GPUs in double precision.
///
/// With burn's `fusion` feature, which has no double precision, this is another type and the crate does not compile.
#[cfg(feature = "cuda")]
pub type Cuda = burn::backend::Cuda<f64, i32>;

/// Any GPU, by Vulkan, Metal or DirectX, in single precision: ask for [`Precision::F32`]. `Vulkan` has doubles.
///
/// With burn's `fusion` feature this is another type and the crate does not compile.
#[cfg(feature = "wgpu")]
pub type Wgpu = burn::backend::Wgpu<f32, i32>;

/// GPUs with a Vulkan driver that has doubles, in double precision.
#[cfg(feature = "vulkan")]
pub type Vulkan = burn::backend::Vulkan<f64, i32>;

/// Fused backends are no [`DidBackend`]s: say so here rather than in every use.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
const _: () = {
    const fn assert_not_fused<B: DidBackend>() {}
    #[cfg(feature = "cuda")]
    assert_not_fused::<Cuda>();
    #[cfg(feature = "wgpu")]
    assert_not_fused::<Wgpu>();
    #[cfg(feature = "vulkan")]
    assert_not_fused::<Vulkan>();
};

/// A Burn backend that can run the passes.
///
/// Methods that are given a chunk and a statistic add to it, in f64 on the host, summing tiles of [`TILE`](crate::engine::pass::TILE) rows in
/// order.
///
/// ```
/// use burn_did::backend::{Cpu, DidBackend};
/// use burn_did::{AttGt, DidError, GroupTimeResult, data};
///
/// /// Effects of the minimum wage on teen employment, computed on any device.
/// fn effects<B: DidBackend>(device: &B::Device) -> Result<GroupTimeResult, DidError> {
///     let config = AttGt::<B>::builder().outcome("lemp").unit("countyreal").time("year");
///     config.group("first.treat").build().fit_on(&data::mpdta(), device)
/// }
///
/// let fit = effects::<Cpu>(&Default::default())?;
/// assert_eq!(fit.settings.backend, Cpu::NAME);
/// # Ok::<(), DidError>(())
/// ```
pub trait DidBackend: Backend {
    /// Name in reports.
    const NAME: &'static str;

    /// Whether the device exists and can do this precision, and how much memory it offers.
    ///
    /// # Errors
    /// [`DidError::Precision`](crate::DidError::Precision) or [`DidError::Device`](crate::DidError::Device).
    fn probe(device: &Self::Device, precision: Precision) -> Result<Availability> {
        memory::probe_dtype::<Self>(device, precision)
    }

    /// Passes over everything that a device holds in one call, where that is worth it.
    #[must_use]
    fn at_once() -> Option<&'static dyn AtOnce<Self>> {
        None
    }

    /// Adds a chunk's weighted cross-products, one entry of `out` a job.
    ///
    /// # Errors
    /// If the device reports an error.
    fn gram(chunk: &Chunk<Self>, jobs: &[GramJob], trim: f64, out: &mut [Gram]) -> Result<()> {
        default::gram(chunk, jobs, trim, out)
    }

    /// Adds a chunk's scores and information in logit models, one entry of `out` a job, from the first `1 / thinning` of
    /// every tile's rows, rounded up.
    ///
    /// # Errors
    /// If the device reports an error.
    fn logit(
        chunk: &Chunk<Self>,
        thinning: usize,
        jobs: &[LogitJob],
        out: &mut [LogitStat],
    ) -> Result<()> {
        default::logit(chunk, thinning, jobs, out)
    }

    /// Forms a chunk's influence values tile by tile and adds what the consumers make of them; returns the values if they
    /// are kept.
    ///
    /// # Errors
    /// If the device reports an error.
    fn influence(
        chunk: &Chunk<Self>,
        plan: &StratumPlan,
        trim: f64,
        consumers: &Consumers,
        out: &mut InfluenceStat,
    ) -> Result<Option<KeptRows>> {
        default::influence(chunk, plan, trim, consumers, out)
    }

    /// Influence values `[active, rows of the tile]` of the rows from `start` on.
    ///
    /// # Errors
    /// If the device reports an error.
    fn influence_rows(
        chunk: &Chunk<Self>,
        plan: &StratumPlan,
        trim: f64,
        start: usize,
    ) -> Result<Tensor<Self, 2>> {
        Ok(default::influence_rows(chunk, plan, trim, start))
    }

    /// `U U'` of a tile `U [m, rows]`: `[m, m]`, row-major.
    ///
    /// # Errors
    /// If the device reports an error.
    fn cross_moments(tile: Tensor<Self, 2>) -> Result<Vec<f64>> {
        default::cross_moments(&tile)
    }

    /// Multiplied sums `[m, R]`, row-major, of a tile `[m, rows]` whose rows have these ranks.
    ///
    /// # Errors
    /// If the device reports an error.
    fn multiplier_sums(
        tile: Tensor<Self, 2>,
        rank: &[u64],
        spec: &Multipliers,
    ) -> Result<Vec<f64>> {
        default::multiplier_sums(&tile, rank, spec)
    }

    /// Holds the normal equations of fixed effects on a device, and what has been found of their solution. `None` leaves them to
    /// the host's own passes, in double precision.
    ///
    /// # Errors
    /// [`DidError::Device`](crate::DidError::Device) if they do not fit, or the device does not answer.
    fn levels(
        design: &LevelDesign<'_>,
        weights: &LevelWeights<'_>,
        device: &Self::Device,
        precision: Precision,
    ) -> Result<Option<Box<dyn LevelSolver>>> {
        Ok(Some(default::levels::<Self>(design, weights, device, precision)))
    }
}

/// Multipliers `[R, rows]`, row-major: the host's expansion of the counter-based bits, for backends without a kernel.
#[must_use]
pub fn multiplier_matrix(spec: &Multipliers, rank: &[u64]) -> Vec<f64> {
    debug_assert_ne!(spec.law, Multiplier::Gaussian, "the Gaussian law needs no pass");
    let (last, levels) = crate::base::random::law_levels(spec.law);
    let mut out = vec![last; spec.draws * rank.len()];
    let mut classes = vec![0u128; 5];
    for (i, rank_i) in rank.iter().enumerate() {
        for (block, first) in (0u32..).zip((0..spec.draws).step_by(128)) {
            crate::base::random::masks(spec.law, spec.seed, *rank_i, block, &mut classes);
            for r in first..(first + 128).min(spec.draws) {
                for (level, class) in levels.iter().zip(&classes) {
                    if class >> (r - first) & 1 == 1 {
                        out[r * rank.len() + i] += level;
                    }
                }
            }
        }
    }
    out
}
