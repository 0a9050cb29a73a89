//! Which two-by-two comparisons make up the group-time cells of a triple difference.

use std::ops::Range;

use crate::base::options::BasePeriod;
use crate::engine::cell::plan::{Base, PlanOptions, Planner};
use crate::engine::cell::sides::{CellResult, PlannedCell};
use crate::read::panel::{Cohort, Sample};
use crate::result::estimates::CellStatus;

/// The cells of a triple difference and the two-by-two comparisons that they are made of.
pub(crate) struct TriplePlan {
    /// For results: counts and what is known to fail.
    pub cells: Vec<PlannedCell>,
    /// Comparisons that are estimated.
    pub components: Vec<PlannedCell>,
    /// What each cell is made of, or why nothing is estimated.
    pub(super) of_cell: Vec<CellResult<Components>>,
}

/// Positions of a cell's components.
pub(super) struct Components {
    /// The eligible and the ineligible units of the cell's group.
    pub own: usize,
    pub comparisons: Vec<CohortComparison>,
    /// Comparison cohorts without eligible or without ineligible units.
    pub missing: Vec<f64>,
}

/// Positions of the comparisons of a cell's eligible units with a comparison cohort.
pub(super) struct CohortComparison {
    /// First treated period of the comparison cohort.
    pub group: f64,
    pub eligible: usize,
    pub ineligible: usize,
}

/// A comparison that a cell is made of.
pub(crate) struct TriplePart {
    /// Positions of the cell and of the comparison among those that are estimated.
    pub cell: usize,
    pub component: usize,
    /// First treated period of the comparison units, +inf if never treated, and whether they are eligible.
    pub group: f64,
    pub eligible: bool,
}

impl TriplePlan {
    /// The comparisons that each cell is made of, cell by cell.
    pub fn parts<'a>(&'a self, sample: &'a Sample) -> impl Iterator<Item = TriplePart> + use<'a> {
        let of_cell = |(cell, of): (usize, &'a CellResult<Components>)| {
            let of = of.as_ref().ok()?;
            let group_of_cell = sample.cohorts[self.cells[cell].cohort].group;
            let part =
                move |component, group, eligible| TriplePart { cell, component, group, eligible };
            let others = of.comparisons.iter().flat_map(move |c| {
                [part(c.eligible, c.group, true), part(c.ineligible, c.group, false)]
            });
            Some(std::iter::once(part(of.own, group_of_cell, false)).chain(others))
        };
        self.of_cell.iter().enumerate().filter_map(of_cell).flatten()
    }

    /// All cells, group-major.
    pub fn new(sample: &Sample, options: &PlanOptions) -> Self {
        let first = usize::from(options.base_period == BasePeriod::Varying);
        let mut plan = Self { cells: Vec::new(), components: Vec::new(), of_cell: Vec::new() };
        for group in &sample.groups {
            for time in first..sample.periods.len() {
                plan.add(&Planner { sample, options, cohort: group.start, time }, group);
            }
        }
        plan
    }

    fn add(&mut self, planner: &Planner<'_>, group: &Range<usize>) {
        let Some(found) = FoundComponents::new(planner, group) else { return };
        let cell = found.cell(planner, group);
        let mut add = |planned: PlannedCell| {
            self.components.push(planned);
            self.components.len() - 1
        };
        let of_cell = match (found.own, &cell.status) {
            (Some(own), None) => {
                let own = add(own);
                let comparison = |(group, eligible, ineligible)| CohortComparison {
                    group,
                    eligible: add(eligible),
                    ineligible: add(ineligible),
                };
                let comparisons = found.comparisons.into_iter().map(comparison).collect();
                Ok(Components { own, comparisons, missing: found.missing })
            }
            (_, Some(status)) => Err(status.clone()),
            (None, None) => Err(CellStatus::NoControls { period: None }),
        };
        self.cells.push(cell);
        self.of_cell.push(of_cell);
    }
}

/// The components of a cell that the sample has.
struct FoundComponents {
    base: Base,
    /// Cohort of the treated and eligible units.
    treated: Option<usize>,
    controls: Vec<usize>,
    own: Option<PlannedCell>,
    comparisons: Vec<(f64, PlannedCell, PlannedCell)>,
    missing: Vec<f64>,
}

impl FoundComponents {
    /// `None` if the group has no period before treatment.
    fn new(planner: &Planner<'_>, group: &Range<usize>) -> Option<Self> {
        let cohorts = &planner.sample.cohorts;
        let g = planner.sample.group(group);
        let base = planner.base(g)?;
        let find = |value: f64, eligible: bool| {
            cohorts.iter().position(|c| *c == Cohort { group: value, eligible })
        };
        let treated = find(g, true);
        let component = |value: f64, eligible: bool| {
            let planner = Planner { cohort: treated?, ..*planner };
            Some(planner.with_controls(base, vec![find(value, eligible)?]))
        };
        let controls = planner.controls(g, base.period);
        let mut values: Vec<f64> = controls.iter().map(|c| cohorts[*c].group).collect();
        values.dedup();
        let own = component(g, false);
        let (mut comparisons, mut missing) = (Vec::new(), Vec::new());
        for value in values {
            match component(value, true).zip(component(value, false)) {
                Some((eligible, ineligible)) => comparisons.push((value, eligible, ineligible)),
                None => missing.push(value),
            }
        }
        Some(Self { base, treated, controls, own, comparisons, missing })
    }

    /// The cell with its counts, and its status if that is known.
    fn cell(&self, planner: &Planner<'_>, group: &Range<usize>) -> PlannedCell {
        let status = if planner.is_reference(self.base) {
            Some(CellStatus::Reference)
        } else if self.treated.is_none() {
            Some(CellStatus::NoTreated { period: None })
        } else if self.own.is_none() || self.comparisons.is_empty() {
            Some(CellStatus::NoControls { period: None })
        } else {
            None
        };
        let components =
            || self.own.iter().chain(self.comparisons.iter().flat_map(|(_, a, b)| [a, b]));
        PlannedCell {
            cohort: self.treated.unwrap_or(group.start),
            time: planner.time,
            base: self.base.period,
            status,
            n_treated: components().map(|c| c.n_treated).next().unwrap_or(0),
            n_control: components().map(|c| c.n_control).sum(),
            controls: self.controls.clone(),
            incomplete_weights: None,
            sides: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
