//! Group-time effects: `att_gt`, and what is made of them.

use burn_did::backend::DidBackend;
use burn_did::group_time::AggregationKind;
use burn_did::{Aggregation, AttGt, SavedResult};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::anywhere::Anywhere;
use crate::call::{self, On};
use crate::errors;
use crate::options::Options;
use crate::result::Native;
use crate::words::band;

/// Options that all estimators on samples of units share, from the arguments of a call.
macro_rules! with_shared {
    ($estimator:ty, $on:expr, unit: $unit:expr, cluster: $cluster:expr) => {{
        let options = &$on.call.options;
        <$estimator>::builder()
            .outcome(options.needed_text("yname")?)
            .maybe_unit($unit)
            .time(options.needed_text("tname")?)
            .maybe_frequency(options.word("frequency")?)
            .maybe_weights(options.text("weightsname")?)
            .maybe_cluster($cluster)
            .maybe_missing_values(options.missing_values()?)
            .maybe_alpha(options.number("alpha")?)
            .maybe_bootstrap(options.bootstrap()?)
            .keep_influence(options.is("influence")?)
            .precision($on.precision)
            .maybe_memory_budget(options.count("memory_budget")?)
            .progress($on.call.progress())
    }};
}

/// `att_gt`
pub(crate) struct GroupTime;

impl Anywhere for GroupTime {
    type Estimator<B: DidBackend> = AttGt<B>;

    fn estimator<B: DidBackend>(on: &On<'_, B>) -> PyResult<AttGt<B>> {
        let options = &on.call.options;
        let sections = !options.flag("panel")?.unwrap_or(true);
        let unit = options.text("idname")?;
        let cluster = options.cluster("clustervars", unit.as_deref(), sections)?;
        Ok(with_shared!(AttGt<B>, on, unit: unit, cluster: cluster)
            .maybe_covariates(options.text("xformla")?)
            .repeated_cross_sections(sections)
            .group(options.needed_text("gname")?)
            .maybe_control_group(options.word("control_group")?)
            .maybe_base_period(options.word("base_period")?)
            .maybe_method(options.word("est_method")?)
            .maybe_band(band(options)?)
            .maybe_anticipation(options.count("anticipation")?)
            .allow_unbalanced_panel(options.is("allow_unbalanced_panel")?)
            .maybe_fix_weights(options.word("fix_weights")?)
            .weighting(options.is("weighting")?)
            .keep_scores(options.is("keep_scores")?)
            .build())
    }
}

/// Group-time effects of staggered adoption.
#[pyfunction]
pub(crate) fn att_gt(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    call::fit::<GroupTime>(data, options)
}

/// Averages of group-time effects.
#[pyfunction]
pub(crate) fn aggte(
    py: Python<'_>,
    result: &Native,
    options: &Bound<'_, PyDict>,
) -> PyResult<Native> {
    let options = Options::new(options)?;
    let kind = options.word::<AggregationKind>("type")?;
    let mut aggregation = Aggregation::new(options.needed("type", kind)?);
    aggregation.min_e = options.number("min_e")?.filter(|e| *e != f64::NEG_INFINITY);
    aggregation.max_e = options.number("max_e")?.filter(|e| *e != f64::INFINITY);
    aggregation.balance_e = options.count("balance_e")?;
    aggregation.na_rm = options.is("na_rm")?;
    options.all_taken()?;
    let SavedResult::GroupTime(effects) = &result.saved else {
        return Err(errors::option(
            py,
            "only group-time effects, of `att_gt` or `ddd`, can be averaged",
        ));
    };
    let averaged = py.detach(|| effects.aggregate(aggregation));
    let averaged = averaged.map_err(|error| errors::raised(py, &error))?;
    Ok(Native::new(SavedResult::Aggregated(Box::new(averaged))))
}
