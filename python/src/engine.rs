//! Engines of Python: whoever hands tasks to workers and brings back answers, both bytes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use burn_did::cluster::{Engine, OnAnswer};
use burn_did::{DidError, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::errors;

/// An engine of Python. Its `workers()` is how many tasks are worked on at the same time; `answers(stage, tasks)` iterates over pairs of
/// the number of a task and its answer, or a text that says why there is none.
pub(crate) struct PyEngine {
    object: Py<PyAny>,
    heard: Mutex<Heard>,
}

/// What an engine had to say besides answers.
#[derive(Default)]
struct Heard {
    raised: Option<PyErr>,
    /// How many answers were lost, and why the last one was.
    lost: Option<(usize, String)>,
}

/// An answer with the number of its task; none if it was lost.
type Numbered = (usize, Option<Vec<u8>>);

impl PyEngine {
    pub(crate) fn new(object: Py<PyAny>) -> Self {
        Self { object, heard: Mutex::default() }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a fit by this engine gave. An error is the exception of the engine, if it raised one, or else the library's with what the
    /// engine said of lost answers; where others made good for these, there is a warning.
    pub(crate) fn outcome<T>(&self, py: Python<'_>, done: Result<T>) -> PyResult<T> {
        let Heard { raised, lost } = std::mem::take(&mut *self.heard());
        match (raised, lost, done) {
            (Some(raised), _, Err(_)) => Err(raised),
            (None, Some((_, why)), Err(DidError::Engine { problem })) => {
                let problem =
                    format!("{problem}; of an answer that was lost, the engine says: {why}");
                Err(errors::raised(py, &DidError::Engine { problem }))
            }
            (None, _, Err(error)) => Err(errors::raised(py, &error)),
            (_, Some((lost, why)), Ok(made)) => {
                let text = format!(
                    "answers of workers were lost and asked for again: {lost}, the last because of {why}"
                );
                errors::warn(py, &text)?;
                Ok(made)
            }
            (_, None, Ok(made)) => Ok(made),
        }
    }

    /// Keeps what was raised for the caller of the fit.
    fn raise(&self, error: PyErr) -> DidError {
        let problem = error.to_string();
        self.heard().raised.get_or_insert(error);
        DidError::Engine { problem }
    }

    fn next(&self, answers: &Py<PyAny>) -> PyResult<Option<Numbered>> {
        Python::attach(|py| {
            let Some(pair) = answers.bind(py).try_iter()?.next() else { return Ok(None) };
            let (number, answer): (usize, Bound<'_, PyAny>) = pair?.extract()?;
            if let Ok(bytes) = answer.extract::<&[u8]>() {
                return Ok(Some((number, Some(bytes.to_vec()))));
            }
            let why: String = answer.extract()?;
            let mut heard = self.heard();
            let before = heard.lost.take().map_or(0, |(lost, _)| lost);
            heard.lost = Some((before + 1, why));
            Ok(Some((number, None)))
        })
    }

    fn start(&self, stage: &str, tasks: &[Vec<u8>]) -> PyResult<Py<PyAny>> {
        Python::attach(|py| {
            let tasks = PyList::new(py, tasks.iter().map(|task| PyBytes::new(py, task)))?;
            let answers = self.object.bind(py).call_method1("answers", (stage, tasks))?;
            Ok(answers.try_iter()?.into_any().unbind())
        })
    }
}

/// Ends a generator, which gives up what it still waits for.
fn close(answers: &Py<PyAny>) -> PyResult<()> {
    Python::attach(|py| {
        let answers = answers.bind(py);
        if answers.hasattr("close")? { answers.call_method0("close").map(drop) } else { Ok(()) }
    })
}

impl Engine for PyEngine {
    fn workers(&self) -> Result<usize> {
        let asked = Python::attach(|py| self.object.bind(py).call_method0("workers")?.extract());
        asked.map_err(|error| self.raise(error))
    }

    fn map(
        &self,
        stage: &'static str,
        tasks: &[Vec<u8>],
        on_answer: &mut OnAnswer<'_>,
    ) -> Result<()> {
        let answers = self.start(stage, tasks).map_err(|error| self.raise(error))?;
        // Other threads of Python run while an answer is checked and added.
        while let Some((number, answer)) = self.next(&answers).map_err(|error| self.raise(error))? {
            if answer.is_some_and(|answer| on_answer(number, answer).is_break()) {
                break;
            }
        }
        close(&answers).map_err(|error| self.raise(error))
    }
}

/// An engine that several may hold.
pub(crate) type Shared = Arc<PyEngine>;
