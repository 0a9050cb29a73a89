//! A first look at data: `describe`, `panelview`, `means` and `balance`.

use burn_did::explore::Explore;
use burn_did::options::Frequency;
use burn_did::{Data, Result, SavedResult};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::Call;
use crate::errors;
use crate::options::Options;
use crate::result::Native;

/// Looks at the columns that a call names, and shows what is of one kind.
fn look<T: Send + 'static>(
    call: Call<'_>,
    kind: fn(Box<T>) -> SavedResult,
    ask: impl FnOnce(Explore, Data<'static>) -> Result<T> + Send + 'static,
) -> PyResult<Native> {
    let options = &call.options;
    let unit = options.text("idname")?;
    let cluster = options.cluster("clustervars", unit.as_deref(), unit.is_none())?;
    let frequency: Option<Frequency> = options.word("frequency")?;
    let mut explore = Explore::builder()
        .time(options.needed_text("tname")?)
        .maybe_group(options.text("gname")?)
        .maybe_unit(unit)
        .maybe_outcome(options.text("yname")?)
        .covariates(options.texts("xname")?.unwrap_or_default())
        .maybe_weights(options.text("weightsname")?)
        .maybe_cluster(cluster)
        .maybe_frequency(frequency)
        .maybe_anticipation(options.count("anticipation")?)
        .maybe_memory_budget(options.count("memory_budget")?)
        .maybe_missing_values(options.missing_values()?)
        .maybe_alpha(options.number("alpha")?)
        .maybe_treatment(options.text("dname")?)
        .by_cohort(options.is("by_cohort")?)
        .relative(options.is("relative")?)
        .progress(call.progress())
        .build();
    explore.base_period = period(&call.options, "base_period", frequency)?;
    call.finish(kind, move |data| ask(explore, data))
}

/// A period: a number, or a date where periods have a length.
pub(crate) fn period(
    options: &Options<'_>,
    name: &str,
    frequency: Option<Frequency>,
) -> PyResult<Option<f64>> {
    let Some(value) = options.object(name)? else { return Ok(None) };
    period_of(&value, frequency).map(Some).ok_or_else(|| {
        let message = format!(
            "`{name}` must be a period: a number, or with `frequency` a date such as 2007-03-01"
        );
        errors::option(options.py(), &message)
    })
}

/// A period or group that is a number, or a text or date as results and data have them.
pub(crate) fn period_of(value: &Bound<'_, PyAny>, frequency: Option<Frequency>) -> Option<f64> {
    if let Ok(number) = value.extract::<f64>() {
        return Some(number);
    }
    let text = value.str().ok()?.to_string();
    match frequency {
        Some(frequency) => frequency.period(&text),
        None => text.parse().ok(),
    }
}

/// What kind of panel the data are.
#[pyfunction]
pub(crate) fn describe(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    look(call, SavedResult::Description, |explore, data| explore.describe(data))
}

/// Who is observed and treated when.
#[pyfunction]
pub(crate) fn panelview(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    look(call, SavedResult::PanelView, |explore, data| explore.panelview(data))
}

/// Mean outcomes of cohorts over time.
#[pyfunction]
pub(crate) fn means(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    look(call, SavedResult::CohortMeans, |explore, data| explore.means(data))
}

/// How like cohorts are to their comparison units.
#[pyfunction]
pub(crate) fn balance(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    let control = call.options.word("control_group")?.unwrap_or_default();
    look(call, SavedResult::Balance, move |explore, data| explore.balance(data, control))
}
