//! What can be asked for after `--` of a bench of cases.

use std::path::PathBuf;

use clap::Parser;

use super::case::Case;
use super::summary::Summary;
use super::{Result, bench_file, ours, python, store, work_folder};

/// This crate against other packages.
#[derive(Debug, Parser)]
pub struct Options {
    /// Names of cases, or what several begin with, as in `e`, or `scaling` of the bench that has it; all cases without any
    pub names: Vec<String>,
    /// Runs of each case; slow contestants have two at most
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// Multiplies the numbers of units; other than 1, the report goes to the target directory
    #[arg(long, default_value_t = 1.0)]
    pub scale: f64,
    /// Contestants to leave out
    #[arg(long, value_name = "NAME")]
    pub without: Vec<String>,
    /// An interpreter that has the packages, instead of an environment of the bench's own
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// Another build of this bench, asked in place of the other packages; the report goes to the target directory
    #[arg(long, value_name = "PATH")]
    pub earlier: Option<PathBuf>,
    /// Set by cargo
    #[arg(long, hide = true)]
    pub bench: bool,
    /// Set by the bench itself
    #[arg(long, hide = true)]
    pub contestant: Option<String>,
}

impl Options {
    /// What the command line asks for; nothing if the process is a contestant, which then has run, or if it is not a bench.
    pub fn asked() -> Result<Option<Self>> {
        let options = Self::parse();
        if let Some(task) = &options.contestant {
            ours::run(task)?;
            return Ok(None);
        }
        if !options.bench {
            println!("nothing to do: run by `cargo bench`");
            return Ok(None);
        }
        Ok(Some(options))
    }

    /// Whether the growth of time and memory is asked for.
    pub fn wants_scaling(&self) -> bool {
        self.names.iter().any(|name| name == "scaling")
    }

    /// The cases asked for, scaled.
    pub fn chosen(&self, all: &[Case]) -> Result<Vec<Case>> {
        let named: Vec<&String> = self.names.iter().filter(|n| *n != "scaling").collect();
        // What is no case's name stands for all that begin with it.
        let is_of = |case: &Case, name: &str| match all.iter().any(|case| case.name == name) {
            true => case.name == name,
            false => case.name.starts_with(name),
        };
        if let Some(unknown) = named.iter().find(|name| !all.iter().any(|case| is_of(case, name))) {
            let names: Vec<&str> = all.iter().map(|case| case.name.as_str()).collect();
            return Err(format!("no case `{unknown}`; there are {}", names.join(", ")).into());
        }
        let wanted =
            |case: &&Case| self.names.is_empty() || named.iter().any(|name| is_of(case, name));
        Ok(all.iter().filter(wanted).map(|case| case.clone().scaled(self.scale)).collect())
    }

    /// All cases with runs at this scale, from this time or earlier; in full size, what was measured elsewhere stands for the others.
    pub fn summaries(&self, all: &[Case]) -> Result<Vec<Summary>> {
        let kept = all.iter().map(|case| Summary::kept(&case.clone().scaled(self.scale)));
        let kept = kept.filter_map(Result::transpose).collect::<Result<Vec<_>>>()?;
        if self.is_full() { store::completed(all, kept) } else { Ok(kept) }
    }

    /// The interpreter that is named, or one with the packages.
    pub fn interpreter(&self) -> Result<PathBuf> {
        match &self.python {
            Some(path) => Ok(path.clone()),
            None => python::environment("python", &bench_file("peers/requirements.txt")),
        }
    }

    /// Whether a contestant may run.
    pub fn wants(&self, contestant: &str) -> bool {
        !self.without.iter().any(|name| name == contestant)
    }

    /// Whether cases have their own sizes and this crate is compared with others.
    fn is_full(&self) -> bool {
        (self.scale - 1.0).abs() < f64::EPSILON && self.earlier.is_none()
    }

    /// Where the report goes.
    pub fn results(&self) -> Result<PathBuf> {
        if self.is_full() {
            Ok(bench_file("RESULTS.md"))
        } else {
            Ok(work_folder("")?.join("RESULTS.md"))
        }
    }
}
