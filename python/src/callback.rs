//! Two-by-two estimators that are written in Python.

use burn_did::group_time::{PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// A callable that estimates a cell, with the arguments that ModernDiD gives it.
pub(crate) struct Callable(Py<PyAny>);

impl Callable {
    pub(crate) fn new(callable: Bound<'_, PyAny>) -> Self {
        Self(callable.unbind())
    }

    fn call(
        &self,
        vectors: [(&str, &[f64]); 4],
        design: &[f64],
    ) -> Result<TwoByTwoEstimate, String> {
        let called = Python::try_attach(|py| {
            let arguments = PyDict::new(py);
            let units = vectors[0].1.len();
            for (name, values) in vectors {
                arguments.set_item(name, array(py, values)?)?;
            }
            let columns = design.len().checked_div(units).unwrap_or(0);
            let covariates = array(py, design)?.call_method1("reshape", (columns, units))?;
            arguments.set_item("covariates", covariates.getattr("T")?)?;
            arguments.set_item("influence_func", true)?;
            let result = self.0.bind(py).call((), Some(&arguments))?;
            let (att, influence) = match result.extract::<(f64, Bound<'_, PyAny>)>() {
                Ok(pair) => pair,
                Err(_) => (result.getattr("att")?.extract()?, result.getattr("att_inf_func")?),
            };
            let influence = influence.try_iter()?.map(|value| value?.extract());
            Ok(TwoByTwoEstimate::new(att, influence.collect::<PyResult<Vec<f64>>>()?))
        });
        match called {
            Some(done) => done.map_err(|error: PyErr| error.to_string()),
            None => Err("Python is shutting down".into()),
        }
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
