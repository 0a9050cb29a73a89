//! An executor of a cluster.

use super::front::{self, Secret};
use super::gate::Gate;
use super::scheduler::{host_of, session_config};
use super::threads::RuntimeThreads;
use super::tls::Tls;
use super::{MESSAGE, SCHEDULER_PORT, causes, function, problem, tls};
use crate::base::error::Result;
use crate::base::temporary::{PrivateDirectory, before_the_end};
use crate::cluster::engine::TaskRunner;
use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::BALLISTA_PROTOCOL_VERSION;
use ballista_core::error::BallistaError;
use ballista_core::ids::new_instance_id;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::serde::BallistaCodec;
use ballista_core::serde::protobuf::executor_resource::Resource;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    ExecutorOperatingSystemSpecification, ExecutorRegistration, ExecutorResource,
    ExecutorSpecification, ExecutorStoppedParams,
};
use ballista_core::utils::{
    GrpcClientConfig, GrpcServerConfig, create_grpc_client_endpoint, create_grpc_server,
};
use ballista_executor::executor::Executor as BallistaExecutor;
use ballista_executor::executor_process::ExecutorProcessConfig;
use ballista_executor::executor_server;
use ballista_executor::flight_service::BallistaFlightService;
use ballista_executor::health::ExecutorHealth;
use ballista_executor::metrics::{ExecutorMetricCollectionPolicy, LoggingMetricsCollector};
use ballista_executor::shutdown::ShutdownNotifier;
use datafusion::common::plan_err;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::SessionConfig;
use std::collections::HashMap;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tonic::transport::Channel;
use tonic::transport::server::TcpIncoming;

/// Where an executor listens, whom it serves, and what it says about itself.
#[derive(Clone, Debug)]
pub(crate) struct ExecutorOptions {
    /// Host and port of the scheduler.
    pub(crate) scheduler: String,
    /// Address that is listened on.
    pub(crate) bind: IpAddr,
    /// Name by which scheduler and clients reach this machine; the address that the scheduler sees where there is none.
    pub(crate) host: Option<String>,
    /// Port from which clients fetch answers; 0 takes a free one.
    pub(crate) port: u16,
    /// Port to which the scheduler sends tasks; 0 takes a free one.
    pub(crate) task_port: u16,
    /// Tasks at the same time.
    pub(crate) slots: usize,
    /// Time between two heartbeats, in whole seconds.
    pub(crate) heartbeat: Duration,
    /// Time to wait for the scheduler to be there.
    pub(crate) patience: Duration,
    /// What the status shows: backend, device, precision, memory.
    pub(crate) description: String,
    /// Who may connect; everybody where there is none.
    pub(crate) tls: Option<Tls>,
}

impl Default for ExecutorOptions {
    fn default() -> Self {
        Self {
            scheduler: format!("{}:{SCHEDULER_PORT}", Ipv4Addr::LOCALHOST),
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            host: None,
            port: 0,
            task_port: 0,
            slots: 1,
            heartbeat: Duration::from_secs(2),
            patience: Duration::from_secs(30),
            description: String::new(),
            tls: None,
        }
    }
}

/// An executor in this process; it ends when dropped.
pub(crate) struct Executor {
    threads: RuntimeThreads,
    id: String,
    scheduler: SchedulerGrpcClient<Channel>,
    end: oneshot::Receiver<String>,
    // The answers lie there until they are fetched.
    _work_dir: PrivateDirectory,
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Executor").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Executor {
    /// Starts an executor; it is registered when this returns.
    pub(crate) fn start(options: &ExecutorOptions, worker: Arc<dyn TaskRunner>) -> Result<Self> {
        let threads = RuntimeThreads::new("executor", 2)?;
        let work_dir = PrivateDirectory::new(&std::env::temp_dir()).map_err(problem)?;
        let id = new_instance_id();
        let (sender, end) = oneshot::channel();
        let path = work_dir.path().to_string_lossy().into_owned();
        let start = start(options.clone(), id.clone(), path, worker, sender);
        let scheduler = threads.wait(start)??;
        Ok(Self { threads, id, scheduler, end, _work_dir: work_dir })
    }

