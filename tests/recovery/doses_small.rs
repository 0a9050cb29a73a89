//! Curves of few treated units, and dimensions of sieves of few observations for each function: simulations of what corrections and damping
//! do. `cargo test --features cli --test recovery doses_small -- --ignored --nocapture`.

use burn_did::backend::Cpu;
use burn_did::{
    ContDid, Estimate, Npiv,
    doses::{CurveErrors, DoseGrid},
    options::Bootstrap,
    sieve::{SieveGrid, SieveKnots},
};
use polars::prelude::{DataFrame, df};
use rayon::prelude::*;

use crate::support::splitmix::SplitMix64;

/// Two periods, so many treated units and 200 comparison units; the effect of a dose `d` in 0 to 1 is `d + d²`.
fn panel(treated: usize, seed: u64) -> DataFrame {
    let mut random = SplitMix64(seed);
    random.next_u64();
    let n = treated + 200;
    let (mut y, mut dose) = (Vec::new(), Vec::new());
    for unit in 0..n {
        let d = if unit < treated { random.uniform() } else { 0.0 };
        let start = random.bell();
        y.extend([start, start + d + d * d + 3f64.sqrt() * random.bell()]);
        dose.extend([d; 2]);
    }
    let row = |f: fn(usize, usize) -> i64| -> Vec<i64> {
        (0..n).flat_map(|unit| [f(unit, 0), f(unit, 1)]).collect()
    };
    let group: Vec<i64> = (0..2 * n).map(|r| if r / 2 < treated { 2 } else { 0 }).collect();
    df!("id" => row(|unit, _| unit as i64), "t" => row(|_, t| t as i64 + 1), "g" => group, "y" => y, "d" => dose)
        .unwrap()
}

/// Shares of samples in which pointwise intervals of `ATT(.5)` and `ACRT(.5)` have the truth.
fn coverage(treated: usize, errors: CurveErrors) -> [f64; 2] {
    const SAMPLES: u64 = 2_000;
    let config = ContDid::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .dose("d")
        .grid(DoseGrid::Values(vec![0.5]))
        .curve_errors(errors)
        .build();
    let covers =
        |e: Estimate, truth: f64| e.interval().is_some_and(|(l, u)| l <= truth && truth <= u);
    let of_sample = |seed: u64| -> [f64; 2] {
        let fit = config.fit(panel(treated, seed)).unwrap();
        let row = fit.dose.rows[0];
        [covers(row.att, 0.75), covers(row.acrt, 2.0)].map(|c| f64::from(u8::from(c)))
    };
    let sum = (0..SAMPLES).into_par_iter().map(of_sample);
    let sum = sum.reduce(|| [0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    sum.map(|covered| covered / SAMPLES as f64)
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn curves_of_few_units_cover_more_often_with_corrected_errors() {
    for (treated, least) in [(8, 0.79), (10, 0.83), (15, 0.87), (20, 0.89), (40, 0.91)] {
        let plain = coverage(treated, CurveErrors::Hc0);
        let corrected = coverage(treated, CurveErrors::Hc1);
        println!("{treated} treated units: HC0 {plain:.3?}, HC1 {corrected:.3?}");
        assert!(corrected.iter().zip(&plain).all(|(c, p)| c > p));
        assert!(corrected.iter().all(|c| *c > least), "{corrected:?}");
    }
}

/// A function of a regressor and its name.
type Truth = (&'static str, fn(f64) -> f64);

const TRUTHS: [Truth; 4] = [
    ("x", |x| x),
    ("sin 4x", |x| (4.0 * x).sin()),
    ("sin 10x", |x| (10.0 * x).sin()),
    ("bump", |x| (-((x - 0.5) / 0.08).powi(2)).exp()),
];

/// Root mean squared error of the function between the 2nd and the 98th percentile, and the mean number of segments.
fn rmse(n: usize, truth: fn(f64) -> f64, knots: SieveKnots, damping: bool) -> (f64, f64) {
    const SAMPLES: u64 = 40;
    let points: Vec<f64> = (0..60).map(|i| 0.02 + 0.96 * f64::from(i) / 59.0).collect();
    let config = Npiv::builder()
        .outcome("y")
        .regressors(["x"])
        .knots(knots)
        .grid(SieveGrid::Points(points.iter().map(|x| vec![*x]).collect()))
        .bootstrap(Bootstrap::draws(499))
        .damping(damping)
        .build();
    let of_sample = |seed: u64| -> (f64, f64) {
        let mut random = SplitMix64(seed.wrapping_mul(7_919).wrapping_add(n as u64));
        random.next_u64();
        let x: Vec<f64> = (0..n).map(|_| random.uniform()).collect();
        let y: Vec<f64> = x.iter().map(|x| truth(*x) + 0.3 * 3f64.sqrt() * random.bell()).collect();
        let fit = config.fit(df!("x" => x, "y" => y).unwrap()).unwrap();
        let squares =
            fit.rows.iter().map(|row| (row.h.estimate.unwrap() - truth(row.x[0])).powi(2));
        (squares.sum::<f64>() / points.len() as f64, fit.x_segments as f64)
    };
    let sum = (0..SAMPLES).into_par_iter().map(of_sample);
    let (squares, segments) = sum.reduce(|| (0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    ((squares / SAMPLES as f64).sqrt(), segments / SAMPLES as f64)
}

#[test]
#[ignore = "1,920 samples, minutes"]
fn damping_lowers_the_error_of_functions_of_few_observations() {
    let mut ratios = Vec::new();
    for n in [100, 300, 1_000] {
        for (name, truth) in TRUTHS {
            for knots in [SieveKnots::Uniform, SieveKnots::Quantiles] {
                let (damped, few) = rmse(n, truth, knots, true);
                let (as_is, many) = rmse(n, truth, knots, false);
                println!(
                    "n = {n}, {name}, {knots:?}: {damped:.4} ({few:.1} segments), undamped {as_is:.4} ({many:.1})"
                );
                ratios.push(damped / as_is);
            }
        }
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    println!("ratio of errors: mean {mean:.3}, largest {worst:.3}");
    assert!(mean < 0.85 && worst < 1.1);
}
