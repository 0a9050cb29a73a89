//! Which backend a fit runs on.

use burn_did::backend::{Cpu, DidBackend};
use burn_did::{Progress, options::Precision};

use crate::args::{Backend, DeviceArgs};
use crate::error::{CliError, Result};
use crate::progress::Bar;

/// A command that fits.
pub(crate) trait Fit {
    /// What it gives.
    type Result;

    /// Where it is to run.
    fn device(&self) -> &DeviceArgs;

    /// Whether nothing is to be shown of its progress.
    fn quiet(&self) -> bool;

    /// Which cluster is to do the work, if it is one.
    #[cfg(feature = "ballista")]
    fn cluster(&self) -> Option<&crate::cluster::OnCluster> {
        None
    }

    /// Fits on devices of backend `B`.
    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<Self::Result>;
}

/// Where a fit runs, and who hears of it.
pub(crate) struct On<'a, B: DidBackend> {
    pub devices: &'a [B::Device],
    pub precision: Precision,
    pub progress: Option<Progress>,
    #[cfg(feature = "ballista")]
    pub cluster: Option<burn_did::Cluster>,
}

/// Fits on the devices asked for.
pub(crate) fn fit<F: Fit>(command: &F) -> Result<F::Result> {
    match command.device().backend {
        Backend::Cpu => cpu(command),
        Backend::Wgpu => wgpu(command),
        Backend::Vulkan => vulkan(command),
        Backend::Cuda => cuda(command),
    }
}

fn cpu<F: Fit>(command: &F) -> Result<F::Result> {
    if command.device().devices.iter().any(|d| *d > 0) {
        return Err(CliError::usage(
            "the cpu backend has no devices to choose from",
            "leave out --devices",
        ));
    }
    run::<Cpu, F>(command, &[Default::default()], Precision::F64)
}

#[cfg(feature = "wgpu")]
fn wgpu<F: Fit>(command: &F) -> Result<F::Result> {
    run::<burn_did::backend::Wgpu, F>(command, &adapters(command), Precision::F32)
}

#[cfg(feature = "vulkan")]
fn vulkan<F: Fit>(command: &F) -> Result<F::Result> {
    run::<burn_did::backend::Vulkan, F>(command, &adapters(command), Precision::F64)
}

/// The adapters asked for.
#[cfg(feature = "wgpu")]
fn adapters<F: Fit>(command: &F) -> Vec<burn_did::backend::WgpuDevice> {
    use burn_did::backend::WgpuDevice::{DefaultDevice, DiscreteGpu};
    match command.device().devices.as_slice() {
        [] => vec![DefaultDevice],
        some => some.iter().copied().map(DiscreteGpu).collect(),
    }
}

#[cfg(feature = "cuda")]
fn cuda<F: Fit>(command: &F) -> Result<F::Result> {
    use burn_did::backend::{Cuda, CudaDevice};
    let devices: Vec<_> = match command.device().devices.as_slice() {
        [] => vec![CudaDevice::new(0)],
        some => some.iter().copied().map(CudaDevice::new).collect(),
    };
    run::<Cuda, F>(command, &devices, Precision::F64)
}

/// How many GPUs a backend finds.
#[cfg(feature = "ballista")]
pub(crate) fn gpus(backend: Backend) -> Result<usize> {
    match backend {
        Backend::Cpu => {
            Err(CliError::usage("the cpu backend has no GPUs", "name another --backend"))
        }
        #[cfg(feature = "cuda")]
        Backend::Cuda => Ok(burn_did::cluster::gpus::<burn_did::backend::Cuda>()?),
        #[cfg(feature = "wgpu")]
        Backend::Wgpu => Ok(burn_did::cluster::gpus::<burn_did::backend::Wgpu>()?),
        #[cfg(feature = "vulkan")]
        Backend::Vulkan => Ok(burn_did::cluster::gpus::<burn_did::backend::Vulkan>()?),
        #[cfg(not(all(feature = "vulkan", feature = "cuda")))]
        other => Err(not_built(&word(other))),
    }
}

/// The word for a backend.
#[cfg(feature = "ballista")]
pub(crate) fn word(backend: Backend) -> String {
    use clap::ValueEnum;
    backend.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
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
    devices: &[B::Device],
    precision: Precision,
) -> Result<F::Result> {
    let asked = command.device();
    let mut chosen = asked.devices.clone();
    chosen.sort_unstable();
    if chosen.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(CliError::usage("--devices names a device twice", "name each once"));
    }
    let bar = Bar::new(command.quiet());
    let precision = asked.precision.unwrap_or(precision);
    #[cfg(feature = "ballista")]
    let cluster = command.cluster().map(crate::cluster::OnCluster::connect).transpose()?.flatten();
    command.fit(On::<B> {
        devices,
        precision,
        progress: bar.callback(),
        #[cfg(feature = "ballista")]
        cluster,
    })
}

/// Gives the GPU runtime its defaults. It would look for `cubecl.toml` in the working directory and above, and for `CUBECL_DEBUG_LOG`,
/// which can name files that it then writes.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub(crate) fn ignore_configuration_files() {
    use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};
    CubeClRuntimeConfig::set(CubeClRuntimeConfig::default());
}
