//! Regressions with fixed effects in the JSON document.

use burn_did::{Absorbed, Coefficient, Demeaned, FTest, RegressionResult, SolverReport, Timings};
use serde_json::Value;

use super::whole;
use crate::values::Number;

/// Everything about a regression.
#[derive(serde::Serialize)]
pub(crate) struct Regression<'a> {
    estimator: &'a str,
    backend: &'a str,
    precision: &'a str,
    formula: &'a str,
    family: &'static str,
    coefficients: &'a [Coefficient],
    vcov: &'a [Vec<f64>],
    n: usize,
    n_singletons: usize,
    df_k: usize,
    df_t: Number,
    r2: Option<f64>,
    r2_adjusted: Option<f64>,
    r2_within: Option<f64>,
    rss: f64,
    sigma: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_likelihood: Option<f64>,
    f: Option<FTest>,
    dropped: &'a [String],
    fixed_effects: &'a [Absorbed],
    clusters: &'a [(String, usize)],
    solver: Solved<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    irls: Option<usize>,
    audit: Value,
    warnings: Vec<String>,
    timings: Timings,
}

/// How fixed effects were projected out of the outcome and the regressors.
#[derive(serde::Serialize)]
struct Solved<'a> {
    name: &'a str,
    device: &'a str,
    columns: Vec<&'a str>,
    iterations: Vec<usize>,
    passes: Vec<usize>,
    stop: Vec<String>,
    normal_residual: Vec<f64>,
}

impl<'a> Solved<'a> {
    fn new(report: Option<&'a SolverReport>) -> Self {
        let columns = report.map_or(&[][..], |report| &report.columns);
        Self {
            name: report.map_or("none", |report| &report.solver),
            device: report.map_or("host", |report| &report.device),
            columns: columns.iter().map(|c| c.name.as_str()).collect(),
            iterations: columns.iter().map(|c| c.iterations).collect(),
            passes: columns.iter().map(|c| c.passes).collect(),
            stop: columns.iter().map(|c| c.stop.to_string()).collect(),
            normal_residual: columns.iter().map(|c| c.normal_residual).collect(),
        }
    }
}

/// How columns were rid of their fixed effects.
#[derive(serde::Serialize)]
pub(crate) struct Within<'a> {
    estimator: &'static str,
    columns: &'a [String],
    fixed_effects: &'a [(String, usize)],
    solver: Solved<'a>,
    audit: Value,
    warnings: Vec<String>,
}

impl<'a> Within<'a> {
    pub(crate) fn new(done: &'a Demeaned) -> Self {
        Self {
            estimator: "demean",
            columns: &done.names,
            fixed_effects: &done.levels,
            solver: Solved::new(Some(&done.solver)),
            audit: serde_json::to_value(&done.audit).map_or(Value::Null, whole),
            warnings: done.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

impl<'a> Regression<'a> {
    pub(crate) fn new(fit: &'a RegressionResult) -> Self {
        let settings = &fit.settings;
        Self {
            estimator: &settings.estimator,
            backend: &settings.backend,
            precision: &settings.precision,
            formula: &settings.formula,
            family: settings.family.name(),
            coefficients: &fit.coefficients,
            vcov: &fit.vcov,
            n: fit.n,
            n_singletons: fit.n_singletons,
            df_k: fit.df_k,
            df_t: Number(fit.df_t),
            r2: fit.r2,
            r2_adjusted: fit.r2_adjusted,
            r2_within: fit.r2_within,
            rss: fit.rss,
            sigma: fit.sigma,
            log_likelihood: fit.log_likelihood,
            f: fit.f,
            dropped: &fit.dropped,
            fixed_effects: &fit.absorbed,
            clusters: &fit.clusters,
            solver: Solved::new(fit.solver.as_ref()),
            irls: fit.irls,
            audit: serde_json::to_value(&fit.audit).map_or(Value::Null, whole),
            warnings: fit.warnings.iter().map(ToString::to_string).collect(),
            timings: fit.timings,
        }
    }
}
