use std::cell::Cell;

#[cfg(feature = "cpu")]
use super::GpuRuntime;

#[cfg(feature = "cpu")]
mod basis;
#[cfg(all(feature = "cuda", feature = "cpu"))]
mod cuda;
#[cfg(all(feature = "__cuda-source", feature = "cpu"))]
mod cuda_source;
#[cfg(feature = "cpu")]
mod devices;
#[cfg(all(feature = "__cuda-source", feature = "cpu"))]
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

/// What `f` gives with the least working space that it can do with, which cuts its work into batches.
#[cfg(feature = "cpu")]
fn in_batches<T>(mut f: impl FnMut() -> Option<T>) -> T {
    let mut bytes = 4_096;
    loop {
        SCRATCH.set(bytes);
        if let Some(found) = f() {
            SCRATCH.set(usize::MAX);
            return found;
        }
        bytes += bytes / 64;
    }
}
