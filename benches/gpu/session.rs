//! The steps that `session.sh` takes one after another, each within its own time. Lines that begin with `RESULT:` go into its
//! table.

use clap::{Args, Subcommand};

use super::cases;
use super::common::case::{Case, Task};
use super::common::contestant::Contestant;
use super::common::results::digits;
use super::common::run::{self, Run};
use super::common::{Result, agreement, data, machine, ours};
use super::devices::Device;
use super::{bandwidth, grid, latency, regressions};

/// What the numbers of a device in double precision may differ by from the CPU's: effects relative to the larger of effect and
/// standard error, standard errors relatively.
pub const DOUBLE: f64 = 1e-10;

/// What they may differ by in single precision: effects in standard errors.
const SINGLE: f64 = 1e-3;

/// One step on a device.
#[derive(Debug, Subcommand)]
pub enum Step {
    /// Fits beside the CPU's: equal bits in every run, equal numbers on both
    Fits(Asked),
    /// Fits in this process, one after another and without warming up, for a profiler
    Profile(Asked),
    /// What launches and transfers cost, and the bandwidth of the passes
    Costs {
        /// The device
        device: String,
        /// Rows that the passes read
        #[arg(long, default_value_t = 4_000_000)]
        rows: usize,
    },
    /// Regressions with fixed effects beside the CPU's: equal bits in every run, equal numbers on both
    Regressions(Regressions),
    /// pyfixest's LSMR on the same card beside a device, if `python3` has it and torch
    Pyfixest(Regressions),
    /// ModernDiD with CuPy beside a device, if `python3` has both
    Moderndid(Asked),
}

/// Cases on a device.
#[derive(Debug, Args)]
pub struct Asked {
    /// The device
    device: String,
    /// Names of cases
    #[arg(required = true)]
    cases: Vec<String>,
    /// Multiplies the numbers of units
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
}

/// Regressions on a device.
#[derive(Debug, Args)]
pub struct Regressions {
    /// The device
    device: String,
    /// Names of designs of the bench of fixed effects
    #[arg(required = true)]
    designs: Vec<String>,
    /// Rows
    #[arg(long, default_value_t = 1_000_000)]
    rows: usize,
    /// Regressors
    #[arg(long, default_value_t = 10)]
    columns: usize,
}

impl Regressions {
    fn each(&self, run: fn(Device, &str, usize, usize) -> Result<()>) -> Result<()> {
        let device = Device::parse(&self.device)?;
        self.designs.iter().try_for_each(|design| run(device, design, self.rows, self.columns))
    }
}

impl Asked {
    fn cases(&self) -> Result<Vec<Case>> {
        let all = all();
        let find = |name: &String| -> Result<Case> {
            let case = all.iter().find(|case| case.name == *name);
            Ok(case.ok_or_else(|| format!("no case `{name}`"))?.clone().scaled(self.scale))
        };
        self.cases.iter().map(find).collect()
    }
}

/// The cases against other packages, the first of them with ten million units, and the grid.
fn all() -> Vec<Case> {
    let mut all = cases::all();
    all.push(Case { name: "p1-10m".into(), ..all[0].clone().scaled(10.0) });
    all.extend(grid::cases());
    all
}

/// Takes the step.
pub fn run(step: &Step) -> Result<()> {
    match step {
        Step::Fits(asked) => {
            let device = Device::parse(&asked.device)?;
            asked.cases()?.iter().try_for_each(|case| fits(device, case))
        }
        Step::Profile(asked) => asked.cases()?.iter().try_for_each(|case| {
            let task = Task { small: 0, ..Task::new(case, None).on(&asked.device) };
            ours::run(&serde_json::to_string(&task)?)
        }),
        Step::Costs { device, rows } => costs(Device::parse(device)?, *rows),
        Step::Regressions(asked) => asked.each(regressions::beside_the_cpu),
        Step::Pyfixest(asked) => {
            if machine::said("python3", &["-c", "import pyfixest, torch, pyarrow"]).is_none() {
                println!("RESULT: python3 cannot import pyfixest, torch and pyarrow: left out");
                return Ok(());
            }
            asked.each(regressions::beside_pyfixest)
        }
        Step::Moderndid(asked) => {
            let device = Device::parse(&asked.device)?;
            if machine::said("python3", &["-c", "import moderndid, cupy, polars"]).is_none() {
                println!("RESULT: python3 cannot import moderndid, cupy and polars: left out");
                return Ok(());
            }
            asked.cases()?.iter().try_for_each(|case| moderndid(device, case))
        }
    }
}

