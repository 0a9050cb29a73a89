//! One call of an estimator: its data, its arguments, and the devices that it runs on.

use std::collections::HashSet;
use std::path::PathBuf;

use burn_did::backend::{Device, DidBackend, OnDevices};
use burn_did::options::Precision;
use burn_did::{Cluster, ClusterSample, Data, DataFiles, Progress, Result, SavedResult};
use polars::prelude::{Column, DataFrame, DataType, PlSmallStr};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::anywhere::{Sample, Workers};
use crate::columns::{Named, Reading, is_unnamed_index};
use crate::engine::Shared;
use crate::errors;
use crate::files::{self, PyDataFiles};
use crate::frame;
use crate::options::Options;
use crate::result::Native;
use crate::work::{self, Hook};

/// A data frame, or files.
pub(crate) enum Source {
    Frame(DataFrame),
    Files(DataFiles),
    /// Files that the workers of an engine read.
    Apart(Cluster, Shared, PathBuf),
    /// What workers have arranged.
    Sample(Box<ClusterSample>, Shared),
}

impl Source {
    /// The data of a saved regression, with the columns that `is_wanted` of their names as JSON writes them.
    pub(crate) fn new(data: &Bound<'_, PyAny>, is_wanted: impl Fn(&str) -> bool) -> PyResult<Self> {
        Self::read(data, |column, _| {
            let written = serde_json::Value::from(column).to_string();
            let is_wanted = is_wanted(&written[1..written.len() - 1]);
            if is_wanted { Reading::Factor } else { Reading::Unread }
        })
    }

    /// The data whose columns are read as `reading` says of their names, and of whether they are an index.
    fn read(data: &Bound<'_, PyAny>, reading: impl Fn(&str, bool) -> Reading) -> PyResult<Self> {
        let types = data.py().import("burn_did._types")?;
        if let Some(converted) = Converted::of(&types, data)? {
            return converted.read(&types, data, reading).map(Self::Frame);
        }
        if data.hasattr("__arrow_c_stream__")? {
            let frame = frame::read(data, |name| reading(name, is_unnamed_index(name)))?;
            let names = frame.get_column_names_owned().into_iter();
            let unread = names
                .filter(|name| is_unnamed_index(name) && reading(name, true) == Reading::Unread);
            return Ok(Self::Frame(frame.drop_many(unread)));
        }
        if let Ok(files) = data.cast::<PyDataFiles>() {
            return Ok(Self::Files(files.get().files()));
        }
        match data.extract::<PathBuf>() {
            Ok(path) => Ok(Self::Files(files::expanded(data.py(), path)?.into())),
            Err(_) => Err(errors::data(
                data.py(),
                "`data` must be a data frame with `__arrow_c_stream__` (polars, pandas, pyarrow, DuckDB) or CSV, parquet or Stata files, by their path or as `DataFiles`",
            )),
        }
    }

    /// Data for a fit on this machine.
    pub(crate) fn data(self, py: Python<'_>) -> PyResult<Data<'static>> {
        match self {
            Self::Frame(frame) => Ok(frame.into()),
            Self::Files(files) => Ok(files.into()),
            Self::Sample(..) => Err(no_sample(py)),
            Self::Apart(..) => Err(errors::option(
                py,
                "this estimator runs on one machine only; `att_gt`, `drdid`, `ddd`, `cont_did`, `lpdid` and `stacked` run by engines",
            )),
        }
    }
}

/// The error of an estimator that takes no prepared samples.
fn no_sample(py: Python<'_>) -> PyErr {
    errors::option(
        py,
        "a prepared sample is for `att_gt`, `drdid`, `ddd` and `cont_did`; give other estimators the data",
    )
}

/// The columns of a frame that is converted before it is read, and the columns of its index.
struct Converted {
    columns: Vec<String>,
    index: Vec<String>,
}

impl Converted {
    fn of(types: &Bound<'_, PyModule>, data: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let names = types.call_method1("names", (data,))?;
        let names = names.extract::<Option<(Vec<String>, Vec<String>)>>()?;
        Ok(names.map(|(columns, index)| Self { columns, index }))
    }

