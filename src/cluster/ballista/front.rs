//! TLS before the port on which Ballista's executors take tasks, which has none.

use super::tls::Tls;
use super::{MESSAGE, causes, problem};
use crate::base::error::Result;
use ballista_core::config::BALLISTA_JOB_NAME;
use ballista_core::extension::SessionConfigExt;
use ballista_core::serde::protobuf::executor_grpc_client::ExecutorGrpcClient;
use ballista_core::serde::protobuf::executor_grpc_server::{ExecutorGrpc, ExecutorGrpcServer};
use ballista_core::serde::protobuf::{
    CancelTasksParams, CancelTasksResult, KeyValuePair, LaunchMultiTaskParams,
    LaunchMultiTaskResult, LaunchTaskParams, LaunchTaskResult, RemoveJobDataParams,
    RemoveJobDataResult, StopExecutorParams, StopExecutorResult,
};
use datafusion::prelude::SessionConfig;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status};

/// Hands calls on to the port without TLS, which listens on loopback only. There it is known by a secret: everybody on the machine
/// reaches that port, and tasks without the secret are refused. Words to stop are not heard there at all.
struct Front {
    behind: ExecutorGrpcClient<Channel>,
    secret: Secret,
    /// Identifier of the executor, and where it is told to stop.
    stop: (String, mpsc::Sender<bool>),
}

/// What marks tasks that came through a front. It never leaves the machine.
#[derive(Clone)]
pub(super) struct Secret(Arc<str>);

// Nothing of it is shown.
impl std::fmt::Debug for Secret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret")
    }
}

impl Secret {
    /// A new one, which nobody can guess.
    pub(super) fn new() -> Self {
        let halves = rand::random::<[u128; 2]>();
        Self(format!("{:032x}{:032x}", halves[0], halves[1]).into())
    }

    /// Adds it to the settings of a task. The setting with the job's name is free: executors have no use for it.
    fn mark(&self, settings: &mut Vec<KeyValuePair>) {
        settings.retain(|setting| setting.key != BALLISTA_JOB_NAME);
        let value = Some(self.0.to_string());
        settings.push(KeyValuePair { key: BALLISTA_JOB_NAME.to_owned(), value });
    }

    /// Whether the settings of a task have it.
    pub(super) fn is_in(&self, settings: &SessionConfig) -> bool {
        let settings = settings.ballista_config();
        let given = settings.settings().get(BALLISTA_JOB_NAME).map_or("", String::as_str);
        // All bytes are looked at, so that the time taken tells nothing.
        let differences = given.bytes().zip(self.0.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
        given.len() == self.0.len() && differences == 0
    }
}

/// Where words go that nobody heeds.
pub(super) fn unheard() -> mpsc::Sender<bool> {
    let (sender, mut words) = mpsc::channel(1);
    tokio::spawn(async move { while words.recv().await.is_some() {} });
    sender
}

/// The loopback address behind a front: it has the same port, so it cannot be the same address.
pub(super) fn behind(public: IpAddr) -> IpAddr {
    match public {
        IpAddr::V4(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpAddr::V6(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
    }
}

/// Listens on the public address for a port that is (soon) open on loopback.
pub(super) async fn serve(
    (public, tls): (SocketAddr, &Tls),
    secret: Secret,
    stop: (String, mpsc::Sender<bool>),
) -> Result<()> {
    let listener = TcpListener::bind(public)
        .await
        .map_err(|error| problem(format!("the executor cannot listen on {public}: {error}")))?;
    let behind = SocketAddr::new(behind(public.ip()), public.port());
    let endpoint = Endpoint::from_shared(format!("http://{behind}")).map_err(problem)?;
    let executor = ExecutorGrpcClient::new(endpoint.connect_lazy())
        .max_decoding_message_size(MESSAGE as usize)
        .max_encoding_message_size(MESSAGE as usize);
    let service = ExecutorGrpcServer::new(Front { behind: executor, secret, stop })
        .max_decoding_message_size(MESSAGE as usize)
        .max_encoding_message_size(MESSAGE as usize);
    let server = Server::builder()
        .tls_config(tls.server())
        .map_err(|error| problem(format!("the certificates are not usable: {}", causes(&error))))?
        .add_service(service)
        .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)));
    tokio::spawn(async move {
        if let Err(error) = server.await {
            tracing::error!("tasks are no longer taken: {error}");
        }
    });
    Ok(())
}

#[tonic::async_trait]
impl ExecutorGrpc for Front {
    async fn launch_task(
        &self,
        request: Request<LaunchTaskParams>,
    ) -> std::result::Result<Response<LaunchTaskResult>, Status> {
        let mut request = request.into_inner();
        request.tasks.iter_mut().for_each(|task| self.secret.mark(&mut task.props));
        self.behind.clone().launch_task(request).await
    }

    async fn launch_multi_task(
        &self,
        request: Request<LaunchMultiTaskParams>,
    ) -> std::result::Result<Response<LaunchMultiTaskResult>, Status> {
        let mut request = request.into_inner();
        request.multi_tasks.iter_mut().for_each(|task| self.secret.mark(&mut task.props));
        self.behind.clone().launch_multi_task(request).await
    }

    async fn stop_executor(
        &self,
        request: Request<StopExecutorParams>,
    ) -> std::result::Result<Response<StopExecutorResult>, Status> {
        let request = request.into_inner();
        let (id, stop) = &self.stop;
        if request.executor_id == *id {
            let gone = |_| Status::unavailable("the executor has ended");
            stop.send(request.force).await.map_err(gone)?;
        }
        Ok(Response::new(StopExecutorResult {}))
    }

    async fn cancel_tasks(
        &self,
        request: Request<CancelTasksParams>,
    ) -> std::result::Result<Response<CancelTasksResult>, Status> {
        self.behind.clone().cancel_tasks(request.into_inner()).await
    }

    async fn remove_job_data(
        &self,
        request: Request<RemoveJobDataParams>,
    ) -> std::result::Result<Response<RemoveJobDataResult>, Status> {
        self.behind.clone().remove_job_data(request.into_inner()).await
    }
}

#[cfg(test)]
mod tests {
    use super::super::scheduler::session_config;
    use super::*;
    use ballista_core::extension::SessionConfigHelperExt;

    #[test]
    fn only_marked_tasks_have_the_secret() {
        let (secret, other) = (Secret::new(), Secret::new());
        let named = |value: &str| KeyValuePair {
            key: BALLISTA_JOB_NAME.to_owned(),
            value: Some(value.to_owned()),
        };
        let mut settings = vec![named("a job")];
        let read =
            |settings: &[KeyValuePair]| session_config().update_from_key_value_pair(settings);
        assert!(!secret.is_in(&read(&[])));
        assert!(!secret.is_in(&read(&settings)));
        assert!(!secret.is_in(&read(&[named(&secret.0[1..])])));
        secret.mark(&mut settings);
        assert!(secret.is_in(&read(&settings)) && !other.is_in(&read(&settings)));
        assert_eq!(settings.len(), 1);
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
