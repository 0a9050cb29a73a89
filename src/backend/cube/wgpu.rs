//! wgpu: single precision.

use burn_wgpu::graphics::{AutoGraphicsApi, GraphicsApi};
use burn_wgpu::{WgpuDevice, WgpuRuntime};
use cubecl::Runtime;
use cubecl::device::Device;

use super::GpuRuntime;
use super::buffers::guarded;
use crate::backend::Availability;
use crate::error::{DidError, Result};
use crate::options::Precision;

/// Type of a device that the caller has set up.
const EXISTING: u16 = 5;

impl GpuRuntime for WgpuRuntime {
    const NAME: &'static str = "wgpu";

    fn probe(device: &WgpuDevice, precision: Precision) -> Result<Availability> {
        if precision == Precision::F64 {
            // Some drivers claim doubles, but their `exp` and `log` are wrong.
            return Err(DidError::Precision {
                device: format!("wgpu {device:?}"),
                precision: precision.name(),
                remedy: "choose `Precision::F32`, or a backend with double arithmetic",
            });
        }
        let id = device.to_id();
        let found = guarded::<Self, _>(device, || {
            Ok(Self::enumerate_devices(id.type_id, &AutoGraphicsApi::backend()).len())
        })?;
        if id.type_id != EXISTING && found <= usize::from(id.index_id) {
            return Err(DidError::Device {
                device: format!("wgpu {device:?}"),
                problem: format!(
                    "no such adapter ({found} found); install a {:?} driver, or `mesa-vulkan-drivers` for a software \
                     one, or use the CPU backend",
                    AutoGraphicsApi::backend()
                ),
            });
        }
        guarded::<Self, _>(device, || {
            let _client = Self::client(device);
            Ok(Availability::default())
        })
    }
}
