//! Mutated CSV files, parquet files and saved results through the command line: no panic, no hang, nothing that is not a
//! number called an estimate.
//!
//! `BURN_DID_FUZZ_SEED` and `BURN_DID_FUZZ_MUTATIONS` choose the first seed and how many runs are made.

mod bytes;
mod check;
mod dice;
mod json;
mod options;
mod parquet;
mod process;
mod seeds;
mod table;
mod trial;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Runs of a plain `cargo test`.
const RUNS: u64 = 300;

/// Kinds of failure that are told.
const SHOWN: usize = 60;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a whole number"))
}

#[test]
fn inputs_and_options_give_numbers_or_errors() {
    let first = from_environment("BURN_DID_FUZZ_SEED", 1);
    let runs = from_environment("BURN_DID_FUZZ_MUTATIONS", RUNS);
    println!("seeds {first} to {}", first + runs - 1);
    let start = Instant::now();
    let bases = seeds::Bases::new();
    let next = AtomicU64::new(0);
    let failures: Mutex<Vec<(u64, String)>> = Mutex::default();
    let codes: [AtomicU64; 3] = Default::default();
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if run >= runs {
                        break;
                    }
                    let seed = first.wrapping_add(run);
                    match trial::run(seed, &bases) {
                        Ok(code) => _ = codes[usize::from(code)].fetch_add(1, Ordering::Relaxed),
                        Err(what) => failures.lock().unwrap().push((seed, what)),
                    }
                }
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let codes = codes.map(AtomicU64::into_inner);
    println!("{runs} runs in {seconds:.0} s; exit codes 0, 1, 2: {codes:?}");
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    // Alike are those that differ in digits only.
    let kind = |what: &str| what.chars().filter(|c| !c.is_ascii_digit()).take(100).collect();
    let mut kinds: BTreeMap<String, Vec<&(u64, String)>> = BTreeMap::new();
    for failure in &failures {
        kinds.entry(kind(&failure.1)).or_default().push(failure);
    }
    let told = kinds.values().take(SHOWN).map(|alike| {
        let (seed, what) = alike[0];
        format!("{} times, first with seed {seed}: {what}", alike.len())
    });
    let told: Vec<String> = told.collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), told.join("\n\n"));
}
