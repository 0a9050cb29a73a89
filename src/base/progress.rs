//! Progress reports of long work.

use std::cell::RefCell;
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

    /// Runs work on this thread whose steps it hears of, too: those of solvers that have no option for it, as of regressions with fixed
    /// effects. A panic of the callback ends the work and goes on from here.
    ///
    /// ```
    /// use burn_did::{FixedEffects, Progress, backend::Cpu, data, regression::Solver};
    /// # use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
    /// # let heard = Arc::new(AtomicU64::new(0));
    /// # let count = heard.clone();
    /// let bar = Progress::new(move |event| {
    ///     println!("{} {}/{}", event.stage, event.done, event.total);
    ///     # count.fetch_add(1, Ordering::Relaxed);
    /// });
    /// let regression = FixedEffects::<Cpu>::builder().formula("lemp ~ lpop | year + first.treat");
    /// let regression = regression.solver(Solver::Map).build();
    /// let result = bar.watch(|| regression.fit(&data::mpdta()))?;
    /// # assert!(heard.load(Ordering::Relaxed) > 0);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub fn watch<R>(&self, work: impl FnOnce() -> R) -> R {
        WATCHING.with_borrow_mut(|watching| watching.push(self.clone()));
        let _watched = Watched;
        work()
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

thread_local! {
    /// Who hears of the work on this thread; the last one began last.
    static WATCHING: RefCell<Vec<Progress>> = const { RefCell::new(Vec::new()) };
}

/// Ends a [`Progress::watch`], however it ends.
struct Watched;

impl Drop for Watched {
    fn drop(&mut self) {
        WATCHING.with_borrow_mut(Vec::pop);
    }
}

/// Tells who watches this thread how far a stage has come.
pub(crate) fn tell(stage: &'static str, done: u64, total: u64) {
    let last = WATCHING.with_borrow(|watching| watching.last().cloned());
    if let Some(progress) = last {
        progress.report(stage, done, total);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn work_is_watched_from_within_and_until_it_ends() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = |name: &'static str| {
            let heard = heard.clone();
            Progress::new(move |event| heard.lock().unwrap().push((name, event.done)))
        };
        tell("a", 0, 9);
        listener("outer").watch(|| {
            tell("a", 1, 9);
            listener("inner").watch(|| tell("a", 2, 9));
            tell("a", 3, 9);
        });
        tell("a", 4, 9);
        assert_eq!(*heard.lock().unwrap(), [("outer", 1), ("inner", 2), ("outer", 3)]);
    }

    #[test]
    fn a_panic_of_the_listener_ends_the_work() {
        let refuses = Progress::new(|event| assert!(event.done < 3, "stop"));
        let mut steps = 0;
        let ended = catch_unwind(AssertUnwindSafe(|| {
            refuses.watch(|| (0..9).for_each(|step| (tell("a", step, 9), steps += 1).1));
        }));
        assert!(ended.is_err() && steps == 3);
        tell("a", 5, 9);
    }
}
