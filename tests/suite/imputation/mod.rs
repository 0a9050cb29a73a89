//! Effects by a regression of untreated outcomes: imputation and two stages.

mod dense;
mod errors;
mod golden;
mod identities;
mod results;
mod two_stage;
mod written;

use burn_did::imputation::{StageEffects, StageTerm};
use burn_did::{Imputation, TwoStage};
use polars::prelude::*;

use crate::support::splitmix::SplitMix64;

/// A panel in which units are treated from a period of their own on, with effects that differ and grow, and without some rows; columns
/// `id, t, g, y, x, w, cl, region, a, rel`.
fn random(seed: u64) -> DataFrame {
    let mut r = SplitMix64(seed);
    let mut below = |n: usize| ((r.uniform() * n as f64) as usize).min(n - 1);
    let (units, periods) = (20 + below(20), 5 + below(4));
    let (has_always, has_never) = (below(2) == 0, below(3) > 0);
    let group = |below: &mut dyn FnMut(usize) -> usize| match below(5) {
        0 if has_always => 1,
        0 | 1 if has_never => 0,
        _ => 2 + below(periods - 1 + usize::from(has_never)),
    };
    let groups: Vec<usize> = (0..units).map(|_| group(&mut below)).collect();
    let mut columns: [Vec<f64>; 10] = Default::default();
    for (u, g) in groups.into_iter().enumerate() {
        let (level, slope) = (r.bell(), 1.0 + 0.5 * r.bell());
        for t in 1..=periods {
            let treated = g > 0 && t >= g;
            let region = ((u * 7 + t * 3) % 4) as f64;
            let x = r.bell() + 0.1 * level * t as f64;
            let effect = if treated { slope + 0.4 * (t - g) as f64 } else { 0.0 };
            let y = level + 0.3 * t as f64 + 0.6 * x + 0.2 * region + effect + r.bell();
            let (w, a, kept) = (0.5 + r.uniform(), r.uniform(), r.uniform() < 0.85);
            if kept {
                let rel = if g == 0 { 1000.0 } else { t as f64 - g as f64 };
                let row = [u as f64, t as f64, g as f64, y, x, w, (u % 7) as f64, region, a, rel];
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
        }
    }
    let [id, t, g, y, x, w, cl, region, a, rel] = columns;
    df!(
        "id" => id, "t" => t, "g" => g, "y" => y, "x" => x, "w" => w, "cl" => cl,
        "region" => region, "a" => a, "rel" => rel,
    )
    .unwrap()
}

/// Columns `y`, `id`, `t` and `g`.
fn imputation() -> Imputation {
    Imputation::builder().outcome("y").unit("id").time("t").group("g").build()
}

/// As [`imputation`].
fn two_stage() -> TwoStage {
    TwoStage::builder().outcome("y").unit("id").time("t").group("g").build()
}

/// The estimate and standard error of a term.
#[track_caller]
fn of(effects: &StageEffects, term: &StageTerm) -> (f64, f64) {
    let effect = effects.get(term).unwrap_or_else(|| panic!("{term:?} is missing"));
    let (value, se) = (effect.estimate.estimate, effect.estimate.se);
    (value.unwrap(), se.unwrap_or_else(|| panic!("{term:?}: {:?}", effect.reason)))
}

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1e-3), "{a} is not {b}");
}
