//! Panels: every estimate is its definition, and every influence value its derivative in the weight of a unit.

use super::definition::{self, Observation, beta, mean, odds, predict};
use super::example::{Example, Form, assert_near};
use crate::engine::cell::method::Method;
use crate::result::estimates::CellStatus;

/// Ten units `(treated, change, x, w)`.
pub fn units() -> Vec<Observation> {
    let units = [
        (true, 2.0, 0.5, 1.0),
        (true, 1.5, 1.0, 2.0),
        (true, 2.5, -0.5, 1.0),
        (true, 0.5, 0.0, 0.5),
        (false, 0.5, 0.0, 1.0),
        (false, 0.0, 1.5, 1.5),
        (false, 1.0, -1.0, 1.0),
        (false, 1.5, 0.5, 0.5),
        (false, 0.5, -0.5, 2.0),
        (false, 0.25, 1.0, 1.0),
    ];
    units.map(|(treated, y, x, w)| Observation { treated, period: 1, y, x, w }).to_vec()
}

/// The estimate from its definition.
fn att(method: Method, units: &[Observation], trim: f64) -> f64 {
    let treated = || units.iter().filter(|o| o.treated);
    let control = || units.iter().filter(|o| !o.treated);
    let w = |o: &Observation| o.w;
    let gamma = match method {
        Method::Improved => definition::calibrate(units),
        _ => definition::logit(units),
    };
    let v = |o: &Observation| o.w * odds(o, &gamma, trim);
    // Without normalisation, weighted sums are divided by the treated rows' weight.
    let unnormalised = |value: &dyn Fn(&Observation) -> f64| {
        let sum: f64 = control().map(|o| v(o) * value(o)).sum();
        mean(treated(), w, value) - sum / treated().map(w).sum::<f64>()
    };
    match method {
        Method::OutcomeRegression => {
            let beta = beta(control(), w);
            mean(treated(), w, |o| o.y - predict(o, &beta))
        }
        Method::Ipw => mean(treated(), w, |o| o.y) - mean(control(), v, |o| o.y),
        Method::HorvitzThompson => unnormalised(&|o| o.y),
        Method::DoublyRobust => {
            let beta = beta(control(), w);
            let r = |o: &Observation| o.y - predict(o, &beta);
            mean(treated(), w, r) - mean(control(), v, r)
        }
        Method::Improved => {
            let beta = beta(control(), |o| o.w * odds(o, &gamma, 1.0));
            unnormalised(&|o| o.y - predict(o, &beta))
        }
        Method::Twfe => panic!("no estimator of changes"),
    }
}

#[track_caller]
fn check(method: Method, trim: f64) {
    let example = Example { trim, ..Example::new(Form::Changes, units()) };
    let estimate = example.estimate(method).unwrap();
    let definition = |units: &[Observation]| att(method, units, trim);
    assert_near(&[estimate.att], &[definition(&example.observations)], 1e-12);
    let influence = example.influence(&estimate);
    assert_near(&influence, &definition::derivatives(&example.observations, definition), 1e-7);
}

#[test]
fn outcome_regression() {
    check(Method::OutcomeRegression, 0.995);
}

#[test]
fn normalised_weighting() {
    check(Method::Ipw, 0.995);
}

#[test]
fn horvitz_thompson_weighting() {
    check(Method::HorvitzThompson, 0.995);
}

#[test]
fn doubly_robust() {
    check(Method::DoublyRobust, 0.995);
}

#[test]
fn improved_doubly_robust() {
    check(Method::Improved, 0.995);
}

#[test]
fn trimmed_units_have_no_odds_but_take_part_in_the_nuisance_models() {
    let gamma = definition::logit(&units());
    // The largest propensity scores of comparison units.
    let mut p: Vec<f64> =
        units().iter().filter(|o| !o.treated).map(|o| definition::propensity(o, &gamma)).collect();
    p.sort_by(f64::total_cmp);
    let trim = (p[4] + p[5]) / 2.0;
    for method in [Method::DoublyRobust, Method::Ipw, Method::HorvitzThompson] {
        check(method, trim);
    }
}

#[test]
fn influence_of_the_improved_estimator_is_that_of_known_models() {
    let example = Example::new(Form::Changes, units());
    let estimate = example.estimate(Method::Improved).unwrap();
    let gamma = definition::calibrate(&units());
    let control = || example.observations.iter().filter(|o| !o.treated);
    let beta = beta(control(), |o| o.w * odds(o, &gamma, 1.0));
    let total: f64 = example.observations.iter().filter(|o| o.treated).map(|o| o.w).sum();
    let u = |o: &Observation| {
        let r = o.y - predict(o, &beta);
        let of_unit = if o.treated { r - estimate.att } else { -odds(o, &gamma, 1.0) * r };
        o.w * of_unit / total
    };
    let expected: Vec<f64> = example.observations.iter().map(u).collect();
    assert_near(&example.influence(&estimate), &expected, 1e-12);
}

#[test]
fn fixed_effects_need_the_rows_of_both_periods() {
    let example = Example::new(Form::Changes, units());
    assert!(matches!(example.estimate(Method::Twfe), Err(CellStatus::Estimator { .. })));
}
