//! The engine: maps over the executors of a cluster.

use super::deadline::Deadline;
use super::label::JobLabel;
use super::link::Link;
use super::plan::{self, TaskAnswer};
use super::threads::RuntimeThreads;
use super::tls::Tls;
use super::{problem, status};
use crate::base::error::Result;
use crate::base::threads::receive;
use crate::cluster::engine::{Engine, OnAnswer};
use futures::{FutureExt, StreamExt, stream};
use std::collections::HashMap;
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

/// How patient a client is.
#[derive(Clone, Debug)]
pub(crate) struct ClientOptions {
    /// The least time without an answer after which a map is given up.
    pub(crate) floor: Duration,
    /// That time as a multiple of the slowest task so far.
    pub(crate) multiple: u32,
    /// Time to wait for an executor if there is none.
    pub(crate) executors: Duration,
    /// The ring of the cluster, if it has one.
    pub(crate) tls: Option<Tls>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            floor: Duration::from_secs(120),
            multiple: 8,
            executors: Duration::from_secs(30),
            tls: None,
        }
    }
}

/// A session with a scheduler.
pub(crate) struct Client {
    threads: RuntimeThreads,
    link: Link,
    options: ClientOptions,
    session: String,
    maps: AtomicU64,
    /// The slowest task of each stage so far, and how often its last maps were given up without an answer.
    slowest: Mutex<HashMap<&'static str, (Duration, u32)>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Client").field("session", &self.session).finish_non_exhaustive()
    }
}

/// Jobs at the same time.
const JOBS: usize = 6;
/// Bytes of tasks in a job.
const BYTES: usize = 32 << 20;
/// Answers that are fetched but not yet taken.
const AHEAD: usize = 16;
/// Fetches of a job at the same time.
const FETCHES: usize = 4;
/// Jobs of a map with many tasks.
const PIECES: usize = 24;

impl Client {
    /// Connects to the scheduler at `df://host:port`.
    pub(crate) fn connect(address: &str, options: ClientOptions) -> Result<Self> {
        let threads = RuntimeThreads::new("cluster", 2)?;
        let (target, tls) = (address.to_owned(), options.tls.clone());
        let link = threads.wait(async move { Link::connect(&target, tls.as_ref()).await })??;
        let session = ballista_core::ids::new_instance_id();
        Ok(Self {
            threads,
            link,
            options,
            session,
            maps: AtomicU64::new(0),
            slowest: Mutex::default(),
        })
    }

    /// Slots of all executors, once there is one.
    fn slots(&self) -> Result<usize> {
        let start = Instant::now();
        loop {
            match self.workers()? {
                0 if start.elapsed() < self.options.executors => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                0 => return Err(problem("no executor is registered at the scheduler")),
                slots => return Ok(slots),
            }
        }
    }

    fn deadline(&self, stage: &'static str) -> Deadline {
        let slowest = self.slowest.lock().unwrap_or_else(PoisonError::into_inner);
        let (slowest, failures) = slowest.get(stage).copied().unwrap_or_default();
        // Tasks that are longer than the floor must get through at some time.
        let floor = self.options.floor.saturating_mul(1 << failures.min(6));
        Deadline::new(floor, self.options.multiple, slowest)
    }

    fn remember(&self, stage: &'static str, deadline: Deadline, in_vain: bool) {
        let mut slowest = self.slowest.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = slowest.entry(stage).or_default();
        entry.0 = entry.0.max(deadline.slowest());
        entry.1 = if in_vain { entry.1 + 1 } else { 0 };
    }

    /// Cancels what still runs of a map.
    fn cancel(&self, prefix: String) {
        let link = self.link.clone();
        let cancel = async move {
            for job in status::unfinished(&link, &prefix).await? {
                link.cancel(job).await?;
            }
            Result::Ok(())
        };
        // The timer belongs to the threads that wait.
        let limited = async { tokio::time::timeout(Duration::from_secs(10), cancel).await };
        if !matches!(self.threads.wait(limited), Ok(Ok(Ok(())))) {
            tracing::warn!("jobs of a map that was given up could not be cancelled");
        }
    }
}

impl Engine for Client {
    fn workers(&self) -> Result<usize> {
        let link = self.link.clone();
        let executors = self.threads.wait(async move { status::executors(&link).await })??;
        Ok(executors.iter().map(|executor| executor.slots as usize).sum())
    }

