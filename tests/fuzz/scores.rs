//! Propensity scores with many far treated rows are the maximum of the likelihood.

use burn_did::backend::Cpu;
use burn_did::{
    Ddd, Drdid,
    options::{DrdidMethod, EstimationMethod},
};
use polars::prelude::{DataFrame, df};

use crate::support::splitmix::SplitMix64;

/// A unit of a two-period panel.
#[derive(Clone, Copy)]
struct Unit {
    x: f64,
    treated: bool,
    eligible: bool,
    weight: f64,
    before: f64,
    after: f64,
}

/// Units of which a share of the treated and eligible lies far beyond everybody else.
fn units(seed: u64, n: usize, far: f64) -> Vec<Unit> {
    let mut random = SplitMix64(seed);
    let mut unit = || {
        let (treated, eligible) = (random.uniform() < 0.5, random.uniform() < 0.5);
        let beyond = treated && eligible && random.uniform() < 0.4;
        let x = 1.5 * random.bell()
            + if beyond {
                far * (1.0 + random.uniform())
            } else {
                f64::from(u8::from(treated)) / 2.0
            };
        let weight = 0.5 + random.uniform();
        let before = random.bell();
        // Far units have no larger changes, or these would be all that counts.
        let after = before + 0.3 * x.min(3.0) + random.bell() + f64::from(u8::from(treated));
        Unit { x, treated, eligible, weight, before, after }
    };
    (0..n).map(|_| unit()).collect()
}

fn frame(units: &[Unit]) -> DataFrame {
    let rows = || units.iter().enumerate().flat_map(|(id, u)| [(id, u, 1), (id, u, 2)]);
    df!(
        "id" => rows().map(|(id, ..)| id as i64).collect::<Vec<_>>(),
        "t" => rows().map(|(.., t)| t).collect::<Vec<i64>>(),
        "d" => rows().map(|(_, u, _)| i64::from(u.treated)).collect::<Vec<_>>(),
        "g" => rows().map(|(_, u, _)| 2 * i64::from(u.treated)).collect::<Vec<_>>(),
        "q" => rows().map(|(_, u, _)| i64::from(u.eligible)).collect::<Vec<_>>(),
        "x" => rows().map(|(_, u, _)| u.x).collect::<Vec<_>>(),
        "w" => rows().map(|(_, u, _)| u.weight).collect::<Vec<_>>(),
        "y" => rows().map(|(_, u, t)| if t == 1 { u.before } else { u.after }).collect::<Vec<_>>(),
    )
    .unwrap()
}

/// Maximum-likelihood logit of `d` on a constant and `x` by Newton steps, and the inverse of its information. Tails are
/// summed as they are: no score is bounded.
fn logit(rows: &[(bool, Unit)]) -> ([f64; 2], [f64; 3]) {
    let likelihood = |b: [f64; 2]| -> f64 {
        let term = |(d, u): &(bool, Unit)| {
            let eta = b[0] + b[1] * u.x;
            let own = if *d { -eta } else { eta };
            -u.weight * (own.max(0.0) + (-own.abs()).exp().ln_1p())
        };
        rows.iter().map(term).sum()
    };
    let mut b = [0.0; 2];
    let mut inverse = [0.0; 3];
    for _ in 0..200 {
        let (mut s, mut h) = ([0.0; 2], [0.0; 3]);
        for (d, u) in rows {
            let eta = b[0] + b[1] * u.x;
            let (p, q) = (1.0 / (1.0 + (-eta).exp()), 1.0 / (1.0 + eta.exp()));
            let residual = u.weight * if *d { q } else { -p };
            s = [s[0] + residual, s[1] + residual * u.x];
            let v = u.weight * p * q;
            h = [h[0] + v, h[1] + v * u.x, h[2] + v * u.x * u.x];
        }
        let det = h[0] * h[2] - h[1] * h[1];
        inverse = [h[2] / det, -h[1] / det, h[0] / det];
        let step = [inverse[0] * s[0] + inverse[1] * s[1], inverse[1] * s[0] + inverse[2] * s[1]];
        let mut by = 1.0;
        while likelihood([b[0] + by * step[0], b[1] + by * step[1]]) < likelihood(b) && by > 1e-6 {
            by /= 2.0;
        }
        b = [b[0] + by * step[0], b[1] + by * step[1]];
        if step.iter().all(|s| s.abs() < 1e-14) {
            break;
        }
    }
    (b, inverse)
}

