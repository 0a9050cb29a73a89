//! What runs on a device, whatever for: its buffers and samples, launches and whether they ran, and the runtimes that there are.

mod buffers;
#[cfg(feature = "cuda")]
mod cuda;
mod launches;
pub(super) mod meter;
#[cfg(feature = "wgpu")]
mod self_test;
mod slab;
mod upload;
#[cfg(feature = "wgpu")]
mod wgpu;

use burn_cubecl::CubeRuntime;
use cubecl::server::Handle;

pub(super) use self::buffers::{Buffer, Gpu, guarded, index};
pub(super) use self::launches::{Launches, grid, launch};
pub(super) use self::slab::{SampleColumns, columns_arg, hold};
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::backend::Availability;

/// A `CubeCL` runtime that the passes run on.
pub trait GpuRuntime: CubeRuntime {
    /// Name in reports.
    const NAME: &'static str;

    /// Name of the backend whose numbers are doubles.
    const NAME_IN_DOUBLES: &'static str = Self::NAME;

    /// Whether the device exists and can do this precision, and how much memory it offers.
    ///
    /// # Errors
    /// [`DidError::Precision`](crate::DidError::Precision) or [`DidError::Device`](crate::DidError::Device).
    fn probe(device: &Self::Device, precision: Precision) -> Result<Availability>;

    /// Whether there is a way to [write](Self::write).
    const WRITES: bool = false;

    /// Writes so many bytes to the start of a buffer that no work uses, in pieces that `fill` is asked for by their first byte, without
    /// the copies that the runtime makes.
    ///
    /// # Errors
    /// [`DidError::Device`](crate::DidError::Device).
    fn write(
        _device: &Self::Device,
        _buffer: Handle,
        _bytes: usize,
        _fill: &mut dyn FnMut(usize, &mut [u8]),
    ) -> Result<()> {
        Ok(())
    }
}
