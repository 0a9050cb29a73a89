//! The golden cases of continuous treatments: reading and fitting them.

use burn_did::backend::DidBackend;
use burn_did::{
    ContDid,
    doses::{DoseAggregation, DoseGrid, DoseMethod, DoseTarget},
    options::{BasePeriod, ControlGroup},
};
use polars::prelude::DataFrame;
use serde_json::Value;

use super::departures::{Departure, of_doses};
use super::frames::{golden_data, golden_json};

/// The numbers of a list.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// The options of a case that are words.
pub fn words(case: &Value) -> (DoseTarget, DoseAggregation, ControlGroup, BasePeriod, DoseMethod) {
    let is = |key: &str, word: &str| case[key] == word;
    (
        if is("target_parameter", "slope") { DoseTarget::Slope } else { DoseTarget::Level },
        if is("aggregation", "eventstudy") {
            DoseAggregation::EventStudy
        } else {
            DoseAggregation::Dose
        },
        if is("control_group", "nevertreated") {
            ControlGroup::NeverTreated
        } else {
            ControlGroup::NotYetTreated
        },
        if is("base_period", "universal") { BasePeriod::Universal } else { BasePeriod::Varying },
        if is("dose_est_method", "cck") { DoseMethod::Cck } else { DoseMethod::Parametric },
    )
}

/// Every golden data set.
pub const DATASETS: [&str; 2] = ["cont_a", "cont2_a"];

/// The data and the cases of a golden file.
pub fn golden(dataset: &str) -> (DataFrame, Vec<Value>) {
    let golden: Value = golden_json(&format!("cont_did_{dataset}.json"));
    (golden_data(dataset), golden["cases"].as_array().unwrap().clone())
}

/// The options of a golden case.
pub fn golden_config<B: DidBackend>(case: &Value) -> ContDid<B> {
    let (target, aggregation, control_group, base_period, method) = words(case);
    let as_reference = of_doses(case).contains(&Departure::DoseCck);
    ContDid::builder()
        .outcome("Y")
        .unit("id")
        .time("time_period")
        .group("G")
        .dose("D")
        .target(target)
        .aggregation(aggregation)
        .control_group(control_group)
        .base_period(base_period)
        .method(method)
        .degree(case["degree"].as_u64().unwrap_or(3) as usize)
        .knots(case["num_knots"].as_u64().unwrap_or(0) as usize)
        .maybe_grid(case.get("dvals").map(|dvals| DoseGrid::Values(numbers(dvals))))
        // Where the data choose the dimension, as the reference does: at the doses that are shown.
        .maybe_compare_at(case.get("dvals").map(|dvals| DoseGrid::Values(numbers(dvals))))
        .damping(!as_reference)
        .comparison_noise(!as_reference)
        .build()
}
