use std::cell::Cell;

#[cfg(feature = "cpu")]
use super::GpuRuntime;

#[cfg(all(feature = "cuda", feature = "cpu"))]
mod cuda;
#[cfg(all(feature = "cuda-source", feature = "cpu"))]
mod cuda_source;
#[cfg(all(feature = "cuda-source", feature = "cpu"))]
mod headless;
#[cfg(feature = "cpu")]
mod kernels;
#[cfg(all(feature = "vulkan", feature = "cpu"))]
mod vulkan;
#[cfg(all(feature = "wgpu", feature = "cpu"))]
mod wgpu;

std::thread_local! {
    /// Bytes of working space that a device has at most, for tests of what is done in several batches.
    pub(super) static SCRATCH: Cell<usize> = const { Cell::new(usize::MAX) };
}
