//! Two executors of one thread against one process of two, from the same files.

use burn_did::cluster::{LocalCluster, RunningCluster};

use super::common::Result;
use super::common::results::digits;
use super::common::statistics::median;
use super::{CASES, data, processes, program};

/// Pairs of runs.
const RUNS: usize = 5;

/// Bytes that an executor keeps.
const MEMORY: u64 = 4 << 30;

/// Prints a line a case; fails if numbers differ.
pub fn run(scale: f64) -> Result<()> {
    println!("| case | one process, s | cluster, s | ratio | driver, MiB | read again |");
    println!("|---|---:|---:|---:|---:|---:|");
    for case in CASES.map(|case| case.scaled(scale)) {
        let path = data::parquet(&case)?;
        let local = LocalCluster::builder().executors(2).threads(1).memory(MEMORY);
        let cluster = RunningCluster::start(&local.program(program()).build())?;
        let address = cluster.address();
        let (mut home, mut away) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            home.push(processes::finish(processes::start(&case, &path, 2, None)?)?);
            away.push(processes::finish(processes::start(&case, &path, 1, Some(&address))?)?);
        }
        let expected = home[0].outcome.clone()?;
        if let Some(fit) = home.iter().chain(&away).find(|fit| fit.outcome != Ok(expected)) {
            return Err(format!("{}: {fit:?} differs from {:?}", case.name, home[0]).into());
        }
        let ratio = median(home.iter().zip(&away).map(|(home, away)| away.seconds / home.seconds));
        let last = &away[RUNS - 1];
        println!(
            "| {} | {} | {} | {ratio:.2} | {:.0} | {:.1} x |",
            case.name,
            digits(median(home.iter().map(|fit| fit.seconds))),
            digits(median(away.iter().map(|fit| fit.seconds))),
            median(away.iter().map(|fit| fit.memory as f64)) / f64::from(1 << 20),
            last.bytes_read as f64 / last.bytes_arranged as f64,
        );
    }
    Ok(())
}
