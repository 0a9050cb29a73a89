//! Sums by sub-experiment, event time and arm, and the weights of controls.

use super::options::{StackEffects, StackWeights};
use super::plan::{Plan, Scratch};
use crate::base::error::Result;
use crate::base::memory;
use crate::estimator::by_unit::{Cross, Opened, Units, fold};

/// Tiles whose sums are held at once.
const HELD: u128 = 66;

/// Sums of all rows of the stack.
pub(super) struct Sums {
    /// `[sub][event][arm]`, controls first.
    cells: Vec<Cross>,
    events: usize,
    /// Units with a row.
    pub units: usize,
    pub without_weight: usize,
}

/// What weights of rows are multiplied by.
#[derive(Clone, Debug)]
pub(super) struct Weighting {
    /// Whether a sub-experiment is in the stack.
    pub kept: Vec<bool>,
    /// Of controls, `[sub][event]`; 0 where there is nothing to compare.
    controls: Vec<f64>,
    events: usize,
}

/// Rows with effects of their own: of all sub-experiments, or of one.
pub(super) struct Group {
    /// `[event][arm]`, controls first.
    pub cells: Vec<[Cross; 2]>,
}

impl Sums {
    /// Reads all rows.
    ///
    /// # Errors
    /// [`DidError::Memory`](crate::DidError::Memory), and errors about a file or a column.
    pub fn read(plan: &Plan<'_>, opened: &Opened<'_>) -> Result<Self> {
        let (subs, events, p) = (plan.cohorts.len(), plan.events(), plan.covariates() + 1);
        let cells = 2 * (subs as u128) * (events as u128);
        let bytes = cells * (size_of::<Cross>() + 8 * p * (p + 1)) as u128 * HELD;
        let remedy = "ask for a shorter window or fewer covariates";
        memory::check("sums by cohort and event time", bytes, remedy)?;
        let zero = || {
            let cells = vec![Cross::new(p); 2 * subs * events];
            (Self { cells, events, units: 0, without_weight: 0 }, plan.scratch())
        };
        let add = |units: &Units<'_>, unit: usize, (sums, scratch): &mut (Self, Scratch)| {
            sums.units += usize::from(plan.take(units, unit, scratch));
            sums.without_weight += scratch.series.without_weight;
            plan.each(units, scratch, &mut |row| {
                let cell = 2 * (row.sub * events + row.event) + usize::from(row.treated);
                sums.cells[cell].add(row.weight, row.variables);
            });
        };
        let merge = |(sums, _): &mut (Self, Scratch), (more, _): (Self, Scratch)| {
            sums.cells.iter_mut().zip(&more.cells).for_each(|(sums, more)| sums.merge(more));
            sums.units += more.units;
            sums.without_weight += more.without_weight;
        };
        Ok(fold(opened, "sums by event time", &zero, &add, &merge)?.0)
    }

    /// Sums of controls, then of treated units.
    pub fn arms(&self, sub: usize, event: usize) -> [&Cross; 2] {
        let first = 2 * (sub * self.events + event);
        [&self.cells[first], &self.cells[first + 1]]
    }

    fn subs(&self) -> usize {
        self.cells.len() / (2 * self.events)
    }

    /// Which sub-experiments have treated units and controls at all event times, and how controls are weighted.
    pub fn weighting(&self, weights: StackWeights) -> Weighting {
        let events = || 0..self.events;
        let has = |sub: usize| {
            let arms = events().flat_map(|event| self.arms(sub, event));
            arms.into_iter().all(|arm| arm.weight > 0.0)
        };
        let kept: Vec<bool> = (0..self.subs()).map(has).collect();
        let total = |event: usize, arm: usize| -> f64 {
            let subs = (0..self.subs()).filter(|sub| kept[*sub]);
            subs.map(|sub| self.arms(sub, event)[arm].weight).sum()
        };
        let totals: Vec<[f64; 2]> = events().map(|e| [total(e, 0), total(e, 1)]).collect();
        let weight = |sub: usize, event: usize| {
            let [controls, treated] = self.arms(sub, event);
            let ratio = (treated.weight / totals[event][1]) / (controls.weight / totals[event][0]);
            match weights {
                StackWeights::Unweighted if kept[sub] => 1.0,
                StackWeights::Corrective if kept[sub] && ratio.is_finite() => ratio,
                _ => 0.0,
            }
        };
        let pairs = (0..self.subs()).flat_map(|sub| events().map(move |event| (sub, event)));
        let controls = pairs.map(|(sub, event)| weight(sub, event)).collect();
        Weighting { kept, controls, events: self.events }
    }

    /// The rows by the effects that they have, with their weights.
    pub fn groups(&self, weighting: &Weighting, effects: StackEffects, p: usize) -> Vec<Group> {
        let empty = || Group { cells: vec![[Cross::new(p), Cross::new(p)]; self.events] };
        let number = if effects == StackEffects::Pooled { 1 } else { self.subs() };
        let mut groups: Vec<Group> = (0..number).map(|_| empty()).collect();
        for sub in 0..self.subs() {
            for event in 0..self.events {
                for (arm, cross) in self.arms(sub, event).into_iter().enumerate() {
                    let factor = weighting.of(sub, event, arm == 1);
                    if factor > 0.0 {
                        groups[effects.group(sub)].cells[event][arm].add_times(factor, cross);
                    }
                }
            }
        }
        groups
    }
}

impl Weighting {
    /// Number of event times.
    pub fn events(&self) -> usize {
        self.events
    }

    /// What the weight of a row is multiplied by; 0 if it is not in the stack.
    pub fn of(&self, sub: usize, event: usize, treated: bool) -> f64 {
        match (self.kept[sub], treated) {
            (false, _) => 0.0,
            (true, true) => 1.0,
            (true, false) => self.controls[sub * self.events + event],
        }
    }
}

impl StackEffects {
    /// The group whose effects a sub-experiment has.
    pub(super) fn group(self, sub: usize) -> usize {
        if self == Self::Pooled { 0 } else { sub }
    }
}