/// A case on the device and on the CPU.
fn fits(device: Device, case: &Case) -> Result<()> {
    println!("RESULT: {}: {}", case.name, case.describe());
    let (here, cpu) = (three_times(device, case)?, three_times(Device::Cpu, case)?);
    let allowed = if is_single(&here) { SINGLE } else { DOUBLE };
    let [att, se] = distances(&here, &cpu).ok_or("the device and the CPU have other cells")?;
    println!(
        "RESULT: {} cells: effects within {att:.0e}, standard errors within {se:.0e}, allowed {allowed:.0e}",
        here.cells.len()
    );
    if att <= allowed && se <= allowed {
        Ok(())
    } else {
        Err(format!("{}: the device and the CPU disagree", case.name).into())
    }
}

/// Two fits in one process and one in another, of equal bits.
fn three_times(device: Device, case: &Case) -> Result<Run> {
    let contestant = device.contestant()?;
    let twice = Task { stages: true, again: true, ..Task::new(case, None) };
    let first = contestant.run(&twice)?;
    let other = contestant.run(&Task { again: false, ..twice })?;
    if !run::same(&first.cells, &other.cells) {
        return Err(format!("{}: another process has other numbers", contestant.name).into());
    }
    let again = first.again.unwrap_or(f64::NAN);
    let [seconds, again, other] = [first.seconds, again, other.seconds].map(digits);
    println!(
        "RESULT: {}: {seconds} s, again {again}, in another process {other}, the same bits; {}",
        contestant.name,
        stages(&first, case)
    );
    Ok(first)
}

/// Where the time of the fit went, and the bandwidth of stages that move the sample once.
fn stages(run: &Run, case: &Case) -> String {
    let width = if is_single(run) { 4 } else { 8 };
    let bytes = case.units * (case.periods as usize + case.covariates) * width;
    let moves_once = |name: &str| match name {
        "upload" | "influence" => true,
        // Without covariates, the cells take one pass of cross-products.
        "cells" => case.covariates == 0,
        _ => false,
    };
    let mut parts: Vec<String> = Vec::new();
    for (name, seconds) in run.stages.iter().filter(|(name, _)| *name != "fit") {
        let rate = digits(bytes as f64 / seconds / 1e9);
        let rate = if moves_once(name) { format!(" ({rate} GB/s)") } else { String::new() };
        parts.push(format!("{name} {}{rate}", digits(*seconds)));
    }
    let device = run.timings.get("device").map(|device| format!("device {device}"));
    parts.extend(device);
    parts.join(", ")
}

fn is_single(run: &Run) -> bool {
    run.settings.contains("f32")
}

/// Largest distances of effects and of standard errors; none if the cells are not the same ones.
fn distances(here: &Run, cpu: &Run) -> Option<[f64; 2]> {
    let mut largest = [0.0_f64; 2];
    if here.cells.len() != cpu.cells.len() {
        return None;
    }
    for (a, b) in here.cells.iter().zip(&cpu.cells) {
        if (a.group, a.time) != (b.group, b.time) {
            return None;
        }
        match (a.att.zip(a.se), b.att.zip(b.se)) {
            (Some((att, se)), Some((cpu_att, cpu_se))) => {
                let scale = if is_single(here) { cpu_se } else { cpu_att.abs().max(cpu_se) };
                largest[0] = largest[0].max((att - cpu_att).abs() / scale);
                largest[1] = largest[1].max((se / cpu_se - 1.0).abs());
            }
            (None, None) => {}
            _ => return None,
        }
    }
    Some(largest)
}

fn costs(device: Device, rows: usize) -> Result<()> {
    for line in latency::lines(device)? {
        println!("RESULT: {line}");
    }
    println!("RESULT: passes: {}", bandwidth::describe(rows));
    for line in bandwidth::lines(device, rows)? {
        let [pass, milliseconds, gigabytes, share] = line.as_slice() else { continue };
        println!("RESULT: {pass}: {milliseconds} ms, {gigabytes} GB/s, {share} of the copy");
    }
    Ok(())
}

/// The case on the device, and by ModernDiD on the same card.
fn moderndid(device: Device, case: &Case) -> Result<()> {
    let task = Task::new(case, Some(data::parquet(case)?));
    let peer = Contestant::python("", "python3".into(), "peers/moderndid.py");
    let peer = peer.on("cupy", "moderndid cupy").run(&task)?;
    let here = device.contestant()?.run(&task)?;
    let found = agreement::compare(&here, &peer, case);
    println!(
        "RESULT: {}: {} s, moderndid cupy {} s; {} (effects {:.0e}, standard errors {:.0e})",
        case.name,
        digits(here.seconds),
        digits(peer.seconds),
        if found.holds() { "agrees" } else { "DISAGREES" },
        found.att,
        found.se
    );
    Ok(())
}
