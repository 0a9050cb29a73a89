//! TLS before the port on which Ballista's executors take tasks, which has none.

use super::tls::Tls;
use super::{MESSAGE, problem};
use crate::error::Result;
use ballista_core::serde::protobuf::executor_grpc_client::ExecutorGrpcClient;
use ballista_core::serde::protobuf::executor_grpc_server::{ExecutorGrpc, ExecutorGrpcServer};
use ballista_core::serde::protobuf::{
    CancelTasksParams, CancelTasksResult, LaunchMultiTaskParams, LaunchMultiTaskResult,
    LaunchTaskParams, LaunchTaskResult, RemoveJobDataParams, RemoveJobDataResult,
    StopExecutorParams, StopExecutorResult,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::TcpListener;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status};

/// Hands every call on to the port without TLS, which listens on loopback only.
struct Front(ExecutorGrpcClient<Channel>);

/// The loopback address behind a front: it has the same port, so it cannot be the same address.
pub(super) fn behind(public: IpAddr) -> IpAddr {
    match public {
        IpAddr::V4(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpAddr::V6(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
    }
}

/// Listens on the public address for a port that is (soon) open on loopback.
pub(super) async fn serve(public: SocketAddr, tls: &Tls) -> Result<()> {
    let listener = TcpListener::bind(public)
        .await
        .map_err(|error| problem(format!("the executor cannot listen on {public}: {error}")))?;
    let behind = SocketAddr::new(behind(public.ip()), public.port());
    let endpoint = Endpoint::from_shared(format!("http://{behind}")).map_err(problem)?;
    let executor = ExecutorGrpcClient::new(endpoint.connect_lazy())
        .max_decoding_message_size(MESSAGE as usize)
        .max_encoding_message_size(MESSAGE as usize);
    let service = ExecutorGrpcServer::new(Front(executor))
        .max_decoding_message_size(MESSAGE as usize)
        .max_encoding_message_size(MESSAGE as usize);
    let server = Server::builder()
        .tls_config(tls.server())
        .map_err(|error| problem(format!("the certificates are not usable: {error:?}")))?
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
        self.0.clone().launch_task(request.into_inner()).await
    }

    async fn launch_multi_task(
        &self,
        request: Request<LaunchMultiTaskParams>,
    ) -> std::result::Result<Response<LaunchMultiTaskResult>, Status> {
        self.0.clone().launch_multi_task(request.into_inner()).await
    }

    async fn stop_executor(
        &self,
        request: Request<StopExecutorParams>,
    ) -> std::result::Result<Response<StopExecutorResult>, Status> {
        self.0.clone().stop_executor(request.into_inner()).await
    }

    async fn cancel_tasks(
        &self,
        request: Request<CancelTasksParams>,
    ) -> std::result::Result<Response<CancelTasksResult>, Status> {
        self.0.clone().cancel_tasks(request.into_inner()).await
    }

    async fn remove_job_data(
        &self,
        request: Request<RemoveJobDataParams>,
    ) -> std::result::Result<Response<RemoveJobDataResult>, Status> {
        self.0.clone().remove_job_data(request.into_inner()).await
    }
}
