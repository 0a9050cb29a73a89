//! Executors whose process has ended are noticed at once, not by their missing heartbeats.

use super::members::Members;
use ballista_core::serde::protobuf::ExecutorStoppedParams;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpc;
use ballista_core::serde::scheduler::ExecutorMetadata;
use ballista_scheduler::cluster::ClusterState;
use ballista_scheduler::scheduler_server::SchedulerServer;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use futures::future::join_all;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tonic::Request;

/// The scheduler's service.
pub(super) type Server = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// Time between two looks, and between the two refusals that make an executor count as ended.
const PAUSE: Duration = Duration::from_millis(250);

/// Tries for ever to connect to all executors. A machine that refuses on an executor's port is there without the executor, whose
/// tasks then go to others; no answer at all may be the network, and is left to the heartbeats.
pub(super) async fn watch(members: Arc<Members>, server: Server) {
    loop {
        sleep(PAUSE).await;
        let executors = members.registered_executor_metadata().await;
        join_all(executors.iter().map(|executor| look(executor, &server))).await;
    }
}

async fn look(executor: &ExecutorMetadata, server: &Server) {
    if !refuses(executor).await {
        return;
    }
    sleep(PAUSE).await;
    if refuses(executor).await {
        let stopped = ExecutorStoppedParams {
            executor_id: executor.id.clone(),
            reason: "its machine refuses connections to it".to_owned(),
        };
        if let Err(error) = server.executor_stopped(Request::new(stopped)).await {
            tracing::warn!("executor {} has ended and cannot be removed: {error}", executor.id);
        }
    }
}

async fn refuses(executor: &ExecutorMetadata) -> bool {
    let connect = TcpStream::connect((executor.host.as_str(), executor.grpc_port));
    let connected = timeout(4 * PAUSE, connect).await;
    matches!(connected, Ok(Err(error)) if error.kind() == ErrorKind::ConnectionRefused)
}
