//! Regressions whose sums are formed unit by unit: local projections and stacks.

pub mod dense;
mod projections;
mod stacked;

use burn_did::backend::Cpu;
use burn_did::{
    AttGt, DidWarning, Etwfe, Imputation, LocalProjections, Stacked, SunAbraham, TwoStage,
};
use polars::prelude::*;

use crate::support::frames::{map, with};
use crate::support::splitmix::SplitMix64;

/// A panel with gaps in which treatment starts at different times. Columns `id, t, g, d, s, y, x, z, w, cl`: `d` is the treatment that
/// stays, and `s` one that may end.
pub fn random(seed: u64) -> DataFrame {
    let mut r = SplitMix64(seed);
    let mut below = |n: usize| ((r.uniform() * n as f64) as usize).min(n - 1);
    let (units, periods) = (30 + below(30), 5 + below(4));
    // Some designs have units that are always treated, and some none that never are.
    let (first, last) = (below(2), periods + below(2));
    let groups: Vec<usize> = (0..units).map(|_| 1 + first + below(last - first)).collect();
    let mut columns: [Vec<f64>; 10] = Default::default();
    for (u, g) in groups.into_iter().enumerate() {
        let level = r.bell();
        let mut on = 0.0;
        for t in 1..=periods {
            let effect = if t >= g { 0.5 + 0.4 * (t - g) as f64 } else { 0.0 };
            let x = r.bell() + 0.1 * level * t as f64;
            let z = r.uniform();
            let y = level + 0.3 * t as f64 + 0.6 * x - 0.2 * z + effect + r.bell();
            if r.uniform() < 0.25 {
                on = 1.0 - on;
            }
            let w = 0.5 + r.uniform();
            if r.uniform() > 0.93 {
                continue;
            }
            let group = if g > periods { 0.0 } else { g as f64 };
            let row = [
                u as f64,
                t as f64,
                group,
                f64::from(u8::from(t >= g)),
                on,
                y,
                x,
                z,
                w,
                (u % 7) as f64,
            ];
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
    let names = ["id", "t", "g", "d", "s", "y", "x", "z", "w", "cl"];
    let columns = names.into_iter().zip(columns);
    let columns = columns.map(|(name, values)| Column::new(name.into(), values)).collect();
    DataFrame::new_infer_height(columns).unwrap()
}

/// Six periods, 30 units that are never treated and 15 in each of the cohorts 3 to 6. Columns `id, t, g, y, x, w, cl`.
pub fn textbook() -> DataFrame {
    let cells: Vec<(f64, f64)> =
        (0..90).flat_map(|u| (1..=6).map(move |t| (f64::from(u), f64::from(t)))).collect();
    let column = |of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        cells.iter().map(|(u, t)| of(*u, *t)).collect()
    };
    let group = |u: f64| [0.0, 3.0, 4.0, 5.0, 0.0, 6.0][(u % 6.0) as usize];
    let x = |u: f64| (1.3 * u + 0.2).cos();
    let y = |u: f64, t: f64| {
        let g = group(u);
        let effect = if g > 0.0 && t >= g { 1.0 + 0.3 * (t - g) + 0.2 * x(u) } else { 0.0 };
        let noise = 0.5 * (91.7 * u + 13.3 * t * t + 0.5).sin();
        (2.1 * u).sin() + 0.2 * t + 0.1 * x(u) * t + effect + noise
    };
    df!(
        "id" => column(&|u, _| u),
        "t" => column(&|_, t| t),
        "g" => column(&|u, _| group(u)),
        "y" => column(&y),
        "x" => column(&|u, _| x(u)),
        "w" => column(&|u, _| 1.0 + 0.5 * (0.37 * u).sin().powi(2)),
        "cl" => column(&|u, _| u % 18.0),
    )
    .unwrap()
}

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * (1e-3 + b.abs()), "{a} is not {b}");
}

/// Holds influence values over n against derivatives, of which they are the root of a factor for small samples.
#[track_caller]
fn are_derivatives(name: &str, pairs: &[(f64, f64)]) {
    let [both, squares] = pairs
        .iter()
        .fold([0.0, 0.0], |[both, squares], (value, d)| [both + value * d, squares + d * d]);
    let factor = both / squares;
    assert!((0.999..1.6).contains(&factor), "{name}: {factor}");
    let largest = pairs.iter().fold(0.0f64, |most, (value, _)| most.max(value.abs()));
    for (value, derivative) in pairs {
        let off = (value - factor * derivative).abs();
        assert!(off <= 2e-5 * largest, "{name}: {value} is not {derivative}");
    }
}

#[test]
fn groups_of_zero_are_doubtful_for_every_estimator_where_zero_is_a_period() {
    fn warned(df: &DataFrame) -> Vec<Vec<DidWarning>> {
        macro_rules! fitted {
            ($builder:expr) => {
                $builder.outcome("y").unit("id").time("t").group("g").build().fit(df).unwrap()
            };
        }
        let all = [
            fitted!(AttGt::<Cpu>::builder()).warnings,
            fitted!(Etwfe::<Cpu>::builder()).warnings,
            fitted!(SunAbraham::<Cpu>::builder()).regression.warnings,
            fitted!(Imputation::builder()).effects.warnings,
            fitted!(TwoStage::builder()).effects.warnings,
            fitted!(Stacked::builder().pre_window(1).post_window(1)).warnings,
            fitted!(LocalProjections::builder().pre_window(1).post_window(1)).warnings,
        ];
        let zero = |warning: &DidWarning| matches!(warning, DidWarning::ZeroGroup { .. });
        all.map(|warnings| warnings.into_iter().filter(zero).collect()).into()
    }
    let df = textbook();
    let later = map(&df, "t", |t| t - 2.0);
    let around = map(&later, "g", |g| if g > 0.0 { g - 2.0 } else { 0.0 });
    let warning = DidWarning::ZeroGroup { column: "g".into(), rows: 180 };
    assert_eq!(warned(&around), vec![vec![warning]; 7]);
    // A group of 0 is never treated where periods are positive, and infinity is everywhere.
    assert_eq!(warned(&df), vec![vec![]; 7]);
    let groups = around.column("g").unwrap().f64().unwrap().iter().flatten();
    let never: Vec<f64> = groups.map(|g| if g == 0.0 { f64::INFINITY } else { g }).collect();
    assert_eq!(warned(&with(&around, "g", never)), vec![vec![]; 7]);
}
