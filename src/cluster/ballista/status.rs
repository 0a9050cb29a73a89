//! Executors and jobs, as a scheduler sees them.

use super::label::JobLabel;
use super::link::Link;
use super::problem;
use super::threads::RuntimeThreads;
use super::tls::Tls;
use crate::base::error::Result;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// State of a cluster.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClusterStatus {
    /// Executors, by host and port.
    pub executors: Vec<ExecutorStatus>,
    /// Jobs that wait, run, or ended within the last minute, oldest first.
    pub jobs: Vec<JobStatus>,
}

/// An executor.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExecutorStatus {
    /// Identifier, new with every start.
    pub id: String,
    /// Host from which answers are fetched.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Tasks at the same time.
    pub slots: u32,
    /// How many more it could take now; unknown of schedulers that are not ours.
    pub free: Option<u32>,
    /// Time since its last heartbeat.
    pub heartbeat: Duration,
    /// Bytes of memory of its process, if it tells.
    pub memory: Option<u64>,
    /// What it says about itself.
    pub description: String,
}

/// A job: a piece of a map.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JobStatus {
    /// Identifier.
    pub id: String,
    /// `Queued`, `Running`, `Completed` or `Failed`, as Ballista says it.
    pub state: String,
    /// What the map does, or the name of a job that is not ours.
    pub stage: String,
    /// Tasks that are done, in percent.
    pub percent: f64,
    /// Time since its start, or that it took.
    pub seconds: f64,
}

/// State of the cluster whose scheduler is at `df://host:port`.
pub(crate) fn status(address: &str, tls: Option<&Tls>) -> Result<ClusterStatus> {
    let threads = RuntimeThreads::new("status", 1)?;
    let (address, tls) = (address.to_owned(), tls.cloned());
    threads.wait(async move {
        let link = Link::connect(&address, tls.as_ref()).await?;
        Ok(ClusterStatus { executors: executors(&link).await?, jobs: jobs(&link).await? })
    })?
}

#[derive(Deserialize)]
struct ExecutorPage {
    id: String,
    host: String,
    port: u16,
    last_seen: Option<u64>,
    specification: Specification,
    #[serde(default)]
    metrics: Vec<Metric>,
    os_info: System,
}

#[derive(Deserialize)]
struct Specification {
    vcores: u32,
}

#[derive(Deserialize)]
struct Metric {
    #[serde(rename = "type")]
    kind: String,
    value: u64,
}

#[derive(Deserialize)]
struct System {
    system_name: String,
    os_ver: String,
}

#[derive(Deserialize)]
struct JobPage {
    job_id: String,
    job_name: String,
    status: String,
    percent_complete: f64,
    start_time: u64,
    end_time: u64,
}

#[derive(Deserialize)]
struct StagesPage {
    stages: Vec<StagePage>,
}

#[derive(Deserialize)]
struct StagePage {
    tasks: Vec<Option<TaskPage>>,
}

#[derive(Deserialize)]
struct TaskPage {
    status: serde_json::Value,
}

async fn page<T: DeserializeOwned>(link: &Link, path: &str) -> Result<T> {
    let page = link.get(path).await?;
    serde_json::from_slice(&page)
        .map_err(|error| problem(format!("{path} of the scheduler is not understood: {error}")))
}

/// Executors that are registered.
pub(super) async fn executors(link: &Link) -> Result<Vec<ExecutorStatus>> {
    let pages: Vec<ExecutorPage> = page(link, "/api/executors").await?;
    let mut executors: Vec<_> = pages
        .into_iter()
        .map(|page| ExecutorStatus {
            memory: page
                .metrics
                .iter()
                .find(|metric| metric.kind == "proc_physical_memory")
                .map(|metric| metric.value),
            id: page.id,
            host: page.host,
            port: page.port,
            slots: page.specification.vcores,
            free: page.os_info.os_ver.parse().ok(),
            heartbeat: since(page.last_seen.unwrap_or(0)),
            description: page.os_info.system_name,
        })
        .collect();
    executors.sort_by(|left, right| (&left.host, left.port).cmp(&(&right.host, right.port)));
    Ok(executors)
}

/// Jobs that the scheduler remembers.
async fn jobs(link: &Link) -> Result<Vec<JobStatus>> {
    let mut pages: Vec<JobPage> = page(link, "/api/jobs").await?;
    pages.sort_by(|left, right| left.job_id.cmp(&right.job_id));
    let mut jobs = Vec::new();
    for page in pages {
        let label = page.job_name.parse::<JobLabel>().ok();
        let percent = match &label {
            Some(label) if page.status == "Running" => {
                percent(link, &page.job_id, label).await.unwrap_or(0.0)
            }
            _ => page.percent_complete,
        };
        let millis = match (page.start_time, page.end_time) {
            (0, _) => Duration::ZERO,
            (start, 0) => since(start),
            (start, end) => Duration::from_millis(end.saturating_sub(start)),
        };
        jobs.push(JobStatus {
            id: page.job_id,
            state: page.status,
            stage: label.map_or(page.job_name, |label| label.stage),
            percent,
            seconds: millis.as_secs_f64(),
        });
    }
    Ok(jobs)
}

/// Ballista counts stages; a job of ours has one, and its tasks are what moves.
async fn percent(link: &Link, job: &str, label: &JobLabel) -> Option<f64> {
    let page: StagesPage = page(link, &format!("/api/job/{job}/stages")).await.ok()?;
    let tasks = page.stages.iter().flat_map(|stage| &stage.tasks).flatten();
    let done = tasks.filter(|task| task.status == "Successful").count();
    Some(100.0 * done as f64 / label.tasks.max(1) as f64)
}

/// Identifiers of the unfinished jobs of a map.
pub(super) async fn unfinished(link: &Link, prefix: &str) -> Result<Vec<String>> {
    let pages: Vec<JobPage> = page(link, "/api/jobs").await?;
    let unfinished = |page: &JobPage| {
        page.job_name.starts_with(prefix) && ["Queued", "Running"].contains(&page.status.as_str())
    };
    Ok(pages.into_iter().filter(unfinished).map(|page| page.job_id).collect())
}

/// Time since a moment in milliseconds of the epoch.
fn since(millis: u64) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(Duration::from_millis(millis))
}
