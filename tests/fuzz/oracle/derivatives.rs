//! Tests of the oracle by itself: influence is the derivative of the estimate by the logarithm of a row's weight, and the
//! propensity scores satisfy the equations that define them.

use super::logit::{Calibrated, Likelihood, calibrate, likelihood};
use super::{Method, Rows, Rules, panel, sections};
use crate::random::Random;

fn rows(random: &mut Random, sections: bool) -> Rows {
    let mut rows = Rows::default();
    for _ in 0..120 {
        let (x1, x2) = (random.normal(), random.normal());
        let d = random.chance(1.0 / (1.0 + (0.8 * x1 - 0.4 * x2 * x2).exp()));
        let post = random.chance(0.5);
        let y = 3.0 + x1 * x1 + 0.5 * x2 + random.normal() + f64::from(u8::from(d && post));
        rows.raw.push(vec![1.0, x1, x2]);
        rows.d.push(d);
        rows.w.push(random.uniform(0.4, 2.0));
        rows.y.push(y);
        if sections {
            rows.post.push(post);
        }
    }
    rows.centre(true);
    rows
}

/// Largest distance of the influence from the derivative, relative to the largest influence.
fn distance(rows: &mut Rows, rules: &Rules) -> f64 {
    let estimate = |rows: &Rows| {
        let both = if rows.post.is_empty() {
            panel::estimate(rows, rules)
        } else {
            sections::estimate(rows, rules)
        };
        both.unwrap()
    };
    let u = estimate(rows).u;
    let largest = u.iter().fold(0.0f64, |m, u| m.max(u.abs()));
    let (step, mut worst) = (1e-3, 0.0f64);
    for (i, influence) in u.iter().enumerate() {
        let w = rows.w[i];
        let mut at = |h: f64| {
            rows.w[i] = w * h.exp();
            estimate(rows).att
        };
        // To fourth order.
        let derivative =
            (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
        rows.w[i] = w;
        worst = worst.max((derivative - influence).abs());
    }
    worst / largest
}

#[test]
fn influence_is_a_derivative() {
    use Method::{DoublyRobust, HorvitzThompson, Improved, Ipw, Regression};
    let mut random = Random::new(1, 9);
    let mut panel = rows(&mut random, false);
    let mut rows = rows(&mut random, true);
    for method in [Regression, Ipw, HorvitzThompson, DoublyRobust, Improved] {
        let rules = Rules { method, guarded: false, trim: 0.995, efficient: true };
        let found = distance(&mut panel, &rules);
        assert!(found < 1e-8, "panel, {method:?}: {found:e}");
    }
    // The references leave something out of the influence of the others.
    for (method, efficient) in
        [(Regression, true), (Ipw, true), (DoublyRobust, true), (DoublyRobust, false)]
    {
        let rules = Rules { method, guarded: false, trim: 0.995, efficient };
        let found = distance(&mut rows, &rules);
        assert!(found < 1e-8, "sections, {method:?}, {efficient}: {found:e}");
    }
}

#[test]
fn scores_solve_their_equations() {
    let mut random = Random::new(2, 9);
    let rows = rows(&mut random, false);
    let Likelihood::Maximum(score) = likelihood(&rows.x(), &rows.d, &rows.w) else {
        panic!("there is a maximum")
    };
    let number = |d: bool| f64::from(u8::from(d));
    let all: Vec<usize> = (0..rows.len()).collect();
    let residual: Vec<f64> =
        all.iter().map(|i| rows.w[*i] * (number(rows.d[*i]) - score.p[*i])).collect();
    assert!(rows.total(&all, &residual).iter().all(|s| s.abs() < 1e-12), "{residual:?}");
    let Calibrated::Odds(odds) = calibrate(&rows.x(), &rows.d, &rows.w, &score.gamma) else {
        panic!("there is a solution")
    };
    let gap = |i: &usize| rows.w[*i] * if rows.d[*i] { 1.0 } else { -odds[*i] };
    let gaps: Vec<f64> = all.iter().map(gap).collect();
    assert!(rows.total(&all, &gaps).iter().all(|s| s.abs() < 1e-10));
}
