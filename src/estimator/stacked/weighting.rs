//! The weights of controls, and the rows by the effects that they have.

use super::options::{StackEffects, StackWeights};
use crate::engine::by_unit::{Cross, StackSums, StackWeighting};

/// Rows with effects of their own: of all sub-experiments, or of one.
pub(super) struct Group {
    /// `[event][arm]`, controls first.
    pub cells: Vec<[Cross; 2]>,
}

/// Which sub-experiments have treated units and controls at all event times, and how controls are weighted.
pub(super) fn weighting(sums: &StackSums, weights: StackWeights) -> StackWeighting {
    let events = || 0..sums.events;
    let has = |sub: usize| {
        let arms = events().flat_map(|event| sums.arms(sub, event));
        arms.into_iter().all(|arm| arm.weight > 0.0)
    };
    let kept: Vec<bool> = (0..sums.subs()).map(has).collect();
    let total = |event: usize, arm: usize| -> f64 {
        let subs = (0..sums.subs()).filter(|sub| kept[*sub]);
        subs.map(|sub| sums.arms(sub, event)[arm].weight).sum()
    };
    let totals: Vec<[f64; 2]> = events().map(|e| [total(e, 0), total(e, 1)]).collect();
    let weight = |sub: usize, event: usize| {
        let [controls, treated] = sums.arms(sub, event);
        let ratio = (treated.weight / totals[event][1]) / (controls.weight / totals[event][0]);
        match weights {
            StackWeights::Unweighted if kept[sub] => 1.0,
            StackWeights::Corrective if kept[sub] && ratio.is_finite() => ratio,
            _ => 0.0,
        }
    };
    let pairs = (0..sums.subs()).flat_map(|sub| events().map(move |event| (sub, event)));
    let controls = pairs.map(|(sub, event)| weight(sub, event)).collect();
    StackWeighting { kept, controls, events: sums.events }
}

/// The rows by the effects that they have, with their weights; of `p` variables.
pub(super) fn groups(
    sums: &StackSums,
    weighting: &StackWeighting,
    effects: StackEffects,
    p: usize,
) -> Vec<Group> {
    let empty = || Group { cells: vec![[Cross::new(p), Cross::new(p)]; sums.events] };
    let number = if effects == StackEffects::Pooled { 1 } else { sums.subs() };
    let mut groups: Vec<Group> = (0..number).map(|_| empty()).collect();
    for sub in 0..sums.subs() {
        for event in 0..sums.events {
            for (arm, cross) in sums.arms(sub, event).into_iter().enumerate() {
                let factor = weighting.of(sub, event, arm == 1);
                if factor > 0.0 {
                    groups[effects.group(sub)].cells[event][arm].add_times(factor, cross);
                }
            }
        }
    }
    groups
}

impl StackEffects {
    /// The group whose effects a sub-experiment has.
    pub(super) fn group(self, sub: usize) -> usize {
        if self == Self::Pooled { 0 } else { sub }
    }
}
