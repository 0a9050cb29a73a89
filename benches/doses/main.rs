//! Continuous treatments beside ModernDiD, from frames in memory: `cargo bench --bench doses -- [UNITS]`.
//!
//! 4 periods, 3 cohorts, splines of degree 3 with 2 knots, 50 doses; analytic standard errors, 1,000 draws of multipliers, and up to
//! 100,000 units 100 draws of units. ModernDiD, whose standard errors are always drawn, is timed by `moderndid.py` beside this file if `python3` has it (or the interpreter named by
//! `BURN_DID_PYTHON`): one fit to warm up, then the median of five.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program that prints what it measures"
)]

use std::process::Command;
use std::time::Instant;

use burn_did::backend::Cpu;
use burn_did::data::DoseSimulation;
use burn_did::{
    ContDid,
    options::{Bootstrap, Resampling},
};
use polars::prelude::{DataFrame, ParquetWriter};

const RUNS: usize = 5;

/// Units up to which draws of units are made, and ModernDiD is run.
const REDRAWN: usize = 100_000;

fn main() {
    let units = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(100_000);
    let frame = DoseSimulation::builder().units(units).seed(1).build().frame();
    println!("{units} units: {} MiB with the frame", peak());
    println!("analytic {:.3} s", ours(&frame, None, Resampling::Multiplier));
    println!("peak memory {} MiB", peak());
    let drawn = ours(&frame, Some(Bootstrap::draws(1_000)), Resampling::Multiplier);
    println!("1,000 draws {drawn:.3} s\npeak memory {} MiB", peak());
    if units > REDRAWN {
        return;
    }
    let redrawn = ours(&frame, Some(Bootstrap::draws(100)), Resampling::Empirical);
    println!("100 draws of units {redrawn:.3} s\npeak memory {} MiB", peak());
    let file = tempfile::NamedTempFile::new().unwrap();
    ParquetWriter::new(file.reopen().unwrap()).finish(&mut frame.clone()).unwrap();
    let python = std::env::var("BURN_DID_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/doses/moderndid.py");
    let theirs = Command::new(python).arg(script).arg(file.path()).output();
    match theirs {
        Ok(done) if done.status.success() => {
            println!("ModernDiD: {}", String::from_utf8_lossy(&done.stdout).trim());
        }
        Ok(done) => println!("no ModernDiD: {}", String::from_utf8_lossy(&done.stderr)),
        Err(error) => println!("no ModernDiD: {error}"),
    }
}

/// Median seconds of a fit.
fn ours(frame: &DataFrame, bootstrap: Option<Bootstrap>, resampling: Resampling) -> f64 {
    let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let config = config.dose("dose").knots(2).maybe_bootstrap(bootstrap);
    let config = config.resampling(resampling).build();
    let once = || {
        let start = Instant::now();
        let fit = config.fit(frame).unwrap();
        assert_eq!(fit.dose.rows.len(), 50);
        start.elapsed().as_secs_f64()
    };
    once();
    let mut seconds: Vec<f64> = (0..RUNS).map(|_| once()).collect();
    seconds.sort_unstable_by(f64::total_cmp);
    seconds[RUNS / 2]
}

/// Largest resident memory of this process so far, in MiB, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.map_or("unknown".into(), |kib| (kib / 1024).to_string())
}
