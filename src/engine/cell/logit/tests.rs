use super::*;
use crate::engine::cell::fixtures::{cell, design, rows};
use crate::engine::cell::method::RankRule;
use crate::engine::cell::sides::{Outcome, Side};

/// Rows `(treated, x)` of weight one.
type Rows = [(bool, f64)];

/// One of three treated at `x = 0`, two of three at `x = 1`.
const SATURATED: &Rows =
    &[(true, 0.0), (false, 0.0), (false, 0.0), (true, 1.0), (true, 1.0), (false, 1.0)];

/// The derivatives at these coefficients, row by row.
fn derivatives(rows: &Rows, gamma: &[f64]) -> LogitStat {
    let mut stat = LogitStat::zero(2);
    for (treated, x) in rows {
        let z = [1.0, *x];
        let p = 1.0 / (1.0 + (-dot(&z, gamma)).exp());
        stat.max_p = stat.max_p.max(p);
        for i in 0..2 {
            stat.score[i] += (f64::from(u8::from(*treated)) - p) * z[i];
            for j in 0..2 {
                stat.hessian[2 * i + j] += p * (1.0 - p) * z[i] * z[j];
            }
        }
    }
    stat
}

fn fit(rows: &Rows, guarded: bool) -> LogitFit {
    let info = design(&["x"]);
    let algebra = Algebra::new(&info, RankRule::RawColumns);
    let treated = rows.iter().filter(|(treated, _)| *treated).count();
    let totals = ArmTotals {
        treated: treated as f64,
        all: rows.len() as f64,
        rows: treated.min(rows.len() - treated),
    };
    let mut state = LogitState::new(totals, &algebra, true, guarded);
    let tolerance = Tolerance::new(Precision::F64);
    for iteration in 0..MAX_PASSES {
        if !state.open {
            break;
        }
        let largest = [true, false].map(|arm| {
            let own: Vec<(bool, f64)> = rows.iter().filter(|row| row.0 == arm).copied().collect();
            derivatives(&own, &state.gamma).max_p
        });
        state.advance(derivatives(rows, &state.gamma), largest, &algebra, &tolerance, iteration);
    }
    state.finish()
}

