//! The latency of passes over segments that executors keep: a fit to a prepared sample of few units, by the number of its tasks.

use std::time::Instant;

use burn_did::cluster::LocalCluster;
use burn_did::{Cluster, Data};

use super::common::Result;
use super::common::statistics::median;
use super::{Case, data, processes, program};

/// Fits.
const RUNS: usize = 21;

/// Prints milliseconds a pass.
pub fn run(scale: f64) -> Result<()> {
    let case =
        Case { name: "passes", units: 100_000, periods: 5, cohorts: 3, covariates: 2, draws: 0 };
    let case = case.scaled(scale);
    let path = data::parquet(&case)?;
    let local = LocalCluster::builder().executors(2).threads(1).program(program());
    let cluster =
        Cluster::local(&local.build())?.with_directory(super::common::work_folder("cluster")?);
    let estimator = processes::estimator(&case);
    let sample = estimator.prepare(&cluster, &path)?;
    let here = estimator.fit(Data::in_pieces(&path))?;
    let expected = processes::bits(&here);
    let (mut seconds, mut tasks) = (Vec::new(), 0);
    for _ in 0..RUNS {
        let start = Instant::now();
        let fit = estimator.fit_sample(&sample)?;
        seconds.push(start.elapsed().as_secs_f64());
        if processes::bits(&fit) != expected {
            return Err("the numbers differ from those of one process".into());
        }
        tasks = fit.timings.cluster.map_or(0, |work| work.tasks);
    }
    // Two looks at least and the passes, of which each has as many tasks as there are slots times two, or segments.
    println!(
        "a fit of {tasks} tasks: {:.0} ms (at home {:.0} ms); {:.1} ms a task",
        1e3 * median(seconds.iter().copied()),
        1e3 * here.timings.total,
        1e3 * median(seconds) / tasks as f64
    );
    Ok(())
}
