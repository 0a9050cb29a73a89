//! Continuous treatments beside this crate from Python and ModernDiD: same parquet file, every fit in a fresh process.
//!
//! `cargo bench --features cli --bench doses`; how time and memory grow: `… -- c1 c2 --scale 100`.

#[path = "../common/mod.rs"]
mod common;

use std::process::ExitCode;

use burn_did::options::Resampling;

use common::bench::Bench;
use common::case::Case;

const WORDS: &str = "Cubic splines with two knots, at the 50 doses that are the default. Standard errors of ModernDiD are always drawn by multipliers, so \
    that it is asked where this crate draws in this way, too (c2). Effects and slopes are compared at every dose.";

/// Units up to which ModernDiD is asked.
const UNITS: usize = 100_000;

fn main() -> ExitCode {
    let analytic = Case::doses("c1", Resampling::Multiplier);
    let redrawn = Case::doses("c3", Resampling::Empirical);
    let cases = vec![
        analytic.clone(),
        Case { name: "c2".into(), draws: 1_000, ..analytic },
        Case { draws: 100, ..redrawn },
    ];
    let moderndid = |case: &Case| case.name == "c2" && case.units <= UNITS;
    common::exit(Bench { section: "doses", words: WORDS, cases, moderndid }.run())
}