    /// The columns that are read, and the others by their names.
    fn read(
        &self,
        types: &Bound<'_, PyModule>,
        data: &Bound<'_, PyAny>,
        reading: impl Fn(&str, bool) -> Reading,
    ) -> PyResult<DataFrame> {
        let columns = self.columns.iter().map(|name| (name, reading(name, false)));
        let index = self.index.iter().map(|name| (name, reading(name, true)));
        let columns: Vec<(&String, Reading)> = columns.chain(index).collect();
        let is = |is: fn(Reading) -> bool| -> Vec<&String> {
            columns.iter().filter(|(_, reading)| is(*reading)).map(|(name, _)| *name).collect()
        };
        let read = is(|reading| reading != Reading::Unread);
        let factors = is(|reading| reading == Reading::Factor);
        let converted = types.call_method1("selected", (data, read, factors))?;
        let reading_of = |name: &str| {
            let found = columns.iter().find(|(column, _)| *column == name);
            found.map_or(Reading::Unread, |(_, reading)| *reading)
        };
        let mut frame = frame::read(&converted, reading_of)?;
        let mut known: HashSet<PlSmallStr> = frame.get_column_names_owned().into_iter().collect();
        let height = frame.height();
        let unread = self.columns.iter().map(|name| PlSmallStr::from_str(name));
        let unread = unread.filter(|name| known.insert(name.clone()));
        let unread: Vec<Column> =
            unread.map(|name| Column::full_null(name, height, &DataType::Null)).collect();
        let added = frame.hstack_mut(&unread).map(drop);
        added.map_err(|error| errors::data(data.py(), &error.to_string()))?;
        Ok(frame)
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
        let named = Named::new(&options);
        let data = match (workers, data.cast::<Sample>()) {
            (Some(workers), _) => workers.cast::<Workers>()?.get().reading(data.extract()?),
            (None, Ok(sample)) => sample.get().source(),
            (None, Err(_)) => Source::read(data, |column, _| named.reading(column))?,
        };
        Ok(Self { options, data, hook })
    }

    /// A call with all columns of its data, and with those of an index that its arguments name.
    pub(crate) fn with_all_columns(
        data: &Bound<'py, PyAny>,
        given: &Bound<'py, PyDict>,
    ) -> PyResult<Self> {
        let options = Options::new(given)?;
        let hook = Hook::new(options.object("progress")?);
        let named = Named::new(&options);
        let reading = |column: &str, is_index: bool| match named.reading(column) {
            Reading::Unread if is_index => Reading::Unread,
            _ => Reading::Values,
        };
        Ok(Self { data: Source::read(data, reading)?, options, hook })
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

/// An estimator whose units are asked one by one, here or by the workers of an engine.
pub(crate) trait ByUnit: Send + 'static {
    fn here(&self, data: Data<'static>) -> Result<SavedResult>;
    fn apart(&self, cluster: &Cluster, path: PathBuf) -> Result<SavedResult>;
}

impl Call<'_> {
    /// The result of an estimator, where the data are.
    pub(crate) fn finish_by_unit(self, estimator: impl ByUnit) -> PyResult<Native> {
        let py = self.options.py();
        if matches!(self.data, Source::Sample(..)) {
            return Err(no_sample(py));
        }
        let (source, hook) = self.checked()?;
        match source {
            Source::Apart(cluster, engine, path) => {
                let done = work::run(py, &hook, move || Ok(estimator.apart(&cluster, path)))?;
                engine.outcome(py, done).map(Native::new)
            }
            here => {
                let data = here.data(py)?;
                work::run(py, &hook, move || estimator.here(data)).map(Native::new)
            }
        }
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
