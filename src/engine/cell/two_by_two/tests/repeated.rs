//! Repeated cross sections: estimates and influence values from their definitions.

use super::definition::{self, Observation, beta, mean, odds, predict, sign};
use super::example::{Example, Form, assert_near};
use crate::engine::cell::method::Method;

/// Four rows `(y, x, w)` of each corner: comparison and treated rows before, then after. Their mean weight is one.
pub fn rows() -> Vec<Observation> {
    let corners = [
        (false, 0, [(1.0, 0.0, 1.0), (2.0, 1.5, 1.5), (0.5, -1.0, 0.5), (1.0, 0.5, 1.0)]),
        (true, 0, [(1.5, 0.5, 0.5), (2.0, 1.0, 1.5), (1.0, -0.5, 1.0), (0.5, 0.0, 1.0)]),
        (false, 1, [(1.5, -0.5, 1.5), (2.5, 1.0, 0.5), (2.0, 0.0, 1.0), (1.0, -1.0, 1.0)]),
        (true, 1, [(4.0, 1.5, 1.0), (3.0, 0.0, 1.0), (2.5, -0.5, 0.5), (3.5, 0.5, 1.5)]),
    ];
    let of = |(treated, period, rows): (bool, usize, [(f64, f64, f64); 4])| {
        rows.map(|(y, x, w)| Observation { treated, period, y, x, w })
    };
    corners.map(of).concat()
}

/// Sums over observations, with the models of a method.
struct Models<'a> {
    rows: &'a [Observation],
    gamma: Vec<f64>,
    /// `β_00`, `β_01` of the comparison rows.
    control: [Vec<f64>; 2],
    /// `β_10`, `β_11` of the treated rows.
    treated: [Vec<f64>; 2],
}

impl<'a> Models<'a> {
    fn new(rows: &'a [Observation], improved: bool) -> Self {
        let gamma = if improved { definition::calibrate(rows) } else { definition::logit(rows) };
        let corner =
            |treated, t: usize| rows.iter().filter(move |o| o.treated == treated && o.period == t);
        let weight = |o: &Observation| if improved { o.w * odds(o, &gamma, 1.0) } else { o.w };
        let control = [0, 1].map(|t| beta(corner(false, t), weight));
        let treated = [0, 1].map(|t| beta(corner(true, t), |o| o.w));
        Self { rows, gamma, control, treated }
    }

    fn corner(&self, treated: bool, t: usize) -> impl Iterator<Item = &Observation> {
        self.rows.iter().filter(move |o| o.treated == treated && o.period == t)
    }

    fn all_treated(&self) -> impl Iterator<Item = &Observation> {
        self.rows.iter().filter(|o| o.treated)
    }

    fn v(&self, o: &Observation) -> f64 {
        o.w * odds(o, &self.gamma, 0.995)
    }

    /// Residual from the comparison rows' regression of its period.
    fn r(&self, o: &Observation) -> f64 {
        o.y - predict(o, &self.control[o.period])
    }

    /// What the treated rows' regression of a period predicts beyond the comparison rows'.
    fn gain(&self, o: &Observation, t: usize) -> f64 {
        predict(o, &self.treated[t]) - predict(o, &self.control[t])
    }

    fn tau_treated(&self, t: usize) -> f64 {
        mean(self.corner(true, t), |o| o.w, |o| self.r(o))
    }

    fn tau_control(&self, t: usize) -> f64 {
        mean(self.corner(false, t), |o| self.v(o), |o| self.r(o))
    }

    fn gain_of_all(&self, t: usize) -> f64 {
        mean(self.all_treated(), |o| o.w, |o| self.gain(o, t))
    }

    fn gain_of_own(&self, t: usize) -> f64 {
        mean(self.corner(true, t), |o| o.w, |o| self.gain(o, t))
    }
}

/// `Σ_t σ_t value(t)`.
fn difference(value: impl Fn(usize) -> f64) -> f64 {
    value(1) - value(0)
}

