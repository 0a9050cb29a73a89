//! wgpu: single precision, and double precision where the driver has it and does it right.

use burn::backend::wgpu::graphics::{AutoGraphicsApi, GraphicsApi};
use burn::backend::wgpu::{WgpuDevice, WgpuRuntime};
use cubecl::Runtime;
use cubecl::device::Device;

use super::GpuRuntime;
use super::buffers::guarded;
use super::self_test::wrong_doubles;
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::engine::backend::Availability;

/// Type of a device that the caller has set up.
const EXISTING: u16 = 5;

impl GpuRuntime for WgpuRuntime {
    const NAME: &'static str = "wgpu";

    const NAME_IN_DOUBLES: &'static str = "vulkan";

    fn probe(device: &WgpuDevice, precision: Precision) -> Result<Availability> {
        let refused = |remedy: String| DidError::Precision {
            device: format!("wgpu {device:?}"),
            precision: precision.word(),
            remedy,
        };
        if precision == Precision::F64 && !cfg!(feature = "vulkan") {
            return Err(refused(
                "choose `Precision::F32`, or the backend `Vulkan` of the feature `vulkan`"
                    .to_owned(),
            ));
        }
        let id = device.to_id();
        let adapters = guarded::<Self, _>(device, || {
            Ok(Self::enumerate_devices(id.type_id, &AutoGraphicsApi::backend()).len())
        })?;
        if id.type_id != EXISTING && adapters <= usize::from(id.index_id) {
            return Err(DidError::Device {
                device: format!("wgpu {device:?}"),
                problem: format!(
                    "no such adapter ({adapters} adapters); install a {:?} driver, or `mesa-vulkan-drivers` for a software \
                     one, or use the CPU backend",
                    AutoGraphicsApi::backend()
                ),
            });
        }
        guarded::<Self, _>(device, || {
            let doubles = precision == Precision::F64;
            if let Some(wrong) =
                doubles.then(|| wrong_doubles::<Self>(device)).transpose()?.flatten()
            {
                return Err(refused(format!(
                    "{wrong}: choose `Precision::F32`, or another backend"
                )));
            }
            Ok(Availability::default())
        })
    }
}
