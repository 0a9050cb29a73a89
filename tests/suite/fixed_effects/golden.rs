//! Regressions with fixed effects: the specification's numbers, R fixest's, pyfixest's, and a dense least-squares problem's.

use burn_did::backend::{Cpu, DidBackend};
use burn_did::{
    FixedEffects, RegressionResult, SunAbraham, data,
    options::Precision,
    regression::{Family, Solver, Vcov},
};
use polars::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use crate::support::dataset::Dataset;
use crate::support::frames::{filter, golden_data, golden_json};

#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub id: String,
    pub formula: String,
    vcov: String,
    pub weights: Option<String>,
    #[serde(default)]
    keep_singletons: bool,
    names: Vec<String>,
    coef: Vec<f64>,
    se: Vec<f64>,
    n: usize,
    df_t: Option<f64>,
    rss: Option<f64>,
    deviance: Option<f64>,
    vcov_matrix: Option<Vec<Vec<f64>>>,
}

fn vcov(text: &str) -> Vcov {
    match text {
        "iid" => Vcov::Iid,
        "hetero" => Vcov::Hetero,
        other => Vcov::cluster(other.strip_prefix("cluster:").unwrap().split(',')),
    }
}

fn fit(case: &Case, data: &DataFrame, family: Family) -> RegressionResult {
    fit_on::<Cpu>(case, data, family, Precision::F64)
}

pub(crate) fn fit_on<B: DidBackend>(
    case: &Case,
    data: &DataFrame,
    family: Family,
    precision: Precision,
) -> RegressionResult {
    let config = FixedEffects::<B>::builder()
        .formula(&*case.formula)
        .vcov(vcov(&case.vcov))
        .maybe_weights(case.weights.clone())
        .keep_singletons(case.keep_singletons)
        .family(family)
        .precision(precision)
        .build();
    config.fit(data).unwrap_or_else(|e| panic!("{}: {e}", case.id))
}

fn near(what: &str, got: f64, expected: f64, allowed: f64) {
    let off = (got - expected).abs() / expected.abs().max(got.abs());
    assert!(off <= allowed || got == expected, "{what}: {got} is off {expected} by {off:.1e}");
}

pub(crate) fn compare(case: &Case, fit: &RegressionResult, coef: f64, se: f64) {
    let names: Vec<&str> = fit.names().map(|n| n.trim_matches(['(', ')'])).collect();
    let expected: Vec<&str> = case.names.iter().map(|n| n.trim_matches(['(', ')'])).collect();
    assert_eq!((names, fit.n), (expected, case.n), "{}", case.id);
    for (j, c) in fit.coefficients.iter().enumerate() {
        near(&format!("{} {}", case.id, c.name), c.estimate, case.coef[j], coef);
        near(&format!("{} se of {}", case.id, c.name), c.se.unwrap(), case.se[j], se);
        assert_eq!(fit.vcov[j][j].sqrt(), c.se.unwrap());
    }
    for (i, row) in case.vcov_matrix.iter().flatten().enumerate() {
        for (j, expected) in row.iter().enumerate() {
            // A covariance has an error of that of its standard errors.
            let scale = (fit.vcov[i][i] * fit.vcov[j][j]).sqrt();
            assert!((fit.vcov[i][j] - expected).abs() <= 2.0 * se * scale, "{}", case.id);
        }
    }
    if let Some(df) = case.df_t {
        assert_eq!(fit.df_t, df, "{}", case.id);
    }
    for expected in case.rss.iter().chain(&case.deviance) {
        near(&format!("{} rss", case.id), fit.rss, *expected, 1e-10);
    }
}

fn golden(name: &str) {
    let golden: Dataset<Case> = golden_json(&format!("feols_{name}.json"));
    let data = golden_data(&golden.dataset);
    for case in &golden.cases {
        compare(case, &fit(case, &data, Family::Gaussian), 1e-8, 1e-7);
    }
}

#[test]
fn cases_of_fixest_on_an_easy_network() {
    golden("fe_easy_a");
}

#[test]
fn cases_of_fixest_on_a_hard_network() {
    golden("fe_hard_a");
}

#[test]
fn cases_of_fixest_with_three_factors() {
    golden("fe3_a");
}

