//! Progress reports of long work.

use std::fmt;
use std::sync::Arc;

/// How far a stage has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgressEvent {
    /// What is being done.
    pub stage: &'static str,
    /// Parts done.
    pub done: u64,
    /// Parts in all.
    pub total: u64,
}

/// A callback that hears how far the work has come. It is called on the thread that drives the fit.
///
/// ```
/// use burn_did::Progress;
/// # use burn_did::{AttGt, backend::Cpu, data};
/// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let bar = Progress::new(|event| println!("{} {}/{}", event.stage, event.done, event.total));
/// let config = config.group("first.treat").progress(bar).build();
/// config.fit(&data::mpdta())?;
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(ProgressEvent) + Send + Sync>);

impl Progress {
    /// Wraps a callback.
    pub fn new(callback: impl Fn(ProgressEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(callback))
    }

    pub(crate) fn report(&self, stage: &'static str, done: u64, total: u64) {
        (self.0)(ProgressEvent { stage, done, total });
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}
