//! The passes over a sample: which rows and columns a launch has, what is formed of each tile, and how the tiles are added.

mod at_once;
mod basis;
mod batch;
mod clusters;
mod draws;
mod fold;
mod influence;
mod influence_sums;
mod jobs;
mod plan_tables;
mod products;
mod spans;
mod values;

pub(super) use self::at_once::Whole;
pub(super) use self::influence::InfluencePlans;
pub(super) use self::influence_sums::{
    InfluenceQuestion, InfluenceSums, MultiplierQuestion, mirror,
};
pub(super) use self::jobs::{AskedJobs, Jobs};
pub(super) use self::spans::{Cut, Span};
pub(super) use self::values::{TileSums, of_tile};
use super::runtime::{Gpu, GpuRuntime};

/// Bytes of working space of one kind, at most: influence values, or sums of tiles.
const SCRATCH_BYTES: usize = 1 << 30;

/// Bytes of working space of one kind that a device has room for: a sixteenth of its memory where the largest allocation is a
/// quarter, as on NVIDIA's.
pub(super) fn scratch<R: GpuRuntime>(gpu: &Gpu<R>) -> usize {
    let bytes = SCRATCH_BYTES.min(gpu.largest() * gpu.width() / 4);
    #[cfg(test)]
    let bytes = bytes.min(super::tests::SCRATCH.get());
    bytes
}
