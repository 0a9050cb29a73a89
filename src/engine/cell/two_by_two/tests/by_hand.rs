//! Examples that need no computer: a covariate of two values, and none.

use super::definition::Observation;
use super::example::{Example, Form, assert_near};
use crate::engine::cell::algebra::{Algebra, Moments};
use crate::engine::cell::fixtures::{self, design, rows};
use crate::engine::cell::method::{Method, RankRule, Recipe};
use crate::engine::cell::sides::{Outcome, PlannedCell, Side};
use crate::engine::cell::two_by_two::{self, SideMoments};
use crate::result::estimates::CellStatus;

const ALL: [Method; 5] = [
    Method::OutcomeRegression,
    Method::Ipw,
    Method::HorvitzThompson,
    Method::DoublyRobust,
    Method::Improved,
];

/// One treated unit with `x = 0` and change 3, two with `x = 1` and changes 4 and 6; comparison units with `x = 0` and changes 1
/// and 2, and one with `x = 1` and change 2.
fn two_values() -> Vec<Observation> {
    let units = [
        (true, 3.0, 0.0),
        (true, 4.0, 1.0),
        (true, 6.0, 1.0),
        (false, 1.0, 0.0),
        (false, 2.0, 0.0),
        (false, 2.0, 1.0),
    ];
    units.map(|(treated, y, x)| Observation { treated, period: 1, y, x, w: 1.0 }).to_vec()
}

#[test]
fn with_a_covariate_of_two_values_all_methods_average_the_same_two_differences() {
    let example = Example::new(Form::Changes, two_values());
    // 3 - 1.5 for the third of the treated with x = 0, and 5 - 2 for the others.
    let expected = (1.0 * 1.5 + 2.0 * 3.0) / 3.0;
    for method in ALL {
        let estimate = example.estimate(method).unwrap();
        assert_near(&[estimate.att], &[expected], 1e-9);
        // Differences of the treated less the estimate; of the others from their means, by the odds 1/2 and 2.
        let u = [1.5 - 2.5, 2.0 - 2.5, 4.0 - 2.5, 0.5 * 0.5, 0.5 * -0.5, 0.0].map(|u| u / 3.0);
        assert_near(&example.influence(&estimate), &u, 1e-8);
    }
}

#[test]
fn rows_of_equal_composition_are_compared_as_units_are() {
    let before = |o: &Observation| Observation { period: 0, y: 10.0 * o.x, ..*o };
    let after = |o: &Observation| Observation { y: 10.0 * o.x + o.y, ..*o };
    let rows = two_values().iter().flat_map(|o| [before(o), after(o)]).collect();
    let example = Example::new(Form::Rows, rows);
    for method in ALL {
        assert_near(&[example.estimate(method).unwrap().att], &[2.5], 1e-9);
    }
}

/// Moments of outcomes of weight one, with a constant alone.
fn constant(outcomes: &[f64]) -> Moments {
    Moments { zz: vec![outcomes.len() as f64], zd: vec![outcomes.iter().sum()] }
}

fn sides(corners: &[[&[f64]; 2]]) -> Vec<SideMoments> {
    let side = |[control, treated]: &[&[f64]; 2]| SideMoments {
        treated: constant(treated),
        control: constant(control),
        odds: None,
        calibrated: None,
    };
    corners.iter().map(side).collect()
}

/// A cell whose sides have strata 0 and 1, 2 and 3.
fn cell(sides: usize, n: usize) -> PlannedCell {
    let side = |t: usize| Side {
        outcome: Outcome::Level(0),
        treated: vec![rows(2 * t + 1)],
        control: vec![rows(2 * t)],
    };
    fixtures::cell((0..sides).map(side).collect(), n / 2, n / 2)
}

#[test]
fn with_a_constant_alone_a_panel_compares_two_means() {
    let info = design(&[]);
    let sides = sides(&[[&[0.0, 2.0], &[4.0, 6.0, 5.0]]]);
    for method in ALL {
        let recipe = Recipe::new(method);
        let estimate = two_by_two::estimate(
            &Algebra::new(&info, RankRule::RawColumns),
            &recipe,
            &cell(1, 5),
            &sides,
            None,
        )
        .unwrap();
        assert_eq!(estimate.att, 5.0 - 1.0);
        // Deviations from the mean, over the number of units: c d + f.
        let of = |term: usize, d: f64| {
            let of = &estimate.terms[term].coefficients;
            of.c * d + of.f
        };
        assert_near(&[of(0, 6.0), of(1, 0.0)], &[1.0 / 3.0, 1.0 / 2.0], 1e-15);
    }
}

#[test]
fn with_a_constant_alone_rows_are_compared_in_four_means() {
    let info = design(&[]);
    let sides = sides(&[[&[0.0, 2.0], &[4.0, 6.0]], [&[3.0, 3.0], &[8.0, 12.0]]]);
    for method in ALL {
        let recipe = Recipe::new(method);
        let estimate = two_by_two::estimate(
            &Algebra::new(&info, RankRule::RawColumns),
            &recipe,
            &cell(2, 8),
            &sides,
            None,
        )
        .unwrap();
        assert_near(&[estimate.att], &[(10.0 - 5.0) - (3.0 - 1.0)], 1e-14);
    }
}

#[test]
fn an_estimator_that_needs_a_propensity_score_fails_without_one() {
    let info = design(&["x"]);
    let moments = || Moments { zz: vec![2.0, 1.0, 1.0, 1.0], zd: vec![1.0, 0.5] };
    let side =
        || SideMoments { treated: moments(), control: moments(), odds: None, calibrated: None };
    let algebra = Algebra::new(&info, RankRule::RawColumns);
    for method in ALL.into_iter().filter(|method| method.propensity().is_some()) {
        let recipe = Recipe::new(method);
        for n in [1, 2] {
            let sides: Vec<SideMoments> = (0..n).map(|_| side()).collect();
            let estimate = two_by_two::estimate(&algebra, &recipe, &cell(n, 4), &sides, None);
            assert!(matches!(estimate, Err(CellStatus::Estimator { .. })), "{method:?}");
        }
    }
}
