//! Data that no process holds: what the driver and two executors of 2 GiB take of memory, by the number of rows.

use burn_did::cluster::{LocalCluster, RunningCluster};

use super::common::Result;
use super::common::results::digits;
use super::{Case, data, processes, program};

/// Bytes that an executor keeps.
const MEMORY: u64 = 2 << 30;

/// Ten and a hundred million rows with five covariates and draws.
const CASES: [Case; 2] = [
    Case {
        name: "10M rows",
        units: 2_000_000,
        periods: 5,
        cohorts: 3,
        covariates: 5,
        draws: 1_000,
    },
    Case {
        name: "100M rows",
        units: 20_000_000,
        periods: 5,
        cohorts: 3,
        covariates: 5,
        draws: 1_000,
    },
];

/// Prints a line a case; fails if a process takes more than it may.
pub fn run(scale: f64) -> Result<()> {
    println!("| case | seconds | driver, MiB | executors together, MiB | read |");
    println!("|---|---:|---:|---:|---:|");
    for case in CASES.map(|case| case.scaled(scale)) {
        let path = data::parquet(&case)?;
        let local = LocalCluster::builder().executors(2).threads(1).memory(MEMORY);
        let cluster = RunningCluster::start(&local.program(program()).build())?;
        let address = cluster.address();
        let fit = processes::finish(processes::start(&case, &path, 1, Some(&address))?)?;
        fit.outcome.clone()?;
        let executors = processes::executors(&cluster)?;
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        println!(
            "| {} | {} | {:.0} | {:.0} | {:.1} x |",
            case.name,
            digits(fit.seconds),
            mebibytes(fit.memory),
            mebibytes(executors),
            fit.bytes_read as f64 / fit.bytes_arranged as f64,
        );
        if mebibytes(fit.memory) > 600.0 || executors > 2 * MEMORY / 4 * 5 {
            return Err(format!("{}: more memory than allowed", case.name).into());
        }
    }
    Ok(())
}
