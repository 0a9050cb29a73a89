//! Which backend a fit runs on.

use burn_did::backend::{BackendName, Device, DidBackend, OnDevices};
use burn_did::{Progress, options::Precision};

use crate::args::DeviceArgs;
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
    let asked = command.device();
    built(asked.backend)?;
    if asked.backend == BackendName::Cpu && asked.devices.iter().any(|index| *index > 0) {
        return Err(CliError::usage(
            "the cpu backend is one device, with all cores",
            "leave out --devices, or name another --backend",
        ));
    }
    let numbered = |index: &usize| Device::numbered(asked.backend, *index);
    let devices = match asked.devices.as_slice() {
        [] => vec![Device::new(asked.backend)],
        some => some.iter().map(numbered).collect(),
    };
    Device::run_on(&devices, Command(command))?
}

/// A command as work for devices.
struct Command<'a, F>(&'a F);

impl<F: Fit> OnDevices for Command<'_, F> {
    type Output = Result<F::Result>;

    fn run<B: DidBackend>(self, devices: &[B::Device], precision: Precision) -> Self::Output {
        let Self(command) = self;
        let bar = Bar::new(command.quiet());
        #[cfg(feature = "ballista")]
        let cluster =
            command.cluster().map(crate::cluster::OnCluster::connect).transpose()?.flatten();
        command.fit(On::<B> {
            devices,
            precision: command.device().precision.unwrap_or(precision),
            progress: bar.callback(),
            #[cfg(feature = "ballista")]
            cluster,
        })
    }
}

/// How many GPUs a backend finds.
#[cfg(feature = "ballista")]
pub(crate) fn gpus(backend: BackendName) -> Result<usize> {
    if backend == BackendName::Cpu {
        return Err(CliError::usage("the cpu backend has no GPUs", "name another --backend"));
    }
    built(backend)?;
    Ok(backend.count()?)
}

fn built(backend: BackendName) -> Result<()> {
    if backend.is_built() {
        return Ok(());
    }
    Err(CliError::usage(
        format!("this burn-did was built without the {backend} backend"),
        format!("build it again with --features cli,{backend}"),
    ))
}

/// Gives the GPU runtime its defaults. It would look for `cubecl.toml` in the working directory and above, and for `CUBECL_DEBUG_LOG`,
/// which can name files that it then writes.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub(crate) fn ignore_configuration_files() {
    use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};
    CubeClRuntimeConfig::set(CubeClRuntimeConfig::default());
}
