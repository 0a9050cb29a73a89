//! The executors of a scheduler, and which of them gets which task.

use super::homes::homes;
use super::label::JobLabel;
use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::error::Result;
use ballista_core::serde::protobuf::{ExecutorHeartbeat, job_status};
use ballista_core::serde::scheduler::{ExecutorData, ExecutorMetadata, TaskKey};
use ballista_scheduler::cluster::memory::InMemoryClusterState;
use ballista_scheduler::cluster::{BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::state::execution_graph::{TaskDescription, create_task_info};
use ballista_scheduler::state::execution_stage::RunningStage;
use ballista_scheduler::state::task_manager::JobInfoCache;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::Mutex;

/// Executors in memory as Ballista keeps them, with a distribution of tasks that knows where their data are: task `t` of every
/// map of a session goes to the same executor while that lives, to another one if its own has more than a round of work waiting.
#[derive(Default)]
pub(super) struct Members {
    registered: InMemoryClusterState,
    slots: Mutex<BTreeMap<String, Slots>>,
    places: Mutex<Places>,
}

#[derive(Clone, Copy)]
struct Slots {
    all: u32,
    free: u32,
}

/// Homes of the latest maps, for the executors that there were.
#[derive(Default)]
struct Places {
    executors: Vec<(String, u32)>,
    known: HashMap<(String, usize), Arc<Vec<usize>>>,
}

impl Places {
    /// Maps whose homes are kept.
    const KEPT: usize = 64;

    /// Homes of a map's tasks, as positions in `executors`.
    fn of(&mut self, label: &JobLabel, executors: &[(String, u32)]) -> Arc<Vec<usize>> {
        if self.executors != executors || self.known.len() > Self::KEPT {
            self.known.clear();
            self.executors = executors.to_vec();
        }
        let key = (label.session.clone(), label.total);
        let planned = || Arc::new(homes(&label.session, label.total, executors));
        Arc::clone(self.known.entry(key).or_insert_with(planned))
    }
}

/// Tasks that wait, and executors that may have them.
struct Offers {
    executors: Vec<(String, u32)>,
    free: Vec<u32>,
    /// Tasks that wait for each executor.
    waiting: Vec<usize>,
    bound: Vec<BoundTask>,
}

impl Members {
    /// Executors by identifier, with their slots, that may have tasks now.
    fn offers(slots: &BTreeMap<String, Slots>, alive: Option<&HashSet<String>>) -> Offers {
        let mut executors = Vec::new();
        let mut free = Vec::new();
        for (executor, slots) in slots {
            if alive.is_none_or(|alive| alive.contains(executor)) {
                executors.push((executor.clone(), slots.all));
                free.push(slots.free);
            }
        }
        let waiting = vec![0; executors.len()];
        Offers { executors, free, waiting, bound: Vec::new() }
    }

    /// Homes of a stage's partitions; those of a foreign job have none.
    async fn homes(&self, name: &str, executors: &[(String, u32)]) -> Homes {
        match name.parse::<JobLabel>() {
            Ok(label) => {
                let known = self.places.lock().await.of(&label, executors);
                Homes { known: Some(known), first: label.first }
            }
            Err(_) => Homes { known: None, first: 0 },
        }
    }
}

/// Homes of the partitions of a job.
struct Homes {
    known: Option<Arc<Vec<usize>>>,
    first: usize,
}

impl Homes {
    fn of(&self, partition: usize) -> Option<usize> {
        self.known.as_ref()?.get(self.first + partition).copied()
    }
}

impl Offers {
    /// Gives partitions of a stage to the executors that `choose` names; these must have free slots.
    fn give(
        &mut self,
        job: &JobId,
        session: &str,
        stage: &mut RunningStage,
        backwards: bool,
        mut choose: impl FnMut(&mut Self, usize) -> Option<usize>,
    ) {
        let mut pending = stage.pending.next_slice(usize::MAX);
        if backwards {
            pending.reverse();
        }
        pending.retain(|&partition| {
            let Some(executor) = choose(self, partition) else {
                return true;
            };
            self.free[executor] -= 1;
            let executor = self.executors[executor].0.clone();
            let task = bind(job, session, stage, partition, &executor);
            self.bound.push((executor, task));
            false
        });
        if backwards {
            pending.reverse();
        }
        stage.pending.reschedule(pending);
    }

    /// The task's own executor, if it is free; else the task waits.
    fn home(&mut self, home: usize) -> Option<usize> {
        if self.free[home] > 0 {
            return Some(home);
        }
        self.waiting[home] += 1;
        None
    }

    /// Another executor, if the task's own one has more than a round of work waiting.
    fn other(&mut self, home: Option<usize>) -> Option<usize> {
        let free = (0..self.free.len()).max_by_key(|&executor| self.free[executor])?;
        if self.free[free] == 0 {
            return None;
        }
        if let Some(home) = home {
            let round = self.executors[home].1 as usize;
            if self.waiting[home] <= round {
                return None;
            }
            self.waiting[home] -= 1;
        }
        Some(free)
    }
}

/// A task of one partition, entered in its stage's list.
fn bind(
    job: &JobId,
    session: &str,
    stage: &mut RunningStage,
    partition: usize,
    executor: &str,
) -> TaskDescription {
    let task_id = stage.task_infos.len();
    let mut info = create_task_info(executor.to_owned(), task_id);
    info.global_input_partition_ids = vec![partition];
    info.vcores_consumed = 1;
    stage.task_infos.push(info);
    TaskDescription {
        session_id: session.to_owned(),
        key: TaskKey { job_id: job.clone(), stage_id: stage.stage_id, task_id },
        stage_attempt_num: stage.stage_attempt_num,
        task_attempt: stage.task_failure_numbers.get(partition).copied().unwrap_or(0),
        global_input_partition_ids: vec![partition],
        vcores_consumed: 1,
        plan: Arc::clone(&stage.plan),
        session_config: Arc::clone(&stage.session_config),
    }
}

#[async_trait]
impl ClusterState for Members {
    async fn bind_schedulable_tasks(
        &self,
        _: TaskDistributionPolicy,
        active_jobs: Arc<HashMap<JobId, JobInfoCache>>,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        let mut slots = self.slots.lock().await;
        let mut offers = Self::offers(&slots, executors.as_ref());
        if offers.free.iter().all(|&free| free == 0) {
            return Ok(Vec::new());
        }
        let mut jobs: Vec<_> = active_jobs
            .iter()
            .filter(|(_, job)| matches!(job.status, Some(job_status::Status::Running(_))))
            .collect();
        // Identifiers grow with time: first come, first served.
        jobs.sort_by(|left, right| left.0.as_str().cmp(right.0.as_str()));
        // First every task goes to its home executor, then tasks that wait too long go to any free executor.
        for at_home in [true, false] {
            for &(id, job) in &jobs {
                let mut graph = job.execution_graph.write().await;
                let session = graph.session_id().to_owned();
                let homes = self.homes(graph.job_name(), &offers.executors).await;
                let mut seen = Vec::new();
                while let Some(stage) = graph.fetch_running_stage(&seen) {
                    seen.push(stage.stage_id);
                    let choose = |offers: &mut Offers, partition| match homes.of(partition) {
                        Some(home) if at_home => offers.home(home),
                        None if at_home => None,
                        home => offers.other(home),
                    };
                    // What would be done last at home is what others take.
                    offers.give(id, &session, stage, !at_home, choose);
                }
            }
        }
        for (executor, _) in &offers.bound {
            if let Some(slots) = slots.get_mut(executor) {
                slots.free = slots.free.saturating_sub(1);
            }
        }
        Ok(offers.bound)
    }

    async fn unbind_tasks(&self, executor_slots: Vec<ExecutorSlot>) -> Result<()> {
        let mut slots = self.slots.lock().await;
        for (executor, freed) in executor_slots {
            if let Some(slots) = slots.get_mut(&executor) {
                slots.free = slots.free.saturating_add(freed).min(slots.all);
            }
        }
        Ok(())
    }

    async fn register_executor(
        &self,
        metadata: ExecutorMetadata,
        spec: ExecutorData,
    ) -> Result<()> {
        let executor = metadata.id.clone();
        let slots = Slots { all: spec.total_vcores, free: spec.available_vcores };
        self.registered.register_executor(metadata, spec).await?;
        self.slots.lock().await.insert(executor, slots);
        Ok(())
    }

    async fn save_executor_metadata(&self, metadata: ExecutorMetadata) -> Result<()> {
        self.registered.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(&self, executor_id: &str) -> Result<ExecutorMetadata> {
        self.registered.get_executor_metadata(executor_id).await
    }

    /// Ballista's list of executors has no field for free slots: they stand as the version of the operating system.
    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        let mut executors = self.registered.registered_executor_metadata().await;
        let slots = self.slots.lock().await;
        for executor in &mut executors {
            let free = slots.get(&executor.id).map_or(0, |slots| slots.free);
            executor.os_info.os_ver = free.to_string();
        }
        executors
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.registered.save_executor_heartbeat(heartbeat).await
    }

    async fn remove_executor(&self, executor_id: &str) -> Result<()> {
        self.slots.lock().await.remove(executor_id);
        self.registered.remove_executor(executor_id).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.registered.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, executor_id: &str) -> Option<ExecutorHeartbeat> {
        self.registered.get_executor_heartbeat(executor_id)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.registered.cluster_state_events().await
    }
}
