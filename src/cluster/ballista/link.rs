//! The connections of a client: to the scheduler, and to the executors that have answers.

use super::label::JobLabel;
use super::plan::{self, TaskAnswer};
use super::tls::Tls;
use super::{MESSAGE, causes, problem, said, tls};
use crate::base::error::Result;
use ballista_core::client::BallistaClient;
use ballista_core::config::BALLISTA_JOB_NAME;
use ballista_core::extension::BallistaConfigGrpcEndpoint;
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    CancelJobParams, CleanJobDataParams, ExecuteQueryParams, KeyValuePair, PartitionLocation,
    job_status,
};
use ballista_core::utils::{GrpcClientConfig, create_grpc_client_endpoint};
use ballista_core::version::insert_version_header;
use futures::TryStreamExt;
use http_body_util::BodyExt;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::timeout;
use tonic::Request;
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::codegen::http;
use tonic::transport::Channel;

/// Time that a connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// The longest time without a word from an executor that sends an answer.
const SILENCE: Duration = Duration::from_secs(20);

/// A scheduler, and the executors that were seen through it.
#[derive(Clone)]
pub(super) struct Link {
    address: Arc<str>,
    channel: Channel,
    endpoints: Option<Arc<BallistaConfigGrpcEndpoint>>,
    executors: Arc<Mutex<HashMap<(String, u16), BallistaClient>>>,
}

/// Where the answers of a finished job are.
pub(super) struct Finished {
    pub(super) job: String,
    pub(super) answers: Vec<PartitionLocation>,
}

impl Link {
    /// Connects to a scheduler: `df://host:port`, or the same without `df://`.
    pub(super) async fn connect(address: &str, tls: Option<&Tls>) -> Result<Self> {
        let address = address.strip_prefix("df://").unwrap_or(address).trim_end_matches('/');
        let wrong = |error| {
            problem(format!("`{address}` is no address of a scheduler (df://host:port): {error}"))
        };
        let settings = GrpcClientConfig {
            connect_timeout_seconds: CONNECT.as_secs(),
            timeout_seconds: 60,
            http2_keepalive_interval_seconds: 5,
            ..GrpcClientConfig::default()
        };
        let mut endpoint =
            create_grpc_client_endpoint(format!("http://{address}"), Some(&settings))
                .map_err(wrong)?;
        if let Some(tls) = tls {
            endpoint = tls.endpoint(&endpoint).map_err(wrong)?;
        }
        let channel = endpoint.keep_alive_timeout(CONNECT).connect().await.map_err(|error| {
            let hint = tls::hint(tls.is_some());
            problem(format!("there is no scheduler at {address}: {}{hint}", causes(&error)))
        })?;
        let endpoints = tls.map(|tls| Arc::new(BallistaConfigGrpcEndpoint::new(tls.endpoints())));
        Ok(Self { address: address.into(), channel, endpoints, executors: Arc::default() })
    }

    fn scheduler(&self) -> SchedulerGrpcClient<Channel> {
        SchedulerGrpcClient::new(self.channel.clone())
            .max_decoding_message_size(MESSAGE as usize)
            .max_encoding_message_size(MESSAGE as usize)
    }

    fn lost(&self, error: &tonic::Status) -> crate::base::error::DidError {
        problem(format!("the scheduler at {} does not answer: {}", self.address, said(error)))
    }

    /// Runs a job to its end.
    pub(super) async fn run(&self, label: &JobLabel, plan: Vec<u8>) -> Result<Finished> {
        let name =
            KeyValuePair { key: BALLISTA_JOB_NAME.to_owned(), value: Some(label.to_string()) };
        let mut request = Request::new(ExecuteQueryParams {
            query: Some(Query::PhysicalPlan(plan)),
            settings: vec![name],
            session_id: label.session.clone(),
            operation_id: label.to_string(),
        });
        insert_version_header(request.metadata_mut());
        let response = self
            .scheduler()
            .execute_query_push(request)
            .await
            .map_err(|error| self.lost(&error))?;
        let mut updates = response.into_inner();
        while let Some(update) = updates.message().await.map_err(|error| self.lost(&error))? {
            let Some(update) = update.status else { continue };
            match update.status {
                Some(job_status::Status::Successful(done)) => {
                    return Ok(Finished { job: update.job_id, answers: done.partition_location });
                }
                Some(job_status::Status::Failed(failed)) => {
                    return Err(problem(format!("{}: {}", label.stage, failed.error)));
                }
                _ => {}
            }
        }
        Err(problem(format!(
            "the scheduler at {} said nothing about the end of {}",
            self.address, label.stage
        )))
    }

