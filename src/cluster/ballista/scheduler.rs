//! The scheduler of a cluster.

use super::members::Members;
use super::threads::RuntimeThreads;
use super::tls::Tls;
use super::watch::{Server, watch};
use super::{MESSAGE, SCHEDULER_PORT, function, problem};
use crate::base::error::Result;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use ballista_core::ConfigProducer;
use ballista_core::config::{
    BALLISTA_CLIENT_GRPC_MAX_MESSAGE_SIZE, BALLISTA_SHUFFLE_COMPRESSION_CODEC, TaskSchedulingPolicy,
};
use ballista_core::extension::SessionConfigExt;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_scheduler::api::get_routes;
use ballista_scheduler::cluster::memory::InMemoryJobState;
use ballista_scheduler::cluster::{BallistaCluster, ClusterState};
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::create_scheduler;
use ballista_scheduler::scheduler_server::SessionBuilder;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionConfig;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::oneshot;
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;

/// Where a scheduler listens, and how long it waits for executors.
#[derive(Clone, Debug)]
pub(crate) struct SchedulerOptions {
    /// Address that is listened on; port 0 takes a free one.
    pub(crate) bind: SocketAddr,
    /// Name by which executors reach this machine; the bound address where there is none.
    pub(crate) host: Option<String>,
    /// Time without a heartbeat after which an executor counts as lost.
    pub(crate) executor_timeout: Duration,
    /// Who may connect; everybody where there is none.
    pub(crate) tls: Option<Tls>,
}

impl Default for SchedulerOptions {
    fn default() -> Self {
        Self {
            bind: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), SCHEDULER_PORT),
            host: None,
            executor_timeout: Duration::from_secs(15),
            tls: None,
        }
    }
}

/// A scheduler in this process; it ends when dropped.
pub(crate) struct Scheduler {
    threads: RuntimeThreads,
    address: String,
    members: Arc<Members>,
    end: oneshot::Receiver<String>,
}

impl std::fmt::Debug for Scheduler {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Scheduler").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Scheduler {
    /// Starts a scheduler; it listens when this returns.
    pub(crate) fn start(options: &SchedulerOptions) -> Result<Self> {
        let threads = RuntimeThreads::new("scheduler", 2)?;
        let members = Arc::new(Members::default());
        let (sender, end) = oneshot::channel();
        let start = start(options.clone(), Arc::clone(&members), sender);
        let address = threads.wait(start)??;
        Ok(Self { threads, address, members, end })
    }

    /// Host and port, as executors and clients name it.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// How many executors are registered.
    pub(crate) fn executors(&self) -> Result<usize> {
        let members = Arc::clone(&self.members);
        self.threads.wait(async move { members.registered_executor_metadata().await.len() })
    }

    /// Waits for the end of the scheduler, which only comes with a problem.
    pub(crate) fn wait(self) -> Result<()> {
        let reason = self.end.blocking_recv();
        Err(problem(reason.unwrap_or_else(|_| "the scheduler has ended".to_owned())))
    }
}

/// Binds and serves; the address.
async fn start(
    options: SchedulerOptions,
    members: Arc<Members>,
    end: oneshot::Sender<String>,
) -> Result<String> {
    let SchedulerOptions { bind, host, executor_timeout, tls } = options;
    let listener = listen(bind)
        .map_err(|error| problem(format!("the scheduler cannot listen on {bind}: {error}")))?;
    let bound = listener.local_addr().map_err(problem)?;
    let host = match host {
        Some(host) => host,
        None if bound.ip().is_unspecified() => {
            return Err(problem(format!(
                "the scheduler listens on {bound}: say by which host name others reach it"
            )));
        }
        None => host_of(bound.ip()),
    };
    let address = format!("{host}:{}", bound.port());
    let seconds = executor_timeout.as_secs().max(2);
    let session: SessionBuilder = Arc::new(|config| {
        let functions = vec![function::without_worker()];
        Ok(SessionStateBuilder::new().with_config(config).with_scalar_functions(functions).build())
    });
    let settings: ConfigProducer = Arc::new(session_config);
    let config = SchedulerConfig {
        external_host: host,
        bind_host: bound.ip().to_string(),
        bind_port: bound.port(),
        scheduling_policy: TaskSchedulingPolicy::PushStaged,
        finished_job_data_clean_up_interval_seconds: 600,
        finished_job_state_clean_up_interval_seconds: 60,
        grpc_server_max_decoding_message_size: MESSAGE,
        grpc_server_max_encoding_message_size: MESSAGE,
        grpc_client_max_message_size: MESSAGE,
        executor_timeout_seconds: seconds,
        expire_dead_executor_interval_seconds: 1,
        no_executors_grace_period_seconds: seconds,
        override_config_producer: Some(Arc::clone(&settings)),
        override_session_builder: Some(Arc::clone(&session)),
        override_create_grpc_client_endpoint: tls.as_ref().map(Tls::endpoints),
        ..SchedulerConfig::default()
    };
    let jobs = InMemoryJobState::new(config.scheduler_id.clone(), session, settings);
    let cluster =
        BallistaCluster::new(Arc::clone(&members) as Arc<dyn ClusterState>, Arc::new(jobs));
    let server: Server = create_scheduler(cluster, Arc::new(config))
        .await
        .map_err(|error| problem(format!("the scheduler cannot start: {error}")))?;
    tokio::spawn(watch(members, server.clone()));
    tokio::spawn(async move {
        let served = serve(listener, server, tls.as_ref()).await;
        let reason = served.map_or_else(|error| error.to_string(), |()| "it stopped".to_owned());
        end.send(format!("the scheduler has ended: {reason}")).ok();
    });
    Ok(address)
}

/// Listens without Nagle's algorithm, which accepted connections inherit: with it a small map takes 40 ms more.
fn listen(bind: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if bind.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(cfg!(unix))?;
    socket.set_nodelay(true)?;
    socket.bind(bind)?;
    socket.listen(1024)
}

/// Serves everybody, or those with a certificate. Pages are to be looked at: calls that would change something are refused, as
/// there is nothing to change by them but what clients do by their own protocol.
async fn serve(listener: TcpListener, server: Server, tls: Option<&Tls>) -> Result<()> {
    let scheduler = SchedulerGrpcServer::new(server.clone())
        .max_decoding_message_size(MESSAGE as usize)
        .max_encoding_message_size(MESSAGE as usize);
    let pages = get_routes(Arc::new(server)).layer(from_fn(only_look));
    let routes = Routes::from(pages).add_service(scheduler);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let mut builder = tonic::transport::Server::builder().accept_http1(true);
    if let Some(tls) = tls {
        builder = builder.tls_config(tls.server()).map_err(problem)?;
    }
    let served = builder.add_routes(routes).serve_with_incoming(incoming);
    served.await.map_err(problem)
}

/// Refuses everything but to look at a page.
async fn only_look(request: Request, next: Next) -> Response {
    match *request.method() {
        Method::GET | Method::HEAD => next.run(request).await,
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// An address as part of a URL.
pub(super) fn host_of(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// Settings of every job: long messages, and answers as they are, for numbers hardly get shorter by compression.
pub(super) fn session_config() -> SessionConfig {
    SessionConfig::new_with_ballista()
        .set_str(BALLISTA_CLIENT_GRPC_MAX_MESSAGE_SIZE, &MESSAGE.to_string())
        .set_str(BALLISTA_SHUFFLE_COMPRESSION_CODEC, "none")
}
