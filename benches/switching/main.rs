//! Effects of treatments that switch beside ModernDiD: same parquet file, every fit in a fresh process, runs in turn.
//!
//! `cargo bench --features cli --bench switching`, or with `-- --groups 10000 --runs 5 --python PATH`.

#[path = "../common/mod.rs"]
mod common;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use burn_did::data::SwitchingSimulation;
use burn_did::{DidMultiplegt, switching::Switchers};
use clap::Parser;
use polars::prelude::{IntoLazy, ParquetWriter, SerReader, col, lit};
use serde::{Deserialize, Serialize};

use common::{Result, bench_file, memory, python, statistics::median, work_folder};

const PERIODS: usize = 10;
const EFFECTS: usize = 4;
const PLACEBOS: usize = 2;

#[derive(Parser)]
struct Options {
    /// What cargo passes to benches.
    #[arg(long, hide = true)]
    bench: bool,
    /// Fit this file once and print what it took.
    #[arg(long, hide = true)]
    fit: Option<PathBuf>,
    #[arg(long, default_value_t = 100_000)]
    groups: usize,
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// An interpreter that has moderndid.
    #[arg(long)]
    python: Option<PathBuf>,
}

/// One fit: seconds of the call, largest memory of the process in bytes, estimates and standard errors.
#[derive(Serialize, Deserialize)]
struct Run {
    seconds: f64,
    peak: u64,
    numbers: Vec<f64>,
}

fn main() -> ExitCode {
    common::exit(run())
}

fn run() -> Result<()> {
    let options = Options::parse();
    if let Some(path) = &options.fit {
        println!("{}", serde_json::to_string(&fit(path)?)?);
        return Ok(());
    }
    let data = data(options.groups)?;
    let python = match options.python {
        Some(path) => path,
        None => python::environment("python", &bench_file("peers/requirements.txt"))?,
    };
    let (mut own, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..options.runs {
        own.push(started(Command::new(std::env::current_exe()?).arg("--fit").arg(&data))?);
        peer.push(started(Command::new(&python).arg(bench_file("switching/peer.py")).arg(&data))?);
    }
    agree(&own[0].numbers, &peer[0].numbers)?;
    let of = |runs: &[Run], what: fn(&Run) -> f64| median(runs.iter().map(what));
    let seconds = [of(&own, |run| run.seconds), of(&peer, |run| run.seconds)];
    let peak = [of(&own, |run| run.peak as f64 / 1e6), of(&peer, |run| run.peak as f64 / 1e6)];
    println!(
        "{} groups x {PERIODS} periods, {EFFECTS} effects, {PLACEBOS} placebos",
        options.groups
    );
    println!("| | burn-did | moderndid | ratio |\n|---|---|---|---|");
    println!(
        "| seconds | {:.3} | {:.1} | {:.0} |",
        seconds[0],
        seconds[1],
        seconds[1] / seconds[0]
    );
    println!("| peak MB | {:.0} | {:.0} | {:.1} |", peak[0], peak[1], peak[1] / peak[0]);
    Ok(())
}

/// Switchers in only, as in the measurements of ModernDiD 0.2.0, which has the right sign of these alone.
fn data(groups: usize) -> Result<PathBuf> {
    let path = work_folder("data")?.join(format!("switching_{groups}.parquet"));
    if !path.exists() {
        let simulation = SwitchingSimulation::builder().groups(groups).periods(PERIODS).seed(1);
        let start = col("d").first().over([col("id")])?;
        let above = (col("d") - start.clone()).min().over([col("id")])?.gt_eq(lit(0.0));
        let mut frame = simulation.build().frame().lazy().filter(above).collect()?;
        ParquetWriter::new(File::create(&path)?).finish(&mut frame)?;
    }
    Ok(path)
}

fn fit(path: &Path) -> Result<Run> {
    let frame = polars::prelude::ParquetReader::new(File::open(path)?).finish()?;
    let config = DidMultiplegt::builder().outcome("y").unit("id").time("period").treatment("d");
    let config = config.effects(EFFECTS).placebos(PLACEBOS).switchers(Switchers::In).build();
    let (start, before) = (Instant::now(), memory::before());
    let fit = config.fit(&frame)?;
    let seconds = start.elapsed().as_secs_f64();
    let rows = fit.effects.iter().chain(&fit.placebos);
    let both = rows.flat_map(|row| [row.estimate.estimate, row.estimate.se]);
    let numbers = both.map(|number| number.unwrap_or(f64::NAN)).collect();
    Ok(Run { seconds, peak: before.after().peak, numbers })
}

fn started(command: &mut Command) -> Result<Run> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn agree(own: &[f64], peer: &[f64]) -> Result<()> {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-8 * a.abs().max(b.abs()).max(1e-3);
    if own.len() == peer.len() && own.iter().zip(peer).all(close) {
        return Ok(());
    }
    Err(format!("the numbers differ: {own:?} and {peer:?}").into())
}
