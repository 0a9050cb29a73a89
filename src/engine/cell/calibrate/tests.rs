use super::*;
use crate::engine::cell::fixtures::{design, rows};
use crate::engine::cell::method::RankRule;

/// Comparison rows `(x, outcome)` of weight one: two at `x = 0`, one at `x = 1`.
const CONTROLS: [(f64, f64); 3] = [(0.0, 3.0), (0.0, 5.0), (1.0, 7.0)];

/// Their cross-products weighted by the odds, row by row.
fn weighted(gamma: &[f64]) -> Gram {
    let mut gram = Gram::zero(2, 1);
    for (x, y) in CONTROLS {
        let z = [1.0, x];
        let q = dot(&z, gamma).exp();
        for i in 0..2 {
            gram.zy[i] += q * z[i] * y;
            for j in 0..2 {
                gram.zz[2 * i + j] += q * z[i] * z[j];
            }
        }
    }
    gram
}

/// Calibrates to treated totals `Σ_T w z`, from these coefficients.
fn solve(total: [f64; 2], start: &[f64]) -> Calibration {
    let info = design(&["x"]);
    let algebra = Algebra::new(&info, RankRule::RawColumns);
    let control = Control { side: 0, rows: rows(1), outcomes: vec![0] };
    let target = CalibrationTarget { start, total: total.to_vec(), controls: vec![control] };
    let tolerance = Tolerance::new(Precision::F64);
    let mut state = CalibrationState::new(&target);
    for _ in 0..MAX_PASSES {
        if !state.open {
            break;
        }
        state.advance(vec![weighted(&state.gamma)], &target, &algebra, &tolerance);
    }
    state.finish(&target)
}

#[test]
fn the_odds_reproduce_the_treated_totals() {
    // One treated row at x = 0 and two at x = 1: 2 e^γ_0 = 1 and e^(γ_0 + γ_1) = 2.
    let calibration = solve([3.0, 2.0], &[0.0, 0.0]);
    assert!(calibration.solved);
    let expected = [0.5f64.ln(), 4f64.ln()];
    assert!(calibration.gamma.iter().zip(expected).all(|(g, e)| (g - e).abs() < 1e-10));
    let gram = calibration.gram(0, &rows(1)).unwrap();
    assert!((gram.zz[0] - 3.0).abs() < 1e-10 && (gram.zz[1] - 2.0).abs() < 1e-10);
    // Odds of a half, a half and two.
    assert!((gram.zy[0] - (0.5 * 3.0 + 0.5 * 5.0 + 2.0 * 7.0)).abs() < 1e-9);
}

#[test]
fn totals_beyond_the_comparison_rows_leave_the_likelihood() {
    // No odds give a mean of two to an x between zero and one.
    let start = [0.25, -0.5];
    let calibration = solve([1.0, 2.0], &start);
    assert!(!calibration.solved);
    assert_eq!(calibration.gamma, start);
    assert_eq!(calibration.gram(0, &rows(1)).unwrap(), &weighted(&start));
}

#[test]
fn a_step_that_raises_the_objective_is_halved() {
    let info = design(&["x"]);
    let algebra = Algebra::new(&info, RankRule::RawColumns);
    let target =
        CalibrationTarget { start: &[0.0, 0.0], total: vec![3.0, 2.0], controls: Vec::new() };
    let mut state = CalibrationState::new(&target);
    let tolerance = Tolerance::new(Precision::F64);
    state.advance(vec![weighted(&[0.0, 0.0])], &target, &algebra, &tolerance);
    let step = state.step.clone();
    let larger = Gram { zz: vec![1e6, 0.0, 0.0, 1e6], ..Gram::zero(2, 1) };
    state.advance(vec![larger], &target, &algebra, &tolerance);
    assert_eq!(state.halvings, 1);
    assert_eq!(state.gamma, [step[0] / 2.0, step[1] / 2.0]);
}

#[test]
fn cross_products_of_other_rows_are_an_error() {
    let calibration = solve([3.0, 2.0], &[0.0, 0.0]);
    assert!(calibration.gram(1, &rows(1)).is_err());
    assert!(calibration.gram(0, &rows(2)).is_err());
}
