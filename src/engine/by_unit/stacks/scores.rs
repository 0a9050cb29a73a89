//! What makes the influence value of a row of the stack, in the scale of sums.

use serde::{Deserialize, Serialize};

use super::plan::{Scratch, StackPlan, StackRow};
use crate::engine::by_unit::{UnitScores, Units};

/// What weights of rows are multiplied by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StackWeighting {
    /// Whether a sub-experiment is in the stack.
    pub kept: Vec<bool>,
    /// Of controls, `[sub][event]`; 0 where there is nothing to compare.
    pub controls: Vec<f64>,
    /// Number of event times.
    pub events: usize,
}

/// Coefficients, and what they leave of means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StackFit {
    /// Rows of the inverse cross-products, `[target][variables]`; zeros where there is no estimate.
    pub inverse: Vec<Vec<f64>>,
    /// Coefficients of indicators and covariates.
    pub slopes: Vec<f64>,
    /// `[group][event][arm]`, controls first.
    pub cells: Vec<Vec<[StackCell; 2]>>,
}

/// An arm of a group of rows at an event time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StackCell {
    /// Of covariates and the outcome.
    pub means: Vec<f64>,
    /// What the regression leaves of the mean outcome.
    pub residual: f64,
    /// The weight that the mean row has in each target.
    pub loadings: Vec<f64>,
}

/// Influence values of all effects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StackScores {
    pub plan: StackPlan,
    pub weighting: StackWeighting,
    /// The group of each sub-experiment.
    pub groups: Vec<usize>,
    pub fit: StackFit,
    /// Whether the copies of a unit have values of their own.
    pub apart: bool,
}

impl StackWeighting {
    /// What the weight of a row is multiplied by; 0 if it is not in the stack.
    pub fn of(&self, sub: usize, event: usize, treated: bool) -> f64 {
        match (self.kept[sub], treated) {
            (false, _) => 0.0,
            (true, true) => 1.0,
            (true, false) => self.controls[sub * self.events + event],
        }
    }
}

impl UnitScores for StackScores {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        self.plan.scratch()
    }

    fn targets(&self) -> usize {
        self.fit.inverse.len()
    }

    fn copies(&self) -> usize {
        if self.apart { self.plan.cohorts.len() } else { 1 }
    }

    fn write(&self, units: &Units<'_>, unit: usize, scratch: &mut Scratch, values: &mut [f64]) {
        if !self.plan.take(units, unit, scratch) {
            return;
        }
        let targets = self.targets();
        self.plan.each(units, scratch, &mut |row| {
            let copy = if self.apart { row.sub } else { 0 };
            self.add(&row, &mut values[copy * targets..(copy + 1) * targets]);
        });
    }
}

impl StackScores {
    /// Whether they are ones that a driver would make.
    #[cfg(feature = "cluster")]
    pub fn is_sound(&self) -> bool {
        let subs = self.plan.cohorts.len();
        self.plan.is_sound()
            && self.targets() < self.plan.events()
            && self.groups.len() == subs
            && self.weighting.kept.len() == subs
    }

    /// Adds the influence of a row to those of its unit, by target.
    fn add(&self, row: &StackRow<'_>, values: &mut [f64]) {
        let factor = self.weighting.of(row.sub, row.event, row.treated);
        if factor <= 0.0 {
            return;
        }
        let StackFit { inverse, slopes, cells } = &self.fit;
        let cell = &cells[self.groups[row.sub]][row.event][usize::from(row.treated)];
        let (targets, k) = (self.targets(), self.plan.covariates());
        // Of covariates, beside their means.
        let within = |coefficients: &[f64]| -> f64 {
            let own = coefficients[targets..].iter().zip(row.variables).zip(&cell.means);
            own.map(|((b, x), mean)| b * (x - mean)).sum()
        };
        let outcome = row.variables[k] - cell.means[k] + cell.residual;
        let residual = row.weight * factor * (outcome - within(slopes));
        for ((value, inverse), loading) in values.iter_mut().zip(inverse).zip(&cell.loadings) {
            let before = if value.is_nan() { 0.0 } else { *value };
            *value = before + residual * (loading + within(inverse));
        }
    }
}
