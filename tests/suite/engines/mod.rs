//! Where fits run: backends and devices, threads, memory, and clusters.

mod backends;
#[cfg(all(feature = "ballista", feature = "cli", target_os = "linux"))]
mod cluster;
#[cfg(feature = "cuda")]
mod cuda;
mod sizes;
mod threads;
#[cfg(feature = "vulkan")]
mod vulkan;
#[cfg(feature = "wgpu")]
mod wgpu;
#[cfg(feature = "cluster")]
mod workers;
