//! A cluster of processes of this machine.

use super::problem;
use super::scheduler::{Scheduler, SchedulerOptions};
use crate::base::error::Result;
use crate::base::parallel::held;
use crate::base::temporary::{PrivateDirectory, before_the_end};
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the executors of a local cluster are.
#[derive(Clone, Debug)]
pub(crate) struct ProcessOptions {
    /// How many executors.
    pub(crate) executors: usize,
    /// Their program. It must end when its standard input does.
    pub(crate) program: PathBuf,
    /// Its arguments; `{scheduler}` stands for host and port of the scheduler, `{number}` for the number of the executor.
    pub(crate) arguments: Vec<String>,
    /// The scheduler's options.
    pub(crate) scheduler: SchedulerOptions,
    /// Time that executors may take to register.
    pub(crate) patience: Duration,
}

impl ProcessOptions {
    /// Executors of a program, on loopback with free ports.
    pub(crate) fn new(executors: usize, program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        let bind = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        Self {
            executors,
            program: program.into(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            scheduler: SchedulerOptions { bind, ..SchedulerOptions::default() },
            patience: Duration::from_secs(60),
        }
    }
}

/// A scheduler in this process and executors in others. All end when this is dropped, or when this process dies: their
/// standard input is a pipe that ends with it.
#[derive(Debug)]
pub(crate) struct LocalProcesses {
    children: Arc<Mutex<Children>>,
    scheduler: Scheduler,
    options: ProcessOptions,
    /// Place of all temporary files of the executors, also of killed ones.
    files: PrivateDirectory,
}

/// Processes that end when this is dropped: first they are told to by the end of their input, then killed.
#[derive(Debug, Default)]
struct Children(Vec<Child>);

/// Time that executors have to end by themselves.
const GOODBYE: Duration = Duration::from_secs(2);

impl Drop for Children {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.stdin.take();
        }
        let start = Instant::now();
        let runs = |child: &mut Child| matches!(child.try_wait(), Ok(None));
        while start.elapsed() < GOODBYE && self.0.iter_mut().any(runs) {
            std::thread::sleep(Duration::from_millis(5));
        }
        for child in &mut self.0 {
            child.kill().ok();
        }
        for child in &mut self.0 {
            child.wait().ok();
        }
    }
}

impl LocalProcesses {
    /// Starts everything; all executors are registered when this returns.
    pub(crate) fn start(options: ProcessOptions) -> Result<Self> {
        let scheduler = Scheduler::start(&options.scheduler)?;
        let files = PrivateDirectory::new(&std::env::temp_dir()).map_err(problem)?;
        let children = Arc::<Mutex<Children>>::default();
        let of_this = Arc::downgrade(&children);
        before_the_end(move || {
            if let Some(children) = of_this.upgrade() {
                drop(std::mem::take(&mut *held(&children)));
            }
        });
        let mut cluster = Self { children, scheduler, options, files };
        for _ in 0..cluster.options.executors {
            cluster.spawn()?;
        }
        cluster.wait(cluster.options.executors)?;
        Ok(cluster)
    }

    /// Host and port of the scheduler.
    pub(crate) fn address(&self) -> &str {
        self.scheduler.address()
    }

    /// Process identifiers of the executors that were started, also of those that have ended.
    pub(crate) fn processes(&self) -> Vec<u32> {
        held(&self.children).0.iter().map(Child::id).collect()
    }

    /// Starts one more executor and waits until as many are registered as there are processes: one that has just died may still
    /// be among them, in place of the new one.
    pub(crate) fn add(&mut self) -> Result<()> {
        self.spawn()?;
        self.wait(0)
    }

    fn spawn(&mut self) -> Result<()> {
        let number = held(&self.children).0.len().to_string();
        let fill = |argument: &String| {
            argument.replace("{scheduler}", self.address()).replace("{number}", &number)
        };
        let arguments: Vec<OsString> =
            self.options.arguments.iter().map(|argument| fill(argument).into()).collect();
        let program = &self.options.program;
        let child = Command::new(program)
            .args(arguments)
            .env("TMPDIR", self.files.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| {
                problem(format!("{} cannot be started: {error}", program.display()))
            })?;
        held(&self.children).0.push(child);
        Ok(())
    }

    /// Waits until so many executors are registered, and as many as there are processes.
    fn wait(&mut self, least: usize) -> Result<()> {
        let start = Instant::now();
        loop {
            let (living, youngest) = {
                let mut children = held(&self.children);
                let ended =
                    children.0.iter_mut().filter_map(|child| child.try_wait().ok().flatten());
                let ended = ended.count();
                let living = children.0.len() - ended;
                let youngest = children.0.last_mut().map(Child::try_wait).transpose();
                (living, youngest.map_err(problem)?.flatten())
            };
            let executors = least.max(living);
            if self.scheduler.executors()? >= executors {
                return Ok(());
            }
            if let Some(status) = youngest {
                return Err(problem(format!(
                    "an executor has ended before it was registered: {status}"
                )));
            }
            if start.elapsed() > self.options.patience {
                return Err(problem(format!(
                    "after {:?} not all of {executors} executors are registered",
                    start.elapsed()
                )));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
