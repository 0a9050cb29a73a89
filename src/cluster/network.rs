//! Clusters of processes: their scheduler, their executors, and what they say of themselves.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use super::ballista::{
    Client, ClientOptions, Executor, ExecutorOptions, LocalProcesses, ProcessOptions, Scheduler,
    SchedulerOptions, Tls, status, stdin_ended,
};
pub use super::ballista::{ClusterStatus, ExecutorStatus, JobStatus, SCHEDULER_PORT};
use super::handle::Cluster;
use super::worker::Worker;
use crate::base::error::Result;
use crate::engine::backend::DidBackend;

/// Bytes of a sample that an executor keeps unless it is told otherwise.
const MEMORY: u64 = 1 << 30;

/// PEM files by which client, scheduler and executors know each other (mutual TLS). Whoever has no certificate of the authority
/// is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certificates {
    /// Certificate of the authority.
    pub authority: PathBuf,
    /// Own certificate, with the names by which this machine is reached.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

impl Certificates {
    /// The certificate of the authority, the own certificate and its key.
    #[must_use]
    pub fn new(
        authority: impl Into<PathBuf>,
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Self {
        let (authority, certificate, key) = (authority.into(), certificate.into(), key.into());
        Self { authority, certificate, key }
    }

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
    /// [`DidError::Cluster`](crate::DidError::Cluster) if nobody answers there.
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
    /// [`DidError::Cluster`](crate::DidError::Cluster) if they cannot be started.
    pub fn local(local: &LocalCluster) -> Result<Self> {
        let processes = RunningCluster::start(local)?;
        Ok(Self::connect(&processes.address())?.with(processes))
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
#[non_exhaustive]
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
    fn options(&self) -> ProcessOptions {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or(processors.div_ceil(self.executors.max(1)));
        let (threads, memory) = (threads.to_string(), self.memory.to_string());
        let mut arguments =
            vec!["executor", "--scheduler", "{scheduler}", "--backend", &self.backend];
        if self.backend != "cpu" {
            arguments.extend(["--device", "{number}"]);
        }
        arguments.extend(["--threads", &threads, "--memory", &memory, "--until-stdin-ends"]);
        let mut options = ProcessOptions::new(self.executors, &self.program, &arguments);
        if let Some(bind) = self.bind {
            options.scheduler.bind = bind;
        }
        options
    }
}

/// A scheduler in this process and executors in others, until it is dropped.
#[derive(Debug)]
pub struct RunningCluster(LocalProcesses);

impl RunningCluster {
    /// Starts them; all are there when this returns.
    ///
    /// # Errors
    /// [`DidError::Cluster`](crate::DidError::Cluster) if they cannot be started.
    pub fn start(local: &LocalCluster) -> Result<Self> {
        LocalProcesses::start(local.options()).map(Self)
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
    /// [`DidError::Cluster`](crate::DidError::Cluster) if it cannot be started.
    pub fn add(&mut self) -> Result<()> {
        self.0.add()
    }
}

/// Where a scheduler listens, and whom it lets in.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
        let SchedulerOptions { bind, host, .. } = SchedulerOptions::default();
        Self { bind, host, certificates: None }
    }
}

/// Runs a scheduler for as long as it lives; `started` is told its address.
///
/// # Errors
/// [`DidError::Cluster`](crate::DidError::Cluster) if it cannot be started, or ends.
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
#[non_exhaustive]
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
        let options = ExecutorOptions::default();
        Self {
            scheduler: options.scheduler,
            bind: options.bind,
            host: options.host,
            ports: [options.port, options.task_port],
            memory: MEMORY,
            certificates: None,
            until_stdin_ends: false,
        }
    }
}

/// Runs an executor on a device for as long as it lives.
///
/// # Errors
/// [`DidError::Cluster`](crate::DidError::Cluster) if it cannot be started, or ends.
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
        description: format!("{} on {device:?}, keeps {} MiB", B::NAME, memory >> 20),
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

/// The state of the cluster whose scheduler is at `df://host:port`.
///
/// # Errors
/// [`DidError::Cluster`](crate::DidError::Cluster) if nobody answers there.
pub fn cluster_status(address: &str, certificates: Option<&Certificates>) -> Result<ClusterStatus> {
    status(&url(address), ring(certificates)?.as_ref())
}

/// The address with its scheme.
fn url(address: &str) -> String {
    if address.contains("://") { address.to_owned() } else { format!("df://{address}") }
}
