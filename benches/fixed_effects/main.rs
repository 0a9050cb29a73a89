//! Demeaning, side by side with pyfixest's demeaners: seconds, iterations, and what is left of `A'r`.
//!
//! `cargo bench --features cli --bench fixed_effects -- ROWS [COLUMNS [DESIGN..]]`, and `-- feols ROWS [COLUMNS [DESIGN..]]` or `-- fepois ..`
//! for whole regressions: see `benches/README.md`.

#[path = "../common/mod.rs"]
mod common;

mod fits;

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use burn_did::backend::Cpu;
use burn_did::{Demean, regression::Solver};
use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use common::case::Estimator;
use common::designs::{DESIGNS, Design, FACTORS};
use common::{Result, bench_file, machine, ours, python, work_folder};

fn main() -> ExitCode {
    common::exit(run())
}

fn run() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [.., option, task] = words.as_slice()
        && option == "--contestant"
    {
        return ours::run(task);
    }
    let words: Vec<String> = words.into_iter().filter(|word| !word.starts_with("--")).collect();
    let whole = match words.first().map(String::as_str) {
        Some("feols") => Some(Estimator::Feols),
        Some("fepois") => Some(Estimator::Fepois),
        _ => None,
    };
    let words = &words[usize::from(whole.is_some())..];
    let Some(rows) = words.first() else {
        println!("nothing to do: say how many rows, as in `-- 1e6 1 simple2 difficult3`");
        return Ok(());
    };
    let rows = rows.parse::<f64>()? as usize;
    let columns = words.get(1).map_or(Ok(1), |k| k.parse::<usize>())?;
    let python = match std::env::var_os("BURN_DID_PYTHON") {
        Some(path) => path.into(),
        None => python::environment(
            "python-fixed-effects",
            &bench_file("fixed_effects/requirements.txt"),
        )?,
    };
    println!("{}; {}\n", machine::describe(), machine::build());
    let names = words.get(2..).unwrap_or_default();
    if let Some(estimator) = whole {
        return fits::compare(estimator, (rows, columns), names, &python);
    }
    println!(
        "| design | rows | columns | demeaner | seconds | iterations | ‖A'r‖ |\n|---|---:|---:|---|---:|---:|---:|"
    );
    for name in DESIGNS.iter().filter(|name| chosen(names, name)) {
        let design = Design::new(name, rows, columns);
        let line = |demeaner: &str, seconds: f64, iterations: &str, normal: f64| {
            println!(
                "| {name} | {rows} | {columns} | {demeaner} | {seconds:.3} | {iterations} | {normal:.1e} |"
            );
        };
        demeaned(&design, &line)?;
        theirs(&design, &python, &line)?;
    }
    Ok(())
}

/// Whether a design is asked for: all are if none is named.
fn chosen(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|n| n == name)
}

/// This crate's solvers, from a frame: its time has the order and the codes of the rows in it.
fn demeaned(design: &Design, line: &dyn Fn(&str, f64, &str, f64)) -> Result<()> {
    let mut frame: Vec<Column> = Vec::new();
    for (name, codes) in FACTORS.iter().zip(&design.codes) {
        frame.push(Column::from(Series::new((*name).into(), codes.as_slice())));
    }
    let names: Vec<String> = (0..design.columns.len()).map(|k| format!("x{k}")).collect();
    for (name, values) in names.iter().zip(&design.columns) {
        frame.push(Column::from(Series::new(name.as_str().into(), values.as_slice())));
    }
    let frame = DataFrame::new(design.rows(), frame)?;
    for solver in [Solver::Auto, Solver::Lsmr, Solver::Map] {
        let demean = Demean::<Cpu>::builder()
            .columns(names.clone())
            .absorb(FACTORS[..design.codes.len()].to_vec())
            .solver(solver)
            .fixef_maxiter(100_000)
            .build();
        // Threads, as peers get a small call first.
        drop(demean.fit(frame.head(Some(1_000)))?);
        let start = Instant::now();
        let done = demean.fit(&frame)?;
        let seconds = start.elapsed().as_secs_f64();
        let columns = &done.solver.columns;
        let iterations = columns.iter().map(|c| c.iterations).max().unwrap_or_default();
        let normal = columns.iter().map(|c| c.normal_residual).fold(0.0, f64::max);
        let name = format!("burn-did {} ({})", solver.word(), done.solver.solver);
        line(&name, seconds, &iterations.to_string(), normal);
    }
    Ok(())
}

/// pyfixest's demeaners, each on codes that are ready. Its alternating projections are not asked where they take hours.
fn theirs(design: &Design, python: &Path, line: &dyn Fn(&str, f64, &str, f64)) -> Result<()> {
    let folder = work_folder("fixed_effects")?;
    let mut codes = std::io::BufWriter::new(std::fs::File::create(folder.join("codes"))?);
    for code in design.codes.iter().flatten() {
        codes.write_all(&code.to_le_bytes())?;
    }
    let mut columns = std::io::BufWriter::new(std::fs::File::create(folder.join("columns"))?);
    for value in design.columns.iter().flatten() {
        columns.write_all(&value.to_le_bytes())?;
    }
    codes.flush()?;
    columns.flush()?;
    let demeaners: &[&str] = if design.difficult && design.rows() > 1_000_000 {
        &["within"]
    } else {
        &["map 1e-6", "map 1e-8", "lsmr diagonal", "within"]
    };
    let sizes = [design.rows(), design.codes.len(), design.columns.len()].map(|s| s.to_string());
    let output = Command::new(python)
        .arg(bench_file("fixed_effects/demeaners.py"))
        .arg(&folder)
        .args(sizes)
        .args(demeaners)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    for text in String::from_utf8(output.stdout)?.lines() {
        let found: serde_json::Value = serde_json::from_str(text)?;
        let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
        let state = if found["converged"] == true { "" } else { ", not converged" };
        let name = format!("pyfixest {}{state}", found["name"].as_str().unwrap_or_default());
        line(&name, number("seconds"), "", number("normal"));
    }
    if output.status.success() { Ok(()) } else { Err("pyfixest stopped with an error".into()) }
}
