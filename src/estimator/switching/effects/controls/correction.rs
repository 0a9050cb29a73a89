//! What the estimated coefficients add to the influence values of a component.

use rayon::prelude::*;

use super::super::TILE;
use super::super::component::{Component, ComponentPoint, Controls, View};
use super::Adjusted;
use super::regression::ControlRegression;
use crate::base::solve::dot;

/// The product of a component's controls with the coefficients' influence.
pub(in crate::estimator::switching::effects) struct Correction<'a> {
    adjusted: &'a Adjusted,
    /// Of each status quo treatment, the inverse of the cross-products times the component's controls.
    directions: Vec<Option<Vec<f64>>>,
    /// Product of the component's controls and the coefficients, summed over the status quo treatments.
    explained: f64,
}

impl<'a> Correction<'a> {
    /// For a component of outcomes that were adjusted; `separate` leaves out by what R enlarges the coefficients' influence.
    pub fn new(
        adjusted: &'a Adjusted,
        view: &View<'_>,
        component: &Component<'_>,
        controls: &Controls,
        point: &ComponentPoint,
        separate: bool,
    ) -> Self {
        let all: f64 = adjusted.regressions.iter().flatten().map(|r| r.weight).sum();
        let sums = component_controls(view, component, controls, point);
        let mut explained = 0.0;
        let direction = |(level, regression): (usize, &Option<ControlRegression>)| {
            let regression = regression.as_ref()?;
            let factor = if separate { 1.0 } else { all / regression.weight };
            let sums: Vec<f64> = sums[level].iter().map(|sum| sum / point.weight).collect();
            explained += dot(&sums, &regression.coefficients);
            let rows = regression.inverse.chunks_exact(sums.len().max(1));
            Some(rows.map(|row| factor * dot(row, &sums)).collect())
        };
        let directions = adjusted.regressions.iter().enumerate().map(direction).collect();
        Self { adjusted, directions, explained }
    }

    /// Subtracts the correction of each group.
    pub fn subtract(&self, view: &View<'_>, out: &mut [f64]) {
        let sample = view.sample;
        let common = self.explained / sample.scale as f64;
        out.par_chunks_mut(TILE).enumerate().for_each(|(tile, out)| {
            let mut changes = Vec::new();
            for (g, out) in (tile * TILE..).zip(out) {
                let level = Adjusted::level(sample, g);
                if self.adjusted.lost[level] {
                    continue;
                }
                let mut sum = -common;
                if let (Some(direction), Some(regression)) =
                    (&self.directions[level], &self.adjusted.regressions[level])
                {
                    let (row, stratum) = (sample.row(g).start, sample.stratum[g] as usize);
                    for t in 1..sample.first_of(g) {
                        let change = sample.outcome[row + t] - sample.outcome[row + t - 1];
                        let weight = view.weight[row + t];
                        if change.is_nan() || weight <= 0.0 {
                            continue;
                        }
                        sample.control_changes(g, t - 1, t, &mut changes);
                        let residual = regression.residual(stratum, t, change, &mut changes);
                        let along: f64 =
                            changes.iter().map(|(k, change)| direction[*k] * change).sum();
                        sum += weight * along * residual;
                    }
                }
                *out -= sum;
            }
        });
    }
}

/// Weighted changes of the control variables: switchers less their comparison groups, by status quo treatment.
fn component_controls(
    view: &View<'_>,
    component: &Component<'_>,
    controls: &Controls,
    point: &ComponentPoint,
) -> Vec<Vec<f64>> {
    let sample = view.sample;
    let l = component.horizon.length;
    let k = sample.control_count();
    let tile = |(stratum, groups): &(usize, std::ops::Range<usize>)| {
        let mut sums = vec![0.0; k];
        let mut changes = Vec::new();
        // As in R: not of strata whose last control is too early for one more period.
        if l + 2 > sample.strata[*stratum].end {
            return (sample.strata[*stratum].level, sums);
        }
        let mut add = |g: usize, t: usize, factor: f64| {
            let (from, to) = component.horizon.span(t);
            sample.control_changes(g, from, to, &mut changes);
            for (k, change) in &changes {
                sums[*k] += factor * change;
            }
        };
        let mut next = point.groups.partition_point(|g| (*g as usize) < groups.start);
        for g in groups.clone() {
            let row = sample.row(g);
            for t in view.control_periods(g, l) {
                let at = view.at(g, t);
                let there = !component.horizon.change(&view.outcome[row.clone()], t).is_nan();
                if point.share[at] > 0.0 && there {
                    let weight = view.weight[row.start + t];
                    add(g, t, -weight * point.share[at] / controls.weight[at]);
                }
            }
            if point.groups.get(next).is_some_and(|switcher| *switcher as usize == g) {
                let t = sample.first_of(g) - 1 + l;
                add(g, t, view.weight[row.start + t]);
                next += 1;
            }
        }
        (sample.strata[*stratum].level, sums)
    };
    let tiles: Vec<(usize, Vec<f64>)> = sample.tiles().par_iter().map(tile).collect();
    let mut levels = vec![vec![0.0; k]; sample.status_quos.len()];
    for (level, sums) in tiles {
        levels[level].iter_mut().zip(sums).for_each(|(all, more)| *all += more);
    }
    levels
}
