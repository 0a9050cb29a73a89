//! Clusters: what they cost beside one process, and what becomes of fits whose executors die.
//!
//! `cargo bench --features cli,ballista --bench cluster -- overhead | passes | large | dask [PYTHON [CASE]] | kills N`, each with `--scale S` for
//! smaller data.

#[path = "../common/mod.rs"]
mod common;
mod dask;
mod data;
mod kills;
mod large;
mod overhead;
mod passes;
mod processes;

use std::path::PathBuf;
use std::process::ExitCode;

use common::Result;

/// What a fit is asked to do.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What it is called in tables.
    pub name: &'static str,
    /// Units of the panel.
    pub units: usize,
    /// Periods.
    pub periods: u32,
    /// Treated from the third period on, one after the other.
    pub cohorts: i64,
    /// Covariates, all of which are in the formula.
    pub covariates: usize,
    /// Draws of the bootstrap; 0 is none.
    pub draws: usize,
}

/// Panels without and with covariates.
pub const CASES: [Case; 2] = [
    Case { name: "10M x 5", units: 10_000_000, periods: 5, cohorts: 3, covariates: 0, draws: 0 },
    Case {
        name: "2M x 10, 5 covariates",
        units: 2_000_000,
        periods: 10,
        cohorts: 3,
        covariates: 5,
        draws: 0,
    },
];

impl Case {
    /// With another number of units.
    #[must_use]
    pub fn scaled(self, scale: f64) -> Self {
        Self { units: ((self.units as f64 * scale) as usize).max(2_000), ..self }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|word| *word != "--bench").collect();
    if let ["--child", rest @ ..] = words.as_slice() {
        return processes::child(rest);
    }
    let at = words.iter().position(|word| *word == "--scale");
    let scale = at.and_then(|at| words.get(at + 1)).map_or(Ok(1.0), |text| text.parse())?;
    let words = &words[..at.unwrap_or(words.len())];
    match words {
        ["overhead"] => overhead::run(scale),
        ["passes"] => passes::run(scale),
        ["large"] => large::run(scale),
        ["dask", python @ ..] => dask::run(scale, python),
        ["kills", times] => kills::run(times.parse()?, scale),
        _ => Err("overhead, passes, large, dask or kills N, and --scale S".into()),
    }
}

/// The command whose `executor` the clusters run.
#[must_use]
pub fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_burn-did").into()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    common::exit(run(&arguments))
}
