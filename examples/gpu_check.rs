//! Checks a GPU: is it there, do its kernels agree with the CPU's, and how fast are they.
//!
//! `cargo run --release --features cuda --example gpu_check [rows]`, or `--features wgpu`.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use burn::tensor::DType;
use burn_did::backend::{Cpu, DidBackend};
use burn_did::pass::{Chunk, Consumers, GramJob, LogitJob, Multipliers, Weight};
use burn_did::{Multiplier, Precision};

use sample::Sample;

#[path = "../tests/support/sample.rs"]
mod sample;

/// Bootstrap draws of the timings.
const DRAWS: usize = 999;

fn main() -> Result<(), Box<dyn Error>> {
    let rows: usize = std::env::args().nth(1).map_or(Ok(200_000), |a| a.parse())?;
    if !cfg!(any(feature = "cuda", feature = "wgpu")) {
        return Err(
            format!("no GPU backend to run {rows} rows on: add --features cuda or wgpu").into()
        );
    }
    let checks: Vec<Result<(), Box<dyn Error>>> = vec![
        #[cfg(feature = "cuda")]
        check::<burn_did::backend::Cuda>(Precision::F64, 1e-12, rows),
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
    for ((name, here), (_, host)) in passes(&sample, here).iter().zip(&passes(&sample, host)) {
        println!("{name:24} {:10.2} {:10.2}", milliseconds(here), milliseconds(host));
    }
}

type NamedPass = (&'static str, Box<dyn Fn()>);

fn passes<B: DidBackend>(sample: &Sample, chunk: Chunk<B>) -> Vec<NamedPass> {
    let periods = sample.periods;
    let plan = sample.plan();
    let gamma = sample.coefficients(0, 1.0);
    let w = Weight::Column(0);
    let gram = |odds| {
        let outcomes = (0..periods).collect();
        GramJob { stratum: 0, x: 0, w, odds, outcomes }
    };
    let (plain, weighted) = (gram(None), gram(Some(gamma.clone())));
    let logit = LogitJob { stratum: 0, x: 0, w, treated: false, gamma };
    let covariance = Consumers { clusters: None, multipliers: None, keep_rows: false };
    let multipliers = Multipliers { law: Multiplier::Mammen, seed: 1, draws: DRAWS };
    let bootstrap = Consumers { multipliers: Some(multipliers), ..covariance };
    let chunk = std::rc::Rc::new([chunk]);
    let (a, b, c, d, e) = (chunk.clone(), chunk.clone(), chunk.clone(), chunk.clone(), chunk);
    let bootstrap_plan = plan.clone();
    vec![
        ("cross-products", Box::new(move || drop(black_box(sample::gram(&*a, &plain, periods))))),
        (
            "cross-products, odds",
            Box::new(move || drop(black_box(sample::gram(&*b, &weighted, periods)))),
        ),
        ("logit", Box::new(move || drop(black_box(sample::logit(&*c, &logit, 1))))),
        (
            "influence, covariance",
            Box::new(move || drop(black_box(sample::influence(&*d, &plan, covariance)))),
        ),
        (
            "influence, bootstrap",
            Box::new(move || drop(black_box(sample::influence(&*e, &bootstrap_plan, bootstrap)))),
        ),
    ]
}

/// The fastest of three runs after one that compiles.
fn milliseconds(pass: &dyn Fn()) -> f64 {
    pass();
    let run = |_| {
        let start = Instant::now();
        pass();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..3).map(run).fold(f64::INFINITY, f64::min)
}
