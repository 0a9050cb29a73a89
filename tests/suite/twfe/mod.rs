//! Diagnostics of two-way fixed effects.

mod dense;
mod errors;
mod golden;
mod properties;
mod results;

use burn_did::{Bacon, TwfeWeights};
use polars::prelude::*;

use crate::support::splitmix::SplitMix64;

/// Columns `id, t, g, y, x, w, cl`.
struct Design {
    units: usize,
    periods: usize,
    /// First treated period by unit, from 1 on; infinite if never treated.
    groups: Vec<f64>,
    y: Vec<f64>,
    x: Vec<f64>,
    w: Vec<f64>,
    /// Whether a row is there.
    kept: Vec<bool>,
}

/// A balanced panel in which units are treated from a period of their own on, with effects that grow.
fn random(seed: u64) -> Design {
    let mut r = SplitMix64(seed);
    let mut below = |n: usize| ((r.uniform() * n as f64) as usize).min(n - 1);
    let (units, periods) = (12 + below(25), 3 + below(6));
    // Some designs have units that are always treated, and some none that never are.
    let (first, last) = (below(2), periods + below(2));
    let groups: Vec<usize> = (0..units).map(|_| 1 + first + below(last - first)).collect();
    let group = |g: usize| if g > periods { f64::INFINITY } else { g as f64 };
    let mut design = Design {
        units,
        periods,
        groups: groups.iter().map(|g| group(*g)).collect(),
        y: Vec::new(),
        x: Vec::new(),
        w: Vec::new(),
        kept: Vec::new(),
    };
    for g in groups {
        let level = r.bell();
        for t in 1..=periods {
            let effect = if t >= g { 0.5 + 0.4 * (t - g) as f64 } else { 0.0 };
            let x = r.bell() + 0.1 * level * t as f64;
            design.y.push(level + 0.3 * t as f64 + 0.6 * x + effect + r.bell());
            design.x.push(x);
            design.w.push(0.5 + r.uniform());
            design.kept.push(r.uniform() < 0.85);
        }
    }
    design
}

impl Design {
    fn row(&self, unit: usize, period: usize) -> usize {
        unit * self.periods + period - 1
    }

    fn treated(&self, unit: usize, period: usize) -> f64 {
        f64::from(u8::from(period as f64 >= self.groups[unit]))
    }

    /// All rows.
    fn frame(&self) -> DataFrame {
        self.rows(&vec![true; self.kept.len()])
    }

    /// Without some rows.
    fn unbalanced(&self) -> DataFrame {
        self.rows(&self.kept)
    }

    fn rows(&self, kept: &[bool]) -> DataFrame {
        let rows = (0..self.units).flat_map(|u| (1..=self.periods).map(move |t| (u, t)));
        let rows: Vec<(usize, usize)> = rows.filter(|(u, t)| kept[self.row(*u, *t)]).collect();
        let column = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            rows.iter().map(|(u, t)| of(*u, *t)).collect()
        };
        df!(
            "id" => column(&|u, _| u as f64),
            "t" => column(&|_, t| t as f64),
            "g" => column(&|u, _| if self.groups[u].is_finite() { self.groups[u] } else { 0.0 }),
            "d" => column(&|u, t| self.treated(u, t)),
            "y" => column(&|u, t| self.y[self.row(u, t)]),
            "x" => column(&|u, t| self.x[self.row(u, t)]),
            "w" => column(&|u, t| self.w[self.row(u, t)]),
            "cl" => column(&|u, _| (u % 5) as f64),
        )
        .unwrap()
    }
}

fn bacon() -> Bacon {
    Bacon::builder().outcome("y").unit("id").time("t").group("g").build()
}

fn weights() -> TwfeWeights {
    TwfeWeights::builder().outcome("y").unit("id").time("t").group("g").build()
}

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} is not {b}");
}
