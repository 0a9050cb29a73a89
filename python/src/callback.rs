//! Two-by-two estimators that are written in Python.

use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};

use burn_did::group_time::{PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

/// A callable that estimates a cell, with the arguments that ModernDiD gives it.
pub(crate) struct Callable {
    callable: Py<PyAny>,
    /// What ends the whole fit, such as a `KeyboardInterrupt`.
    ended: Mutex<Option<PyErr>>,
}

impl Callable {
    pub(crate) fn new(callable: Bound<'_, PyAny>) -> Self {
        Self { callable: callable.unbind(), ended: Mutex::default() }
    }

    fn ended(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unwinds with what ended the fit, if anything did.
    pub(crate) fn check_end(&self) {
        let ended = self.ended().take();
        if let Some(error) = ended {
            resume_unwind(Box::new(error));
        }
    }

    fn call(
        &self,
        vectors: [(&str, &[f64]); 4],
        design: &[f64],
    ) -> Result<TwoByTwoEstimate, String> {
        if self.ended().is_some() {
            return Err("the fit was ended".into());
        }
        let called = Python::try_attach(|py| {
            self.estimate(py, vectors, design).map_err(|error| {
                let text = error.to_string();
                if !error.is_instance_of::<PyException>(py) {
                    self.ended().get_or_insert(error);
                }
                text
            })
        });
        called.unwrap_or_else(|| Err("Python is shutting down".into()))
    }

    fn estimate(
        &self,
        py: Python<'_>,
        vectors: [(&str, &[f64]); 4],
        design: &[f64],
    ) -> PyResult<TwoByTwoEstimate> {
        let arguments = PyDict::new(py);
        let units = vectors[0].1.len();
        for (name, values) in vectors {
            arguments.set_item(name, array(py, values)?)?;
        }
        let columns = design.len().checked_div(units).unwrap_or(0);
        let covariates = array(py, design)?.call_method1("reshape", (columns, units))?;
        arguments.set_item("covariates", covariates.getattr("T")?)?;
        arguments.set_item("influence_func", true)?;
        let result = self.callable.bind(py).call((), Some(&arguments))?;
        let (att, influence) = parts(&result)?;
        Ok(TwoByTwoEstimate::new(att.extract()?, column(&influence)?))
    }
}

/// The effect and its influence values: a pair, or attributes of these names.
fn parts<'py>(result: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let listed = result.is_instance_of::<PyTuple>() || result.is_instance_of::<PyList>();
    if listed && result.len()? == 2 {
        return Ok((result.get_item(0)?, result.get_item(1)?));
    }
    if result.hasattr("att")? && result.hasattr("att_inf_func")? {
        return Ok((result.getattr("att")?, result.getattr("att_inf_func")?));
    }
    Err(PyValueError::new_err(format!(
        "`est_method` must give the effect and its influence values, as a pair or as `att` and `att_inf_func`, and gave {}",
        result.get_type().name()?
    )))
}

/// Influence values of shape (n,), or of a matrix with one column.
fn column(influence: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let numpy = influence.py().import("numpy")?;
    let values = numpy.call_method1("asarray", (influence, "<f8"))?;
    let shape: Vec<usize> = values.getattr("shape")?.extract()?;
    match shape[..] {
        [_] | [_, 1] => values.call_method0("ravel")?.call_method0("tolist")?.extract(),
        _ => Err(PyValueError::new_err(format!(
            "influence values must be of shape (n,), got {shape:?}"
        ))),
    }
}

/// Numbers as an array of numpy, which owns them.
fn array<'py>(py: Python<'py>, values: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let numpy = py.import("numpy")?;
    numpy.call_method1("frombuffer", (PyBytes::new(py, &bytes), "<f8"))?.call_method0("copy")
}

impl TwoByTwo for Callable {
    fn panel(&self, cell: &PanelCell<'_>) -> Result<TwoByTwoEstimate, String> {
        self.call([("y1", cell.y1), ("y0", cell.y0), ("d", cell.d), ("i_weights", cell.w)], cell.x)
    }

    fn repeated(&self, cell: &RepeatedCell<'_>) -> Result<TwoByTwoEstimate, String> {
        self.call(
            [("y", cell.y), ("post", cell.post), ("d", cell.d), ("i_weights", cell.w)],
            cell.x,
        )
    }
}
