//! What an engine is.

use std::fmt::Debug;

use crate::base::error::Result;

/// Runs tasks on workers, wherever these are.
pub(crate) trait Engine: Send + Sync {
    /// How many tasks are worked on at the same time.
    ///
    /// # Errors
    /// If the engine cannot be asked.
    fn workers(&self) -> Result<usize>;

    /// Runs every task on some worker, each at least once, and hands over what comes back, in any order, possibly twice.
    /// Whoever calls checks that all came, and asks again for those that did not.
    ///
    /// # Errors
    /// If no task can be run, and what `hear` returns.
    fn map(
        &self,
        stage: &'static str,
        tasks: &[Vec<u8>],
        hear: &mut dyn FnMut(usize, Vec<u8>) -> Result<()>,
    ) -> Result<()>;
}

/// Does what a task says.
pub(crate) trait Obey: Send + Sync + Debug {
    /// The answer's bytes; problems are answers too.
    fn obey(&self, task: &[u8]) -> Vec<u8>;
}
