//! Sums of all regressions, by base period and arm.

use serde::{Deserialize, Serialize};

use super::plan::{ProjectionPlan, Scratch};
use crate::engine::by_unit::{Cross, UnitPass, Units};

/// Sums of the rows of all regressions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProjectionSums {
    /// `[target][base][arm]`, controls first.
    cells: Vec<Cross>,
    steps: usize,
    /// Units with a row.
    pub units: usize,
    pub without_weight: usize,
    /// A unit whose treatment is neither 0 nor 1, with the value.
    pub odd: Option<(String, f64)>,
}

impl ProjectionSums {
    /// Sums of controls, then of treated units.
    pub fn arms(&self, target: usize, base: usize) -> [&Cross; 2] {
        let first = 2 * (target * self.steps + base);
        [&self.cells[first], &self.cells[first + 1]]
    }
}

impl UnitPass for ProjectionPlan {
    const NAME: &'static str = "sums by horizon";
    type Scratch = Scratch;
    type Sums = ProjectionSums;

    fn scratch(&self) -> Scratch {
        Self::scratch(self)
    }

    fn none(&self) -> ProjectionSums {
        let (targets, steps) = (self.targets.len(), self.timeline.steps);
        let cells = vec![Cross::new(self.regressors() + 1); 2 * targets * steps];
        ProjectionSums { cells, steps, units: 0, without_weight: 0, odd: None }
    }

    fn bytes(&self) -> u128 {
        let cells = 2 * self.targets.len() as u128 * self.timeline.steps as u128;
        cells * Cross::bytes(self.regressors() + 1)
    }

    fn add(
        &self,
        units: &Units<'_>,
        unit: usize,
        scratch: &mut Scratch,
        sums: &mut ProjectionSums,
    ) {
        sums.units += usize::from(self.take(units, unit, scratch));
        sums.without_weight += scratch.series.without_weight;
        if sums.odd.is_none() {
            let odd = |treated: &&f64| !treated.is_nan() && **treated != 0.0 && **treated != 1.0;
            let value = scratch.series.treated.iter().find(odd);
            sums.odd = value.map(|value| (units.rows.label(unit), *value));
        }
        let (cells, steps) = (&mut sums.cells, sums.steps);
        self.each(units, scratch, &mut |row| {
            let cell = 2 * (row.target * steps + row.base) + usize::from(row.treated);
            cells[cell].add(row.weight, row.variables);
        });
    }

    fn merge(sums: &mut ProjectionSums, more: ProjectionSums) {
        sums.cells.iter_mut().zip(&more.cells).for_each(|(sums, more)| sums.merge(more));
        sums.units += more.units;
        sums.without_weight += more.without_weight;
        sums.odd = sums.odd.take().or(more.odd);
    }
}
