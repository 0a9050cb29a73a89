//! A runtime that may be asked from any thread.

use super::problem;
use crate::base::error::Result;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Threads of an own tokio runtime; waiting for them is allowed everywhere, also on threads of another runtime.
#[derive(Debug)]
pub(super) struct RuntimeThreads(Option<Runtime>);

impl RuntimeThreads {
    /// Starts this many threads.
    pub(super) fn new(name: &str, threads: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads.max(1))
            .thread_name(name)
            .enable_all()
            .build()
            .map_err(|error| problem(format!("no threads for {name}: {error}")))?;
        Ok(Self(Some(runtime)))
    }

    /// Runs a future beside the caller.
    pub(super) fn spawn<F>(&self, future: F) -> Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        match &self.0 {
            Some(runtime) => Ok(runtime.spawn(future)),
            None => Err(problem("the threads have ended")),
        }
    }

    /// Runs a future and waits for its end.
    pub(super) fn wait<F>(&self, future: F) -> Result<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        self.spawn(async move {
            sender.send(future.await).ok();
        })?;
        receiver.recv().map_err(|_| problem("work in the background ended early"))
    }
}

impl Drop for RuntimeThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn may_be_asked_and_dropped_inside_another_runtime() {
        let outer = Builder::new_current_thread().build().unwrap();
        outer.block_on(async {
            let threads = RuntimeThreads::new("inner", 1).unwrap();
            assert_eq!(threads.wait(async { 7 }).unwrap(), 7);
        });
    }

    #[test]
    fn a_panic_inside_is_an_error() {
        let threads = RuntimeThreads::new("panics", 1).unwrap();
        let error = threads.wait(async { panic!("inside") }).unwrap_err();
        assert!(error.to_string().contains("ended early"), "{error}");
    }
}