    /// Waits until `stop` is over or the process is about to be ended, or until the executor ends by itself, which is an error.
    pub(crate) fn wait(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<()> {
        let Self { threads, id, mut scheduler, end, _work_dir } = self;
        let (tell, told) = oneshot::channel();
        let (said, saying) = std::sync::mpsc::channel();
        before_the_end(move || {
            if tell.send(()).is_ok() {
                saying.recv_timeout(2 * GOODBYE).ok();
            }
        });
        threads.wait(async move {
            let stop = async {
                tokio::select! {
                    () = stop => {}
                    Ok(()) = told => {}
                }
            };
            tokio::select! {
                reason = end => Err(problem(reason.unwrap_or_else(|_| "the executor has ended".to_owned()))),
                () = stop => {
                    let stopped = ExecutorStoppedParams { executor_id: id, reason: "it was told to stop".to_owned() };
                    let goodbye = scheduler.executor_stopped(stopped);
                    tokio::time::timeout(GOODBYE, goodbye).await.ok();
                    said.send(()).ok();
                    Ok(())
                }
            }
        })?
    }
}

/// How long answers are kept, and how often it is looked for older ones.
const KEPT: Duration = Duration::from_secs(24 * 3_600);
const LOOK: Duration = Duration::from_secs(600);

/// Time that an executor has to say good-bye.
const GOODBYE: Duration = Duration::from_secs(2);

/// Over when standard input ends: the parent process has closed it, or has died.
pub(crate) async fn stdin_ended() {
    let (sender, ended) = oneshot::channel();
    // Not a thread of the runtime: that would wait for the blocked read.
    std::thread::spawn(move || {
        let mut buffer = [0; 256];
        while std::io::stdin().read(&mut buffer).is_ok_and(|read| read > 0) {}
        sender.send(()).ok();
    });
    ended.await.ok();
}

/// Starts all services of an executor and registers it.
async fn start(
    options: ExecutorOptions,
    id: String,
    work_dir: String,
    worker: Arc<dyn TaskRunner>,
    end: oneshot::Sender<String>,
) -> Result<SchedulerGrpcClient<Channel>> {
    if options.tls.is_some() && own_host(&options).is_none() {
        return Err(problem(
            "the executor listens everywhere: say by which host name others reach it",
        ));
    }
    let listener = TcpListener::bind((options.bind, options.port)).await.map_err(|error| {
        problem(format!("the executor cannot listen on {}:{}: {error}", options.bind, options.port))
    })?;
    let port = listener.local_addr().map_err(problem)?.port();
    let scheduler = scheduler(&options).await?;
    let (stop, mut stopped) = mpsc::channel(10);
    let secret = options.tls.as_ref().map(|_| Secret::new());
    let shutdown = ShutdownNotifier::new();
    let mut tries = 0;
    let tasks = loop {
        let task_port = free_port(options.bind, options.task_port).map_err(problem)?;
        let executor = executor(&options, &id, (port, task_port), &work_dir, &worker, &secret);
        let mut bind = options.bind;
        let mut obeyed = stop.clone();
        if let (Some(tls), Some(secret)) = (&options.tls, &secret) {
            let front = (SocketAddr::new(bind, task_port), tls);
            front::serve(front, secret.clone(), (id.clone(), stop.clone())).await?;
            (bind, obeyed) = (front::behind(bind), front::unheard());
        }
        let config = Arc::new(ExecutorProcessConfig {
            bind_host: host_of(bind),
            override_create_grpc_client_endpoint: options.tls.as_ref().map(Tls::endpoints),
            grpc_max_decoding_message_size: MESSAGE,
            grpc_max_encoding_message_size: MESSAGE,
            executor_heartbeat_interval_seconds: options.heartbeat.as_secs().max(1),
            metric_collection_policy: ExecutorMetricCollectionPolicy::ProcessOnly,
            ..ExecutorProcessConfig::default()
        });
        let codec: BallistaCodec = BallistaCodec::default();
        let health = ExecutorHealth::new();
        let started = executor_server::startup(
            scheduler.clone(),
            config,
            executor,
            codec,
            obeyed,
            &shutdown,
            health,
        );
        match started.await {
            Ok(tasks) => break tasks,
            // Somebody else may have taken the port since it was free.
            Err(BallistaError::IoError(_) | BallistaError::TonicError(_))
                if options.task_port == 0 && tries < 5 =>
            {
                tries += 1;
            }
            Err(error) => return Err(problem(format!("the executor cannot start: {error}"))),
        }
    };
    tokio::spawn(forget_old_answers(work_dir.clone().into()));
    let answers = FlightServiceServer::new(BallistaFlightService::new(work_dir))
        .max_decoding_message_size(MESSAGE as usize)
        .max_encoding_message_size(MESSAGE as usize);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let mut server = create_grpc_server(&GrpcServerConfig::default());
    if let Some(tls) = &options.tls {
        server = server.tls_config(tls.server()).map_err(problem)?;
    }
    let answers = server.add_service(answers).serve_with_incoming(incoming);
    tokio::spawn(async move {
        let reason = tokio::select! {
            ended = answers => format!("it no longer serves answers{}", why(ended.err())),
            ended = tasks => match ended {
                Ok(Ok(())) => "it hears nothing of the scheduler, which may have ended".to_owned(),
                Ok(Err(error)) => format!("it no longer takes tasks{}", why(Some(error))),
                Err(error) => format!("it no longer takes tasks{}", why(Some(error))),
            },
            _ = stopped.recv() => "the scheduler told it to stop".to_owned(),
        };
        drop(shutdown);
        end.send(format!("the executor has ended: {reason}")).ok();
    });
    Ok(scheduler)
}

/// Removes answers that nobody has fetched for a day: their driver was killed, and did not say that it is done.
async fn forget_old_answers(work_dir: PathBuf) {
    loop {
        tokio::time::sleep(LOOK).await;
        let old = |entry: &std::fs::DirEntry| {
            let Ok(found) = entry.metadata() else { return false };
            let age = found.modified().map(|time| time.elapsed());
            found.is_dir() && age.is_ok_and(|age| age.is_ok_and(|age| age > KEPT))
        };
        for job in std::fs::read_dir(&work_dir).into_iter().flatten().flatten().filter(old) {
            let _ = std::fs::remove_dir_all(job.path());
        }
    }
}

/// The end of a sentence about something that has ended.
fn why(error: Option<impl std::error::Error>) -> String {
    error.map_or_else(String::new, |error| format!(": {}", causes(&error)))
}

/// A connection to the scheduler, once that is there.
async fn scheduler(options: &ExecutorOptions) -> Result<SchedulerGrpcClient<Channel>> {
    let address = &options.scheduler;
    let settings = GrpcClientConfig { connect_timeout_seconds: 5, ..GrpcClientConfig::default() };
    let wrong = |error| problem(format!("`{address}` is no address of a scheduler: {error}"));
    let mut endpoint =
        create_grpc_client_endpoint(format!("http://{address}"), Some(&settings)).map_err(wrong)?;
    if let Some(tls) = &options.tls {
        endpoint = tls.endpoint(&endpoint).map_err(wrong)?;
    }
    let start = Instant::now();
    loop {
        match endpoint.connect().await {
            Ok(channel) => {
                return Ok(SchedulerGrpcClient::new(channel)
                    .max_decoding_message_size(MESSAGE as usize)
                    .max_encoding_message_size(MESSAGE as usize));
            }
            Err(_) if start.elapsed() < options.patience => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(error) => {
                let hint = tls::hint(options.tls.is_some());
                return Err(problem(format!(
                    "there is no scheduler at {address}: {}{hint}",
                    causes(&error)
                )));
            }
        }
    }
}

/// The executor proper, with its description.
fn executor(
    options: &ExecutorOptions,
    id: &str,
    (port, task_port): (u16, u16),
    work_dir: &str,
    worker: &Arc<dyn TaskRunner>,
    secret: &Option<Secret>,
) -> Arc<BallistaExecutor> {
    let slots = options.slots.max(1);
    let registration = ExecutorRegistration {
        id: id.to_owned(),
        host: own_host(options),
        port: u32::from(port),
        grpc_port: u32::from(task_port),
        specification: Some(ExecutorSpecification {
            resources: vec![ExecutorResource {
                resource: Some(Resource::Vcores(u32::try_from(slots).unwrap_or(u32::MAX))),
            }],
        }),
        // The list of executors shows this field as it is.
        os_info: Some(ExecutorOperatingSystemSpecification {
            system_name: options.description.clone(),
            ..ExecutorOperatingSystemSpecification::default()
        }),
        ballista_protocol_version: BALLISTA_PROTOCOL_VERSION,
    };
    let function = function::with_worker(Arc::clone(worker));
    let functions = BallistaFunctionRegistry {
        scalar_functions: HashMap::from([(function::NAME.to_owned(), function)]),
        aggregate_functions: HashMap::new(),
        window_functions: HashMap::new(),
        higher_order_functions: HashMap::new(),
    };
    let (environment, secret) = (Arc::new(RuntimeEnv::default()), secret.clone());
    let environment = move |settings: &SessionConfig| match &secret {
        Some(secret) if !secret.is_in(settings) => {
            plan_err!("a task did not come through the port that asks for certificates")
        }
        _ => Ok(Arc::clone(&environment)),
    };
    Arc::new(BallistaExecutor::new(
        registration,
        work_dir,
        Arc::new(environment),
        Arc::new(session_config),
        Arc::new(functions),
        Arc::new(LoggingMetricsCollector::default()),
        // Threads: some are left when tasks that were given up do not end.
        2 * slots + 2,
        Arc::new(Gate::new()),
    ))
}

/// The host under which others reach the executor; without one the scheduler takes the address that it sees.
fn own_host(options: &ExecutorOptions) -> Option<String> {
    let bound = (!options.bind.is_unspecified()).then(|| host_of(options.bind));
    options.host.clone().or(bound)
}

/// The port that is asked for, or one that was free a moment ago.
fn free_port(bind: IpAddr, port: u16) -> std::io::Result<u16> {
    if port != 0 {
        return Ok(port);
    }
    Ok(StdListener::bind(SocketAddr::new(bind, 0))?.local_addr()?.port())
}