#[test]
fn a_saturated_model_has_the_log_odds_of_its_cells() {
    let fit = fit(SATURATED, true);
    assert!(fit.converged && fit.failure.is_none());
    let expected = [0.5f64.ln(), 4f64.ln()];
    assert!(fit.gamma.iter().zip(expected).all(|(g, e)| (g - e).abs() < 1e-9), "{:?}", fit.gamma);
    // p (1 - p) = 2/9 in both cells, of three rows each.
    let information = [4.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
    assert!(fit.hessian.iter().zip(information).all(|(h, e)| (h - e).abs() < 1e-6));
    assert!(fit.largest.iter().all(|p| (p - 2.0 / 3.0).abs() < 1e-9), "{:?}", fit.largest);
}

#[test]
fn the_largest_score_is_known_by_arm() {
    let rows = &[(false, 0.0), (true, 0.5), (false, 0.4), (true, 1.0), (true, 0.2), (false, 0.6)];
    let fit = fit(rows, true);
    let score = |x: f64| 1.0 / (1.0 + (-fit.gamma[0] - fit.gamma[1] * x).exp());
    for (largest, x) in fit.largest.iter().zip([1.0, 0.6]) {
        assert!((largest - score(x)).abs() < 1e-9, "{:?}", fit.largest);
    }
}

#[test]
fn the_iteration_starts_at_the_share_of_treated_rows() {
    let info = design(&["x"]);
    let algebra = Algebra::new(&info, RankRule::RawColumns);
    let totals = ArmTotals { treated: 1.0, all: 4.0, rows: 1 };
    assert_eq!(LogitState::new(totals, &algebra, true, true).gamma, [(1.0f64 / 3.0).ln(), 0.0]);
    assert_eq!(LogitState::new(totals, &algebra, false, true).gamma, [0.0, 0.0]);
}

#[test]
fn separated_arms_violate_overlap() {
    let separated = &[(true, 1.0), (true, 1.0), (false, 0.0), (false, 0.0)];
    let failure = fit(separated, true).failure;
    assert!(
        matches!(failure, Some(CellStatus::Overlap { max_propensity }) if max_propensity >= SEPARATED)
    );
}

#[test]
fn a_covariate_that_does_not_vary_has_no_information() {
    let constant = &[(true, 1.0), (false, 1.0), (false, 1.0)];
    assert_eq!(fit(constant, true).failure, Some(CellStatus::SingularInformation));
}

#[test]
fn a_region_of_one_arm_has_the_limit_of_its_scores() {
    let mut rows = vec![(false, 1.0); 10];
    rows.extend([(true, 0.0), (true, 0.0), (false, 0.0)]);
    let limit = |rows: &Rows, guarded| {
        let fit = fit(rows, guarded);
        assert!(fit.failure.is_none() && !fit.converged);
        assert!((fit.hessian[0] - 2.0 / 3.0).abs() < 1e-9 && fit.hessian[3] > 0.0);
        [0.0, 1.0].map(|x| 1.0 / (1.0 + (-fit.gamma[0] - fit.gamma[1] * x).exp()))
    };
    let [other, region] = limit(&rows, true);
    assert!((other - 2.0 / 3.0).abs() < 1e-9 && region < 1e-10, "{other} {region}");
    // Of treated rows it is a matter of overlap, where that is a condition.
    for (treated, _) in &mut rows {
        *treated ^= true;
    }
    let [other, region] = limit(&rows, false);
    assert!((other - 1.0 / 3.0).abs() < 1e-9 && region > 1.0 - 1e-10, "{other} {region}");
    assert!(matches!(fit(&rows, true).failure, Some(CellStatus::Overlap { .. })));
}

#[test]
fn arms_without_weight_have_no_start() {
    let info = design(&["x"]);
    let totals = ArmTotals { treated: 3.0, all: 3.0, rows: 0 };
    let state = LogitState::new(totals, &Algebra::new(&info, RankRule::RawColumns), true, false);
    assert!(!state.open);
    assert_eq!(state.finish().failure, Some(CellStatus::SingularInformation));
}

#[test]
fn a_step_that_turns_the_slope_is_halved() {
    let info = design(&["x"]);
    let algebra = Algebra::new(&info, RankRule::RawColumns);
    let totals = ArmTotals { treated: 1.0, all: 2.0, rows: 1 };
    let mut state = LogitState::new(totals, &algebra, true, false);
    let tolerance = Tolerance::new(Precision::F64);
    let stat = |score: [f64; 2]| LogitStat {
        score: score.to_vec(),
        hessian: vec![1.0, 0.0, 0.0, 1.0],
        max_p: 0.5,
    };
    state.advance(stat([0.0, 4.0]), [0.5; 2], &algebra, &tolerance, 0);
    assert_eq!(state.gamma, [0.0, 4.0]);
    state.advance(stat([0.0, -5.0]), [0.5; 2], &algebra, &tolerance, 1);
    assert_eq!((&state.gamma, state.halvings), (&vec![0.0, 2.0], 1));
}

#[test]
fn a_step_past_all_information_is_halved_unless_scores_fit() {
    let info = design(&["x"]);
    let algebra = Algebra::new(&info, RankRule::RawColumns);
    let totals = ArmTotals { treated: 1.0, all: 2.0, rows: 1 };
    let tolerance = Tolerance::new(Precision::F64);
    let stat = |score: f64, information: f64| LogitStat {
        score: vec![0.0, score],
        hessian: vec![information, 0.0, 0.0, information],
        max_p: 0.5,
    };
    let after = |score: f64| {
        let mut state = LogitState::new(totals, &algebra, true, false);
        state.advance(stat(4.0, 1.0), [0.5; 2], &algebra, &tolerance, 0);
        state.advance(stat(score, 0.0), [0.5; 2], &algebra, &tolerance, 1);
        state
    };
    let far = after(1.0);
    assert!(far.open && !far.singular);
    assert_eq!((&far.gamma, far.halvings), (&vec![0.0, 2.0], 1));
    let separated = after(1e-13);
    assert!(!separated.open && separated.singular);
}

#[test]
fn cells_of_equal_rows_share_a_model() {
    let side = |control: usize| Side {
        outcome: Outcome::Level(control),
        treated: vec![rows(0)],
        control: vec![rows(control)],
    };
    let mut models = Models::default();
    let mut register = |control: usize, weighted| {
        models.register(&cell(vec![side(control)], 10, 10), weighted, 10.0, 20.0)
    };
    assert_eq!([register(1, true), register(2, true), register(1, true)], [0, 1, 0]);
    assert_eq!(register(1, false), 2);
    assert_eq!(models.jobs.len(), 6);
    assert_eq!(models.guards, [false, false, true]);
}
