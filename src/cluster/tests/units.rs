//! Estimators that ask units one by one: the bits of a fit at home, wherever units and tiles end.

use polars::prelude::*;

use super::faults::{ASKED_AGAIN, Fault, Faulty, reversed};
use super::fits::{Shared, assert_same, workers};
use super::samples::shuffled;
use crate::base::error::{DidError, Result};
use crate::base::options::{ControlGroup, ProjectionBase};
use crate::cluster::Cluster;
use crate::data::Simulation;
use crate::estimator::local_projections::{LocalProjections, ProjectionMethod};
use crate::estimator::stacked::{StackEffects, Stacked};

/// A result without the files that it was read from; or the error, without the worker that found it.
pub(super) fn shown<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result {
        Ok(result) => {
            let text = format!("{result:?}");
            let (before, after) = text.split_once("files: FilesRead").expect("the files");
            format!("{before}{}", after.split_once('}').expect("their end").1)
        }
        Err(DidError::Worker { problem, .. }) => problem,
        Err(error) => error.to_string(),
    }
}

pub(super) fn cluster(data: &Shared, number: usize, fault: Fault) -> Cluster {
    Cluster::of(Arc::new(Faulty::new(workers(number), fault))).with_directory(data.directory())
}

/// Fits at home and by workers, to files of so many rows.
macro_rules! assert_as_at_home {
    ($name:expr, $estimator:expr, $data:expr) => {{
        let (estimator, data) = (&$estimator, &$data);
        let here = shown(estimator.fit(data));
        for (files, number) in [(1, 1), (3, 2), (37, 3)] {
            let shared = Shared::new(data, files, 1 << 20);
            let there = estimator.fit_cluster(&cluster(&shared, number, reversed), shared.path());
            assert_same(&format!("{}, {files} files", $name), &here, &shown(there));
            let left = std::fs::read_dir(shared.directory()).unwrap().count();
            assert_eq!(left, 1, "nothing but the data is left");
        }
        here
    }};
}

pub(super) use assert_as_at_home;

fn simulation(units: usize) -> Simulation {
    let of = Simulation::builder().units(units).periods(5).cohorts([3, 4]).covariates(2);
    of.clusters(90).weights(true).attrition(0.1).build()
}

pub(super) fn floats(data: &DataFrame, column: &str) -> Vec<Option<f64>> {
    let column = data.column(column).unwrap().cast(&DataType::Float64).unwrap();
    column.f64().unwrap().iter().collect()
}

/// The data with a column of these values.
pub(super) fn with(data: &DataFrame, column: &str, values: Vec<Option<f64>>) -> DataFrame {
    let mut data = data.clone();
    data.with_column(Column::new(column.into(), values)).unwrap();
    data
}

/// The data with another value in a row.
pub(super) fn but(data: &DataFrame, column: &str, row: usize, value: Option<f64>) -> DataFrame {
    let mut values = floats(data, column);
    values[row] = value;
    with(data, column, values)
}

fn with_treatment(data: &DataFrame) -> DataFrame {
    let times = floats(data, "group").into_iter().zip(floats(data, "period"));
    let treated = times.map(|(group, period)| {
        let is_treated = group > Some(0.0) && group.is_some_and(f64::is_finite) && period >= group;
        Some(f64::from(u8::from(is_treated)))
    });
    with(data, "treated", treated.collect())
}

fn projections() -> LocalProjections {
    let named = LocalProjections::builder().outcome("y").unit("id").time("period");
    named.group("group").pre_window(2).post_window(1).build()
}

fn stacks() -> Stacked {
    let named = Stacked::builder().outcome("y").unit("id").time("period").group("group");
    named.pre_window(1).post_window(1).build()
}

