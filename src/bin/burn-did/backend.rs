//! Which backend a fit runs on.

use burn_did::backend::{Cpu, DidBackend};
use burn_did::{AttGtResult, Precision};
use clap::ValueEnum;

use crate::commands::att_gt::AttGtArgs;
use crate::error::{CliError, Result};
use crate::progress::Bar;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The processor.
    Cpu,
    /// A GPU by Vulkan, Metal or DirectX; single precision.
    Wgpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// Fits on the device asked for.
pub(crate) fn fit(args: &AttGtArgs) -> Result<AttGtResult> {
    match args.backend {
        Backend::Cpu => cpu(args),
        Backend::Wgpu => wgpu(args),
        Backend::Cuda => cuda(args),
    }
}

fn cpu(args: &AttGtArgs) -> Result<AttGtResult> {
    if args.device.is_some_and(|d| d > 0) {
        return Err(CliError::usage(
            "the cpu backend has no devices to choose from",
            "leave out --device",
        ));
    }
    run::<Cpu>(
        args,
        &<Cpu as burn::tensor::backend::BackendTypes>::Device::default(),
        Precision::F64,
    )
}

#[cfg(feature = "wgpu")]
fn wgpu(args: &AttGtArgs) -> Result<AttGtResult> {
    use burn_did::backend::{Wgpu, WgpuDevice};
    let device = args.device.map_or(WgpuDevice::DefaultDevice, WgpuDevice::DiscreteGpu);
    run::<Wgpu>(args, &device, Precision::F32)
}

#[cfg(feature = "cuda")]
fn cuda(args: &AttGtArgs) -> Result<AttGtResult> {
    use burn_did::backend::{Cuda, CudaDevice};
    run::<Cuda>(args, &CudaDevice::new(args.device.unwrap_or(0)), Precision::F64)
}

#[cfg(not(feature = "wgpu"))]
fn wgpu(_: &AttGtArgs) -> Result<AttGtResult> {
    Err(not_built("wgpu"))
}

#[cfg(not(feature = "cuda"))]
fn cuda(_: &AttGtArgs) -> Result<AttGtResult> {
    Err(not_built("cuda"))
}

#[cfg(not(all(feature = "wgpu", feature = "cuda")))]
fn not_built(name: &str) -> CliError {
    CliError::usage(
        format!("this burn-did was built without the {name} backend"),
        format!("build it again with --features cli,{name}"),
    )
}

fn run<B: DidBackend>(
    args: &AttGtArgs,
    device: &B::Device,
    precision: Precision,
) -> Result<AttGtResult> {
    let bar = Bar::new(args.quiet);
    let spec = args.spec::<B>(args.precision.unwrap_or(precision), bar.callback())?;
    Ok(spec.fit(args.data.as_path(), device)?)
}
