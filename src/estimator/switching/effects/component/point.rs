//! Sums over switchers and controls, and the estimate.

use rayon::prelude::*;

use super::{Component, Horizon, View};

/// Controls `[stratum, period]`.
pub(in crate::estimator::switching::effects) struct Controls {
    /// Sum of their weights.
    pub weight: Vec<f64>,
    /// Weighted sum of their changes.
    pub change: Vec<f64>,
    /// How many have a positive weight.
    pub count: Vec<u32>,
}

impl Controls {
    pub fn new(view: &View<'_>, horizon: Horizon) -> Self {
        let periods = view.sample.periods;
        let tiles = view.sample.tiles();
        let sums = |(stratum, groups): &(usize, std::ops::Range<usize>)| {
            let mut sums = Self::empty(periods);
            for g in groups.clone() {
                let row = view.sample.row(g);
                let (outcome, weight) = (&view.outcome[row.clone()], &view.weight[row]);
                for t in view.control_periods(g, horizon.length) {
                    let change = horizon.change(outcome, t);
                    if !change.is_nan() {
                        sums.weight[t] += weight[t];
                        sums.change[t] += weight[t] * change;
                        sums.count[t] += u32::from(weight[t] > 0.0);
                    }
                }
            }
            (*stratum, sums)
        };
        let sums: Vec<(usize, Self)> = tiles.par_iter().map(sums).collect();
        let mut all = Self::empty(view.sample.strata.len() * periods);
        for (stratum, sums) in sums {
            for t in 0..periods {
                let at = stratum * periods + t;
                all.weight[at] += sums.weight[t];
                all.change[at] += sums.change[t];
                all.count[at] += sums.count[t];
            }
        }
        all
    }

    fn empty(len: usize) -> Self {
        Self { weight: vec![0.0; len], change: vec![0.0; len], count: vec![0; len] }
    }
}

/// A component's estimate, and what it is made of.
#[derive(Clone, Debug, Default)]
pub(in crate::estimator::switching::effects) struct ComponentPoint {
    /// Weight of the switchers.
    pub weight: f64,
    /// Number of switchers.
    pub switchers: usize,
    /// Mean change of the switchers less the mean change of their controls; 0 without switchers.
    pub estimate: f64,
    /// Mean of the treatment received up to the period, less the status quo's, in the direction of the switch.
    pub cumulative: f64,
    /// Mean of the treatment in the period, less the status quo, in the direction of the switch.
    pub current: f64,
    /// The switchers.
    pub groups: Vec<u32>,
    /// Weight of the switchers by `[stratum, period]`.
    pub share: Vec<f64>,
}

/// Estimates a component.
pub(in crate::estimator::switching::effects) fn point(
    view: &View<'_>,
    component: &Component<'_>,
    controls: &Controls,
) -> ComponentPoint {
    let sample = view.sample;
    let (l, sign) = (component.horizon.length, component.direction.sign());
    let mut point =
        ComponentPoint { share: vec![0.0; controls.weight.len()], ..ComponentPoint::default() };
    let mut sum = 0.0;
    for g in 0..sample.groups() {
        let counts = component.members.is_none_or(|members| members[g]);
        if !counts || sample.direction[g] != Some(component.direction) || l > sample.horizons(g) {
            continue;
        }
        let row = sample.row(g);
        let t = sample.first_of(g) - 1 + l;
        let at = view.at(g, t);
        let change = component.horizon.change(&view.outcome[row.clone()], t);
        if change.is_nan() || controls.weight[at] <= 0.0 {
            continue;
        }
        let weight = view.weight[row.start + t];
        let status_quo = sample.status_quo[g];
        let received = &sample.treatment[row][sample.first_of(g)..=t];
        let above = received.iter().filter(|d| !d.is_nan()).map(|d| d - status_quo);
        point.cumulative += weight * sign * above.sum::<f64>();
        if let Some(current) = received.last().filter(|d| !d.is_nan()) {
            point.current += weight * sign * (current - status_quo);
        }
        point.weight += weight;
        point.switchers += 1;
        point.share[at] += weight;
        sum += weight * change;
        point.groups.push(u32::try_from(g).unwrap_or(u32::MAX));
    }
    if point.weight > 0.0 {
        let expected = point.share.iter().zip(controls.change.iter().zip(&controls.weight));
        let expected = expected.filter(|(share, _)| **share > 0.0);
        sum -= expected.map(|(share, (change, weight))| share / weight * change).sum::<f64>();
        point.estimate = sum / point.weight;
        point.cumulative /= point.weight;
        point.current /= point.weight;
    }
    point
}
