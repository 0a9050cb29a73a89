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
