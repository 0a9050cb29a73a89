//! Event studies by windows around treatment: `lpdid` and `stacked`.

use burn_did::{LocalProjections, Stacked};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{Call, by_unit};
use crate::errors;
use crate::result::Native;

by_unit!(LocalProjections, Stacked);

/// Local projections with clean controls.
#[pyfunction]
pub(crate) fn lpdid(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    let options = &call.options;
    let unit = options.needed_text("idname")?;
    let cluster = options.cluster("clustervars", Some(&unit), false)?;
    let window = options.numbers("window")?;
    let (first, last) = match options.needed("window", window)?[..] {
        [first, last] => (-first, last),
        _ => {
            let message = "`window` must be the first and the last event time, as in (-3, 5)";
            return Err(errors::option(options.py(), message));
        }
    };
    let config = LocalProjections::builder()
        .outcome(options.needed_text("yname")?)
        .unit(unit)
        .time(options.needed_text("tname")?)
        .maybe_group(options.text("gname")?)
        .maybe_treatment(options.text("dname")?)
        .pre_window(periods(&call, "window", first)?)
        .post_window(periods(&call, "window", last)?)
        .maybe_method(options.word("method")?)
        .maybe_control_group(options.word("control_group")?)
        .maybe_base(options.parsed("pmd")?)
        .no_composition_changes(options.is("nocomp")?)
        .maybe_outcome_lags(options.count("dylags")?)
        .covariates(options.texts("xname")?.unwrap_or_default())
        .maybe_stable_periods(options.count("nonabsorbing_lag")?)
        .rank_periods(options.is("rank_periods")?)
        .maybe_weights(options.text("weightsname")?)
        .maybe_cluster(cluster)
        .maybe_frequency(options.word("frequency")?)
        .maybe_memory_budget(options.count("memory_budget")?)
        .keep_influence(options.is("influence")?)
        .maybe_missing_values(options.missing_values()?)
        .maybe_alpha(options.number("alpha")?)
        .progress(call.progress())
        .build();
    call.finish_by_unit(config)
}

/// Stacked difference-in-differences with corrective weights.
#[pyfunction]
pub(crate) fn stacked(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    let options = &call.options;
    let unit = options.needed_text("idname")?;
    let cluster = options.cluster("clustervars", Some(&unit), false)?;
    let (before, after) = (options.count("kappa_pre")?, options.count("kappa_post")?);
    let config = Stacked::builder()
        .outcome(options.needed_text("yname")?)
        .unit(unit)
        .time(options.needed_text("tname")?)
        .group(options.needed_text("gname")?)
        .pre_window(options.needed("kappa_pre", before)?)
        .post_window(options.needed("kappa_post", after)?)
        .maybe_control_group(options.word("control_group")?)
        .maybe_stack_weights(options.word("stack_weights")?)
        .maybe_effects(options.word("effects")?)
        .independent_copies(options.is("independent_copies")?)
        .covariates(options.texts("xname")?.unwrap_or_default())
        .rank_periods(options.is("rank_periods")?)
        .maybe_weights(options.text("weightsname")?)
        .maybe_cluster(cluster)
        .maybe_frequency(options.word("frequency")?)
        .maybe_memory_budget(options.count("memory_budget")?)
        .keep_influence(options.is("influence")?)
        .maybe_missing_values(options.missing_values()?)
        .maybe_alpha(options.number("alpha")?)
        .progress(call.progress())
        .build();
    call.finish_by_unit(config)
}

/// A whole number of periods, at least 0.
fn periods(call: &Call<'_>, name: &str, number: f64) -> PyResult<u32> {
    if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        return Ok(number as u32);
    }
    let message = format!("`{name}` must be whole event times around treatment, as in (-3, 5)");
    Err(errors::option(call.options.py(), &message))
}
