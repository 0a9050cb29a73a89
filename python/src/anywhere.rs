//! Estimators that run here or by the workers of an engine, and samples that these have arranged for several fits.

use std::path::PathBuf;
use std::sync::Arc;

use burn_did::backend::DidBackend;
use burn_did::cluster::Engine;
use burn_did::{AttGt, Cluster, ClusterSample, ContDid, Data, Ddd, Drdid, Result, SavedResult};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{self, Family, On, Source};
use crate::doses::Doses;
use crate::engine::{PyEngine, Shared};
use crate::errors;
use crate::group_time::{GroupTime, Triple};
use crate::result::Native;
use crate::two_periods::TwoPeriods;
use crate::work;

/// The workers of an engine, and a directory that all of them see.
#[pyclass(frozen, name = "Cluster", module = "burn_did._native")]
pub(crate) struct Workers {
    cluster: Cluster,
    engine: Shared,
}

#[pymethods]
impl Workers {
    #[new]
    #[pyo3(signature = (engine, scratch, influence=None, mixed=false))]
    fn new(engine: Py<PyAny>, scratch: PathBuf, influence: Option<PathBuf>, mixed: bool) -> Self {
        let engine = Arc::new(PyEngine::new(engine));
        let shared: Arc<dyn Engine> = Arc::<PyEngine>::clone(&engine);
        let cluster = Cluster::of(shared).mixed(mixed).with_directory(scratch);
        let cluster = match influence {
            Some(influence) => cluster.with_influence(influence),
            None => cluster,
        };
        Self { cluster, engine }
    }

    /// A sample that was kept.
    fn open(&self, py: Python<'_>, path: PathBuf) -> PyResult<Sample> {
        let opened = py.detach(|| self.cluster.open(path));
        let sample = opened.map_err(|error| errors::raised(py, &error))?;
        Ok(Sample { sample, engine: Arc::clone(&self.engine) })
    }
}

impl Workers {
    /// These workers and the files that they are to read.
    pub(crate) fn reading(&self, path: PathBuf) -> Source {
        Source::Apart(self.cluster.clone(), Arc::clone(&self.engine), path)
    }
}

/// A sample that workers have arranged once, for several fits. Its files are deleted with it, unless they are kept.
#[pyclass(frozen, module = "burn_did._native")]
pub(crate) struct Sample {
    sample: ClusterSample,
    engine: Shared,
}

#[pymethods]
impl Sample {
    /// Leaves the files where they are; gives the path by which they are found.
    fn keep(&self, py: Python<'_>) -> PyResult<PathBuf> {
        py.detach(|| self.sample.keep()).map_err(|error| errors::raised(py, &error))
    }
}

impl Sample {
    pub(crate) fn source(&self) -> Source {
        Source::Sample(Box::new(self.sample.clone()), Arc::clone(&self.engine))
    }
}

/// An estimator with its options, here or on a cluster.
pub(crate) trait Fits<B: DidBackend>: Send + 'static {
    fn here(&self, data: Data<'static>, devices: &[B::Device]) -> Result<SavedResult>;
    fn apart(&self, cluster: &Cluster, path: PathBuf) -> Result<SavedResult>;
    fn of_sample(&self, sample: &ClusterSample) -> Result<SavedResult>;
    fn prepare(&self, cluster: &Cluster, path: PathBuf) -> Result<ClusterSample>;
}

macro_rules! fits {
    ($($estimator:ident is $result:ident),+ $(,)?) => {$(
        impl<B: DidBackend> Fits<B> for $estimator<B> {
            fn here(&self, data: Data<'static>, devices: &[B::Device]) -> Result<SavedResult> {
                Ok(SavedResult::$result(Box::new(self.fit_on_devices(data, devices)?)))
            }

            fn apart(&self, cluster: &Cluster, path: PathBuf) -> Result<SavedResult> {
                Ok(SavedResult::$result(Box::new(self.fit_cluster(cluster, path)?)))
            }

            fn of_sample(&self, sample: &ClusterSample) -> Result<SavedResult> {
                Ok(SavedResult::$result(Box::new(self.fit_sample(sample)?)))
            }

            fn prepare(&self, cluster: &Cluster, path: PathBuf) -> Result<ClusterSample> {
                $estimator::prepare(self, cluster, path)
            }
        }
    )+};
}

fits!(AttGt is GroupTime, Ddd is GroupTime, Drdid is Drdid, ContDid is ContDid);

/// Makes an estimator that runs anywhere.
pub(crate) trait Anywhere {
    type Estimator<B: DidBackend>: Fits<B>;

    fn estimator<B: DidBackend>(on: &On<'_, B>) -> PyResult<Self::Estimator<B>>;
}

/// A fit.
impl<F: Anywhere> Family<Native> for F {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<Native> {
        let estimator = F::estimator(&on)?;
        let (py, devices) = (on.call.options.py(), on.devices);
        let (source, hook) = on.call.checked()?;
        match source {
            Source::Apart(cluster, engine, path) => {
                let done = work::run(py, &hook, move || Ok(estimator.apart(&cluster, path)))?;
                engine.outcome(py, done).map(Native::new)
            }
            Source::Sample(sample, engine) => {
                let done = work::run(py, &hook, move || Ok(estimator.of_sample(&sample)))?;
                engine.outcome(py, done).map(Native::new)
            }
            here => {
                let data = here.data(py)?;
                work::run(py, &hook, move || estimator.here(data, &devices)).map(Native::new)
            }
        }
    }
}

/// In place of a fit, its sample.
impl<F: Anywhere> Family<Sample> for F {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<Sample> {
        let estimator = F::estimator(&on)?;
        let py = on.call.options.py();
        let (source, hook) = on.call.checked()?;
        let Source::Apart(cluster, engine, path) = source else {
            return Err(errors::option(py, "a sample is prepared by an engine; give one"));
        };
        let done = work::run(py, &hook, move || Ok(estimator.prepare(&cluster, path)))?;
        let sample = engine.outcome(py, done)?;
        Ok(Sample { sample, engine })
    }
}

/// Has workers arrange the sample of an estimator, by its name.
#[pyfunction]
pub(crate) fn prepare(
    estimator: &str,
    data: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Sample> {
    match estimator {
        "att_gt" => call::fit::<Sample, GroupTime>(data, options),
        "ddd" => call::fit::<Sample, Triple>(data, options),
        "drdid" => call::fit::<Sample, TwoPeriods>(data, options),
        "cont_did" => call::fit::<Sample, Doses>(data, options),
        other => {
            let problem = format!(
                "samples are prepared for att_gt, drdid, ddd and cont_did, not for {other}"
            );
            Err(errors::option(data.py(), &problem))
        }
    }
}
