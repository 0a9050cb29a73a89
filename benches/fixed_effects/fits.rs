//! Whole regressions from a frame in memory, each in a process of its own, beside this crate from Python, pyfixest's with each of its
//! demeaners and, where it is installed, R fixest's.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use polars::prelude::DataType;
use serde::Deserialize;

use super::chosen;
use super::common::case::{Case, Estimator, Task};
use super::common::contestant::{Contestant, WHEEL};
use super::common::designs::{DESIGNS, formula};
use super::common::results::{self, digits};
use super::common::run::{Run as Report, same};
use super::common::{Result, bench_file, data, machine, work_folder};

/// What a demeaner is worth: the default of pyfixest, and those at the tolerance of 1e-8 that is this crate's own.
const DEMEANERS: [&str; 4] = ["map 1e-6", "map 1e-8", "lsmr diagonal", "within"];

/// Tolerances of R fixest's demeaning: its default, and this crate's own.
const TOLERANCES: [&str; 2] = ["1e-6", "1e-8"];

/// Coefficients that differ by more than this part of their standard errors are not the same.
const AGREE: f64 = 1e-4;

/// A regression that took so many seconds is run once.
const LONG: f64 = 10.0;

/// Seconds that a peer may take from its start to its end.
const LIMIT: &str = "120";

/// Rows of the regressions that `RESULTS.md` has.
const ROWS: usize = 1_000_000;

/// One regression.
#[derive(Deserialize)]
struct Run {
    seconds: f64,
    /// Bytes before the regression, and at most during it.
    loaded: u64,
    peak: u64,
    coef: Vec<f64>,
    se: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Outcome {
    Done(Run),
    Failed { error: String },
}

impl From<&Report> for Run {
    fn from(report: &Report) -> Self {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        Self {
            seconds: report.seconds,
            loaded: report.memory.loaded,
            peak: report.memory.peak_fit,
            coef: report.cells.iter().map(|cell| number(cell.att)).collect(),
            se: report.cells.iter().map(|cell| number(cell.se)).collect(),
        }
    }
}

/// All designs of so many rows and regressors.
pub fn compare(
    estimator: Estimator,
    (rows, columns): (usize, usize),
    names: &[String],
    python: &Path,
) -> Result<()> {
    let section = if estimator == Estimator::Feols { "feols" } else { "fepois" };
    let has_fixest = Command::new("Rscript")
        .args(["-e", "library(fixest)"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let (ours, wheel) = (Contestant::ours()?, Contestant::wheel(python));
    let mut table = Table::new();
    for name in DESIGNS.iter().filter(|name| chosen(names, name)) {
        let case = Case::regression(name, estimator, rows, columns);
        let path = data::parquet(&case)?;
        let asked = Asked::new(&case, &path, section, has_fixest)?;
        let task = Task::new(&case, Some(path));
        let own = best(|| ours.run(&task), |run| run.seconds)?;
        let base = Run::from(&own);
        let label = format!("| {name} | {rows} | {columns} |");
        table.line(&format!(
            "{label} {} | {} | 1 | {} | {}, 1 | {} | {:.0e} |",
            ours.name,
            digits(base.seconds),
            mega(base.loaded),
            mega(base.peak),
            own.timings["iterations"],
            own.timings["normal"].as_f64().unwrap_or(f64::NAN),
        ));
        let mut beside = |peer: &str, outcome: std::result::Result<Run, String>, agrees: bool| {
            table.line(&match outcome {
                Err(error) => format!("{label} {peer} | {error} | | | | | |"),
                Ok(run) => format!(
                    "{label} {peer}{} | {} | {} | {} | {}, {} | | |",
                    if agrees { "" } else { ", other numbers" },
                    digits(run.seconds),
                    digits(run.seconds / base.seconds),
                    mega(run.loaded),
                    mega(run.peak),
                    digits(run.peak as f64 / base.peak as f64),
                ),
            });
        };
        if let Some(wheel) = &wheel {
            let found = best(|| wheel.run(&task), |run| run.seconds);
            let is_same = found.as_ref().is_ok_and(|run| same(&own.cells, &run.cells));
            beside(WHEEL, found.as_ref().map(Run::from).map_err(Clone::clone), is_same);
        }
        let of_peer = |command: &dyn Fn() -> Command| {
            let found = best(|| started(command()), |run| run.seconds);
            let agrees = found.as_ref().is_ok_and(|run| agree(&base, run));
            (found, agrees)
        };
        for demeaner in DEMEANERS {
            let (found, agrees) = of_peer(&|| asked.pyfixest(python, demeaner));
            beside(&format!("pyfixest {demeaner}"), found, agrees);
        }
        for (raw, tolerance) in asked.raw.iter().flat_map(|raw| TOLERANCES.map(|t| (raw, t))) {
            let (found, agrees) = of_peer(&|| asked.fixest(raw, tolerance));
            beside(&format!("R fixest {tolerance}"), found, agrees);
        }
    }
    // Some of the designs are no section of the results.
    let path = match rows == ROWS && names.is_empty() {
        true => bench_file("RESULTS.md"),
        false => work_folder("")?.join("RESULTS.md"),
    };
    results::write_section(&path, section, &table.report(section))
}

/// The lines of the report, which are printed as they come.
struct Table(String);

impl Table {
    fn new() -> Self {
        let mut table = Self(String::new());
        table.line("| design | rows | K | | seconds | of ours | loaded MB | peak MB, of ours | iterations | ‖A'r‖ |");
        table.line("|---|---:|---:|---|---:|---:|---:|---:|---:|---:|");
        table
    }

    fn line(&mut self, text: &str) {
        println!("{text}");
        // A text takes all that is written.
        let _ = writeln!(self.0, "{text}");
    }

    fn report(&self, function: &str) -> String {
        format!(
            "Machine: {}. Measured: {}. Build: {}.\n\n`{function}` of the same data, read by each into its own kind of frame (from a parquet file, by R fixest from doubles), every \
             regression in a fresh process after a small one: the best of three, one if it takes more than {LONG} s. Processes of peers are \
             stopped after {LIMIT} s. `loaded` is what was \
             resident before the regression and `peak` the most during it. {WHEEL} must have the bits of this crate, others its coefficients \
             within {AGREE:e} standard errors and its standard errors relatively.\n\n{}",
            machine::describe(),
            machine::today(),
            machine::build(),
            self.0
        )
    }
}

fn mega(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}

/// The fastest of three runs, or one that took long.
fn best<T>(
    run: impl Fn() -> std::result::Result<T, String>,
    seconds: fn(&T) -> f64,
) -> std::result::Result<T, String> {
    let mut best = run()?;
    if seconds(&best) < LONG {
        for again in [run(), run()].into_iter().flatten() {
            if seconds(&again) < seconds(&best) {
                best = again;
            }
        }
    }
    Ok(best)
}

fn started(mut command: Command) -> std::result::Result<Run, String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0) => match serde_json::from_slice(&output.stdout) {
            Ok(Outcome::Done(run)) => Ok(run),
            Ok(Outcome::Failed { error }) => Err(error),
            Err(error) => Err(format!("its report: {error}")),
        },
        Some(124) => Err(format!("more than {LIMIT} s")),
        _ => Err(format!("stopped: {}", output.status)),
    }
}

