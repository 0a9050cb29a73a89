//! Effects by a regression of untreated outcomes: `imputation` and `did2s`.

use burn_did::{Imputation, SavedResult, TwoStage};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::Call;
use crate::result::Native;

/// Effects as differences between treated outcomes and what a regression of untreated ones predicts for them.
#[pyfunction]
pub(crate) fn imputation(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    let options = &call.options;
    let unit = options.needed_text("idname")?;
    let cluster = options.cluster("clustervars", Some(&unit), false)?;
    let config = Imputation::builder()
        .outcome(options.needed_text("yname")?)
        .unit(unit)
        .time(options.needed_text("tname")?)
        .group(options.needed_text("gname")?)
        .maybe_frequency(options.word("frequency")?)
        .maybe_covariates(options.text("xformla")?)
        .fixed_effects(options.texts("first_stage")?.unwrap_or_default())
        .trends(options.is("trends")?)
        .maybe_weights(options.text("weightsname")?)
        .maybe_cluster(cluster)
        .maybe_horizons(options.numbers("horizon")?)
        .maybe_pretrends(options.listed("pretrends")?)
        .groups(options.is("groups")?)
        .averages(options.texts("wtr")?.unwrap_or_default())
        .sums(options.is("sum")?)
        .balanced_horizons(options.is("hbalance")?)
        .maybe_averaged_by(options.word("averaged_by")?)
        .maybe_cell_averages(options.word("cell_averages")?)
        .leave_out(options.is("leave_out")?)
        .maybe_min_effective(options.number("minn")?)
        .keep_influence(options.is("influence")?)
        .maybe_missing_values(options.missing_values()?)
        .maybe_alpha(options.number("alpha")?)
        .build();
    call.finish(SavedResult::Imputation, move |data| config.fit(data))
}

/// Effects by a regression of what a first stage on untreated rows leaves of outcomes.
#[pyfunction]
pub(crate) fn did2s(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    let options = &call.options;
    let unit = options.needed_text("idname")?;
    let cluster = options.cluster("clustervars", Some(&unit), false)?;
    let config = TwoStage::builder()
        .outcome(options.needed_text("yname")?)
        .unit(unit)
        .time(options.needed_text("tname")?)
        .group(options.needed_text("gname")?)
        .maybe_frequency(options.word("frequency")?)
        .maybe_covariates(options.text("xformla")?)
        .fixed_effects(options.texts("first_stage")?.unwrap_or_default())
        .trends(options.is("trends")?)
        .maybe_weights(options.text("weightsname")?)
        .maybe_cluster(cluster)
        .references(options.numbers("ref")?.unwrap_or_default())
        .groups(options.is("groups")?)
        .maybe_second_stage(options.text("second_stage")?)
        .keep_influence(options.is("influence")?)
        .maybe_missing_values(options.missing_values()?)
        .maybe_alpha(options.number("alpha")?)
        .build();
    call.finish(SavedResult::TwoStage, move |data| config.fit(data))
}
