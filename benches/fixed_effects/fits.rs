//! Whole regressions from a frame in memory, each in a process of its own, beside pyfixest's with each of its demeaners and, where it is
//! installed, R fixest's.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use burn_did::FixedEffects;
use burn_did::backend::Cpu;
use polars::prelude::{ParquetReader, ParquetWriter, SerReader};
use serde::{Deserialize, Serialize};

use super::chosen;
use super::common::{Result, bench_file, memory, work_folder};
use super::designs::{DESIGNS, Design};

/// What a demeaner is worth: the default of `feols`, and those at the tolerance of 1e-8 that is this crate's own.
const DEMEANERS: [&str; 4] = ["map 1e-6", "map 1e-8", "lsmr diagonal", "within"];

/// Tolerances of R fixest's demeaning: its default, and this crate's own.
const TOLERANCES: [&str; 2] = ["1e-6", "1e-8"];

/// Coefficients that differ by more than this part of their standard errors are not the same.
const AGREE: f64 = 1e-4;

/// A regression that took so many seconds is run once.
const LONG: f64 = 10.0;

/// Seconds that a peer may take from its start to its end.
const LIMIT: &str = "120";

/// One regression.
#[derive(Serialize, Deserialize)]
struct Run {
    seconds: f64,
    /// Bytes before the regression, and at most during it.
    loaded: u64,
    peak: u64,
    coef: Vec<f64>,
    se: Vec<f64>,
    #[serde(default)]
    iterations: usize,
    #[serde(default)]
    normal: f64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Outcome {
    Done(Run),
    Failed { error: String },
}

/// All designs of so many rows and regressors.
pub fn compare(rows: usize, columns: usize, names: &[String], python: &Path) -> Result<()> {
    let has_fixest = Command::new("Rscript")
        .args(["-e", "library(fixest)"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    println!(
        "| design | rows | K | | seconds | of ours | peak MB, of ours | iterations | ‖A'r‖ |\n|---|---:|---:|---|---:|---:|---:|---:|---:|"
    );
    for name in DESIGNS.iter().filter(|name| chosen(names, name)) {
        let Data { path, raw, names, formula } = write(name, rows, columns)?;
        let runs = |command: &dyn Fn() -> Command| -> Result<Outcome> {
            let first = started(command())?;
            let Outcome::Done(mut best) = first else { return Ok(first) };
            if best.seconds < LONG {
                for _ in 0..2 {
                    if let Outcome::Done(again) = started(command())? {
                        best.peak = best.peak.min(again.peak);
                        best.seconds = best.seconds.min(again.seconds);
                    }
                }
            }
            Ok(Outcome::Done(best))
        };
        let program = std::env::current_exe()?;
        let own = runs(&|| {
            let mut command = Command::new(&program);
            command.args(["fit"]).arg(&path).arg(&formula);
            command
        })?;
        let Outcome::Done(own) = own else { return Err("no regression of this crate".into()) };
        let mega = |bytes: u64| bytes as f64 / 1e6;
        println!(
            "| {name} | {rows} | {columns} | burn-did | {:.3} | 1 | {:.0} | {} | {:.0e} |",
            own.seconds,
            mega(own.peak),
            own.iterations,
            own.normal
        );
        let beside = |peer: &str, outcome: Outcome| {
            let line = format!("| {name} | {rows} | {columns} | {peer}");
            match outcome {
                Outcome::Failed { error } => println!("{line} | {error} | | | | |"),
                Outcome::Done(run) => println!(
                    "{line}{} | {:.3} | {:.1} | {:.0}, {:.1} | | |",
                    if agree(&own, &run) { "" } else { ", other numbers" },
                    run.seconds,
                    run.seconds / own.seconds,
                    mega(run.peak),
                    run.peak as f64 / own.peak as f64,
                ),
            }
        };
        for demeaner in DEMEANERS {
            let outcome = runs(&|| theirs(python, &path, &formula, demeaner))?;
            beside(&format!("pyfixest {demeaner}"), outcome);
        }
        for tolerance in TOLERANCES.iter().filter(|_| has_fixest) {
            let outcome = runs(&|| {
                let mut command = Command::new("timeout");
                command.args([LIMIT, "Rscript"]).arg(bench_file("fixed_effects/fixest.R"));
                command.arg(&raw).args([&rows.to_string(), &names, &formula, *tolerance]);
                command
            })?;
            beside(&format!("R fixest {tolerance}"), outcome);
        }
    }
    Ok(())
}

fn theirs(python: &Path, path: &Path, formula: &str, demeaner: &str) -> Command {
    let mut command = Command::new("timeout");
    command.arg(LIMIT).arg(python).arg(bench_file("fixed_effects/pyfixest_fit.py"));
    command.arg(path).args([formula, demeaner]).stderr(Stdio::null());
    command
}

fn started(mut command: Command) -> Result<Outcome> {
    let output = command.stderr(Stdio::inherit()).output()?;
    match output.status.code() {
        Some(0) => Ok(serde_json::from_slice(&output.stdout)?),
        Some(124) => Ok(Outcome::Failed { error: format!("more than {LIMIT} s") }),
        _ => Ok(Outcome::Failed { error: format!("stopped: {}", output.status) }),
    }
}

fn agree(own: &Run, peer: &Run) -> bool {
    let same = |((a, b), se): ((&f64, &f64), &f64)| (a - b).abs() <= AGREE * se;
    own.coef.len() == peer.coef.len()
        && own.coef.iter().zip(&peer.coef).zip(&own.se).all(same)
        && own.se.iter().zip(&peer.se).all(|(a, b)| (a - b).abs() <= AGREE * a)
}

/// What the contestants read.
struct Data {
    path: PathBuf,
    /// The same columns as doubles, one after the other.
    raw: PathBuf,
    /// Their names, separated by commas.
    names: String,
    formula: String,
}

/// The outcome and `columns` regressors of the design.
fn write(name: &str, rows: usize, columns: usize) -> Result<Data> {
    let path = work_folder("fixed_effects")?.join(format!("{name}_{rows}_{columns}.parquet"));
    let raw = path.with_extension("doubles");
    let design = Design::new(name, rows, columns + 1);
    let (mut frame, formula) = design.regression()?;
    let names: Vec<&str> = frame.get_column_names().into_iter().map(|n| n.as_str()).collect();
    let names = names.join(",");
    if !path.exists() || !raw.exists() {
        let mut doubles = BufWriter::new(File::create(&raw)?);
        for code in design.codes.iter().flatten() {
            doubles.write_all(&f64::from(*code).to_le_bytes())?;
        }
        for value in design.columns.iter().flatten() {
            doubles.write_all(&value.to_le_bytes())?;
        }
        ParquetWriter::new(File::create(&path)?).finish(&mut frame)?;
    }
    Ok(Data { path, raw, names, formula })
}

/// One regression of a file, as a line of JSON.
pub fn fit(path: &str, formula: &str) -> Result<()> {
    let mut frame = ParquetReader::new(File::open(path)?).finish()?;
    frame.rechunk_mut();
    let config = FixedEffects::<Cpu>::builder().formula(formula).build();
    // Threads and what is loaded; few rows may be singletons all.
    drop(config.fit(frame.head(Some(1_000))));
    let before = memory::before();
    let start = Instant::now();
    let fit = config.fit(&frame)?;
    let seconds = start.elapsed().as_secs_f64();
    let memory = before.after();
    let solved = fit.solver.iter().flat_map(|solver| &solver.columns);
    let run = Run {
        seconds,
        loaded: memory.loaded,
        peak: memory.peak_fit,
        coef: fit.coefficients.iter().map(|c| c.estimate).collect(),
        se: fit.coefficients.iter().map(|c| c.se.unwrap_or(f64::NAN)).collect(),
        iterations: solved.clone().map(|c| c.iterations).max().unwrap_or_default(),
        normal: solved.map(|c| c.normal_residual).fold(0.0, f64::max),
    };
    println!("{}", serde_json::to_string(&run)?);
    Ok(())
}
