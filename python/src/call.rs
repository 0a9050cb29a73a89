//! One call of an estimator: its data, its arguments, and the devices that it runs on.

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
use crate::options::{Options, names};
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
            (None, Err(_)) => Source::new(data, |name| names(&written, name))?,
        };
        Ok(Self { options, data, hook })
    }

    /// A call with all columns of its data.
    pub(crate) fn with_all_columns(
        data: &Bound<'py, PyAny>,
        given: &Bound<'py, PyDict>,
    ) -> PyResult<Self> {
        let options = Options::new(given)?;
        let hook = Hook::new(options.object("progress")?);
        Ok(Self { options, data: Source::new(data, |_| true)?, hook })
    }

    /// Whether workers of an engine have the data.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(self.data, Source::Apart(..) | Source::Sample(..))
    }

    pub(crate) fn progress(&self) -> Progress {
        self.hook.progress()
    }

    /// What `work` makes of the data.
    pub(crate) fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(Data<'static>) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let py = self.options.py();
        let (data, hook) = self.checked()?;
        let data = data.data(py)?;
        work::run(py, &hook, move || work(data))
    }

    /// The data, once all arguments are taken.
    pub(crate) fn checked(self) -> PyResult<(Source, Hook)> {
        self.options.all_taken()?;
        Ok((self.data, self.hook))
    }

    /// The result of `fit` on the data, of one kind.
    pub(crate) fn finish<T: Send + 'static>(
        self,
        kind: fn(Box<T>) -> SavedResult,
        fit: impl FnOnce(Data<'static>) -> Result<T> + Send + 'static,
    ) -> PyResult<Native> {
        let fit = move |data| fit(data).map(Box::new);
        self.run(fit).map(|result| Native::new(kind(result)))
    }
}

/// A call on devices of one backend.
pub(crate) struct On<'py, B: DidBackend> {
    pub(crate) call: Call<'py>,
    pub(crate) devices: Vec<B::Device>,
    pub(crate) precision: Precision,
}

/// An estimator that runs on any backend.
pub(crate) trait Family<T> {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<T>;
}

/// Fits where the argument `backend` says: one device by name, or several of one backend.
pub(crate) fn fit<T, F: Family<T>>(
    data: &Bound<'_, PyAny>,
    given: &Bound<'_, PyDict>,
) -> PyResult<T> {
    struct Work<'py, T, F> {
        call: Call<'py>,
        family: std::marker::PhantomData<(T, F)>,
    }
    impl<T, F: Family<T>> OnDevices for Work<'_, T, F> {
        type Output = PyResult<T>;

        fn run<B: DidBackend>(self, devices: &[B::Device], precision: Precision) -> Self::Output {
            let precision = self.call.options.word("precision")?.unwrap_or(precision);
            F::fit(On::<B> { call: self.call, devices: devices.to_vec(), precision })
        }
    }
    let call = Call::new(data, given)?;
    let py = data.py();
    let names = call.options.texts("backend")?.unwrap_or_else(|| vec!["cpu".into()]);
    let raised = |error| errors::raised(py, &error);
    let devices = names.iter().map(|name| Device::parse(name)).collect::<Result<Vec<_>>>();
    let work = Work::<T, F> { call, family: std::marker::PhantomData };
    Device::run_on(&devices.map_err(raised)?, work).map_err(raised)?
}

/// Devices that this build finds on this machine, by the names that `backend` takes.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> Vec<String> {
    py.detach(|| Device::all().iter().map(ToString::to_string).collect())
}
