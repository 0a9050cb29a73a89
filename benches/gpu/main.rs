//! This crate on a GPU against ModernDiD with CuPy on the same card: its published grid, two periods and triple differences.
//!
//! `cargo bench --all-features --bench gpu`, see `benches/README.md`.

#[path = "../peers/cases.rs"]
#[allow(dead_code, reason = "the other bench asks peers")]
mod cases;
#[path = "../common/mod.rs"]
mod common;
#[path = "../../tests/support/passes.rs"]
mod passes;
#[path = "../../tests/support/sample.rs"]
mod sample;

mod bandwidth;
mod devices;
mod grid;
mod latency;
mod regressions;
mod report;
mod session;
mod stages;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use common::contestant::Contestant;
use common::summary::Summary;
use common::{Result, bench_file, duel, ours, python, results, work_folder};

/// This crate on a GPU against ModernDiD with CuPy on the same card.
#[derive(Debug, Parser)]
struct Options {
    /// One step in place of the whole bench
    #[command(subcommand)]
    step: Option<session::Step>,
    /// Runs of each case
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Multiplies the numbers of units; other than 1, the report goes to the target directory
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Devices of this crate; the others are compared with the first
    #[arg(long, value_delimiter = ',', default_value = "cuda,wgpu,cpu")]
    devices: Vec<String>,
    /// Rows of the chunk on which the kernels are timed
    #[arg(long, default_value_t = 4_000_000)]
    rows: usize,
    /// Leave ModernDiD out
    #[arg(long)]
    without_moderndid: bool,
    /// An interpreter that has ModernDiD and CuPy, instead of an environment of the bench's own
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
    /// Set by cargo
    #[arg(long, hide = true)]
    bench: bool,
    /// Set by the bench itself
    #[arg(long, hide = true)]
    contestant: Option<String>,
}

fn main() -> ExitCode {
    common::exit(run())
}

fn run() -> Result<()> {
    let options = Options::parse();
    if let Some(task) = &options.contestant {
        return ours::run(task);
    }
    if let Some(step) = &options.step {
        return session::run(step);
    }
    if !options.bench {
        println!("nothing to do: run by `cargo bench`");
        return Ok(());
    }
    let devices = devices::available(&options.devices)?;
    let (first, rest) = devices.split_first().ok_or("no device")?;
    let mut peers: Vec<Contestant> =
        rest.iter().map(|device| device.contestant()).collect::<Result<_>>()?;
    if !options.without_moderndid {
        let interpreter = match options.python {
            Some(path) => path,
            None => python::environment("python-gpu", &bench_file("gpu/requirements.txt"))?,
        };
        let moderndid = Contestant::python("", interpreter, "peers/moderndid.py");
        peers.push(moderndid.clone().on("cupy", "moderndid cupy"));
        peers.push(moderndid.on("numpy", "moderndid numpy").at_most(1));
    }
    let ours = first.contestant()?;
    let cases = grid::cases().into_iter().map(|case| case.scaled(options.scale));
    let cases: Vec<_> = cases.collect();
    for case in &cases {
        duel::run(case, &ours, &peers, options.runs)?;
    }
    let summaries = cases.iter().filter_map(|case| Summary::kept(case).transpose());
    let report = report::section(
        &summaries.collect::<Result<Vec<_>>>()?,
        &stages::measure(&devices, cases.last().ok_or("no case")?)?,
        &bandwidth::measure(&devices, options.rows)?,
    );
    let full = (options.scale - 1.0).abs() < f64::EPSILON;
    let path = if full { bench_file("RESULTS.md") } else { work_folder("")?.join("RESULTS.md") };
    results::write_section(&path, "gpu", &report)
}
