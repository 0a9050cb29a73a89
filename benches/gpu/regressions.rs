//! Regressions with fixed effects on a device, from a frame in memory.

use std::fs::File;
use std::process::Command;
use std::time::Instant;

use burn_did::backend::DidBackend;
use burn_did::{FixedEffects, RegressionResult, options::Precision};
use polars::prelude::{DataFrame, ParquetWriter};
use serde::Deserialize;

use super::common::designs::Design;
use super::common::results::digits;
use super::common::{Result, bench_file, work_folder};
use super::devices::{Device, on_device};
use super::session::DOUBLE;

/// What standard errors of a device in single precision may differ by, relatively.
const SINGLE: f64 = 1e-6;

/// What a peer may differ by, in standard errors.
const AGREE: f64 = 1e-4;

/// Two regressions in one process.
struct Fits {
    seconds: [f64; 2],
    result: RegressionResult,
}

/// A regression as pyfixest gives it.
#[derive(Deserialize)]
struct Theirs {
    seconds: f64,
    coef: Vec<f64>,
    se: Vec<f64>,
}

/// The design on the device and on the CPU: coefficients and standard errors have to be the same ones.
pub fn beside_the_cpu(device: Device, design: &str, rows: usize, columns: usize) -> Result<()> {
    println!("RESULT: {design}: {rows} rows, {columns} regressors");
    let (frame, formula) = Design::new(design, rows, columns + 1).regression()?;
    let here = on_device!(device, fits(&frame, &formula))?;
    let cpu = on_device!(Device::Cpu, fits(&frame, &formula))?;
    println!("RESULT: {}: {}", device.title(), described(&here));
    println!("RESULT: {}: {}", Device::Cpu.title(), described(&cpu));
    let (coefficient, se) = distances(&here.result, &pairs(&cpu.result));
    let single = device == Device::Wgpu;
    let allowed = [if single { 1e-8 } else { DOUBLE }, if single { SINGLE } else { DOUBLE }];
    println!(
        "RESULT: coefficients within {coefficient:.0e} standard errors, standard errors within {se:.0e}, allowed {:.0e} and {:.0e}",
        allowed[0], allowed[1]
    );
    if coefficient <= allowed[0] && se <= allowed[1] {
        Ok(())
    } else {
        Err(format!("{design}: the device and the CPU disagree").into())
    }
}

/// The design on the device and by pyfixest's LSMR with torch on the same card.
pub fn beside_pyfixest(device: Device, design: &str, rows: usize, columns: usize) -> Result<()> {
    let (mut frame, formula) = Design::new(design, rows, columns + 1).regression()?;
    let path = work_folder("fixed_effects")?.join(format!("{design}_{rows}_{columns}.parquet"));
    ParquetWriter::new(File::create(&path)?).finish(&mut frame)?;
    let output = Command::new("python3")
        .arg(bench_file("fixed_effects/pyfixest_fit.py"))
        .arg(&path)
        .args([formula.as_str(), "lsmr cuda"])
        .output()?;
    let theirs: Theirs = serde_json::from_slice(&output.stdout).map_err(|_| {
        format!("pyfixest: {}{}", String::from_utf8_lossy(&output.stdout), output.status)
    })?;
    let here = on_device!(device, fits(&frame, &formula))?;
    let pairs: Vec<_> = theirs.coef.iter().copied().zip(theirs.se).collect();
    let (coefficient, se) = distances(&here.result, &pairs);
    let agrees = if coefficient.max(se) <= AGREE { "agrees" } else { "DISAGREES" };
    println!(
        "RESULT: {design}: {}; pyfixest {} s; {agrees} (coefficients {coefficient:.0e}, standard errors {se:.0e})",
        described(&here),
        digits(theirs.seconds)
    );
    Ok(())
}

/// The regression twice, after a small one; its bits have to be the same ones.
fn fits<B: DidBackend>(precision: Precision, frame: &DataFrame, formula: &str) -> Result<Fits> {
    let config = FixedEffects::<B>::builder().formula(formula).precision(precision).build();
    let device = B::Device::default();
    // Threads, kernels and what is loaded; few rows may be singletons all.
    drop(config.fit_on(frame.head(Some(10_000)), &device));
    let timed = || -> Result<(f64, RegressionResult)> {
        let start = Instant::now();
        let result = config.fit_on(frame, &device)?;
        Ok((start.elapsed().as_secs_f64(), result))
    };
    let ((first, result), (second, again)) = (timed()?, timed()?);
    if result.vcov != again.vcov || pairs(&result) != pairs(&again) {
        return Err(format!("{}: another regression has other numbers", B::NAME).into());
    }
    Ok(Fits { seconds: [first, second], result })
}

/// Coefficients and standard errors.
fn pairs(result: &RegressionResult) -> Vec<(f64, f64)> {
    result.coefficients.iter().map(|c| (c.estimate, c.se.unwrap_or(f64::NAN))).collect()
}

/// Largest distances of coefficients, in standard errors, and of standard errors, relatively; infinite where something is not there.
fn distances(here: &RegressionResult, other: &[(f64, f64)]) -> (f64, f64) {
    let here = pairs(here);
    if here.len() != other.len() || here.is_empty() {
        return (f64::INFINITY, f64::INFINITY);
    }
    here.iter().zip(other).fold((0.0, 0.0), |(coefficient, largest), ((a, a_se), (b, b_se))| {
        let worst = |distance: f64| if distance.is_nan() { f64::INFINITY } else { distance };
        let apart: f64 = worst(((a - b) / b_se).abs());
        (apart.max(coefficient), worst((a_se / b_se - 1.0).abs()).max(largest))
    })
}

/// Seconds, solver, steps and what the device did.
fn described(fits: &Fits) -> String {
    let [first, again] = fits.seconds.map(digits);
    let solver = fits.result.solver.as_ref();
    let steps = solver.into_iter().flat_map(|s| &s.columns).map(|c| c.iterations).max();
    let work = fits.result.timings.device.as_ref();
    let work = work.and_then(|work| serde_json::to_string(work).ok());
    format!(
        "{first} s, again {again}, the same bits; {} on {}, {} steps{}",
        solver.map_or("no solver", |s| &s.solver),
        solver.map_or("nothing", |s| &s.device),
        steps.unwrap_or_default(),
        work.map_or_else(String::new, |work| format!(", device {work}"))
    )
}
