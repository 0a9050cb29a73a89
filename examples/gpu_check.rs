//! Checks a GPU: whether it is available, whether its kernels agree with the CPU's, and how fast they are.
//!
//! `cargo run --release --features cuda --example gpu_check [rows [backend]]`, or `--features wgpu` or `vulkan`.

use std::error::Error;

use burn::tensor::DType;
use burn_did::backend::{Cpu, DidBackend};
use burn_did::options::{Multiplier, Precision};
use burn_did::pass::{GramJob, LogitJob, Multipliers, TILE, Weight};

use passes::{milliseconds, passes};
use sample::{SEGMENT, Sample};

#[path = "../tests/support/passes.rs"]
mod passes;
#[path = "../tests/support/sample.rs"]
mod sample;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Bootstrap draws of the timings.
const DRAWS: usize = 999;

/// Jobs of one call: more than a device ever has to read at once.
const JOBS: usize = 70;

/// All sections for one backend, on a given number of rows.
type Check = fn(usize) -> Result<()>;

/// Backends by name; the CPU, the reference for the others, only on request.
const BACKENDS: &[(&str, Check)] = &[
    #[cfg(feature = "cuda")]
    ("cuda", |rows| check::<burn_did::backend::Cuda>(Precision::F64, 1e-12, rows)),
    #[cfg(feature = "vulkan")]
    ("vulkan", |rows| check::<burn_did::backend::Vulkan>(Precision::F64, 1e-12, rows)),
    #[cfg(feature = "wgpu")]
    ("wgpu", |rows| check::<burn_did::backend::Wgpu>(Precision::F32, 2e-6, rows)),
    ("cpu", |rows| check::<Cpu>(Precision::F64, 1e-12, rows)),
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let rows: usize = arguments.next().map_or(Ok(200_000), |rows| rows.parse())?;
    let only = arguments.next();
    let wanted = |name: &str| only.as_ref().map_or(name != "cpu", |only| only == name);
    let checks: Vec<_> = BACKENDS.iter().filter(|(name, _)| wanted(name)).collect();
    if checks.is_empty() {
        return Err("no such GPU backend in this build: add --features cuda, wgpu or vulkan".into());
    }
    let problem =
        |(name, check): &&(&str, Check)| check(rows).err().map(|error| format!("{name}: {error}"));
    let problems: Vec<String> = checks.iter().filter_map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ").into()) }
}

/// All sections for one backend.
fn check<B: DidBackend>(precision: Precision, tolerance: f64, rows: usize) -> Result<()> {
    let device = B::Device::default();
    let dtype = match precision {
        Precision::F32 => DType::F32,
        _ => DType::F64,
    };
    println!("# {} {device:?}, {}", B::NAME, precision.word());
    let sections = || -> Result<()> {
        let found = B::probe(&device, precision)?;
        if let Some(bytes) = found.free_bytes {
            println!("free memory: {:.1} GiB", bytes as f64 / (1u64 << 30) as f64);
        }
        kernels::<B>(&device, dtype, tolerance, rows)?;
        many_jobs::<B>(&device, dtype, tolerance, rows)?;
        chunks::<B>(&device, dtype, rows)?;
        timings::<B>(&device, dtype, rows);
        Ok(())
    };
    sections().inspect_err(|error| println!("failed: {error}"))
}

/// Every operation against the CPU backend, on small numbers of rows and on the requested number.
fn kernels<B: DidBackend>(
    device: &B::Device,
    dtype: DType,
    tolerance: f64,
    rows: usize,
) -> Result<()> {
    println!("\n## kernels against the CPU: largest difference, relative to the largest entry");
    let laws = [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb];
    let mut worst: f64 = 0.0;
    for (k, rows) in
        [(1, 1), (1, 10_000), (2, 4_095), (3, 4_096), (5, 4_097), (8, 20_000), (5, rows)]
    {
        let sample = Sample::new(rows, k, 1);
        let multipliers = Multipliers::new(laws[k % 3], 42, 300);
        let found = sample::compare::<B>(&sample, device, dtype, multipliers);
        println!(
            "k = {k}, {rows:>6} rows: gram {:.0e}, logit {:.0e}, rows {:.0e}, cross {:.0e}, draws {:.0e}, clusters {:.0e}",
            found.gram, found.logit, found.rows, found.cross, found.draws, found.clusters
        );
        worst = worst.max(found.largest());
    }
    within(worst, tolerance, "the kernels")
}

