//! An engine in this process: its workers are threads that get and give nothing but bytes.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::engine::{Engine, OnAnswer, TaskRunner};
use crate::base::error::Result;
use crate::base::threads::{ThreadTask, beside, receive};

/// Workers of this process.
#[derive(Debug)]
pub(crate) struct ThreadWorkers(pub Vec<Arc<dyn TaskRunner>>);

impl Engine for ThreadWorkers {
    fn workers(&self) -> Result<usize> {
        Ok(self.0.len())
    }

    fn map(&self, _: &'static str, tasks: &[Vec<u8>], on_answer: &mut OnAnswer<'_>) -> Result<()> {
        let (send, answers) = channel();
        let mut work: Vec<ThreadTask<'_>> = Vec::new();
        for (first, worker) in self.0.iter().enumerate() {
            let send = send.clone();
            work.push(Box::new(move || {
                for (number, task) in tasks.iter().enumerate().skip(first).step_by(self.0.len()) {
                    // Nobody listens any more once an answer was refused.
                    if send.send((number, worker.run(task))).is_err() {
                        break;
                    }
                }
            }));
        }
        drop(send);
        beside(work, move || {
            while let Ok((number, bytes)) = receive(&answers, Duration::MAX) {
                if on_answer(number, bytes).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }
}
