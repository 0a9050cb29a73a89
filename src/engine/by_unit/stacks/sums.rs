//! Sums by sub-experiment, event time and arm.

use serde::{Deserialize, Serialize};

use super::plan::{Scratch, StackPlan};
use crate::engine::by_unit::{Cross, UnitPass, Units};

/// Sums of all rows of the stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StackSums {
    /// `[sub][event][arm]`, controls first.
    cells: Vec<Cross>,
    pub events: usize,
    /// Units with a row.
    pub units: usize,
    pub without_weight: usize,
}

impl StackSums {
    /// Sums of controls, then of treated units.
    pub fn arms(&self, sub: usize, event: usize) -> [&Cross; 2] {
        let first = 2 * (sub * self.events + event);
        [&self.cells[first], &self.cells[first + 1]]
    }

    /// Number of sub-experiments.
    pub fn subs(&self) -> usize {
        self.cells.len() / (2 * self.events)
    }
}

impl UnitPass for StackPlan {
    const NAME: &'static str = "sums by event time";
    type Scratch = Scratch;
    type Sums = StackSums;

    fn scratch(&self) -> Scratch {
        Self::scratch(self)
    }

    fn none(&self) -> StackSums {
        let (subs, events) = (self.cohorts.len(), self.events());
        let cells = vec![Cross::new(self.covariates() + 1); 2 * subs * events];
        StackSums { cells, events, units: 0, without_weight: 0 }
    }

    fn bytes(&self) -> u128 {
        let cells = 2 * self.cohorts.len() as u128 * self.events() as u128;
        cells * Cross::bytes(self.covariates() + 1)
    }

    fn add(&self, units: &Units<'_>, unit: usize, scratch: &mut Scratch, sums: &mut StackSums) {
        sums.units += usize::from(self.take(units, unit, scratch));
        sums.without_weight += scratch.series.without_weight;
        let (cells, events) = (&mut sums.cells, sums.events);
        self.each(units, scratch, &mut |row| {
            let cell = 2 * (row.sub * events + row.event) + usize::from(row.treated);
            cells[cell].add(row.weight, row.variables);
        });
    }

    fn merge(sums: &mut StackSums, more: StackSums) {
        sums.cells.iter_mut().zip(&more.cells).for_each(|(sums, more)| sums.merge(more));
        sums.units += more.units;
        sums.without_weight += more.without_weight;
    }
}
