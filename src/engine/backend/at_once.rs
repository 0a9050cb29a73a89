//! Passes over everything that a device holds, in one call each.

use std::ops::{AddAssign, Range};

use burn::tensor::DType;
use burn::tensor::backend::Backend;
use serde::{Deserialize, Serialize};

use crate::base::error::Result;
use crate::engine::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, LogitJob, LogitStat, StratumPlan,
};

/// What a backend may offer beside its passes over a chunk: passes over all chunks of a device, for devices on which a call
/// costs more than its work.
///
/// The sums are those of the chunks one by one, added in order: within a segment tile by tile from zero, then segments. Where one
/// statistic of all segments is wanted, it goes on from `before`, that of earlier segments. They are `None` if the device has too
/// little room to form them so.
pub trait AtOnce<B: Backend>: Sync {
    /// Puts rows on a device, one chunk for each entry, all in as few allocations as the device can have.
    ///
    /// # Errors
    /// [`DidError::Device`](crate::DidError::Device) if they do not fit, or the device does not answer.
    fn hold(
        &self,
        rows: &[HostRows<'_>],
        k: usize,
        dtype: DType,
        device: &B::Device,
    ) -> Result<Vec<Chunk<B>>>;

    /// Weighted cross-products, one entry a job; `jobs` are ordered by stratum.
    ///
    /// # Errors
    /// If the device reports an error.
    fn gram(
        &self,
        segments: &Segments<'_, B>,
        jobs: &[GramJob],
        trim: f64,
        before: Option<&Vec<Gram>>,
    ) -> Result<Option<Vec<Vec<Gram>>>>;

    /// Derivatives of logit models, one entry a job; `jobs` are ordered by stratum.
    ///
    /// # Errors
    /// If the device reports an error.
    fn logit(
        &self,
        segments: &Segments<'_, B>,
        thinning: usize,
        jobs: &[LogitJob],
        before: Option<&Vec<LogitStat>>,
    ) -> Result<Option<Vec<Vec<LogitStat>>>>;

    /// Sums over influence values in `columns` columns; `plans` are those of the strata. `None` also if values are kept, or if each
    /// segment's sums by cluster are wanted.
    ///
    /// # Errors
    /// If the device reports an error.
    fn influence(
        &self,
        segments: &Segments<'_, B>,
        plans: &[StratumPlan],
        trim: f64,
        columns: usize,
        consumers: &Consumers,
        before: Option<&InfluenceStat>,
    ) -> Result<Option<Vec<InfluenceStat>>>;

    /// What this thread has had done since it last asked.
    fn work(&self) -> DeviceWork;
}

/// Segments of a sample on one device, in order.
#[derive(Debug)]
#[non_exhaustive]
pub struct Segments<'a, B: Backend> {
    /// A chunk each.
    pub chunks: Vec<&'a Chunk<B>>,
    /// Whether one statistic of all is wanted, with all jobs; else there is one for each segment, with the jobs of its stratum.
    pub together: bool,
}

/// Rows of a stratum on the host. Shapes as in [`Chunk`], for all rows of the stratum; only the rows in `range` are meant.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HostRows<'a> {
    /// The stratum.
    pub stratum: usize,
    /// Which rows.
    pub range: Range<usize>,
    /// Outcomes.
    pub y: &'a [f64],
    /// Covariates; empty if there are none.
    pub x: &'a [f64],
    /// Weight columns; empty if there are none.
    pub w: &'a [f64],
    /// Ranks.
    pub rank: &'a [u64],
    /// Clusters; empty if there are none.
    pub cluster: &'a [u32],
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
impl<'a> HostRows<'a> {
    /// The columns, outcomes first, cut to the range.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        let (range, total) = (self.range.clone(), self.rank.len());
        let all = [self.y, self.x, self.w];
        all.into_iter().flat_map(move |c| c.chunks_exact(total)).map(move |c| &c[range.clone()])
    }
}

/// What a fit asked of its devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeviceWork {
    /// Passes over the sample.
    pub passes: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Times that the host waited for results.
    pub reads: u64,
    /// Bytes sent to the devices.
    pub bytes_up: u64,
    /// Bytes read back.
    pub bytes_down: u64,
    /// Bytes of the sample that stay on the devices; 0 if it is streamed.
    pub resident_bytes: u64,
}

impl AddAssign for DeviceWork {
    fn add_assign(&mut self, other: Self) {
        self.passes += other.passes;
        self.launches += other.launches;
        self.reads += other.reads;
        self.bytes_up += other.bytes_up;
        self.bytes_down += other.bytes_down;
        self.resident_bytes += other.resident_bytes;
    }
}
