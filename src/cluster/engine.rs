//! What an engine is: the whole interface between this crate and whatever runs tasks on many machines.

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::base::error::Result;

/// Takes the number of a task and the bytes of its answer. After a [`Break`](ControlFlow::Break) no more answers are wanted.
pub type OnAnswer<'a> = dyn FnMut(usize, Vec<u8>) -> ControlFlow<()> + 'a;

/// Runs tasks on workers, wherever these are.
///
/// Tasks and answers are bytes to an engine. It may lose answers, give them in any order or twice, and run a task more than
/// once: the driver checks every answer, and asks again for those that are missing. Each worker of the engine has a
/// [`TaskRunner`], as a rule a [`Worker`](super::Worker) of the same build of this crate.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// use burn_did::cluster::{Cluster, Engine, OnAnswer, TaskRunner, Worker};
/// use burn_did::{AttGt, backend::Cpu, data};
/// # use polars::prelude::ParquetWriter;
///
/// /// An engine on threads of this process.
/// struct Threads(Vec<Arc<dyn TaskRunner>>);
///
/// impl Engine for Threads {
///     fn workers(&self) -> burn_did::Result<usize> {
///         Ok(self.0.len())
///     }
///
///     fn map(
///         &self,
///         _stage: &'static str,
///         tasks: &[Vec<u8>],
///         on_answer: &mut OnAnswer<'_>,
///     ) -> burn_did::Result<()> {
///         let (send, answers) = std::sync::mpsc::channel();
///         std::thread::scope(|scope| {
///             for (first, worker) in self.0.iter().enumerate() {
///                 let send = send.clone();
///                 scope.spawn(move || {
///                     for number in (first..tasks.len()).step_by(self.0.len()) {
///                         let _ = send.send((number, worker.run(&tasks[number])));
///                     }
///                 });
///             }
///             drop(send);
///             for (number, answer) in answers {
///                 if on_answer(number, answer).is_break() {
///                     break;
///                 }
///             }
///         });
///         Ok(())
///     }
/// }
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("panel.parquet");
/// # ParquetWriter::new(std::fs::File::create(&path)?).finish(&mut data::mpdta())?;
/// let worker = |number| -> Arc<dyn TaskRunner> {
///     Arc::new(Worker::<Cpu>::new(format!("thread {number}"), Default::default(), 64 << 20))
/// };
/// let cluster = Cluster::of(Arc::new(Threads((0..3).map(worker).collect())));
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let config = config.group("first.treat").build();
/// let fit = config.fit_cluster(&cluster, &path)?;
/// assert_eq!(fit.cells, config.fit(&data::mpdta())?.cells);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Engine: Send + Sync {
    /// How many tasks are worked on at the same time.
    ///
    /// # Errors
    /// If the engine cannot be asked.
    fn workers(&self) -> Result<usize>;

    /// Runs every task on some worker, each at least once, and hands over what comes back, in any order, possibly twice. The
    /// caller checks that all came, and asks again for those that did not. `stage` names the tasks in reports.
    ///
    /// # Errors
    /// If no task can be run.
    fn map(
        &self,
        stage: &'static str,
        tasks: &[Vec<u8>],
        on_answer: &mut OnAnswer<'_>,
    ) -> Result<()>;
}

/// Does what a task says.
pub trait TaskRunner: Send + Sync + Debug {
    /// The answer's bytes; problems are answers too.
    fn run(&self, task: &[u8]) -> Vec<u8>;
}
