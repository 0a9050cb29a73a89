//! Group-time effects, `att_gt` and `ddd`, and averages of them.

use std::path::PathBuf;

use burn_did::backend::DidBackend;
use burn_did::group_time::AggregationKind;
use burn_did::options::UnbalancedPanel;
use burn_did::{Aggregation, AttGt, Cluster, ClusterSample, Data, Ddd, Result, SavedResult};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::anywhere::{Anywhere, Fits};
use crate::call::{self, On};
use crate::callback::Callable;
use crate::errors;
use crate::options::Options;
use crate::result::Native;

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

/// As [`with_shared`], with the options of group-time effects.
macro_rules! with_group_time {
    ($estimator:ty, $on:expr, cluster: $cluster:literal, sections: $sections:expr) => {{
        let (options, sections): (_, bool) = (&$on.call.options, $sections);
        let unit = options.text("idname")?;
        let cluster = options.cluster($cluster, unit.as_deref(), sections)?;
        $crate::group_time::with_shared!($estimator, $on, unit: unit, cluster: cluster)
            .maybe_covariates(options.text("xformla")?)
            .repeated_cross_sections(sections)
            .group(options.needed_text("gname")?)
            .maybe_control_group(options.word("control_group")?)
            .maybe_base_period(options.word("base_period")?)
            .maybe_method(options.word("est_method")?)
            .maybe_band(options.band()?)
            .weighting(options.is("weighting")?)
            .keep_scores(options.is("keep_scores")?)
    }};
}

pub(crate) use with_shared;

/// Whether the data are repeated cross sections, by the argument `panel`.
fn are_sections(options: &Options<'_>) -> PyResult<bool> {
    Ok(!options.flag("panel")?.unwrap_or(true))
}

pub(crate) struct GroupTime;

/// The estimator of `att_gt`, for the cells of which a function of the caller may stand.
pub(crate) struct Staggered<B: DidBackend> {
    estimator: AttGt<B>,
    callable: Option<Callable>,
}

impl<B: DidBackend> Fits<B> for Staggered<B> {
    fn here(&self, data: Data<'static>, devices: &[B::Device]) -> Result<SavedResult> {
        match &self.callable {
            Some(callable) => {
                let effects = self.estimator.fit_with(data, callable);
                callable.check_end();
                let effects = effects?;
                Ok(SavedResult::GroupTime(Box::new(effects)))
            }
            None => self.estimator.here(data, devices),
        }
    }

    fn apart(&self, cluster: &Cluster, path: PathBuf) -> Result<SavedResult> {
        self.estimator.apart(cluster, path)
    }

    fn of_sample(&self, sample: &ClusterSample) -> Result<SavedResult> {
        self.estimator.of_sample(sample)
    }

    fn prepare(&self, cluster: &Cluster, path: PathBuf) -> Result<ClusterSample> {
        Fits::prepare(&self.estimator, cluster, path)
    }
}

impl Anywhere for GroupTime {
    type Estimator<B: DidBackend> = Staggered<B>;

    fn estimator<B: DidBackend>(on: &On<'_, B>) -> PyResult<Staggered<B>> {
        let options = &on.call.options;
        let callable = options.callable("est_method")?.map(Callable::new);
        if callable.is_some() && on.call.is_elsewhere() {
            let message =
                "an estimator of your own needs the rows here, and does not run by engines";
            return Err(errors::option(options.py(), message));
        }
        let sections = are_sections(options)?;
        let estimator = with_group_time!(AttGt<B>, on, cluster: "clustervars", sections: sections)
            .maybe_anticipation(options.count("anticipation")?)
            .allow_unbalanced_panel(options.is("allow_unbalanced_panel")?)
            .maybe_fix_weights(options.word("fix_weights")?)
            .build();
        Ok(Staggered { estimator, callable })
    }
}

pub(crate) struct Triple;

impl Anywhere for Triple {
    type Estimator<B: DidBackend> = Ddd<B>;

    fn estimator<B: DidBackend>(on: &On<'_, B>) -> PyResult<Ddd<B>> {
        let options = &on.call.options;
        let rows = options.is("allow_unbalanced_panel")?.then_some(UnbalancedPanel::Rows);
        let unbalanced = options.word("unbalanced")?;
        if rows.is_some() && unbalanced.is_some() {
            let message =
                "`allow_unbalanced_panel` is `unbalanced=\"rows\"`; leave out one of them";
            return Err(errors::option(options.py(), message));
        }
        let sections = are_sections(options)?;
        // Cross sections have no units that lack periods.
        let rows = rows.filter(|_| !sections);
        Ok(with_group_time!(Ddd<B>, on, cluster: "cluster", sections: sections)
            .eligible(options.needed_text("pname")?)
            .covariates_of_cell(options.is("covariates_of_cell")?)
            .maybe_shares_of(options.word("shares_of")?)
            .maybe_unbalanced(unbalanced.or(rows))
            .build())
    }
}

/// Group-time effects of staggered adoption.
#[pyfunction]
pub(crate) fn att_gt(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    call::fit::<Native, GroupTime>(data, options)
}

/// Triple differences.
#[pyfunction]
pub(crate) fn ddd(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    call::fit::<Native, Triple>(data, options)
}

/// The average that arguments ask for.
fn aggregation(options: &Options<'_>) -> PyResult<Aggregation> {
    let kind = options.word::<AggregationKind>("type")?;
    let mut aggregation = Aggregation::new(options.needed("type", kind)?);
    aggregation.min_e = options.number("min_e")?.filter(|e| *e != f64::NEG_INFINITY);
    aggregation.max_e = options.number("max_e")?.filter(|e| *e != f64::INFINITY);
    aggregation.balance_e = options.count("balance_e")?;
    aggregation.na_rm = options.is("na_rm")?;
    Ok(aggregation)
}

/// Averages of group-time effects.
#[pyfunction]
pub(crate) fn aggte(
    py: Python<'_>,
    result: &Native,
    options: &Bound<'_, PyDict>,
) -> PyResult<Native> {
    let options = Options::new(options)?;
    let aggregation = aggregation(&options)?;
    let target = options.word("target")?;
    let (alpha, band) = (options.number("alpha")?, options.band()?);
    options.all_taken()?;
    let effects = match (&result.saved, target) {
        (SavedResult::GroupTime(effects), None) => effects.as_ref(),
        (SavedResult::ContDid(effects), target) => {
            effects.cells_of(target.unwrap_or(effects.target))
        }
        (SavedResult::GroupTime(_), Some(_)) => {
            let message = "`target` is for a result of `cont_did`; leave it out";
            return Err(errors::option(py, message));
        }
        _ => {
            let message =
                "only group-time effects, of `att_gt`, `ddd` or `cont_did`, can be averaged";
            return Err(errors::option(py, message));
        }
    };
    let of_fit = effects.settings.inference;
    let inference = of_fit.alpha(alpha.unwrap_or(of_fit.alpha)).band(band.unwrap_or(of_fit.band));
    let averaged = py.detach(|| effects.aggregate_with(aggregation, &inference));
    let averaged = averaged.map_err(|error| errors::raised(py, &error))?;
    Ok(Native::new(SavedResult::Aggregated(Box::new(averaged))))
}
