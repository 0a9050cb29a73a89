#[cfg(all(feature = "wgpu", feature = "cpu"))]
mod wgpu;
