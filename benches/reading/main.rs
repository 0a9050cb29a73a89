//! Reading of data files, beside polars: `cargo bench --features cli --bench reading -- [UNITS]`.
//!
//! The same 5 periods, 3 cohorts and no covariates as parquet and CSV files, by unit, by period and shuffled. This crate reads them into its
//! sample and estimates; polars reads them into a frame, from Python where `BURN_DID_PYTHON` names an interpreter that has it. Every
//! run is in a process of its own, which reads the file once before; the two take turns, and seconds are medians.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program that prints what it measures"
)]

#[path = "../common/mod.rs"]
mod common;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use burn_did::AttGt;
use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use polars::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use common::{memory, statistics::median, work_folder};

const RUNS: usize = 5;

/// Says that the process is a run of this crate.
const RUN: &str = "--run";

/// What a run took.
struct Taken {
    seconds: f64,
    mebibytes: f64,
    /// Of this crate: until the columns were there, and until the sample was.
    stages: Option<(f64, f64)>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [run, path] = &arguments[..]
        && run == RUN
    {
        return measure(path);
    }
    let units = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(1_000_000);
    println!("{units} units, 5 periods; medians of {RUNS} runs");
    println!("| file | MB | fit | read | arrange | MiB | polars | MiB | read / polars |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for path in files(units) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            ours.push(by_this_crate(&path));
            theirs.extend(by_polars(&path));
        }
        let of = |runs: &[Taken], what: fn(&Taken) -> f64| median(runs.iter().map(what));
        let read = of(&ours, |taken| taken.stages.map_or(f64::NAN, |stages| stages.0));
        let polars = of(&theirs, |taken| taken.seconds);
        println!(
            "| {} | {:.0} | {:.3} | {read:.3} | {:.3} | {:.0} | {polars:.3} | {:.0} | {:.2} |",
            path.file_name().unwrap().display(),
            path.metadata().unwrap().len() as f64 / 1e6,
            of(&ours, |taken| taken.seconds),
            of(&ours, |taken| taken.stages.map_or(f64::NAN, |stages| stages.1)),
            of(&ours, |taken| taken.mebibytes),
            of(&theirs, |taken| taken.mebibytes),
            read / polars,
        );
    }
}

/// Prints what the second of two fits took.
fn measure(path: &str) {
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let config = config.build();
    let before = memory::before();
    let _ = config.fit(path).unwrap();
    let start = Instant::now();
    let fit = config.fit(path).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let mebibytes = before.after().peak as f64 / f64::from(1 << 20);
    println!("{seconds} {mebibytes} {} {}", fit.timings.read, fit.timings.ingest);
}

fn by_this_crate(path: &Path) -> Taken {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let numbers = numbers(command.arg("--bench").arg(RUN).arg(path));
    Taken { seconds: numbers[0], mebibytes: numbers[1], stages: Some((numbers[2], numbers[3])) }
}

fn by_polars(path: &Path) -> Option<Taken> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/reading/with_polars.py");
    let mut command = Command::new(std::env::var_os("BURN_DID_PYTHON")?);
    let numbers = numbers(command.arg(script).arg(path));
    Some(Taken { seconds: numbers[0], mebibytes: numbers[1], stages: None })
}

/// The numbers that a process prints.
fn numbers(command: &mut Command) -> Vec<f64> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// The files, written if absent.
fn files(units: usize) -> Vec<PathBuf> {
    let folder = work_folder(&format!("reading-{units}")).unwrap();
    let names = [
        "plain.parquet",
        "zstd.parquet",
        "by-period.parquet",
        "shuffled.parquet",
        "by-unit.csv",
        "by-period.csv",
        "shuffled.csv",
        "semicolons.csv",
        "by-unit.csv.gz",
        "by-unit.csv.zst",
    ];
    let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    if paths.iter().all(|path| path.exists()) {
        return paths;
    }
    let mut frame = Simulation::builder().units(units).periods(5).seed(1).build().frame();
    let mut by_period = frame.sort(["period", "id"], SortMultipleOptions::default()).unwrap();
    let mut order: Vec<IdxSize> = (0..IdxSize::try_from(frame.height()).unwrap()).collect();
    order.shuffle(&mut SmallRng::seed_from_u64(1));
    let mut shuffled = frame.take(&IdxCa::from_vec("order".into(), order)).unwrap();
    let plain = ParquetCompression::Uncompressed;
    parquet(&paths[0], &mut frame, plain);
    parquet(&paths[1], &mut frame, ParquetCompression::Zstd(None));
    parquet(&paths[2], &mut by_period, plain);
    parquet(&paths[3], &mut shuffled, plain);
    let text = csv(&mut frame, b',');
    std::fs::write(&paths[4], &text).unwrap();
    std::fs::write(&paths[5], csv(&mut by_period, b',')).unwrap();
    std::fs::write(&paths[6], csv(&mut shuffled, b',')).unwrap();
    std::fs::write(&paths[7], csv(&mut frame, b';')).unwrap();
    let file = File::create(&paths[8]).unwrap();
    let mut writer = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    writer.write_all(&text).unwrap();
    writer.finish().unwrap();
    zstd::stream::copy_encode(&*text, File::create(&paths[9]).unwrap(), 0).unwrap();
    paths
}

fn parquet(path: &Path, frame: &mut DataFrame, compression: ParquetCompression) {
    let writer = ParquetWriter::new(File::create(path).unwrap()).with_compression(compression);
    writer.finish(frame).unwrap();
}

fn csv(frame: &mut DataFrame, separator: u8) -> Vec<u8> {
    let mut text = Vec::new();
    CsvWriter::new(&mut text).with_separator(separator).finish(frame).unwrap();
    text
}
