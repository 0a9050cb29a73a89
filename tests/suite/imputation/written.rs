//! The data that the specification writes down: 90 units in 6 periods, made of sines.

use polars::prelude::*;

const UNITS: usize = 90;
const PERIODS: usize = 6;

pub(super) fn frame() -> DataFrame {
    let rows = (0..UNITS).flat_map(|u| (1..=PERIODS).map(move |t| (u as f64, t as f64)));
    let rows: Vec<(f64, f64)> = rows.collect();
    let group = |u: f64| [0.0, 3.0, 4.0, 5.0, 0.0, 6.0][u as usize % 6];
    let x = |u: f64| (1.3 * u + 0.2).cos();
    let y = |u: f64, t: f64| {
        let (g, x) = (group(u), x(u));
        let effect = if g > 0.0 && t >= g { 1.0 + 0.3 * (t - g) + 0.2 * x } else { 0.0 };
        let noise = 0.5 * (91.7 * u + 13.3 * t * t + 0.5).sin();
        (2.1 * u).sin() + 0.2 * t + 0.1 * x * t + effect + noise
    };
    let column = |of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        rows.iter().map(|(u, t)| of(*u, *t)).collect()
    };
    df!(
        "id" => column(&|u, _| u),
        "t" => column(&|_, t| t),
        "g" => column(&|u, _| group(u)),
        "y" => column(&y),
        "xt" => column(&|u, t| x(u) * t),
        "w" => column(&|u, _| 1.0 + 0.5 * (0.37 * u).sin().powi(2)),
        "cl" => column(&|u, _| (u as usize % 18) as f64),
    )
    .unwrap()
}
