//! Clusters of processes: their scheduler, their executors, and what they say of themselves.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::ballista::{
    Client, ClientOptions, Executor, ExecutorOptions, LocalCluster as Processes, LocalOptions,
    Scheduler, SchedulerOptions, Tls, status, stdin_ended,
};
use super::engine::Engine;
use super::handle::Cluster;
use super::worker::Worker;
use crate::backend::DidBackend;
use crate::error::Result;

/// The port of a scheduler unless another is named.
pub const SCHEDULER_PORT: u16 = 50_050;

/// Bytes of a sample that an executor keeps unless it is told otherwise.
const MEMORY: u64 = 1 << 30;

/// PEM files by which client, scheduler and executors know each other (mutual TLS). Whoever has no certificate of the authority
/// is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    /// Certificate of the authority.
    pub authority: PathBuf,
    /// Own certificate, with the names by which this machine is reached.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

impl Certificates {
    fn load(&self) -> Result<Tls> {
        Tls::load(&self.authority, &self.certificate, &self.key)
    }
}

/// The certificates, if there are any.
fn ring(certificates: Option<&Certificates>) -> Result<Option<Tls>> {
    certificates.map(Certificates::load).transpose()
}

impl Cluster {
    /// The cluster whose scheduler is at `df://host:port`.
    ///
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if nobody answers there.
    pub fn connect(address: &str) -> Result<Self> {
        Self::connect_with(address, None)
    }

    /// As [`connect`](Self::connect), with certificates.
    ///
    /// # Errors
    /// As [`connect`](Self::connect), and for certificates that are not usable.
    pub fn connect_with(address: &str, certificates: Option<&Certificates>) -> Result<Self> {
        let options = ClientOptions { tls: ring(certificates)?, ..ClientOptions::default() };
        Ok(Self::of(Arc::new(Client::connect(&url(address), options)?)))
    }

    /// Starts a scheduler and executors on this machine, which end when the last copy of this is dropped, or this process ends.
    ///
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if they cannot be started.
    pub fn local(local: &LocalCluster) -> Result<Self> {
        Ok(Self::of(Arc::new(LocalEngine::start(local)?)))
    }
}

/// Executors on this machine, each a process of its own.
///
/// ```no_run
/// use burn_did::cluster::LocalCluster;
/// use burn_did::{AttGt, Cluster, backend::Cpu};
///
/// let cluster = Cluster::local(&LocalCluster::builder().executors(2).build())?;
/// let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("year").group("first");
/// let fit = config.build().fit_cluster(&cluster, "panel/*.parquet")?;
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, bon::Builder)]
#[builder(on(PathBuf, into))]
pub struct LocalCluster {
    /// How many.
    #[builder(default = 2)]
    pub executors: usize,
    /// Their program: the `burn-did` command, which is looked for on the path unless this says where it is.
    #[builder(default = PathBuf::from("burn-did"))]
    pub program: PathBuf,
    /// Threads of each; so many that all processors have one without this.
    pub threads: Option<usize>,
    /// Bytes of a sample that each keeps.
    #[builder(default = MEMORY)]
    pub memory: u64,
    /// Backend of all: `cpu`, `cuda`, `vulkan` or `wgpu`. Of GPUs, each executor has its own.
    #[builder(default = "cpu".to_owned(), into)]
    pub backend: String,
    /// Where the scheduler listens; a free port on loopback without this.
    pub bind: Option<SocketAddr>,
}

impl LocalCluster {
    fn options(&self) -> LocalOptions {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or(processors.div_ceil(self.executors.max(1)));
        let (threads, memory) = (threads.to_string(), self.memory.to_string());
        let mut arguments =
            vec!["executor", "--scheduler", "{scheduler}", "--backend", &self.backend];
        if self.backend != "cpu" {
            arguments.extend(["--device", "{number}"]);
        }
        arguments.extend(["--threads", &threads, "--memory", &memory, "--until-stdin-ends"]);
        let mut options = LocalOptions::new(self.executors, &self.program, &arguments);
        if let Some(bind) = self.bind {
            options.scheduler.bind = bind;
        }
        options
    }
}

/// Processes, and a client of theirs.
struct LocalEngine {
    client: Client,
    /// Ended after the client.
    _processes: Processes,
}

impl LocalEngine {
    fn start(local: &LocalCluster) -> Result<Self> {
        let processes = Processes::start(local.options())?;
        let address = url(processes.address());
        let client = Client::connect(&address, ClientOptions::default())?;
        Ok(Self { client, _processes: processes })
    }
}

impl Engine for LocalEngine {
    fn workers(&self) -> Result<usize> {
        self.client.workers()
    }

    fn map(
        &self,
        stage: &'static str,
        tasks: &[Vec<u8>],
        hear: &mut dyn FnMut(usize, Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        self.client.map(stage, tasks, hear)
    }
}

/// A scheduler in this process and executors in others, until it is dropped.
#[derive(Debug)]
pub struct RunningCluster(Processes);

impl RunningCluster {
    /// Starts them; all are there when this returns.
    ///
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if they cannot be started.
    pub fn start(local: &LocalCluster) -> Result<Self> {
        Processes::start(local.options()).map(Self)
    }

    /// The scheduler's address, for [`Cluster::connect`].
    #[must_use]
    pub fn address(&self) -> String {
        url(self.0.address())
    }

    /// Process numbers of the executors.
    #[must_use]
    pub fn processes(&self) -> Vec<u32> {
        self.0.processes()
    }