fn agree(own: &Run, peer: &Run) -> bool {
    let same = |((a, b), se): ((&f64, &f64), &f64)| (a - b).abs() <= AGREE * se;
    own.coef.len() == peer.coef.len()
        && own.coef.iter().zip(&peer.coef).zip(&own.se).all(same)
        && own.se.iter().zip(&peer.se).all(|(a, b)| (a - b).abs() <= AGREE * a)
}

/// What peers that do not take a case are told.
struct Asked {
    /// `feols` or `fepois`.
    function: &'static str,
    formula: String,
    path: PathBuf,
    rows: usize,
    /// The columns as doubles, one after the other, and their names separated by commas.
    raw: Option<(PathBuf, String)>,
}

impl Asked {
    fn new(case: &Case, path: &Path, function: &'static str, is_raw: bool) -> Result<Self> {
        let frame = data::read(path)?;
        let raw = match is_raw {
            false => None,
            true => {
                let raw = path.with_extension("doubles");
                let mut doubles = BufWriter::new(File::create(&raw)?);
                for column in frame.columns() {
                    let column = column.cast(&DataType::Float64)?;
                    for value in column.f64()?.iter().flatten() {
                        doubles.write_all(&value.to_le_bytes())?;
                    }
                }
                doubles.flush()?;
                let names: Vec<&str> =
                    frame.get_column_names().into_iter().map(|name| name.as_str()).collect();
                Some((raw, names.join(",")))
            }
        };
        let (formula, path) = (formula(&frame), path.to_owned());
        Ok(Self { function, formula, path, rows: case.units, raw })
    }

    fn pyfixest(&self, python: &Path, demeaner: &str) -> Command {
        let mut command = Command::new("timeout");
        command.arg(LIMIT).arg(python).arg(bench_file("fixed_effects/pyfixest_fit.py"));
        command.arg(&self.path).args([&self.formula, demeaner, self.function]);
        command.stderr(Stdio::null());
        command
    }

    fn fixest(&self, (raw, names): &(PathBuf, String), tolerance: &str) -> Command {
        let mut command = Command::new("timeout");
        command.args([LIMIT, "Rscript"]).arg(bench_file("fixed_effects/fixest.R")).arg(raw);
        command.args([&self.rows.to_string(), names, &self.formula, tolerance, self.function]);
        command
    }
}
