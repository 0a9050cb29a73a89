//! Fits in processes of their own, at home or by a cluster.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use burn_did::backend::Cpu;
use burn_did::cluster::RunningCluster;
use burn_did::{
    AttGt, Cluster, Data, GroupTimeResult,
    options::{Bootstrap, ControlGroup},
};
use serde::{Deserialize, Serialize};

use super::Case;
use super::common::{Result, memory};

/// Group, period, effect and standard error.
pub type Cell = (f64, f64, Option<f64>, Option<f64>);

/// What a process says of its fit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fit {
    pub seconds: f64,
    /// Most memory of the process, in bytes.
    pub memory: u64,
    /// A hash of every bit of the effects, their errors and covariances; or the error.
    pub outcome: std::result::Result<u64, String>,
    pub cells: Vec<Cell>,
    pub tasks_again: u64,
    pub bytes_read: u64,
    pub bytes_arranged: u64,
}

/// The estimator of a case.
pub fn estimator(case: &Case) -> AttGt<Cpu> {
    let names: Vec<String> = (1..=case.covariates).map(|i| format!("x{i}")).collect();
    let formula = if names.is_empty() { "~ 1".into() } else { format!("~ {}", names.join(" + ")) };
    AttGt::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .covariates(formula)
        .control_group(ControlGroup::NotYetTreated)
        .maybe_bootstrap((case.draws > 0).then(|| Bootstrap::draws(case.draws)))
        .build()
}

/// Every bit of what was estimated.
pub fn bits(fit: &GroupTimeResult) -> u64 {
    let mut hash = DefaultHasher::new();
    for cell in &fit.cells {
        let numbers = [cell.estimate.estimate, cell.estimate.se, cell.estimate.ci_lower];
        numbers.map(|number| number.map(f64::to_bits)).hash(&mut hash);
    }
    hash.finish()
}

/// Starts a fit in a process with so many threads: at home, or by the cluster at an address.
pub fn start(case: &Case, path: &Path, threads: usize, cluster: Option<&str>) -> Result<Child> {
    let Case { units, periods, cohorts, covariates, draws, .. } = case;
    let numbers = [
        units.to_string(),
        periods.to_string(),
        cohorts.to_string(),
        covariates.to_string(),
        draws.to_string(),
    ];
    let threads = threads.to_string();
    Ok(Command::new(std::env::current_exe()?)
        .arg("--child")
        .args(numbers)
        .arg(path)
        .args(cluster)
        .env("RAYON_NUM_THREADS", &threads)
        .env("POLARS_MAX_THREADS", &threads)
        .stdout(Stdio::piped())
        .spawn()?)
}

/// What the process says.
pub fn finish(child: Child) -> Result<Fit> {
    let output = child.wait_with_output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(serde_json::from_str(text.trim()).map_err(|error| format!("{error}: {text}"))?)
}

/// Most memory of the executors, in bytes.
pub fn executors(cluster: &RunningCluster) -> Result<u64> {
    let mut memory = 0;
    for process in cluster.processes() {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
        memory += 1_024 * kilobytes.ok_or("no memory is told")?.parse::<u64>()?;
    }
    Ok(memory)
}

/// The process itself.
pub fn child(words: &[&str]) -> Result<()> {
    let [units, periods, cohorts, covariates, draws, path, cluster @ ..] = words else {
        return Err("a case, a path and perhaps an address".into());
    };
    let case = Case {
        name: "",
        units: units.parse()?,
        periods: periods.parse()?,
        cohorts: cohorts.parse()?,
        covariates: covariates.parse()?,
        draws: draws.parse()?,
    };
    let estimator = estimator(&case);
    let before = memory::before();
    let start = Instant::now();
    let fit = match cluster {
        [] => estimator.fit(Data::in_pieces(path)),
        [address, ..] => {
            let folder = super::common::work_folder("cluster")?;
            let cluster = Cluster::connect(address)?.with_directory(folder);
            estimator.fit_cluster(&cluster, path)
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let work = fit.as_ref().ok().and_then(|fit| fit.timings.cluster).unwrap_or_default();
    let cells = fit.iter().flat_map(|fit| &fit.cells);
    let cells = cells.map(|c| (c.group, c.time, c.estimate.estimate, c.estimate.se)).collect();
    let fit = Fit {
        seconds,
        memory: before.after().peak,
        outcome: fit.as_ref().map(bits).map_err(ToString::to_string),
        cells,
        tasks_again: work.tasks_again,
        bytes_read: work.bytes_read,
        bytes_arranged: work.bytes_arranged,
    };
    println!("{}", serde_json::to_string(&fit)?);
    Ok(())
}
