//! Checks a GPU: is it there, do its kernels agree with the CPU's, and how fast are they.
//!
//! `cargo run --release --features cuda --example gpu_check [rows]`, or `--features wgpu` or `vulkan`.

use std::error::Error;

use burn::tensor::DType;
use burn_did::backend::{Cpu, DidBackend};
use burn_did::pass::Multipliers;
use burn_did::{Multiplier, Precision};

use passes::{milliseconds, passes};
use sample::Sample;

#[path = "../tests/support/passes.rs"]
mod passes;
#[path = "../tests/support/sample.rs"]
mod sample;

/// Bootstrap draws of the timings.
const DRAWS: usize = 999;

fn main() -> Result<(), Box<dyn Error>> {
    let rows: usize = std::env::args().nth(1).map_or(Ok(200_000), |a| a.parse())?;
    if !cfg!(any(feature = "cuda", feature = "wgpu")) {
        return Err(format!(
            "no GPU backend to run {rows} rows on: add --features cuda, wgpu or vulkan"
        )
        .into());
    }
    let checks: Vec<Result<(), Box<dyn Error>>> = vec![
        #[cfg(feature = "cuda")]
        check::<burn_did::backend::Cuda>(Precision::F64, 1e-12, rows),
        #[cfg(feature = "vulkan")]
        check::<burn_did::backend::Vulkan>(Precision::F64, 1e-12, rows),
        #[cfg(feature = "wgpu")]
        check::<burn_did::backend::Wgpu>(Precision::F32, 2e-6, rows),
    ];
    let failed = checks.iter().filter(|check| check.is_err()).count();
    if failed > 0 {
        return Err(format!("{failed} of {} backends failed", checks.len()).into());
    }
    Ok(())
}

/// All sections for one backend.
#[cfg_attr(not(any(feature = "cuda", feature = "wgpu")), expect(dead_code))]
fn check<B: DidBackend>(
    precision: Precision,
    tolerance: f64,
    rows: usize,
) -> Result<(), Box<dyn Error>> {
    let device = B::Device::default();
    let dtype = match precision {
        Precision::F64 => DType::F64,
        Precision::F32 => DType::F32,
    };
    println!("# {} {device:?}, {}", B::NAME, precision.name());
    let sections = || -> Result<(), Box<dyn Error>> {
        let found = B::probe(&device, precision)?;
        if let Some(bytes) = found.free_bytes {
            println!("free memory: {:.1} GiB", bytes as f64 / (1u64 << 30) as f64);
        }
        kernels::<B>(&device, dtype, tolerance)?;
        timings::<B>(&device, dtype, rows);
        Ok(())
    };
    sections().inspect_err(|error| println!("failed: {error}"))
}

/// Every operation on random chunks against the CPU backend.
fn kernels<B: DidBackend>(
    device: &B::Device,
    dtype: DType,
    tolerance: f64,
) -> Result<(), Box<dyn Error>> {
    println!("\n## kernels against the CPU: largest difference, relative to the largest entry");
    let laws = [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb];
    let mut worst: f64 = 0.0;
    for (k, rows) in [(1, 1), (1, 10_000), (2, 4_095), (3, 4_096), (5, 4_097), (8, 20_000)] {
        let sample = Sample::new(rows, k, 1);
        let multipliers = Multipliers { law: laws[k % 3], seed: 42, draws: 300 };
        let found = sample::compare::<B>(&sample, device, dtype, multipliers);
        println!(
            "k = {k}, {rows:>6} rows: gram {:.0e}, logit {:.0e}, rows {:.0e}, cross {:.0e}, draws {:.0e}, clusters {:.0e}",
            found.gram, found.logit, found.rows, found.cross, found.draws, found.clusters
        );
        worst = worst.max(found.largest());
    }
    if worst >= tolerance {
        return Err(format!("the kernels are off by {worst:e}, more than {tolerance:e}").into());
    }
    Ok(())
}

/// Seconds of each pass over one chunk on the device and on the CPU.
fn timings<B: DidBackend>(device: &B::Device, dtype: DType, rows: usize) {
    let sample = Sample::new(rows, 10, 1);
    println!("\n## milliseconds a pass: {rows} rows, k = {}, {DRAWS} draws", sample.k);
    let here = sample.chunk::<B>(device, dtype, 0..rows);
    let host = sample.chunk::<Cpu>(&Default::default(), DType::F64, 0..rows);
    println!("{:24} {:>10} {:>10}", "", B::NAME, "cpu");
    let (here, host) = (passes(&sample, here, DRAWS), passes(&sample, host, DRAWS));
    for (here, host) in here.iter().zip(&host) {
        println!("{:24} {:10.2} {:10.2}", here.name, milliseconds(here), milliseconds(host));
    }
}
