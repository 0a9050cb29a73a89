//! One program for every backend: `cargo run --release --example 03_backends --features vulkan,cuda`.

use burn_did::backend::{Cpu, DidBackend};
use burn_did::{Aggregated, Aggregation, AttGt, Result, data, options::Precision};

fn main() -> Result<()> {
    report("Cpu, f64", run::<Cpu>(&Default::default(), Precision::F64));
    report("Cpu, f32", run::<Cpu>(&Default::default(), Precision::F32));
    #[cfg(feature = "wgpu")]
    report("Wgpu, f32", run::<burn_did::backend::Wgpu>(&Default::default(), Precision::F32));
    #[cfg(feature = "vulkan")]
    report("Vulkan, f64", run::<burn_did::backend::Vulkan>(&Default::default(), Precision::F64));
    #[cfg(feature = "cuda")]
    report("Cuda, f64", run::<burn_did::backend::Cuda>(&Default::default(), Precision::F64));
    Ok(())
}

/// The average effect on a backend of the caller's choice.
fn run<B: DidBackend>(device: &B::Device, precision: Precision) -> Result<Aggregated> {
    AttGt::<B>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates("~ lpop")
        .precision(precision)
        .build()
        .fit_on(data::mpdta(), device)?
        .aggregate(Aggregation::simple())
}

/// Continues if the machine does not have the device.
fn report(name: &str, result: Result<Aggregated>) {
    match result {
        Ok(Aggregated { overall, settings, .. }) => {
            let (att, se) = (overall.estimate.unwrap_or(f64::NAN), overall.se.unwrap_or(f64::NAN));
            println!("{name:11} {att:.9} ({se:.9}) on {}", settings.backend);
        }
        Err(error) => println!("{name:11} {error}"),
    }
}