/// Two tiles and a part, in one, three and thirty-seven shards: some end within a tile, and some tiles have several shards.
#[test]
fn local_projections() {
    let data = simulation(10_000).frame();
    let plain = assert_as_at_home!("plain", projections(), data);
    assert!(plain.contains("Estimated"), "{plain}");
    let mut adjusted = projections();
    adjusted.method = ProjectionMethod::Adjusted;
    adjusted.covariates = vec!["x1".into(), "x2".into()];
    (adjusted.weights, adjusted.cluster) = (Some("weight".into()), Some("cluster".into()));
    assert_as_at_home!("adjusted", adjusted, data);
    let mut lagged = projections();
    (lagged.outcome_lags, lagged.base) = (1, ProjectionBase::AllBefore);
    lagged.keep_influence = true;
    assert_as_at_home!("lagged", lagged, shuffled(&data));
    let mut switching = projections();
    (switching.group, switching.treatment) = (None, Some("treated".into()));
    switching.stable_periods = Some(2);
    assert_as_at_home!("switching", switching, with_treatment(&data));
}

#[test]
fn stacks_of_units() {
    let data = simulation(10_000).frame();
    let plain = assert_as_at_home!("plain", stacks(), data);
    assert!(plain.contains("Estimated"), "{plain}");
    let mut clustered = stacks();
    clustered.covariates = vec!["x1".into()];
    (clustered.weights, clustered.cluster) = (Some("weight".into()), Some("cluster".into()));
    clustered.effects = StackEffects::SubExperiment;
    assert_as_at_home!("clustered", clustered, shuffled(&data));
    let mut copies = stacks();
    (copies.independent_copies, copies.keep_influence) = (true, true);
    copies.control_group = ControlGroup::NeverTreated;
    assert_as_at_home!("copies", copies, data);
}

/// What is said of rows, and of what cannot be estimated, is what is said at home.
#[test]
fn what_is_wrong_is_said_as_at_home() {
    let data = simulation(300).frame();
    let said = assert_as_at_home!("missing", projections(), but(&data, "y", 700, None));
    assert!(said.contains("RowsWithGaps"), "{said}");
    let mut weighted = projections();
    weighted.weights = Some("weight".into());
    let negative = but(&data, "weight", 801, Some(-1.0));
    let said = assert_as_at_home!("negative", weighted, negative);
    assert!(said.contains("row 801") || said.contains("row 802"), "{said}");
    let nothing = with(&data, "y", vec![None; data.height()]);
    let said = assert_as_at_home!("nothing", stacks(), nothing);
    assert!(said.contains("`y`"), "{said}");
    let mut switching = projections();
    (switching.group, switching.treatment) = (None, Some("treated".into()));
    switching.stable_periods = Some(1);
    let odd = but(&with_treatment(&data), "treated", 1_000, Some(0.5));
    let said = assert_as_at_home!("odd", switching, odd);
    assert!(said.contains("has 0.5"), "{said}");
}

/// The first rows lack a covariate whose mean is large beside its spread.
#[test]
fn sums_are_shifted_as_at_home() {
    let data = simulation(600).frame();
    let values = floats(&data, "x1").into_iter().enumerate();
    let far = values.map(|(row, x)| x.filter(|_| row > data.height() / 2).map(|x| 1e9 + x));
    let data = with(&data, "x1", far.collect());
    let mut adjusted = projections();
    adjusted.method = ProjectionMethod::Adjusted;
    adjusted.covariates = vec!["x1".into()];
    let said = assert_as_at_home!("shifted", adjusted, data);
    assert!(said.contains("Estimated"), "{said}");
}

/// Answers that are lost, doubled or of another task are asked for again.
#[test]
fn faults_change_nothing() {
    let data = simulation(9_000).frame();
    let here = shown(projections().fit(&data));
    let shared = Shared::new(&data, 4, 1 << 20);
    for (number, fault) in ASKED_AGAIN.into_iter().enumerate() {
        let there = projections().fit_cluster(&cluster(&shared, 3, fault), shared.path());
        assert_same(&format!("fault {number}"), &here, &shown(there));
    }
}
