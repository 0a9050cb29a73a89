//! Executors that die: `kill -9` of one at a random moment of a fit, another in its place, and what comes of it.

use std::collections::BTreeMap;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use burn_did::cluster::{LocalCluster, RunningCluster};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::common::Result;
use super::{Case, data, processes, program};

/// A fit that lasts longer than this hangs.
const LIMIT: Duration = Duration::from_secs(600);

/// Prints a line a fit, and how often it ended how; fails for a wrong number or a hang.
pub fn run(times: usize, scale: f64) -> Result<()> {
    let case = Case {
        name: "kills",
        units: 2_000_000,
        periods: 10,
        cohorts: 3,
        covariates: 5,
        draws: 100,
    };
    let case = case.scaled(scale);
    let path = data::parquet(&case)?;
    let home = processes::finish(processes::start(&case, &path, 2, None)?)?;
    let expected = home.outcome.clone()?;
    let local = LocalCluster::builder().executors(2).threads(1).program(program()).build();
    let mut cluster = RunningCluster::start(&local)?;
    let whole = processes::finish(processes::start(&case, &path, 1, Some(&cluster.address()))?)?;
    println!("{:.1} s at home, {:.1} s on the cluster", home.seconds, whole.seconds);
    let mut alive = cluster.processes();
    let mut rng = SmallRng::seed_from_u64(11);
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for number in 0..times {
        let mut fit = processes::start(&case, &path, 1, Some(&cluster.address()))?;
        let start = Instant::now();
        let moment = Duration::from_secs_f64(rng.random_range(0.0..whole.seconds));
        sleep(moment);
        let victim = alive.remove(rng.random_range(0..alive.len()));
        Command::new("kill").args(["-9", &victim.to_string()]).status()?;
        cluster.add()?;
        alive.extend(cluster.processes().last());
        while fit.try_wait()?.is_none() && start.elapsed() < LIMIT {
            sleep(Duration::from_millis(50));
        }
        if fit.try_wait()?.is_none() {
            fit.kill()?;
        }
        let end = match processes::finish(fit) {
            Err(_) if start.elapsed() >= LIMIT => "hung",
            Err(error) => return Err(error),
            Ok(fit) => match &fit.outcome {
                Ok(bits) if *bits == expected => "equal bits",
                Ok(_) => "WRONG NUMBERS",
                Err(error) => {
                    println!("{number}: {error}");
                    "an error"
                }
            },
        };
        println!(
            "{number}: killed after {:.1} s, {end} after {:.1} s",
            moment.as_secs_f64(),
            start.elapsed().as_secs_f64()
        );
        *ends.entry(end).or_default() += 1;
    }
    println!("{ends:?}");
    if ends.contains_key("WRONG NUMBERS") || ends.contains_key("hung") {
        return Err("wrong numbers, or a fit that hung".into());
    }
    Ok(())
}
