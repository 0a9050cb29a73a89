//! A component's influence values.

use rayon::prelude::*;

use super::super::TILE;
use super::means::{Means, SwitcherCohorts};
use super::point::{ComponentPoint, Controls};
use super::{Component, View};

/// Adds the influence of each group on a component's estimate, on the scale `Var = Σ u²`.
pub(in crate::estimator::switching::effects) fn influence(
    view: &View<'_>,
    component: &Component<'_>,
    controls: &Controls,
    point: &ComponentPoint,
    cohorts: &SwitcherCohorts,
    out: &mut [f64],
) {
    let sample = view.sample;
    let horizon = component.horizon;
    let means = Means::new(view, component, controls, point, cohorts);
    let ratio: Vec<f64> = point
        .share
        .iter()
        .zip(&controls.weight)
        .map(|(share, weight)| if *share > 0.0 { share / weight } else { 0.0 })
        .collect();
    let scale = point.weight.recip();
    out.par_chunks_mut(TILE).enumerate().for_each(|(tile, out)| {
        let start = tile * TILE;
        let mut next = point.groups.partition_point(|g| (*g as usize) < start);
        for (g, out) in (start..).zip(out) {
            let row = sample.row(g);
            let (outcome, weight) = (&view.outcome[row.clone()], &view.weight[row]);
            let mut sum = 0.0;
            for t in view.control_periods(g, horizon.length) {
                let at = view.at(g, t);
                let change = horizon.change(outcome, t);
                if ratio[at] > 0.0 && !change.is_nan() {
                    let mean = means.controls[at];
                    sum -= ratio[at] * weight[t] * mean.factor * (change - mean.mean);
                }
            }
            if point.groups.get(next).is_some_and(|switcher| *switcher as usize == g) {
                let t = sample.first_of(g) - 1 + horizon.length;
                let mean = means.switchers[next];
                sum += weight[t] * mean.factor * (horizon.change(outcome, t) - mean.mean);
                next += 1;
            }
            *out += scale * sum;
        }
    });
}
