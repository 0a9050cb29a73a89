//! Asking workers until every task has an answer that can be believed.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use super::engine::Engine;
use super::task::{Message, Problem, ProblemKind, Reply, Task};
use super::wire::{decode, digest, encode};
use crate::base::error::{DidError, Result};
use crate::base::parallel::held;
use crate::base::progress::Progress;
use crate::engine::source::ClusterWork;

/// How often a task is given out.
const ATTEMPTS: usize = 4;

/// An engine, and what is known of its workers.
pub(crate) struct Session {
    engine: Arc<dyn Engine>,
    /// Backends of the answers so far.
    arithmetic: Mutex<BTreeSet<String>>,
    /// Whether they may differ.
    mixed: bool,
    work: Mutex<ClusterWork>,
    progress: Option<Progress>,
}

/// A problem with the data of a task, which no other worker would solve.
#[derive(Debug)]
pub(super) struct Failure {
    pub task: usize,
    pub of_a_row: bool,
    pub error: DidError,
}

/// What a worker says to a question.
enum Heard {
    Reply(Reply),
    /// Who has it, and which.
    Problem(String, Problem),
}

/// Takes the reply to a task.
type TakeReply<'a> = dyn FnMut(usize, Reply) -> Result<()> + 'a;

impl Session {
    pub fn new(engine: Arc<dyn Engine>) -> Self {
        let (arithmetic, work) = (Mutex::default(), Mutex::default());
        Self { engine, arithmetic, mixed: false, work, progress: None }
    }

    /// With workers that may differ in their arithmetic.
    pub fn mixed(self, mixed: bool) -> Self {
        Self { mixed, ..self }
    }

    /// With somebody who hears how many tasks of a stage are done.
    pub fn heard_by(self, progress: Option<Progress>) -> Self {
        Self { progress, ..self }
    }

    /// How many tasks are worked on at the same time.
    pub fn workers(&self) -> Result<usize> {
        Ok(self.engine.workers()?.max(1))
    }

    /// What was done so far.
    pub fn work(&self) -> ClusterWork {
        ClusterWork { arithmetics: held(&self.arithmetic).len() as u64, ..*held(&self.work) }
    }

    fn report(&self, stage: &'static str, done: usize, tasks: usize) {
        if let Some(progress) = &self.progress {
            progress.report(stage, done as u64, tasks as u64);
        }
    }

    /// Has every task done. Replies go to `take` in any order, each once; what it refuses as no answer (a
    /// [`DidError::Engine`]) is asked for again. Problems with the data are returned in the order of the tasks.
    ///
    /// # Errors
    /// [`DidError::Engine`] if a task has no answer after some attempts, what the engine reports, and what `take` returns.
    pub(super) fn ask(
        &self,
        stage: &'static str,
        tasks: &[Task<'_>],
        take: &mut TakeReply<'_>,
    ) -> Result<Vec<Failure>> {
        let tasks: Vec<Vec<u8>> = tasks.iter().map(encode).collect::<Result<_>>()?;
        let questions: Vec<u64> = tasks.iter().map(|task| digest(task)).collect();
        let mut open: Vec<usize> = (0..tasks.len()).collect();
        let mut failures = Vec::new();
        let mut last = String::from("nothing came back");
        self.report(stage, 0, tasks.len());
        for attempt in 0..ATTEMPTS {
            if open.is_empty() {
                break;
            }
            if attempt > 0 {
                held(&self.work).tasks_again += open.len() as u64;
            }
            let sent: Cow<'_, [Vec<u8>]> = match attempt {
                0 => Cow::Borrowed(&tasks),
                _ => open.iter().map(|task| tasks[*task].clone()).collect(),
            };
            let mut done = vec![false; open.len()];
            let mut left = open.len();
            let mut answered = |number: usize, bytes: Vec<u8>| -> Result<()> {
                let Some(task) = open.get(number).copied().filter(|_| !done[number]) else {
                    return Ok(());
                };
                match self.heard(&bytes, questions[task]) {
                    Ok(Heard::Reply(reply)) => match take(task, reply) {
                        Ok(()) => done[number] = true,
                        Err(DidError::Engine { problem }) => last = problem,
                        Err(other) => return Err(other),
                    },
                    Ok(Heard::Problem(worker, problem)) if problem.kind == ProblemKind::Passing => {
                        last = format!("{worker}: {}", problem.text);
                    }
                    Ok(Heard::Problem(worker, problem)) => {
                        done[number] = true;
                        failures.push(Failure::new(task, worker, problem));
                    }
                    Err(DidError::Engine { problem }) => last = problem,
                    Err(other) => return Err(other),
                }
                if done[number] {
                    left -= 1;
                    self.report(stage, tasks.len() - left, tasks.len());
                }
                Ok(())
            };
            let mut refusal = None;
            let mapped =
                self.engine.map(stage, &sent, &mut |number, bytes| match answered(number, bytes) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        refusal = Some(error);
                        ControlFlow::Break(())
                    }
                });
            if let Some(error) = refusal {
                return Err(error);
            }
            mapped?;
            let mut done = done.into_iter();
            open.retain(|_| !done.next().unwrap_or(false));
        }
        if let Some(task) = open.first() {
            let (open, all) = (open.len(), tasks.len());
            let problem = format!(
                "{open} of {all} tasks ({stage}; the first is number {task}) have no answer after {ATTEMPTS} attempts; \
                 the last problem: {last}"
            );
            return Err(DidError::Engine { problem });
        }
        failures.sort_by_key(|failure| failure.task);
        Ok(failures)
    }

    /// As [`ask`](Self::ask), where any problem is that of all.
    pub(super) fn ask_all(
        &self,
        stage: &'static str,
        tasks: &[Task<'_>],
        take: &mut TakeReply<'_>,
    ) -> Result<()> {
        match self.ask(stage, tasks, take)?.into_iter().next() {
            None => Ok(()),
            Some(failure) => Err(failure.error),
        }
    }

    /// What a worker says, if it is an answer to this question: a reply, or who has which problem.
    fn heard(&self, bytes: &[u8], question: u64) -> Result<Heard> {
        let message: Message = decode(bytes)?;
        let engine = |problem: String| Err(DidError::Engine { problem });
        if message.question != question {
            return engine(format!("{} answered another question", message.worker));
        }
        let mut known = held(&self.arithmetic);
        if let Some(other) = known.first().filter(|known| **known != message.arithmetic)
            && !self.mixed
        {
            return Err(DidError::config(
                "backend",
                "the same arithmetic on all executors (`Cluster::mixed`, `--mixed-arithmetic` allow for others)",
                format!("{other} and, on {}, {}", message.worker, message.arithmetic),
            ));
        }
        known.insert(message.arithmetic);
        let mut work = held(&self.work);
        work.tasks += 1;
        work.bytes_read += message.bytes_read;
        Ok(match message.outcome {
            Ok(reply) => Heard::Reply(reply),
            Err(problem) => Heard::Problem(message.worker, problem),
        })
    }

    /// Backends of the workers, as far as they are known.
    pub(super) fn arithmetic(&self) -> String {
        let known: Vec<String> = held(&self.arithmetic).iter().cloned().collect();
        known.join(" and ")
    }
}

impl Failure {
    fn new(task: usize, worker: String, Problem { text, kind }: Problem) -> Self {
        let error = DidError::Worker { worker, problem: text };
        Self { task, of_a_row: kind == ProblemKind::OfARow, error }
    }
}

/// A reply of another kind than what was asked for.
pub(super) fn foreign(reply: &Reply) -> DidError {
    DidError::Engine { problem: format!("{} came where something else was asked", reply.kind()) }
}
