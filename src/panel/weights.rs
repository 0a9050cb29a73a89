//! Sampling weights as columns of the strata, and the cohorts' shares.

use rayon::prelude::*;

use super::arrange::{Grid, row_weight};
use super::codes::MISSING;
use super::ingest::Selection;
use super::sample::{Layout, StratumData, WeightLayout};
use crate::pass::Weight;

/// Weight layout, first presence column, weight of the group shares, and the weight columns of each stratum.
pub(super) fn columns(
    s: &Selection,
    layout: Layout,
    grids: &[Grid],
) -> (WeightLayout, Option<usize>, Weight, Vec<Vec<f64>>) {
    let weights = layout_of(s, grids);
    let scale = mean_weight(s, grids).recip();
    let periods = grids.first().map_or(0, Grid::periods);
    let weight = |row: u32| if row == MISSING { 0.0 } else { row_weight(s, row) * scale };
    if layout == Layout::Unbalanced {
        let presence =
            |g: &Grid| g.rows.iter().map(|r| f64::from(u8::from(*r != MISSING))).collect();
        if weights == WeightLayout::Constant {
            return (weights, Some(0), Weight::Ones, grids.iter().map(presence).collect());
        }
        let columns = grids
            .par_iter()
            .map(|g| {
                let mut columns: Vec<f64> = g.rows.iter().map(|r| weight(*r)).collect();
                let observed: Vec<f64> = presence(g);
                let means = (0..g.n).map(|i| unit_mean(&columns, &observed, g.n, i));
                let means: Vec<f64> = means.collect();
                columns.extend(observed);
                columns.extend(means);
                columns
            })
            .collect();
        return (WeightLayout::Varying, Some(periods), Weight::Column(2 * periods), columns);
    }
    let (omega, kept) = match weights {
        WeightLayout::Constant => (Weight::Ones, 0),
        WeightLayout::Invariant => (Weight::Column(0), 1),
        WeightLayout::Varying => (Weight::Column(0), periods),
    };
    let columns = grids
        .par_iter()
        .map(|g| g.rows[..kept * g.n].iter().map(|r| weight(*r)).collect())
        .collect();
    (weights, None, omega, columns)
}

/// Mean over the periods in which unit `i` is observed.
fn unit_mean(weights: &[f64], observed: &[f64], n: usize, i: usize) -> f64 {
    let total = |columns: &[f64]| columns.iter().skip(i).step_by(n).sum::<f64>();
    total(weights) / total(observed)
}

/// Whether weights are equal, the same in all periods of a unit, or neither.
pub(super) fn layout_of(s: &Selection, grids: &[Grid]) -> WeightLayout {
    let Some(w) = &s.raw.w else { return WeightLayout::Constant };
    let kept = || w.par_iter().zip(&s.keep).filter(|(_, k)| **k).map(|(w, _)| *w);
    let first = w.iter().zip(&s.keep).find(|(_, k)| **k).map(|(w, _)| *w);
    if kept().all(|w| Some(w) == first) {
        return WeightLayout::Constant;
    }
    let invariant = |g: &Grid| {
        g.filled.iter().enumerate().all(|(e, r)| w[*r as usize] == w[g.filled[e % g.n] as usize])
    };
    if grids.par_iter().all(invariant) { WeightLayout::Invariant } else { WeightLayout::Varying }
}

/// Mean weight over all rows, summed in canonical order.
fn mean_weight(s: &Selection, grids: &[Grid]) -> f64 {
    let rows = || grids.iter().flat_map(|g| &g.rows).filter(|r| **r != MISSING);
    if s.raw.w.is_none() {
        return 1.0;
    }
    let total: f64 = rows().map(|r| row_weight(s, *r)).sum();
    if total > 0.0 { total / rows().count() as f64 } else { 1.0 }
}

/// `(1/n) Σ ω` of each cohort.
pub(super) fn shares(
    strata: &[StratumData],
    omega: Weight,
    cohorts: usize,
    layout: Layout,
    n: usize,
) -> Vec<f64> {
    let each = match layout {
        Layout::RepeatedCrossSections => strata.len() / cohorts.max(1),
        Layout::Balanced | Layout::Unbalanced => 1,
    };
    let total = |s: &StratumData| match omega {
        Weight::Column(j) => s.w[j * s.rows..(j + 1) * s.rows].iter().sum(),
        Weight::Ones | Weight::Product(..) => s.rows as f64,
    };
    strata.chunks(each.max(1)).map(|s| s.iter().map(total).sum::<f64>() / n as f64).collect()
}
