//! Two-way fixed effects: the coefficient of `D·post`, and its derivatives.

use super::definition::{self, Observation, regress};
use super::example::{Example, Form, assert_near};
use super::{panel, repeated};
use crate::engine::cell::method::Method;

/// The coefficient of `D·post` beside a constant, `post`, `D` and the covariate.
fn att(rows: &[Observation]) -> f64 {
    let regressors = |o: &Observation| {
        let [d, post] = [o.treated, o.period == 1].map(|b| f64::from(u8::from(b)));
        (o.w, o.y, vec![1.0, o.x, d, post, d * post])
    };
    regress(rows.iter().map(regressors))[4]
}

#[test]
fn rows_of_cross_sections() {
    let example = Example::new(Form::Rows, repeated::rows());
    let estimate = example.estimate(Method::Twfe).unwrap();
    assert_near(&[estimate.att], &[att(&example.observations)], 1e-12);
    let influence = example.influence(&estimate);
    assert_near(&influence, &definition::derivatives(&example.observations, att), 1e-7);
}

#[test]
fn rows_of_units_in_two_periods() {
    let before = |o: &Observation| Observation { period: 0, y: 0.5 + o.x * o.w, ..*o };
    let after = |o: &Observation| Observation { y: before(o).y + o.y, ..*o };
    let units = panel::units();
    let rows = units.iter().flat_map(|o| [before(o), after(o)]).collect();
    let example = Example::new(Form::UnitRows, rows);
    let estimate = example.estimate(Method::Twfe).unwrap();
    assert_near(&[estimate.att], &[att(&example.observations)], 1e-12);
    let influence = example.influence(&estimate);
    assert_near(&influence, &definition::derivatives(&example.observations, att), 1e-7);
}

#[test]
fn without_covariates_that_vary_it_is_the_difference_in_differences() {
    // Means 1 and 2 of the comparison rows, 3 and 7 of the treated.
    let corners = [(false, 0, 1.0), (false, 1, 2.0), (true, 0, 3.0), (true, 1, 7.0)];
    let pair = |(treated, period, y): (bool, usize, f64)| {
        [-1.0, 1.0].map(|x| Observation { treated, period, y, x, w: 1.0 })
    };
    let example = Example::new(Form::Rows, corners.map(pair).concat());
    let estimate = example.estimate(Method::Twfe).unwrap();
    assert_near(&[estimate.att], &[(7.0 - 3.0) - (2.0 - 1.0)], 1e-12);
}
