//! What workers do: the tasks of an engine, on the device that each has.

use std::collections::HashMap;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use burn_did::Result;
use burn_did::backend::{Device, DidBackend, OnDevices};
use burn_did::cluster::{TaskRunner, Worker};
use burn_did::options::Precision;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;

/// Workers of this process, by device and memory.
type Workers = HashMap<(String, u64), Arc<dyn TaskRunner>>;

static WORKERS: Mutex<Option<Workers>> = Mutex::new(None);

/// The process whose threads compute; 0 before the first work.
static COMPUTES: AtomicU32 = AtomicU32::new(0);

/// Says that the threads of this process compute, which a process that is forked from it does not have.
///
/// # Errors
/// In such a process, where the work would wait for them for ever.
pub(crate) fn computes_here() -> PyResult<()> {
    let here = process::id();
    match COMPUTES.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed) {
        Err(known) if known != here => Err(PyRuntimeError::new_err(
            "this process was forked from one that has fitted before, and lacks its threads; start processes by another method, as in \
             multiprocessing.get_context(\"spawn\") and ProcessPoolExecutor(mp_context=multiprocessing.get_context(\"spawn\")), or fit first \
             in the processes alone",
        )),
        _ => Ok(()),
    }
}

/// Does a task of an engine; gives its answer. `name` names this worker in errors.
#[pyfunction]
pub(crate) fn run_task<'py>(
    py: Python<'py>,
    task: &[u8],
    backend: &str,
    memory: u64,
    name: String,
) -> PyResult<Bound<'py, PyBytes>> {
    computes_here()?;
    let worker = worker(backend, memory, name).map_err(|error| errors::raised(py, &error))?;
    let answer = py.detach(|| worker.run(task));
    Ok(PyBytes::new(py, &answer))
}

/// The worker on a device, which keeps its part of a sample from task to task.
fn worker(backend: &str, memory: u64, name: String) -> Result<Arc<dyn TaskRunner>> {
    struct Made {
        name: String,
        memory: u64,
    }
    impl OnDevices for Made {
        type Output = Arc<dyn TaskRunner>;

        fn run<B: DidBackend>(self, devices: &[B::Device], _: Precision) -> Self::Output {
            let device = devices.first().cloned().unwrap_or_default();
            Arc::new(Worker::<B>::new(self.name, device, self.memory))
        }
    }
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let workers = workers.get_or_insert_default();
    let key = (backend.to_owned(), memory);
    if let Some(worker) = workers.get(&key) {
        return Ok(Arc::clone(worker));
    }
    let made = Device::parse(backend)?.run(Made { name, memory })?;
    workers.insert(key, Arc::clone(&made));
    Ok(made)
}
