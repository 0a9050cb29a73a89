//! One call of an estimator: its data, its arguments, and the devices that it runs on.

use std::marker::PhantomData;
use std::path::PathBuf;

use burn_did::backend::{Device, DidBackend, OnDevices};
use burn_did::options::Precision;
use burn_did::{Cluster, ClusterSample, Data, Progress, Result, SavedResult};
use polars::prelude::DataFrame;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::anywhere::{Sample, Workers};
use crate::engine::Shared;
use crate::errors;
use crate::frame;
use crate::options::Options;
use crate::result::Native;
use crate::work::{self, Hook};

/// A data frame, or a path of files.
pub(crate) enum Source {
    Frame(DataFrame),
    Path(PathBuf),
    /// Files that the workers of an engine read.
    Apart(Cluster, Shared, PathBuf),
    /// What workers have arranged.
    Sample(Box<ClusterSample>, Shared),
}

impl Source {
    /// The data of a call, with the columns that `is_wanted`.
    pub(crate) fn new(data: &Bound<'_, PyAny>, is_wanted: impl Fn(&str) -> bool) -> PyResult<Self> {
        if data.hasattr("__arrow_c_stream__")? {
            return frame::read(data, is_wanted).map(Self::Frame);
        }
        match data.extract() {
            Ok(path) => Ok(Self::Path(path)),
            Err(_) => Err(errors::data(
                data.py(),
                "`data` must be a data frame with `__arrow_c_stream__` (polars, pandas, pyarrow, DuckDB) or the path of CSV or parquet files",
            )),
        }
    }

    /// Data for a fit on this machine.
    pub(crate) fn data(self, py: Python<'_>) -> PyResult<Data<'static>> {
        match self {
            Self::Frame(frame) => Ok(frame.into()),
            Self::Path(path) => Ok(path.into()),
            Self::Apart(..) | Self::Sample(..) => Err(errors::option(
                py,
                "this estimator runs on one machine only; `att_gt`, `drdid`, `ddd` and `cont_did` run by engines",
            )),
        }
    }
}

/// What a call needs besides its own arguments.
pub(crate) struct Call<'py> {
    pub(crate) options: Options<'py>,
    data: Source,
    hook: Hook,
}

impl<'py> Call<'py> {
    /// A call with the data that its arguments name.
    pub(crate) fn new(data: &Bound<'py, PyAny>, given: &Bound<'py, PyDict>) -> PyResult<Self> {
        let options = Options::new(given)?;
        let hook = Hook::new(options.object("progress")?);
        let workers = options.object("workers")?;
        let written = options.written();
        let data = match (workers, data.cast::<Sample>()) {
            (Some(workers), _) => workers.cast::<Workers>()?.get().reading(data.extract()?),
            (None, Ok(sample)) => sample.get().source(),
            (None, Err(_)) => Source::new(data, |name| written.contains(name))?,
        };
        Ok(Self { options, data, hook })
    }

    pub(crate) fn progress(&self) -> Progress {
        self.hook.progress()
    }

    /// The result of `fit` on the data.
    pub(crate) fn finish<T: Into<SavedResult>>(
        self,
        fit: impl FnOnce(Data<'static>) -> Result<T> + Send + 'static,
    ) -> PyResult<Native> {
        let py = self.options.py();
        let (data, hook) = self.checked()?;
        let data = data.data(py)?;
        work::run(py, &hook, move || fit(data).map(Into::into)).map(Native::new)
    }

    /// The data, once all arguments are taken.
    pub(crate) fn checked(self) -> PyResult<(Source, Hook)> {
        self.options.all_taken()?;
        Ok((self.data, self.hook))
    }
}

/// A call on devices of one backend.
pub(crate) struct On<'py, B: DidBackend> {
    pub(crate) call: Call<'py>,
    pub(crate) devices: Vec<B::Device>,
    pub(crate) precision: Precision,
}

/// An estimator that runs on any backend.
pub(crate) trait Family {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<Native>;
}

/// What is done on devices of one backend: a fit, as a rule.
pub(crate) trait Job {
    type Output;

    fn run<B: DidBackend>(on: On<'_, B>) -> PyResult<Self::Output>;
}

impl<F: Family> Job for F {
    type Output = Native;

    fn run<B: DidBackend>(on: On<'_, B>) -> PyResult<Native> {
        F::fit(on)
    }
}

/// Fits where the argument `backend` says: one device by name, or several of one backend.
pub(crate) fn fit<F: Family>(
    data: &Bound<'_, PyAny>,
    given: &Bound<'_, PyDict>,
) -> PyResult<Native> {
    run::<F>(data, given)
}

/// As [`fit`], for anything that is done with the data and the options of an estimator.
pub(crate) fn run<J: Job>(
    data: &Bound<'_, PyAny>,
    given: &Bound<'_, PyDict>,
) -> PyResult<J::Output> {
    struct Work<'py, J> {
        call: Call<'py>,
        job: PhantomData<J>,
    }
    impl<J: Job> OnDevices for Work<'_, J> {
        type Output = PyResult<J::Output>;

        fn run<B: DidBackend>(self, devices: &[B::Device], precision: Precision) -> Self::Output {
            let precision = self.call.options.word("precision")?.unwrap_or(precision);
            J::run(On::<B> { call: self.call, devices: devices.to_vec(), precision })
        }
    }
    let call = Call::new(data, given)?;
    let py = data.py();
    let names = call.options.texts("backend")?.unwrap_or_else(|| vec!["cpu".into()]);
    let raised = |error| errors::raised(py, &error);
    let devices = names.iter().map(|name| Device::parse(name)).collect::<Result<Vec<_>>>();
    let work = Work::<J> { call, job: PhantomData };
    Device::run_on(&devices.map_err(raised)?, work).map_err(raised)?
}

/// Devices that this build finds on this machine, by the names that `backend` takes.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> Vec<String> {
    py.detach(|| Device::all().iter().map(ToString::to_string).collect())
}
