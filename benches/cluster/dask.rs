//! Two executors of one thread against ModernDiD on Dask with two workers of one thread, from the same files.

use std::path::Path;
use std::process::Command;

use burn_did::cluster::{LocalCluster, RunningCluster};
use serde::Deserialize;

use super::common::python::environment;
use super::common::results::digits;
use super::common::statistics::median;
use super::common::{Result, bench_file};
use super::{Case, data, processes, program};

/// Pairs of runs.
const RUNS: usize = 3;

/// Bytes that an executor keeps.
const MEMORY: u64 = 1 << 30;

/// Differences of effects in standard errors, and of standard errors relative to them, that are rounding.
const ROUNDING: f64 = 1e-6;

/// The panels: without covariates, with them, and with draws.
const CASES: [Case; 3] = [
    Case { name: "1M x 5", units: 1_000_000, periods: 5, cohorts: 3, covariates: 0, draws: 0 },
    Case {
        name: "1M x 5, 999 draws",
        units: 1_000_000,
        periods: 5,
        cohorts: 3,
        covariates: 0,
        draws: 999,
    },
    Case {
        name: "200k x 10, 8 cohorts, 5 covariates",
        units: 200_000,
        periods: 10,
        cohorts: 8,
        covariates: 5,
        draws: 0,
    },
];

/// What the script prints.
#[derive(Deserialize)]
struct Run {
    seconds: f64,
    memory: u64,
    cells: Vec<processes::Cell>,
}

/// Prints a line a case; fails if numbers differ. `words` are an interpreter that has the packages, and a part of the names of cases.
pub fn run(scale: f64, words: &[&str]) -> Result<()> {
    let python = match words.first() {
        Some(path) => path.into(),
        None => environment("dask", &bench_file("cluster/dask_requirements.txt"))?,
    };
    println!(
        "| case | cluster, s | Dask, s | ratio | cluster, MiB | Dask, MiB | effects | errors |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let only = words.get(1).copied().unwrap_or_default();
    for case in CASES.iter().filter(|case| case.name.contains(only)) {
        let case = case.scaled(scale);
        let path = data::parquet(&case)?;
        let local = LocalCluster::builder().executors(2).threads(1).memory(MEMORY);
        let cluster = RunningCluster::start(&local.program(program()).build())?;
        let address = cluster.address();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let fit = processes::finish(processes::start(&case, &path, 1, Some(&address))?)?;
            fit.outcome.clone()?;
            ours.push((fit.seconds, fit.memory + processes::executors(&cluster)?, fit.cells));
            let run = dask(&python, &case, &path)?;
            theirs.push((run.seconds, run.memory, run.cells));
        }
        // With draws both give errors from them, which differ by chance.
        let tolerance = if case.draws > 0 { 0.2 } else { ROUNDING };
        let (effects, errors) = differences(&ours[0].2, &theirs[0].2)?;
        if !(effects < ROUNDING.max(tolerance * 1e-3) && errors < tolerance) {
            return Err(format!(
                "{}: effects differ by {effects:.1e}, errors by {errors:.1e}",
                case.name
            )
            .into());
        }
        let ratio = median(ours.iter().zip(&theirs).map(|(own, other)| other.0 / own.0));
        let mebibytes = |memory: u64| memory as f64 / f64::from(1 << 20);
        println!(
            "| {} | {} | {} | {ratio:.1} | {:.0} | {:.0} | {effects:.0e} | {errors:.0e} |",
            case.name,
            digits(median(ours.iter().map(|run| run.0))),
            digits(median(theirs.iter().map(|run| run.0))),
            median(ours.iter().map(|run| mebibytes(run.1))),
            median(theirs.iter().map(|run| mebibytes(run.1))),
        );
    }
    Ok(())
}

fn dask(python: &Path, case: &Case, path: &Path) -> Result<Run> {
    let output = Command::new(python)
        .arg(bench_file("cluster/moderndid_dask.py"))
        .arg(path)
        .args([case.covariates.to_string(), case.draws.to_string()])
        .env("OPENBLAS_NUM_THREADS", "1")
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let last = text.lines().last().unwrap_or_default();
    let said = || format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_str(last).map_err(|error| format!("{error}: {}", said()))?)
}

/// Largest difference of an effect, in standard errors, and of a standard error, relative to it.
fn differences(ours: &[processes::Cell], theirs: &[processes::Cell]) -> Result<(f64, f64)> {
    let (mut effects, mut errors) = (0.0_f64, 0.0_f64);
    for (group, time, att, se) in ours {
        let (Some(att), Some(se)) = (att, se) else { continue };
        let other = theirs.iter().find(|cell| (cell.0, cell.1) == (*group, *time));
        let Some((_, _, Some(other_att), Some(other_se))) = other else {
            return Err(format!("Dask has no cell ({group}, {time})").into());
        };
        effects = effects.max((att - other_att).abs() / se);
        errors = errors.max((se - other_se).abs() / se);
    }
    Ok((effects, errors))
}
