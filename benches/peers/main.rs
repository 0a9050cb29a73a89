//! This crate against other packages: same data, same questions, every fit in a fresh process.
//!
//! `cargo bench --all-features --bench peers`, see `benches/README.md`.

#[path = "../common/mod.rs"]
mod common;

mod cases;
mod options;
mod report;
mod scaling;

use std::process::ExitCode;

use clap::Parser;

use common::contestant::Contestant;
use common::summary::Summary;
use common::{Result, bench_file, duel, machine, ours, python, results};
use options::Options;

fn main() -> ExitCode {
    common::exit(run())
}

fn run() -> Result<()> {
    let options = Options::parse();
    if let Some(task) = &options.contestant {
        return ours::run(task);
    }
    if !options.bench {
        println!("nothing to do: run by `cargo bench`");
        return Ok(());
    }
    let path = options.results()?;
    if options.wants_scaling() {
        results::write_section(&path, "scaling", &scaling::measure(&options)?)?;
    }
    let cases = options.chosen(&cases::all())?;
    if !cases.is_empty() {
        let ours = Contestant::ours()?;
        let peers = peers(&options)?;
        for case in &cases {
            let can = |p: &&Contestant| {
                options.earlier.is_some() || !cases::ours_alone(case) && cases::has(p.name, case)
            };
            let asked = peers.iter().filter(can).cloned();
            let once = options.earlier.is_none() && cases::is_long(case);
            let asked = asked.map(|peer| if once { peer.once() } else { peer });
            let asked: Vec<Contestant> = asked.collect();
            duel::run(case, &ours, &asked, options.runs)?;
            results::write_section(&path, "cases", &report::section(&summaries(&options)?))?;
        }
    }
    Ok(())
}

/// All cases with runs at this scale, from this time or earlier.
fn summaries(options: &Options) -> Result<Vec<Summary>> {
    let kept = cases::all().into_iter().map(|case| Summary::kept(&case.scaled(options.scale)));
    Ok(kept.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The peers that are wanted and can be had.
fn peers(options: &Options) -> Result<Vec<Contestant>> {
    if let Some(bench) = &options.earlier {
        return Ok(vec![Contestant::earlier(bench.clone())]);
    }
    let interpreter = match &options.python {
        Some(path) => path.clone(),
        None => python::environment("python", &bench_file("peers/requirements.txt"))?,
    };
    let python = |name, script| Contestant::python(name, interpreter.clone(), script);
    // The wheel of this checkout is there where somebody has built and installed it.
    let has_wheel =
        machine::said(&interpreter.display().to_string(), &["-c", "import burn_did"]).is_some();
    let all = [
        has_wheel.then(|| python(cases::WHEEL, "peers/burn_did_wheel.py")),
        Some(python("diff-diff", "peers/diff_diff.py")),
        Some(python("moderndid", "peers/moderndid.py").at_most(2)),
        Some(python("csdid", "peers/csdid_package.py").at_most(2)),
        Some(python("pyfixest", "peers/pyfixest_studies.py")),
    ];
    let of_r = cases::OF_R.map(|(package, script)| Contestant::r(package, script));
    Ok(all
        .into_iter()
        .chain(of_r)
        .flatten()
        .filter(|c| !options.without.iter().any(|w| w == c.name))
        .collect())
}
