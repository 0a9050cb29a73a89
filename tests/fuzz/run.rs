//! Runs designs in parallel and reports on them.
//!
//! `BURN_DID_FUZZ_DESIGNS` is the number of designs of each estimator, `BURN_DID_FUZZ_SEED` the first seed; with one design a
//! seed is run again by itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::threads::of_all;
use crate::tally::Tally;

/// Differences that are printed.
const SHOWN: usize = 20;

/// Largest share of cells that may be skipped, so that the thresholds cannot hide anything.
const SKIPPED: f64 = 0.05;

fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|e| panic!("{name}={text}: {e}")))
}

/// Runs `check` for each seed: the usual number of designs, or what the environment asks for.
pub fn run(name: &str, usual: u64, check: impl Fn(u64) -> Tally + Sync) -> Tally {
    let count = variable("BURN_DID_FUZZ_DESIGNS").unwrap_or(usual);
    let first = variable("BURN_DID_FUZZ_SEED").unwrap_or(1);
    println!("{name}: seeds {first} to {}", first + count.max(1) - 1);
    let one = |seed: u64| -> Tally {
        let run = || check(seed);
        let mut tally = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            let mut tally = Tally::default();
            tally.differ(format!("panicked: {}", text.unwrap_or_default()));
            tally
        });
        tally.designs = 1;
        tally.differences.iter_mut().for_each(|d| *d = format!("{name}, seed {seed}: {d}"));
        for (_, at) in tally.worst.values_mut() {
            *at = format!("seed {seed}, {at}");
        }
        tally
    };
    let seeds: Vec<u64> = (first..first + count).collect();
    let tally = of_all(&seeds, one).into_iter().fold(Tally::default(), Tally::add);
    tally.print(name);
    for difference in tally.differences.iter().take(SHOWN) {
        println!("{difference}");
    }
    assert!(tally.differences.is_empty(), "{name}: see the differences above");
    let skipped = tally.undecided as f64 / tally.cells.max(1) as f64;
    assert!(count < 100 || skipped < SKIPPED, "{name}: {skipped} of the cells are skipped");
    tally
}
