//! Long work beside Python: on a thread of its own, with progress, ended by Ctrl-C.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use burn_did::{Progress, Result};
use pyo3::prelude::*;

use crate::errors;
use crate::worker;

/// How often signals are looked for, and how often progress is told.
const PAUSE: Duration = Duration::from_millis(50);
const STACK: usize = 16 << 20;
/// Name of the threads that work.
const NAME: &str = "burn-did";

/// Unwinds the work when it is to stop.
struct Stopped;

/// Who hears of the progress, and whether the work is to stop.
#[derive(Clone)]
pub(crate) struct Hook {
    callback: Option<Arc<Py<PyAny>>>,
    stop: Arc<AtomicBool>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Hook {
    pub(crate) fn new(callback: Option<Bound<'_, PyAny>>) -> Self {
        Self {
            callback: callback.map(|callback| Arc::new(callback.unbind())),
            stop: Arc::default(),
            raised: Arc::default(),
        }
    }

    /// The library's hook. It is called between the parts of a fit, where it can be ended, too.
    pub(crate) fn progress(&self) -> Progress {
        let hook = self.clone();
        let told = Mutex::new(None::<(&'static str, Instant)>);
        Progress::new(move |event| {
            if hook.stop.load(Ordering::Relaxed) {
                resume_unwind(Box::new(Stopped));
            }
            let Some(callback) = &hook.callback else { return };
            {
                let Ok(mut told) = told.lock() else { return };
                let is_news =
                    told.is_none_or(|(stage, at)| stage != event.stage || at.elapsed() > PAUSE);
                if !is_news && event.done < event.total {
                    return;
                }
                *told = Some((event.stage, Instant::now()));
            }
            let called = Python::try_attach(|py| {
                callback.call1(py, (event.stage, event.done, event.total)).map(drop)
            });
            if let Some(Err(error)) = called {
                if let Ok(mut raised) = hook.raised.lock() {
                    raised.get_or_insert(error);
                }
                hook.stop.store(true, Ordering::Relaxed);
                resume_unwind(Box::new(Stopped));
            }
        })
    }
}

/// What `work` gives. Python's other threads run meanwhile, and its signals are heeded: an exception that a signal raises is raised here
/// at once, and the work ends when it next tells its progress. In a process that was forked after such work there is none.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    hook: &Hook,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    worker::computes_here()?;
    let (sender, receiver) = channel();
    let worker = std::thread::Builder::new().name(NAME.into()).stack_size(STACK);
    let progress = hook.progress();
    let started = worker.spawn(move || {
        let work = || progress.watch(work);
        // Nothing that the work could leave half done is used after it.
        let done = catch_unwind(AssertUnwindSafe(work));
        let _ = sender.send(done);
    });
    started.map_err(|error| errors::bug(py, &format!("no thread could be started: {error}")))?;
    let mut receiver = receiver;
    loop {
        let waiting = &mut receiver;
        match py.detach(move || waiting.recv_timeout(PAUSE)) {
            Ok(done) => return finished(py, hook, done),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals() {
                    hook.stop.store(true, Ordering::Relaxed);
                    return Err(signal);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(errors::bug(py, "the fit ended without a result"));
            }
        }
    }
}

fn finished<T>(
    py: Python<'_>,
    hook: &Hook,
    done: std::result::Result<Result<T>, Box<dyn Any + Send>>,
) -> PyResult<T> {
    let raised = hook.raised.lock().ok().and_then(|mut raised| raised.take());
    match (raised, done) {
        (Some(error), _) => Err(error),
        (None, Ok(Ok(result))) => Ok(result),
        (None, Ok(Err(error))) => Err(errors::raised(py, &error)),
        (None, Err(payload)) => {
            let payload = match payload.downcast::<PyErr>() {
                Ok(error) => return Err(*error),
                Err(payload) => payload,
            };
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Err(errors::bug(py, &text.unwrap_or_else(|| "the fit stopped".into())))
        }
    }
}

/// Says nothing on standard error of panics that become exceptions.
pub(crate) fn keep_caught_panics_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_ours = std::thread::current().name() == Some(NAME);
        if !is_ours && !burn_did::panics_are_caught() {
            usual(panic);
        }
    }));
}
