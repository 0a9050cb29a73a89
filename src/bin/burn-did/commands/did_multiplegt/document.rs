//! The result as JSON.

use burn_did::{
    HeterogeneityRow, MultiplegtAudit, MultiplegtResult, MultiplegtTests, SwitchingEffect, Timings,
};
use serde::Serialize;

/// Everything about a fit.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    estimator: &'a str,
    n_units: usize,
    n_rows: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    n_clusters: Option<usize>,
    normalized: bool,
    critical_value: f64,
    effects: Vec<Effect>,
    placebos: Vec<Effect>,
    ate: Option<Effect>,
    tests: &'a MultiplegtTests,
    predict_het: Vec<Predictor<'a>>,
    vcov: &'a [Vec<Option<f64>>],
    audit: &'a MultiplegtAudit,
    warnings: Vec<String>,
    timings: Timings,
}

#[derive(Serialize)]
struct Effect {
    horizon: i64,
    estimate: Option<f64>,
    se: Option<f64>,
    ci_lower: Option<f64>,
    ci_upper: Option<f64>,
    p_value: Option<f64>,
    n_obs: usize,
    n_switchers: usize,
    n_obs_w: f64,
    n_switchers_w: f64,
}

#[derive(Serialize)]
struct Predictor<'a> {
    effect: i64,
    covariate: &'a str,
    estimate: Option<f64>,
    se: Option<f64>,
    t: Option<f64>,
    ci_lower: Option<f64>,
    ci_upper: Option<f64>,
    p_value: Option<f64>,
    n: usize,
    p_all: Option<f64>,
}

impl<'a> Document<'a> {
    pub(super) fn new(fit: &'a MultiplegtResult) -> Self {
        let settings = &fit.settings;
        Self {
            estimator: &settings.estimator,
            n_units: settings.n_units,
            n_rows: settings.n_rows,
            n_clusters: settings.n_clusters,
            normalized: fit.normalized,
            critical_value: fit.critical_value,
            effects: fit.effects.iter().map(Effect::new).collect(),
            placebos: fit.placebos.iter().map(Effect::new).collect(),
            ate: fit.average.as_ref().map(Effect::new),
            tests: &fit.tests,
            predict_het: fit.heterogeneity.iter().map(Predictor::new).collect(),
            vcov: &fit.vcov,
            audit: &fit.audit,
            warnings: fit.warnings.iter().map(|w| w.shown(settings.frequency)).collect(),
            timings: fit.timings,
        }
    }
}

impl Effect {
    fn new(effect: &SwitchingEffect) -> Self {
        let estimate = &effect.estimate;
        Self {
            horizon: effect.horizon,
            estimate: estimate.att,
            se: estimate.se,
            ci_lower: estimate.ci_lower,
            ci_upper: estimate.ci_upper,
            p_value: estimate.p_value,
            n_obs: effect.n_obs,
            n_switchers: effect.n_switchers,
            n_obs_w: effect.n_obs_weighted,
            n_switchers_w: effect.n_switchers_weighted,
        }
    }
}

impl<'a> Predictor<'a> {
    fn new(row: &'a HeterogeneityRow) -> Self {
        let estimate = &row.estimate;
        Self {
            effect: row.effect,
            covariate: &row.covariate,
            estimate: estimate.att,
            se: estimate.se,
            t: estimate.statistic(),
            ci_lower: estimate.ci_lower,
            ci_upper: estimate.ci_upper,
            p_value: estimate.p_value,
            n: row.n,
            p_all: row.p_all,
        }
    }
}