/// The estimate from its definition.
fn att(method: Method, efficient: bool, rows: &[Observation]) -> f64 {
    let models = Models::new(rows, method == Method::Improved);
    let mean_of = |treated: bool, t: usize| {
        let weight = |o: &Observation| if treated { o.w } else { models.v(o) };
        mean(models.corner(treated, t), weight, |o| o.y)
    };
    match method {
        Method::OutcomeRegression => {
            let trend = |o: &Observation| difference(|t| predict(o, &models.control[t]));
            difference(|t| mean_of(true, t)) - mean(models.all_treated(), |o| o.w, trend)
        }
        Method::Ipw => difference(|t| mean_of(true, t) - mean_of(false, t)),
        Method::DoublyRobust | Method::Improved => {
            let gained = |t| models.gain_of_all(t) - models.gain_of_own(t);
            let tau = difference(|t| models.tau_treated(t) - models.tau_control(t));
            if efficient { tau + difference(gained) } else { tau }
        }
        Method::HorvitzThompson => {
            let n = rows.len() as f64;
            let share = models.all_treated().map(|o| o.w).sum::<f64>() / n;
            difference(|t| {
                let lambda = rows.iter().filter(|o| o.period == t).map(|o| o.w).sum::<f64>() / n;
                let treated: f64 = models.corner(true, t).map(|o| o.w * o.y).sum();
                let control: f64 = models.corner(false, t).map(|o| models.v(o) * o.y).sum();
                (treated - control) / (n * share * lambda)
            })
        }
        Method::Twfe => panic!("tested by itself"),
    }
}

fn example(locally_efficient: bool) -> Example {
    Example { locally_efficient, ..Example::new(Form::Rows, rows()) }
}

/// The estimate is its definition and influence values are its derivatives.
#[track_caller]
fn check(method: Method, efficient: bool) {
    let example = example(efficient);
    let estimate = example.estimate(method).unwrap();
    let definition = |rows: &[Observation]| att(method, efficient, rows);
    assert_near(&[estimate.att], &[definition(&example.observations)], 1e-12);
    let influence = example.influence(&estimate);
    assert_near(&influence, &definition::derivatives(&example.observations, definition), 1e-7);
}

#[test]
fn outcome_regression() {
    check(Method::OutcomeRegression, true);
}

#[test]
fn normalised_weighting() {
    check(Method::Ipw, true);
}

#[test]
fn locally_efficient_doubly_robust() {
    check(Method::DoublyRobust, true);
}

#[test]
fn doubly_robust_without_the_treated_rows_regressions() {
    check(Method::DoublyRobust, false);
}

#[test]
fn improved_estimators_take_their_models_as_known() {
    for efficient in [true, false] {
        let example = example(efficient);
        let estimate = example.estimate(Method::Improved).unwrap();
        let rows = &example.observations;
        assert_near(&[estimate.att], &[att(Method::Improved, efficient, rows)], 1e-11);
        let models = Models::new(rows, true);
        let total = |treated: bool, t: usize| -> f64 {
            let weight = |o: &Observation| if treated { o.w } else { models.v(o) };
            models.corner(treated, t).map(weight).sum()
        };
        let u = |o: &Observation| {
            let t = o.period;
            if !o.treated {
                let residual = models.r(o) - models.tau_control(t);
                return -sign(t) * models.v(o) * residual / total(false, t);
            }
            let mut u = sign(t) * o.w * (models.r(o) - models.tau_treated(t)) / total(true, t);
            if efficient {
                let all = |s: usize| models.gain(o, s) - models.gain_of_all(s);
                let own = models.gain(o, t) - models.gain_of_own(t);
                u += o.w * difference(all) / (total(true, 0) + total(true, 1));
                u -= sign(t) * o.w * own / total(true, t);
            }
            u
        };
        let expected: Vec<f64> = rows.iter().map(u).collect();
        assert_near(&example.influence(&estimate), &expected, 1e-11);
    }
}

#[test]
fn horvitz_thompson_weighting_takes_the_mean_weight_as_known() {
    let example = example(true);
    let rows = &example.observations;
    let estimate = example.estimate(Method::HorvitzThompson).unwrap();
    assert_near(&[estimate.att], &[att(Method::HorvitzThompson, true, rows)], 1e-12);
    // The estimate is homogeneous of degree -1 in the weights; every row gets an equal part of what is missing to a sum of zero.
    let derivatives =
        definition::derivatives(rows, |rows| att(Method::HorvitzThompson, true, rows));
    let expected: Vec<f64> =
        derivatives.iter().map(|u| u + estimate.att / rows.len() as f64).collect();
    assert_near(&example.influence(&estimate), &expected, 1e-7);
}
