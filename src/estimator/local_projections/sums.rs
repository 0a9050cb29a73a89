//! Sums of all regressions, by base period and arm.

use super::plan::{Plan, Scratch};
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::estimator::by_unit::{Cross, Opened, Units, fold};

/// Tiles whose sums are held at once.
const HELD: u128 = 66;

/// Sums of the rows of all regressions.
pub(super) struct Sums {
    /// `[target][base][arm]`, controls first.
    cells: Vec<Cross>,
    steps: usize,
    /// Units with a row.
    pub units: usize,
    pub without_weight: usize,
    /// A unit whose treatment is neither 0 nor 1, with the value.
    odd: Option<(String, f64)>,
}

impl Sums {
    /// Reads all rows.
    ///
    /// # Errors
    /// [`DidError::Memory`], errors about a file or a column, and [`DidError::Panel`] for a treatment that is neither 0 nor 1.
    pub fn read(plan: &Plan<'_>, opened: &Opened<'_>) -> Result<Self> {
        let (targets, steps, p) = (plan.targets.len(), plan.timeline.steps, plan.regressors() + 1);
        let cells = 2 * (targets as u128) * (steps as u128);
        let bytes = cells * (size_of::<Cross>() + 8 * p * (p + 1)) as u128 * HELD;
        let remedy = "ask for a shorter window or fewer covariates";
        memory::check("sums by horizon and period", bytes, remedy)?;
        let zero = || {
            let cells = vec![Cross::new(p); 2 * targets * steps];
            (Self { cells, steps, units: 0, without_weight: 0, odd: None }, plan.scratch())
        };
        let add = |units: &Units<'_>, unit: usize, (sums, scratch): &mut (Self, Scratch)| {
            sums.add(plan, units, unit, scratch);
        };
        let merge = |(sums, _): &mut (Self, Scratch), (more, _): (Self, Scratch)| sums.merge(more);
        let (sums, _) = fold(opened, "sums by horizon", &zero, &add, &merge)?;
        match &sums.odd {
            None => Ok(sums),
            Some((unit, value)) => Err(DidError::Panel {
                problem: format!(
                    "column `{}` (treatment) must be 0 or 1, and unit {unit} has {value}; `DidMultiplegt` takes other treatments",
                    plan.options.treatment.as_deref().unwrap_or_default()
                ),
            }),
        }
    }

    /// Sums of controls, then of treated units.
    pub fn arms(&self, target: usize, base: usize) -> [&Cross; 2] {
        let first = 2 * (target * self.steps + base);
        [&self.cells[first], &self.cells[first + 1]]
    }

    fn add(&mut self, plan: &Plan<'_>, units: &Units<'_>, unit: usize, scratch: &mut Scratch) {
        self.units += usize::from(plan.take(units, unit, scratch));
        self.without_weight += scratch.series.without_weight;
        if self.odd.is_none() {
            let odd = |treated: &&f64| !treated.is_nan() && **treated != 0.0 && **treated != 1.0;
            let value = scratch.series.treated.iter().find(odd);
            self.odd = value.map(|value| (units.rows.label(unit), *value));
        }
        let (cells, steps) = (&mut self.cells, self.steps);
        plan.each(units, scratch, &mut |row| {
            let cell = 2 * (row.target * steps + row.base) + usize::from(row.treated);
            cells[cell].add(row.weight, row.variables);
        });
    }

    fn merge(&mut self, more: Self) {
        self.cells.iter_mut().zip(&more.cells).for_each(|(sums, more)| sums.merge(more));
        self.units += more.units;
        self.without_weight += more.without_weight;
        self.odd = self.odd.take().or(more.odd);
    }
}
