//! Data to try the estimators on: the field's teaching data, and simulations whose effects are known.

use burn_did::data::{
    CurveSimulation, DoseSimulation, Simulate, Simulation, SwitchingSimulation, Teaching,
    TripleSimulation, Truth, TwoPeriodSimulation, TwoWaySimulation,
};
use burn_did::options::Words;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::options::Options;
use crate::table::Table;

/// Names of the teaching data with a line on each.
#[pyfunction]
pub(crate) fn teaching_data() -> Vec<(&'static str, &'static str)> {
    Teaching::WORDS.iter().map(|entry| (entry.word, entry.help.trim())).collect()
}

/// Teaching data by name, with their description.
#[pyfunction]
pub(crate) fn load_data(py: Python<'_>, name: &str) -> PyResult<(Table, String)> {
    let data: Teaching = name.parse().map_err(|_| {
        errors::option(py, &format!("`name` must be one of {}, got {name:?}", Teaching::EXPECTED))
    })?;
    Ok((Table::new(py.detach(|| data.frame())), data.description()))
}

/// A simulation from the options that its estimator's has. `seed` and `units` are those of all.
macro_rules! simulation {
    ($of:ident, $given:expr, units: $units:ident, counts: [$($count:ident),*], numbers: [$($number:ident),*],
     lists: [$($list:ident: $item:ty),*], flags: [$($flag:ident),*]) => {{
        let mut simulation = $of::builder().build();
        simulation.$units = $given.count("n")?.unwrap_or(simulation.$units);
        simulation.seed = $given.count("random_state")?.unwrap_or(simulation.seed);
        $(simulation.$count = $given.count(stringify!($count))?.unwrap_or(simulation.$count);)*
        $(simulation.$number = $given.number(stringify!($number))?.unwrap_or(simulation.$number);)*
        $(if let Some(list) = $given.numbers(stringify!($list))? {
            #[allow(clippy::cast_possible_truncation, reason = "whole numbers of periods")]
            let list = list.into_iter().map(|item| item as $item).collect();
            simulation.$list = list;
        })*
        $(simulation.$flag = $given.flag(stringify!($flag))?.unwrap_or(simulation.$flag);)*
        Box::new(simulation) as Box<dyn Simulate>
    }};
}

fn simulation(of: &str, given: &Options<'_>) -> PyResult<Box<dyn Simulate>> {
    Ok(match of {
        "att_gt" => simulation!(
            Simulation, given, units: units, counts: [periods, covariates, clusters],
            numbers: [never_treated, selection, trend, heterogeneity, violation, noise, cluster_sd, attrition],
            lists: [cohorts: i64, effects: f64], flags: [weights, repeated_cross_sections]
        ),
        "ddd" => simulation!(
            TripleSimulation, given, units: units, counts: [periods, covariates, clusters],
            numbers: [never_treated, eligible, selection, trend, drift, heterogeneity, noise, cluster_sd, attrition],
            lists: [cohorts: i64, effects: f64],
            flags: [outcome_model_correct, propensity_model_correct, weights, repeated_cross_sections]
        ),
        "drdid" => simulation!(
            TwoPeriodSimulation, given, units: units, counts: [covariates], numbers: [effect, post_share], lists: [],
            flags: [outcome_model_correct, propensity_model_correct, weights, repeated_cross_sections]
        ),
        "cont_did" => simulation!(
            DoseSimulation, given, units: units, counts: [periods, groups, clusters], numbers: [linear, quadratic, cubic, growth],
            lists: [], flags: [dose_begins_with_treatment, weights]
        ),
        "did_multiplegt" => simulation!(
            SwitchingSimulation, given, units: groups, counts: [periods, groups_per_cluster], numbers: [missing], lists: [], flags: []
        ),
        "feols" => simulation!(
            TwoWaySimulation, given, units: units, counts: [periods, clusters], numbers: [effect, noise, cluster_sd, attrition],
            lists: [slopes: f64], flags: [counts]
        ),
        "npiv" => simulation!(
            CurveSimulation, given, units: units, counts: [], numbers: [amplitude, frequency, strength, endogeneity, noise],
            lists: [], flags: []
        ),
        other => {
            let message = format!(
                "`estimator` must be att_gt, ddd, drdid, cont_did, did_multiplegt, feols or npiv, got {other:?}"
            );
            return Err(errors::option(given.py(), &message));
        }
    })
}

/// Simulated data, what estimates of them should be, and what the truth leaves out.
#[pyfunction]
pub(crate) fn simulate(
    py: Python<'_>,
    estimator: &str,
    options: &Bound<'_, PyDict>,
) -> PyResult<(Table, Table, Vec<String>)> {
    let given = Options::new(options)?;
    let simulation = simulation(estimator, &given)?;
    given.all_taken()?;
    simulation.validate().map_err(|error| errors::raised(py, &error))?;
    let (rows, truths) = py.detach(|| {
        let (units, _) = simulation.drawn();
        (simulation.parts()(0..units), Truth::frame(&simulation.truths()))
    });
    let truths = truths.map_err(|error| errors::raised(py, &error))?;
    Ok((Table::new(rows), Table::new(truths), simulation.notes()))
}
