//! Every golden case of R `DRDID`.

use burn_did::backend::Cpu;
use burn_did::{
    DrdidResult,
    group_time::CellStatus,
    options::{DrdidMethod, Precision},
};

use crate::support::departures::Departure;
use crate::support::drdid::{Case, DATASETS, Dataset};
use crate::support::frames::golden_data;

/// Largest relative deviation of an estimate, and of a standard error without a bootstrap.
///
/// | departure | relative | reason |
/// |---|---|---|
/// | none | 1e-9 | closed form on both sides |
/// | `logit` | 1e-6 | R stops its logit at a relative change of 1e-8 of the deviance |
/// | `calibration` | 1e-5 | R's trust-region search for the calibrated score stops early |
fn tolerance(departures: &[Departure]) -> f64 {
    match () {
        () if departures.contains(&Departure::Calibration) => 1e-5,
        () if departures.contains(&Departure::Logit) => 1e-6,
        () => 1e-9,
    }
}

/// A bootstrap's standard error is an interquartile range of 600 draws, with a relative sd of 1.17/√600 = 4.8 % on either
/// side: 6.8 % between them.
const BOOTSTRAP: f64 = 3.0 * 0.068;

fn relative(a: f64, b: f64) -> f64 {
    (a - b).abs() / a.abs().max(b.abs())
}

/// What deviates.
fn deviations(case: &Case, fit: &DrdidResult) -> Vec<String> {
    assert_eq!(fit.status, CellStatus::Estimated, "{}", case.id);
    assert_eq!(fit.estimator_name(), case.estimator);
    let departures = case.departures();
    let allowed = tolerance(&departures);
    let mut found = Vec::new();
    let mut near = |what: &str, got: Option<f64>, expected: Option<f64>, allowed: f64| {
        let Some(expected) = expected else { return };
        let off = got.map_or(f64::INFINITY, |got| relative(got, expected));
        if off > allowed {
            found.push(format!("{}: {what} {got:?} is off {expected} by {off:.1e}", case.id));
        }
    };
    near("att", fit.estimate.estimate, Some(case.att), allowed);
    if case.att_only {
        return found;
    }
    // R's fixed-effects regression has a value for each row.
    let kept = fit.influence.as_ref().map(|i| &i.columns[0]);
    if let Some(kept) = kept.filter(|_| fit.method != DrdidMethod::Twfe) {
        assert_eq!(kept.len(), case.n);
        let own = kept.iter().map(|v| v * v).sum();
        near("sum of squared influence", Some(own), case.if_ss, 3.0 * allowed);
    }
    if departures.contains(&Departure::Draws) {
        near("bootstrap se", fit.estimate.se, case.se, BOOTSTRAP);
        return found;
    }
    near("se", fit.estimate.se, case.se, allowed);
    let half = |upper: Option<f64>, lower: Option<f64>| Some((upper? - lower?) / 2.0);
    let got = half(fit.estimate.ci_upper, fit.estimate.ci_lower);
    near("half interval", got, half(case.uci, case.lci), 2.0 * allowed);
    found
}

#[test]
fn golden_cases() {
    let mut found = Vec::new();
    for name in DATASETS {
        let dataset = Dataset::load(name);
        let data = golden_data(&dataset.dataset);
        for case in &dataset.cases {
            found.extend(deviations(case, &dataset.fit::<Cpu>(case, &data, Precision::F64)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_estimator_is_tested() {
    let mut names: Vec<String> =
        DATASETS.iter().flat_map(|n| Dataset::load(n).cases).map(|c| c.estimator).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 14);
}
