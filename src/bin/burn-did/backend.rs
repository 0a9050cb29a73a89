//! Which backend a fit runs on.

use burn_did::backend::{Cpu, DidBackend};
use burn_did::{Precision, Progress};

use crate::args::{Backend, DeviceArgs};
use crate::error::{CliError, Result};
use crate::progress::Bar;

/// A command that fits.
pub(crate) trait Fit {
    /// What it gives.
    type Result;

    /// Where it is to run.
    fn device(&self) -> &DeviceArgs;

    /// Fits on a device of backend `B`.
    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<Self::Result>;
}

/// Where a fit runs, and who hears of it.
pub(crate) struct On<'a, B: DidBackend> {
    pub device: &'a B::Device,
    pub precision: Precision,
    pub progress: Option<Progress>,
}

/// Fits on the device asked for.
pub(crate) fn fit<F: Fit>(command: &F) -> Result<F::Result> {
    match command.device().backend {
        Backend::Cpu => cpu(command),
        Backend::Wgpu => wgpu(command),
        Backend::Vulkan => vulkan(command),
        Backend::Cuda => cuda(command),
    }
}

fn cpu<F: Fit>(command: &F) -> Result<F::Result> {
    if command.device().device.is_some_and(|d| d > 0) {
        return Err(CliError::usage(
            "the cpu backend has no devices to choose from",
            "leave out --device",
        ));
    }
    let device = <Cpu as burn::tensor::backend::BackendTypes>::Device::default();
    run::<Cpu, F>(command, &device, Precision::F64)
}

#[cfg(feature = "wgpu")]
fn wgpu<F: Fit>(command: &F) -> Result<F::Result> {
    run::<burn_did::backend::Wgpu, F>(command, &adapter(command), Precision::F32)
}

#[cfg(feature = "vulkan")]
fn vulkan<F: Fit>(command: &F) -> Result<F::Result> {
    run::<burn_did::backend::Vulkan, F>(command, &adapter(command), Precision::F64)
}

/// The adapter asked for.
#[cfg(feature = "wgpu")]
fn adapter<F: Fit>(command: &F) -> burn_did::backend::WgpuDevice {
    use burn_did::backend::WgpuDevice;
    command.device().device.map_or(WgpuDevice::DefaultDevice, WgpuDevice::DiscreteGpu)
}

#[cfg(feature = "cuda")]
fn cuda<F: Fit>(command: &F) -> Result<F::Result> {
    use burn_did::backend::{Cuda, CudaDevice};
    let device = CudaDevice::new(command.device().device.unwrap_or(0));
    run::<Cuda, F>(command, &device, Precision::F64)
}

#[cfg(not(feature = "wgpu"))]
fn wgpu<F: Fit>(_: &F) -> Result<F::Result> {
    Err(not_built("wgpu"))
}

#[cfg(not(feature = "vulkan"))]
fn vulkan<F: Fit>(_: &F) -> Result<F::Result> {
    Err(not_built("vulkan"))
}

#[cfg(not(feature = "cuda"))]
fn cuda<F: Fit>(_: &F) -> Result<F::Result> {
    Err(not_built("cuda"))
}

#[cfg(not(all(feature = "vulkan", feature = "cuda")))]
fn not_built(name: &str) -> CliError {
    CliError::usage(
        format!("this burn-did was built without the {name} backend"),
        format!("build it again with --features cli,{name}"),
    )
}

fn run<B: DidBackend, F: Fit>(
    command: &F,
    device: &B::Device,
    precision: Precision,
) -> Result<F::Result> {
    let asked = command.device();
    let bar = Bar::new(asked.quiet);
    let precision = asked.precision.unwrap_or(precision);
    command.fit(On::<B> { device, precision, progress: bar.callback() })
}

/// Gives the GPU runtime its defaults. It would look for `cubecl.toml` in the working directory and above, and for `CUBECL_DEBUG_LOG`,
/// which can name files that it then writes.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub(crate) fn ignore_configuration_files() {
    use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};
    CubeClRuntimeConfig::set(CubeClRuntimeConfig::default());
}