/// Effect and standard error by normalised weighting of the rows, and their influence values.
fn weighting(rows: &[(bool, Unit)]) -> (f64, Vec<f64>) {
    let (b, inverse) = logit(rows);
    // No comparison unit is near the trimming threshold.
    let odds = |u: &Unit| (b[0] + b[1] * u.x).exp();
    let change = |u: &Unit| u.after - u.before;
    let weight = |(d, u): &(bool, Unit)| if *d { u.weight } else { u.weight * odds(u) };
    let mean = |of: bool| {
        let (sum, total) = rows
            .iter()
            .filter(|(d, _)| *d == of)
            .fold((0.0, 0.0), |(s, t), row| (s + weight(row) * change(&row.1), t + weight(row)));
        (sum / total, total)
    };
    let ((treated, a), (comparison, c)) = (mean(true), mean(false));
    let (mut m0, mut m1) = (0.0, 0.0);
    for row in rows.iter().filter(|(d, _)| !d) {
        let part = weight(row) * (change(&row.1) - comparison) / c;
        m0 += part;
        m1 += part * row.1.x;
    }
    let slope = [inverse[0] * m0 + inverse[1] * m1, inverse[1] * m0 + inverse[2] * m1];
    let influence = rows.iter().map(|row| {
        let (d, u) = row;
        let eta = b[0] + b[1] * u.x;
        let residual = if *d { 1.0 / (1.0 + eta.exp()) } else { -1.0 / (1.0 + (-eta).exp()) };
        let score = u.weight * residual * (slope[0] + slope[1] * u.x);
        let own = if *d {
            u.weight * (change(u) - treated) / a
        } else {
            -weight(row) * (change(u) - comparison) / c
        };
        own - score
    });
    (treated - comparison, influence.collect())
}

#[track_caller]
fn near(what: &str, got: Option<f64>, want: f64, unit: f64) {
    let got = got.unwrap_or_else(|| panic!("{what}: no number"));
    assert!((got - want).abs() <= 1e-8 * unit, "{what}: {got} and {want}, unit {unit}");
}

#[test]
fn of_two_periods() {
    for (seed, far) in [(1, 0.0), (2, 8.0), (3, 20.0), (4, 60.0), (5, 500.0)] {
        let units = units(seed, 600, far);
        let rows: Vec<(bool, Unit)> = units.iter().map(|u| (u.treated, *u)).collect();
        let (att, influence) = weighting(&rows);
        let se = influence.iter().map(|u| u * u).sum::<f64>().sqrt();
        let fit = Drdid::<Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .treatment("d")
            .covariates("~ x")
            .weights("w")
            .method(DrdidMethod::Ipw)
            .build()
            .fit(frame(&units))
            .unwrap();
        near(&format!("far {far}: att"), fit.estimate.estimate, att, se);
        near(&format!("far {far}: se"), fit.estimate.se, se, se);
    }
}

#[test]
fn of_triple_differences() {
    for (seed, far) in [(1, 0.0), (2, 8.0), (3, 20.0), (4, 60.0), (5, 500.0)] {
        let units = units(seed, 900, far);
        let mut att = 0.0;
        let mut influence = vec![0.0; units.len()];
        let subgroups = [(true, false, 1.0), (false, true, 1.0), (false, false, -1.0)];
        for (treated, eligible, sign) in subgroups {
            let (mut place, mut rows) = (Vec::new(), Vec::new());
            for (i, u) in units.iter().enumerate() {
                let target = u.treated && u.eligible;
                if target || (u.treated, u.eligible) == (treated, eligible) {
                    place.push(i);
                    rows.push((target, *u));
                }
            }
            let (own, values) = weighting(&rows);
            att += sign * own;
            for (i, value) in place.into_iter().zip(values) {
                influence[i] += sign * value;
            }
        }
        let n = units.len() as f64;
        let se = (influence.iter().map(|u| u * u).sum::<f64>() * n / (n - 1.0)).sqrt();
        let fit = Ddd::<Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .group("g")
            .eligible("q")
            .covariates("~ x")
            .weights("w")
            .method(EstimationMethod::Ipw)
            .build()
            .fit(frame(&units))
            .unwrap();
        let cell = &fit.cells[0].estimate;
        near(&format!("far {far}: att"), cell.estimate, att, se);
        near(&format!("far {far}: se"), cell.se, se, se);
    }
}
