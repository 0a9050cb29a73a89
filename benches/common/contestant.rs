//! [`Contestant`]: a package, run in a fresh process for each fit.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::case::Task;
use super::run::Run;
use super::{bench_file, machine, memory, ours};

/// Longest that a fit may take, with reading the data and the fit that warms up.
pub const LIMIT: Duration = Duration::from_secs(600);

/// Largest share of the machine's memory that a contestant may have.
pub const MEMORY: f64 = 0.75;

/// This crate from Python, in the tables.
pub const WHEEL: &str = "burn-did (Python)";

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

    /// This crate from Python, if somebody has built the wheel of this checkout and installed it there.
    pub fn wheel(interpreter: &Path) -> Option<Self> {
        machine::said(&interpreter.display().to_string(), &["-c", "import burn_did"])?;
        Some(Self::python(WHEEL, interpreter.to_owned(), "peers/burn_did_wheel.py"))
    }

    /// A package of R by a script of the benches' folder, if R has it and what the scripts need.
    pub fn r(package: &'static str, script: &str) -> Option<Self> {
        let needs = format!(
            "for (p in c('{package}', 'nanoparquet', 'jsonlite')) library(p, character.only = TRUE)"
        );
        machine::said("Rscript", &["-e", &needs])?;
        let command = vec!["Rscript".into(), bench_file(script)];
        Some(Self::new(package, command, true).at_most(2))
    }

    fn new(name: &'static str, command: Vec<PathBuf>, uses_blas: bool) -> Self {
        let most_runs = usize::MAX;
        Self { name, device: None, most_runs, uses_blas, blas_threads: None, command }
    }

    /// One run of a case, with OpenBLAS's own choice of threads: for cases that take minutes.
    pub fn once(self) -> Self {
        Self { most_runs: 1, uses_blas: false, ..self }
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
        command.args(&self.command[1..]).arg(task);
        let Output { status, printed, errors } =
            output(&mut command).map_err(|e| format!("{}: {e}", self.command[0].display()))?;
        // A thread that panicked may have left its line there and a fit that ends well.
        eprint!("{errors}");
        let status = status?;
        let report = printed.lines().rev().find(|line| line.starts_with('{'));
        match report.filter(|_| status.success()) {
            Some(line) => serde_json::from_str(line).map_err(|e| format!("its report: {e}")),
            None => {
                let last = errors.lines().rev().find(|line| !line.trim().is_empty());
                Err(format!("{status}: {}", last.unwrap_or("no message")))
            }
        }
    }
}

/// What a process left.
struct Output {
    /// How it ended, or why it had to be stopped.
    status: Result<ExitStatus, String>,
    printed: String,
    errors: String,
}

/// Runs a command in a process group of its own, within [`LIMIT`] and [`MEMORY`].
fn output(command: &mut Command) -> std::io::Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    // Where memory runs out all the same, the contestant goes and not the bench.
    let _ = std::fs::write(format!("/proc/{}/oom_score_adj", child.id()), "1000");
    let printed = child.stdout.take().map(reader);
    let errors = child.stderr.take().map(reader);
    let status = wait(&mut child)?;
    let text = |reader: Option<thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    Ok(Output { status, printed: text(printed), errors: text(errors) })
}

/// Reads what a process prints, so that it never waits for a reader.
fn reader(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error is kept.
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// How a process ended, or why it had to be stopped, with all that it started.
fn wait(child: &mut Child) -> std::io::Result<Result<ExitStatus, String>> {
    let start = Instant::now();
    let most = (MEMORY * memory::of_machine() as f64) as u64;
    let reason = loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status));
        }
        if start.elapsed() > LIMIT {
            break format!("stopped after {} minutes", LIMIT.as_secs() / 60);
        }
        if memory::resident(child.id()) > most {
            break format!("stopped at {} GiB of memory", most >> 30);
        }
        thread::sleep(Duration::from_millis(20));
    };
    let group = format!("-{}", child.id());
    Command::new("kill").args(["-KILL", "--", &group]).status()?;
    child.wait()?;
    Ok(Err(reason))
}