    fn map(
        &self,
        stage: &'static str,
        tasks: &[Vec<u8>],
        on_answer: &mut OnAnswer<'_>,
    ) -> Result<()> {
        if tasks.is_empty() {
            return Ok(());
        }
        let pieces = cut(tasks, self.slots()?);
        let map = self.maps.fetch_add(1, Ordering::Relaxed);
        let mut deadline = self.deadline(stage);
        let mut flight = Flight::new(self, JobLabel::prefix(&self.session, map));
        let mut pieces = pieces.into_iter();
        let mut answered = vec![false; tasks.len()];
        let mut missing = tasks.len();
        loop {
            while flight.running < JOBS
                && let Some(piece) = pieces.next()
            {
                let label = JobLabel {
                    session: self.session.clone(),
                    map,
                    stage: stage.to_owned(),
                    first: piece.start,
                    tasks: piece.len(),
                    total: tasks.len(),
                };
                flight.start(label, plan::encode(piece.start, &tasks[piece])?)?;
            }
            // Jobs that only wait for a copy of an answer are left to themselves.
            if flight.running == 0 || missing == 0 {
                flight.over = true;
                break;
            }
            match receive(&flight.events, deadline.limit()) {
                Ok(Event::Answer(found, _permit)) => {
                    deadline.seen(found.time);
                    if let Some(answered) = answered.get_mut(found.task) {
                        missing -= usize::from(!*answered);
                        *answered = true;
                        if on_answer(found.task, found.bytes).is_break() {
                            return Ok(());
                        }
                    }
                }
                Ok(Event::End(ended)) => {
                    flight.running -= 1;
                    ended?;
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    tracing::warn!(
                        "{stage}: no answer for {:?}, the rest is given up",
                        deadline.limit()
                    );
                    break;
                }
            }
        }
        self.remember(stage, deadline, missing == tasks.len());
        Ok(())
    }
}

/// Cuts a map into jobs: enough of them that answers come early, not so many that jobs cost more than tasks, none with too many bytes.
fn cut(tasks: &[Vec<u8>], slots: usize) -> Vec<Range<usize>> {
    let most = tasks.len().div_ceil(PIECES).max(2 * slots.max(1));
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (task, content) in tasks.iter().enumerate() {
        if task > start && (task - start == most || bytes + content.len() > BYTES) {
            pieces.push(start..task);
            (start, bytes) = (task, 0);
        }
        bytes += content.len();
    }
    pieces.push(start..tasks.len());
    pieces
}

/// What a job in flight has to say.
enum Event {
    /// An answer, with the right to hold those of its partition.
    Answer(TaskAnswer, Arc<OwnedSemaphorePermit>),
    /// The job has ended, and all its answers are here that can be had.
    End(Result<()>),
}

/// The jobs of a map that are on their way; what is left of them is cancelled when the map ends early.
struct Flight<'a> {
    client: &'a Client,
    prefix: String,
    sender: Sender<Event>,
    events: Receiver<Event>,
    ahead: Arc<Semaphore>,
    handles: Vec<JoinHandle<()>>,
    running: usize,
    over: bool,
}

impl<'a> Flight<'a> {
    fn new(client: &'a Client, prefix: String) -> Self {
        let (sender, events) = channel();
        let ahead = Arc::new(Semaphore::new(AHEAD));
        Self { client, prefix, sender, events, ahead, handles: Vec::new(), running: 0, over: false }
    }

    fn start(&mut self, label: JobLabel, plan: Vec<u8>) -> Result<()> {
        let link = self.client.link.clone();
        let ahead = Arc::clone(&self.ahead);
        let sender = self.sender.clone();
        self.handles.push(self.client.threads.spawn(async move {
            let ended = AssertUnwindSafe(job(&link, &label, plan, &ahead, &sender)).catch_unwind();
            let ended = ended.await.unwrap_or_else(|_| Err(problem("a job panicked")));
            sender.send(Event::End(ended)).ok();
        })?);
        self.running += 1;
        Ok(())
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if !self.over {
            for handle in &self.handles {
                handle.abort();
            }
            self.client.cancel(std::mem::take(&mut self.prefix));
        }
    }
}

/// Runs a job and sends its answers. Jobs lost with their executor are left out: the caller asks again.
async fn job(
    link: &Link,
    label: &JobLabel,
    plan: Vec<u8>,
    ahead: &Arc<Semaphore>,
    sender: &Sender<Event>,
) -> Result<()> {
    let finished = link.run(label, plan).await?;
    // An executor that was lost may stand beside the one that has done its task again.
    let mut fetches = stream::iter(finished.answers)
        .map(|place| async {
            let permit = Arc::clone(ahead).acquire_owned().await.map_err(problem)?;
            Result::Ok((link.fetch(place).await, permit))
        })
        .buffer_unordered(FETCHES);
    while let Some(fetched) = fetches.next().await {
        let (fetched, permit) = fetched?;
        match fetched {
            Ok(answers) => {
                let permit = Arc::new(permit);
                for found in answers {
                    // Nobody listens when the map has all its answers.
                    sender.send(Event::Answer(found, Arc::clone(&permit))).ok();
                }
            }
            Err(error) => tracing::warn!("{}: an answer is lost: {error}", label.stage),
        }
    }
    let link = link.clone();
    tokio::spawn(async move { link.clean(finished.job).await });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_all_tasks_once() {
        for (count, size, slots) in
            [(1, 0, 1), (8, 10, 2), (200, 0, 2), (1000, 0, 64), (7, 20 << 20, 2)]
        {
            let tasks = vec![vec![0; size]; count];
            let pieces = cut(&tasks, slots);
            let covered: Vec<usize> = pieces.into_iter().flatten().collect();
            assert_eq!(covered, (0..count).collect::<Vec<_>>());
        }
    }
}