#[test]
fn poisson_regressions_of_pyfixest() {
    let golden: Dataset<Case> = golden_json("fepois.json");
    let data = golden_data(&golden.dataset);
    assert_eq!(golden.cases.len(), 5);
    for case in &golden.cases {
        let fit = fit(case, &data, Family::Poisson);
        compare(case, &fit, 1e-7, 1e-7);
        // The firm without a count is of no use among fixed effects of firms.
        let separated = if case.formula.contains("firm") { 38 } else { 0 };
        assert_eq!(fit.audit.rows_separated, separated, "{}", case.id);
    }
}

/// The specification's sixty rows.
fn sixty() -> DataFrame {
    let of = |f: &dyn Fn(i64) -> f64| (0..60).map(f).collect::<Vec<f64>>();
    let codes = |f: &dyn Fn(i64) -> i64| (0..60).map(f).collect::<Vec<i64>>();
    let (f1, f2) = (|i: i64| (7 * i + 3) % 9, |i: i64| (i * i + 2 * i) % 7);
    let x = |i: i64| (1.7 * i as f64 + 0.3).sin();
    let z = |i: i64| (0.9 * i as f64 * i as f64 / 7.0 + 0.1).cos();
    let y = |i: i64| {
        let noise = 0.3 * (12.9898 * i as f64 + 78.233).sin();
        0.5 * x(i) - 0.3 * z(i) + 0.1 * f1(i) as f64 - 0.2 * f2(i) as f64 + noise
    };
    df!(
        "f1" => codes(&f1), "f2" => codes(&f2), "f3" => codes(&|i| (i / 4) % 5),
        "w" => of(&|i| 1.0 + 0.5 * (0.37 * i as f64).sin().powi(2)),
        "x" => of(&x), "z" => of(&z), "y" => of(&y),
    )
    .unwrap()
}

/// The printed numbers come from LSMR at a tolerance of 1e-10, and one of them is off an exact projection by 1.3e-11.
const PRINTED: f64 = 2e-11;

#[test]
fn the_specification_to_its_printed_digits() {
    let data = sixty();
    let b = [0.505_598_979_166, -0.281_030_360_044];
    let weighted = [0.506_402_977_226, -0.279_986_420_913];
    let f1 = || Vcov::cluster(["f1"]);
    for (w, vcov, b, se, df_k) in [
        (None, Vcov::Iid, b, [0.050_292_818_3, 0.055_920_803_998], 18),
        (None, Vcov::Hetero, b, [0.050_847_757_905, 0.062_441_045_823], 18),
        (None, f1(), b, [0.088_988_625_294, 0.061_413_342_666], 10),
        (Some("w"), Vcov::Iid, weighted, [0.049_589_522_237, 0.054_962_967_233], 18),
        (Some("w"), Vcov::Hetero, weighted, [0.050_576_474_555, 0.062_330_863_385], 18),
        (Some("w"), f1(), weighted, [0.086_792_558_717, 0.062_127_998_235], 10),
    ] {
        let config = FixedEffects::<Cpu>::builder().formula("y ~ x + z | f1 + f2 + f3");
        let config = config.maybe_weights(w).vcov(vcov.clone()).fixef_tol(1e-12).build();
        let fit = config.fit(&data).unwrap();
        assert_eq!(fit.df_k, df_k);
        for (j, c) in fit.coefficients.iter().enumerate() {
            assert!((c.estimate - b[j]).abs() < 1e-11, "{vcov} {w:?}: {} {}", c.estimate, b[j]);
            assert!((c.se.unwrap() - se[j]).abs() < PRINTED, "{vcov} {w:?}: {:?} {}", c.se, se[j]);
        }
    }
}

#[derive(Debug, Deserialize)]
struct Averages {
    id: String,
    weights: Option<String>,
    covariates: Option<String>,
    n: usize,
    cells: usize,
    rows: Vec<(f64, f64, f64)>,
    att: f64,
    se: f64,
}

