//! The last resort against libraries that panic on what they read.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::base::error::{DidError, Result};

/// Guards at work. Libraries panic on threads of their own too, so that it is one number for all threads.
static GUARDS: AtomicUsize = AtomicUsize::new(0);

/// Whether data are being read somewhere in this process, so that a panic becomes a
/// [`DidError::Panicked`](crate::DidError::Panicked).
///
/// A damaged parquet file can make polars panic. The error says so, and so does the process's panic hook, on standard error,
/// which belongs to the program and not to this library. A program with a hook of its own can ask here what to keep quiet about.
///
/// ```
/// let usual = std::panic::take_hook();
/// std::panic::set_hook(Box::new(move |panic| {
///     if !burn_did::panics_are_caught() {
///         usual(panic);
///     }
/// }));
/// assert!(!burn_did::panics_are_caught());
/// ```
#[must_use]
pub fn panics_are_caught() -> bool {
    GUARDS.load(Ordering::SeqCst) > 0
}

/// Counts as a guard while it exists.
struct Guard;

impl Guard {
    fn new() -> Self {
        GUARDS.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        GUARDS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What `work` returns while it reads `what`, with a panic as an error.
pub(crate) fn guarded<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let _guard = Guard::new();
    // Nothing that `work` could leave half done is used after an error.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let problem = message(&*payload);
        Err(match problem.contains(NO_THREADS) {
            true => too_many_threads(),
            false => DidError::Panicked { what: what.to_owned(), problem },
        })
    })
}

/// What the message of rayon has where its threads could not be started.
const NO_THREADS: &str = "ThreadPoolBuildError";

fn too_many_threads() -> DidError {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().filter(|asked| !asked.is_empty());
    let expected = "a number of threads that may be started here (the system refused; `ulimit -u` and the limits of a container say how many)";
    DidError::config("RAYON_NUM_THREADS", expected, asked.unwrap_or_else(|| "none".into()))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it stopped without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_that_says_what_was_read() {
        let error = guarded("a.csv", || -> Result<()> { panic!("not implemented") }).unwrap_err();
        assert!(error.to_string().starts_with("reading a.csv: not implemented; "), "{error}");
        let error = guarded("a.csv", || -> Result<()> { panic!("type {}", 3) }).unwrap_err();
        assert!(error.to_string().contains("type 3"), "{error}");
        assert!(guarded("a.csv", || Ok(1)).is_ok_and(|one| one == 1));
    }

    #[test]
    fn a_guard_is_known_while_it_is_at_work() {
        assert!(guarded("a.csv", || Ok(panics_are_caught())).expect("nothing fails"));
    }
}