/// Calls with many jobs, on all rows.
fn many_jobs<B: DidBackend>(
    device: &B::Device,
    dtype: DType,
    tolerance: f64,
    rows: usize,
) -> Result<()> {
    let sample = Sample::new(rows, 3, 2);
    let found = sample::compare_jobs::<B>(&sample, device, dtype, JOBS);
    println!(
        "k = 3, {rows:>6} rows, {JOBS} jobs a call: gram {:.0e}, logit {:.0e}",
        found.gram, found.logit
    );
    within(found.largest(), tolerance, "calls with many jobs")
}

/// Lines with these beginnings go into the table of `benches/gpu/session.sh`.
fn within(worst: f64, tolerance: f64, what: &str) -> Result<()> {
    println!("RESULT: {what}: largest difference {worst:.0e}, allowed {tolerance:.0e}");
    // Not `>`, which is false if the difference is NaN.
    if worst < tolerance {
        return Ok(());
    }
    Err(format!("{what} are off by {worst:e}, more than {tolerance:e}").into())
}

/// Segments give the same bits in one chunk and in several.
fn chunks<B: DidBackend>(device: &B::Device, dtype: DType, rows: usize) -> Result<()> {
    let sample = Sample::new(rows, 3, 3);
    let w = Weight::Product(0, 1);
    let odds = Some(sample.coefficients(0, 3.0));
    let gram = GramJob::new(0, 1, w, odds, vec![0, 1, 2]);
    let gamma = sample.coefficients(1, 1.0);
    let logit = LogitJob::new(0, 0, w, false, gamma);
    let multipliers = Multipliers::new(Multiplier::Mammen, 3, 200);
    let [consumers, _] = sample::consumers(sample.clusters, multipliers);
    let consumers = consumers.keep_rows(false);
    let plan = sample.plan();
    let mut count = 0;
    for start in (0..rows).step_by(SEGMENT) {
        let segment = start..(start + SEGMENT).min(rows);
        let sums = |length| {
            let chunks = sample.chunks::<B>(device, dtype, segment.clone(), length);
            let sums = (
                sample::gram(&chunks, &gram, sample.periods),
                sample::logit(&chunks, &logit, 1),
                sample::influence(&chunks, &plan, consumers).0,
            );
            (sums, chunks.len())
        };
        let ((whole, _), (parts, chunks)) = (sums(SEGMENT), sums(3 * TILE));
        if whole != parts {
            return Err(format!("a segment from row {start} has other sums in parts").into());
        }
        count += chunks;
    }
    let segments = rows.div_ceil(SEGMENT);
    println!("RESULT: {segments} segments and their {count} chunks: the same bits");
    Ok(())
}

/// Seconds of each pass over the chunks of a fit on the device and on the CPU.
fn timings<B: DidBackend>(device: &B::Device, dtype: DType, rows: usize) {
    let sample = Sample::new(rows, 10, 1);
    println!("\n## milliseconds a pass: {rows} rows, k = {}, {DRAWS} draws", sample.k);
    let here = sample.segments::<B>(device, dtype);
    let host = sample.segments::<Cpu>(&Default::default(), DType::F64);
    println!("{:24} {:>10} {:>10}", "", B::NAME, "cpu");
    let (here, host) = (passes(&sample, here, DRAWS), passes(&sample, host, DRAWS));
    for (here, host) in here.iter().zip(&host) {
        println!("{:24} {:10.2} {:10.2}", here.name, milliseconds(here), milliseconds(host));
    }
}