#[test]
fn sun_and_abraham_agree_with_a_dense_regression() {
    let golden: Dataset<Averages> = golden_json("sun_abraham.json");
    let data = filter(&golden_data(&golden.dataset), "id", |id| id % 5.0 == 0.0);
    for case in &golden.cases {
        let covariates = case.covariates.as_deref().unwrap_or("1");
        let config = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
        let config = config.covariates(covariates).maybe_weights(case.weights.clone()).build();
        let fit = config.fit(&data).unwrap();
        let study = &fit.event_study;
        assert_eq!(fit.regression.n, case.n);
        let own = usize::from(case.covariates.is_some());
        assert_eq!(fit.regression.coefficients.len(), case.cells + own);
        assert_eq!(study.rows.len(), case.rows.len() + 1);
        assert_eq!(study.coefficients().len(), case.rows.len());
        for (at, att, se) in &case.rows {
            let row = study.rows.iter().find(|row| row.at == *at).unwrap();
            near(&format!("{} at {at}", case.id), row.estimate.estimate.unwrap(), *att, 1e-8);
            near(&format!("{} se at {at}", case.id), row.estimate.se.unwrap(), *se, 1e-8);
        }
        let overall = study.overall.unwrap();
        near("att", overall.estimate.unwrap(), case.att, 1e-8);
        near("se of att", overall.se.unwrap(), case.se, 1e-8);
        let reference = study.rows.iter().find(|row| row.reference).unwrap();
        assert_eq!(
            (reference.at, reference.estimate.estimate, reference.estimate.se),
            (-1.0, Some(0.0), None)
        );
    }
}

#[derive(Debug, Deserialize)]
struct Sunab {
    dataset: String,
    outcome: String,
    unit: String,
    time: String,
    group: String,
    weights: Option<String>,
    covariates: Option<String>,
    reference: Vec<f64>,
    n: usize,
    times: Vec<f64>,
    estimates: Vec<f64>,
    errors: Vec<f64>,
    overall: [f64; 2],
}

#[test]
fn sun_and_abraham_agree_with_r_fixest() {
    let golden: Value = golden_json("sunab.json");
    for case in golden["cases"].as_array().unwrap() {
        let case: Sunab = serde_json::from_value(case.clone()).unwrap();
        let data = match case.dataset.as_str() {
            "mpdta" => data::mpdta(),
            name => golden_data(name),
        };
        let config = SunAbraham::<Cpu>::builder().outcome(case.outcome).unit(case.unit);
        let config = config.time(case.time).group(case.group).reference(case.reference.clone());
        let covariates = case.covariates.as_deref().unwrap_or("1");
        let config = config.covariates(covariates).maybe_weights(case.weights).build();
        let fit = config.fit(&data).unwrap();
        assert_eq!(fit.regression.n, case.n, "{}", case.dataset);
        let study = &fit.event_study;
        assert_eq!(study.event_times(), case.times, "{}", case.dataset);
        let rows = study.rows.iter().filter(|row| !row.reference);
        for (row, (estimate, error)) in rows.zip(case.estimates.iter().zip(&case.errors)) {
            let what = format!("{} at {}", case.dataset, row.at);
            near(&what, row.estimate.estimate.unwrap(), *estimate, 1e-8);
            near(&format!("error of {what}"), row.estimate.se.unwrap(), *error, 1e-8);
        }
        let overall = study.overall.unwrap();
        near("average", overall.estimate.unwrap(), case.overall[0], 1e-8);
        near("its error", overall.se.unwrap(), case.overall[1], 1e-8);
    }
}

#[test]
fn solvers_agree() {
    let data = golden_data("fe_easy_a");
    let fit = |solver| {
        let config = FixedEffects::<Cpu>::builder().formula("y ~ x1 + x2 | worker + firm + year");
        config.solver(solver).fixef_tol(1e-12).build().fit(&data).unwrap()
    };
    let auto = fit(Solver::Auto);
    let schwarz = cfg!(feature = "schwarz").then_some(Solver::Schwarz);
    for solver in [Solver::Cg, Solver::Lsmr, Solver::Map].into_iter().chain(schwarz) {
        let other = fit(solver);
        for (a, b) in auto.coefficients.iter().zip(&other.coefficients) {
            near(&format!("{solver:?}"), b.estimate, a.estimate, 1e-9);
        }
    }
}
