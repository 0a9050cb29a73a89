//! [`Contestant`]: a package, run in a fresh process for each fit.

use std::path::PathBuf;
use std::process::Command;

use super::case::Task;
use super::run::Run;
use super::{bench_file, machine, ours};

/// A package, and what starts it.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// Name in the tables.
    pub name: &'static str,
    /// Device or array backend it is told to use.
    pub device: Option<&'static str>,
    /// Runs of a case, at most.
    pub most_runs: usize,
    /// Whether it leaves dense algebra to OpenBLAS, whose threads help it or hinder it, by machine and load.
    pub uses_blas: bool,
    /// Threads of OpenBLAS; its own choice without.
    blas_threads: Option<usize>,
    /// Program and first arguments.
    command: Vec<PathBuf>,
}

impl Contestant {
    /// This crate, by the bench itself.
    pub fn ours() -> super::Result<Self> {
        let command = vec![std::env::current_exe()?, "--bench".into(), "--contestant".into()];
        Ok(Self::new(ours::NAME, command, false))
    }

    /// Another build of the bench.
    pub fn earlier(bench: PathBuf) -> Self {
        Self::new("earlier", vec![bench, "--bench".into(), "--contestant".into()], false)
    }

    /// A script of the benches' folder.
    pub fn python(name: &'static str, interpreter: PathBuf, script: &str) -> Self {
        let command = vec![interpreter, bench_file(script)];
        Self::new(name, command, true)
    }

    /// R `did`, if R has it and what its script needs.
    pub fn did() -> Option<Self> {
        let needs = "for (p in c('did', 'arrow', 'jsonlite')) library(p, character.only = TRUE)";
        machine::said("Rscript", &["-e", needs])?;
        let command = vec!["Rscript".into(), bench_file("peers/did.R")];
        Some(Self::new("did", command, true).at_most(2))
    }

    fn new(name: &'static str, command: Vec<PathBuf>, uses_blas: bool) -> Self {
        let most_runs = usize::MAX;
        Self { name, device: None, most_runs, uses_blas, blas_threads: None, command }
    }

    /// At most so many runs of a case.
    pub fn at_most(mut self, runs: usize) -> Self {
        self.most_runs = runs;
        self
    }

    /// With so many threads of OpenBLAS.
    pub fn with_blas_threads(mut self, threads: usize) -> Self {
        self.blas_threads = Some(threads);
        self
    }

    /// On this device, under this name.
    pub fn on(mut self, device: &'static str, name: &'static str) -> Self {
        self.device = Some(device);
        self.name = name;
        self
    }

    /// One fit in a fresh process, or what went wrong.
    pub fn run(&self, task: &Task) -> Result<Run, String> {
        let mut task = task.clone();
        task.device = self.device.map(str::to_owned);
        let task = serde_json::to_string(&task).map_err(|e| e.to_string())?;
        let mut command = Command::new(&self.command[0]);
        if let Some(threads) = self.blas_threads {
            command.env("OPENBLAS_NUM_THREADS", threads.to_string());
        }
        let output = command
            .args(&self.command[1..])
            .arg(task)
            .output()
            .map_err(|e| format!("{}: {e}", self.command[0].display()))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        // A thread that panicked may have left its line there and a fit that ends well.
        eprint!("{errors}");
        let printed = String::from_utf8_lossy(&output.stdout);
        let report = printed.lines().rev().find(|line| line.starts_with('{'));
        match report.filter(|_| output.status.success()) {
            Some(line) => serde_json::from_str(line).map_err(|e| format!("its report: {e}")),
            None => {
                let last = errors.lines().rev().find(|line| !line.trim().is_empty());
                Err(format!("{}: {}", output.status, last.unwrap_or("no message")))
            }
        }
    }
}