    /// Starts one more executor.
    ///
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if it cannot be started.
    pub fn add(&mut self) -> Result<()> {
        self.0.add()
    }
}

/// Where a scheduler listens, and whom it lets in.
#[derive(Clone, Debug)]
pub struct SchedulerConfig {
    /// Address and port.
    pub bind: SocketAddr,
    /// Name by which executors and clients reach this machine, if it is not the address.
    pub host: Option<String>,
    /// Certificates, without which everybody who reaches the port is let in.
    pub certificates: Option<Certificates>,
}

impl Default for SchedulerConfig {
    fn default() -> Self {
        let bind = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), SCHEDULER_PORT);
        Self { bind, host: None, certificates: None }
    }
}

/// Runs a scheduler for as long as it lives; `started` is told its address.
///
/// # Errors
/// [`DidError::Engine`](crate::DidError::Engine) if it cannot be started, or ends.
pub fn run_scheduler(config: &SchedulerConfig, started: impl FnOnce(&str)) -> Result<()> {
    let scheduler = Scheduler::start(&SchedulerOptions {
        bind: config.bind,
        host: config.host.clone(),
        tls: ring(config.certificates.as_ref())?,
        ..SchedulerOptions::default()
    })?;
    started(&url(scheduler.address()));
    scheduler.wait()
}

/// Where an executor listens, whom it serves, and what it may use.
#[derive(Clone, Debug)]
pub struct ExecutorConfig {
    /// Host and port of the scheduler.
    pub scheduler: String,
    /// Address on which it listens.
    pub bind: IpAddr,
    /// Name by which others reach this machine, if it is not the address.
    pub host: Option<String>,
    /// Ports from which clients fetch answers and to which the scheduler sends tasks; 0 takes free ones.
    pub ports: [u16; 2],
    /// Bytes of samples that are kept, on the host or the device.
    pub memory: u64,
    /// Certificates.
    pub certificates: Option<Certificates>,
    /// Whether it ends when its standard input does, as that of a child whose parent is gone.
    pub until_stdin_ends: bool,
}

impl Default for ExecutorConfig {
    fn default() -> Self {
        Self {
            scheduler: format!("{}:{SCHEDULER_PORT}", Ipv4Addr::LOCALHOST),
            bind: Ipv4Addr::LOCALHOST.into(),
            host: None,
            ports: [0, 0],
            memory: MEMORY,
            certificates: None,
            until_stdin_ends: false,
        }
    }
}

/// Runs an executor on a device for as long as it lives.
///
/// # Errors
/// [`DidError::Engine`](crate::DidError::Engine) if it cannot be started, or ends.
pub fn run_executor<B: DidBackend>(config: &ExecutorConfig, device: &B::Device) -> Result<()> {
    let memory = config.memory;
    let name = format!("executor {} ({})", std::process::id(), host_name());
    let worker = Arc::new(Worker::<B>::new(name, device.clone(), memory));
    let options = ExecutorOptions {
        scheduler: config.scheduler.trim_start_matches("df://").to_owned(),
        bind: config.bind,
        host: config.host.clone(),
        port: config.ports[0],
        task_port: config.ports[1],
        slots: 1,
        description: format!("{} on {device:?}, keeps {memory} bytes", B::NAME),
        tls: ring(config.certificates.as_ref())?,
        ..ExecutorOptions::default()
    };
    let executor = Executor::start(&options, worker)?;
    if config.until_stdin_ends {
        executor.wait(stdin_ended())
    } else {
        executor.wait(std::future::pending())
    }
}

/// Name of this machine, for people.
fn host_name() -> String {
    sysinfo::System::host_name().unwrap_or_else(|| "unnamed machine".into())
}

/// State of a cluster.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClusterStatus {
    /// Executors.
    pub executors: Vec<ExecutorState>,
    /// Jobs that wait, run, or ended within the last minute, oldest first.
    pub jobs: Vec<JobState>,
}

/// An executor.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExecutorState {
    /// Host and port from which answers are fetched.
    pub address: String,
    /// Tasks at the same time.
    pub slots: u32,
    /// How many more it could take now, if that is known.
    pub free: Option<u32>,
    /// Time since its last heartbeat.
    pub heartbeat: Duration,
    /// Bytes of its process, if it tells.
    pub memory: Option<u64>,
    /// Backend, device, and what it keeps.
    pub description: String,
}

/// A job.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JobState {
    /// What it is for.
    pub stage: String,
    /// `Queued`, `Running`, `Completed` or `Failed`.
    pub state: String,
    /// Tasks that are done, in percent.
    pub percent: f64,
    /// Seconds since its start, or that it took.
    pub seconds: f64,
}

/// The state of the cluster whose scheduler is at `df://host:port`.
///
/// # Errors
/// [`DidError::Engine`](crate::DidError::Engine) if nobody answers there.
pub fn cluster_status(address: &str, certificates: Option<&Certificates>) -> Result<ClusterStatus> {
    let status = status(&url(address), ring(certificates)?.as_ref())?;
    let executors = status.executors.into_iter().map(|e| ExecutorState {
        address: format!("{}:{}", e.host, e.port),
        slots: e.slots,
        free: e.free,
        heartbeat: e.heartbeat,
        memory: e.memory,
        description: e.description,
    });
    let jobs = status.jobs.into_iter().map(|job| JobState {
        stage: job.stage,
        state: job.state,
        percent: job.percent,
        seconds: job.seconds,
    });
    Ok(ClusterStatus { executors: executors.collect(), jobs: jobs.collect() })
}

/// The address with its scheme.
fn url(address: &str) -> String {
    if address.contains("://") { address.to_owned() } else { format!("df://{address}") }
}