    /// Fetches the answers of one partition from the executor that has them.
    pub(super) async fn fetch(&self, place: PartitionLocation) -> Result<Vec<TaskAnswer>> {
        let layout = place.layout();
        let (Some(executor), Some(partition)) = (place.executor_meta, place.partition_id) else {
            return Err(problem("an answer has no place"));
        };
        let port = u16::try_from(executor.port).map_err(problem)?;
        let key = (executor.host, port);
        let mut client = self.executor(&key).await?;
        let partition = partition.into();
        let silent = |_| problem("the executor that has an answer says nothing");
        let fetch = async {
            // In blocks: an answer may be longer than a message.
            let batches =
                client.fetch_partition(&executor.id, &partition, place.file_id, layout, false);
            let mut batches = timeout(SILENCE, batches).await.map_err(silent)?.map_err(problem)?;
            let mut answered = Vec::new();
            while let Some(batch) =
                timeout(SILENCE, batches.try_next()).await.map_err(silent)?.map_err(problem)?
            {
                answered.extend(plan::answers(&batch)?);
            }
            Ok(answered)
        };
        let fetched = fetch.await;
        if fetched.is_err() {
            self.executors.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        }
        fetched
    }

    /// The connection to an executor, which all fetches share.
    async fn executor(&self, key: &(String, u16)) -> Result<BallistaClient> {
        let known = self.executors.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if let Some(client) = known {
            return Ok(client);
        }
        let (host, port) = (key.0.as_str(), key.1);
        let connect = BallistaClient::try_new(
            host,
            port,
            MESSAGE as usize,
            self.endpoints.is_some(),
            self.endpoints.clone(),
            1,
            0,
            0,
            0,
        );
        let client = timeout(CONNECT, connect)
            .await
            .map_err(|_| problem(format!("no connection to the executor at {host}:{port}")))?
            .map_err(problem)?;
        let mut executors = self.executors.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(executors.entry(key.clone()).or_insert(client).clone())
    }

    /// Says that the answers of a job may be deleted.
    pub(super) async fn clean(&self, job: String) {
        self.scheduler()
            .clean_job_data(CleanJobDataParams { job_id: job, remove_stage_ids: Vec::new() })
            .await
            .ok();
    }

    /// Cancels a job.
    pub(super) async fn cancel(&self, job: String) -> Result<()> {
        let cancelled = self.scheduler().cancel_job(CancelJobParams { job_id: job }).await;
        cancelled.map(drop).map_err(|error| self.lost(&error))
    }

    /// What a page of the scheduler's REST interface says.
    pub(super) async fn get(&self, path: &str) -> Result<Vec<u8>> {
        let request = http::Request::get(path).body(Body::empty()).map_err(problem)?;
        let mut channel = self.channel.clone();
        let answer = async {
            std::future::poll_fn(|context| GrpcService::poll_ready(&mut channel, context)).await?;
            GrpcService::call(&mut channel, request).await
        };
        let answer = timeout(2 * CONNECT, answer)
            .await
            .map_err(|_| problem(format!("the scheduler at {} does not answer", self.address)))?
            .map_err(|error: tonic::transport::Error| {
                problem(format!(
                    "the scheduler at {} does not answer: {}{}",
                    self.address,
                    causes(&error),
                    tls::hint(self.endpoints.is_some())
                ))
            })?;
        let status = answer.status();
        if !status.is_success() {
            return Err(problem(format!(
                "the scheduler at {} answers {status} to {path}",
                self.address
            )));
        }
        let body = answer.into_body().collect().await.map_err(problem)?;
        Ok(body.to_bytes().to_vec())
    }
}
