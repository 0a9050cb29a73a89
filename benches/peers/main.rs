//! This crate against other packages: same data, same questions, every fit in a fresh process.
//!
//! `cargo bench --all-features --bench peers`, see `benches/README.md`.

#[path = "../common/mod.rs"]
mod common;

mod cases;
mod report;
mod scaling;

use std::process::ExitCode;

use common::contestant::Contestant;
use common::options::Options;
use common::{Result, duel, results};

fn main() -> ExitCode {
    common::exit(run())
}

fn run() -> Result<()> {
    let Some(options) = Options::asked()? else { return Ok(()) };
    let path = options.results()?;
    if options.wants_scaling() {
        results::write_section(&path, "scaling", &scaling::measure(&options)?)?;
    }
    let all = cases::all();
    let cases = options.chosen(&all)?;
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
            results::write_section(&path, "cases", &report::section(&options.summaries(&all)?))?;
        }
    }
    Ok(())
}

/// The peers that are wanted and can be had.
fn peers(options: &Options) -> Result<Vec<Contestant>> {
    if let Some(bench) = &options.earlier {
        return Ok(vec![Contestant::earlier(bench.clone())]);
    }
    let interpreter = options.interpreter()?;
    let python = |name, script| Contestant::python(name, interpreter.clone(), script);
    let all = [
        Contestant::wheel(&interpreter),
        Some(python("diff-diff", "peers/diff_diff.py")),
        Some(python("moderndid", "peers/moderndid.py").at_most(2)),
        Some(python("csdid", "peers/csdid_package.py").at_most(2)),
        Some(python("pyfixest", "peers/pyfixest_studies.py")),
    ];
    let of_r = cases::OF_R.map(|(package, script)| Contestant::r(package, script));
    Ok(all.into_iter().chain(of_r).flatten().filter(|c| options.wants(c.name)).collect())
}
