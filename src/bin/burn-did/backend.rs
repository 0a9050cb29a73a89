//! Which backend a fit runs on.

use burn_did::backend::{BackendName, Device, DidBackend, OnDevices};
use burn_did::{Progress, options::Precision};

use crate::args::{DeviceArgs, WorkArgs};
use crate::error::{CliError, Result};
use crate::progress::Bar;

/// A command that fits.
pub(crate) trait Fit {
    /// What it gives.
    type Result;

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

/// Fits on the devices asked for, and shows progress unless it is to be quiet.
pub(crate) fn fit<F: Fit>(command: &F, asked: &DeviceArgs, quiet: bool) -> Result<F::Result> {
    Command {
        command,
        asked,
        quiet,
        #[cfg(feature = "ballista")]
        cluster: None,
    }
    .run_on_devices()
}

/// As [`fit`], or on the cluster that is named.
pub(crate) fn fit_anywhere<F: Fit>(command: &F, work: &WorkArgs, quiet: bool) -> Result<F::Result> {
    Command {
        command,
        asked: &work.device,
        quiet,
        #[cfg(feature = "ballista")]
        cluster: Some(&work.cluster),
    }
    .run_on_devices()
}

/// A command as work for devices.
struct Command<'a, F> {
    command: &'a F,
    asked: &'a DeviceArgs,
    quiet: bool,
    #[cfg(feature = "ballista")]
    cluster: Option<&'a crate::cluster::OnCluster>,
}

impl<F: Fit> Command<'_, F> {
    fn run_on_devices(self) -> Result<F::Result> {
        let devices = devices(self.asked)?;
        Device::run_on(&devices, self)?
    }
}

/// The devices asked for.
fn devices(asked: &DeviceArgs) -> Result<Vec<Device>> {
    built(asked.backend)?;
    if asked.backend == BackendName::Cpu && asked.devices.iter().any(|index| *index > 0) {
        return Err(CliError::usage(
            "the cpu backend is one device, with all cores",
            "leave out --devices, or name another --backend",
        ));
    }
    let numbered = |index: &usize| Device::numbered(asked.backend, *index);
    Ok(match asked.devices.as_slice() {
        [] => vec![Device::new(asked.backend)],
        some => some.iter().map(numbered).collect(),
    })
}

impl<F: Fit> OnDevices for Command<'_, F> {
    type Output = Result<F::Result>;

    fn run<B: DidBackend>(self, devices: &[B::Device], precision: Precision) -> Self::Output {
        let bar = Bar::new(self.quiet);
        #[cfg(feature = "ballista")]
        let cluster = self.cluster.map(crate::cluster::OnCluster::connect).transpose()?.flatten();
        self.command.fit(On::<B> {
            devices,
            precision: self.asked.precision.unwrap_or(precision),
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
