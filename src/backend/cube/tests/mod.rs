#[cfg(all(feature = "cuda-source", feature = "cpu"))]
mod cuda_source;
#[cfg(all(feature = "cuda-source", feature = "cpu"))]
mod headless;
#[cfg(all(feature = "wgpu", feature = "cpu"))]
mod wgpu;
