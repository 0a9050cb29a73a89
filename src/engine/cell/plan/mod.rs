//! Group-time cells: periods compared, comparison cohorts, and where rows, covariates and weights come from
//! (Callaway and Sant'Anna 2021, section 2; base periods as in R `did`).

use super::sides::{Outcome, PlannedCell, Side, StratumRows};
use crate::base::options::{BasePeriod, ControlGroup, CovariatePeriod, FixWeights};
use crate::engine::pass::Weight;
use crate::read::panel::{Layout, Sample, WeightLayout};
use crate::result::estimates::CellStatus;

/// Options that decide which cells exist.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlanOptions {
    pub control_group: ControlGroup,
    pub base_period: BasePeriod,
    pub anticipation: f64,
    pub fix_weights: Option<FixWeights>,
    pub covariates: CovariatePeriod,
    /// In an unbalanced panel, compares the units observed in both periods of a cell, instead of all rows of both.
    pub pairs: bool,
}

/// Period that a cell is compared with, and the group's last period before treatment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    pub period: usize,
    long: usize,
}

/// All cells, group-major.
pub(crate) fn plan_cells(sample: &Sample, options: &PlanOptions) -> Vec<PlannedCell> {
    let first = match options.base_period {
        BasePeriod::Varying => 1,
        BasePeriod::Universal => 0,
    };
    let cell = |g: usize, t: usize| Planner { sample, options, cohort: g, time: t }.cell();
    sample
        .groups
        .iter()
        .flat_map(|g| (first..sample.periods.len()).filter_map(move |t| cell(g.start, t)))
        .collect()
}

/// Plans the cell of a cohort in a period.
#[derive(Clone, Copy)]
pub(super) struct Planner<'a> {
    pub sample: &'a Sample,
    pub options: &'a PlanOptions,
    pub cohort: usize,
    pub time: usize,
}

impl Planner<'_> {
    /// `None` if the group has no period before treatment, which the sample rules exclude.
    fn cell(&self) -> Option<PlannedCell> {
        let g = self.sample.cohorts[self.cohort].group;
        let base = self.base(g)?;
        Some(self.with_controls(base, self.controls(g, base.period)))
    }

    /// The base of a group's cell.
    pub fn base(&self, g: f64) -> Option<Base> {
        let periods = &self.sample.periods;
        let grid = self.sample.calendar.grid;
        let before = |t: &f64| grid.elapsed(*t, g) > self.options.anticipation;
        let long = periods.iter().rposition(before)?;
        let universal = self.options.base_period == BasePeriod::Universal;
        let post = g <= periods[self.time];
        Some(Base { period: if post || universal { long } else { self.time - 1 }, long })
    }

    /// Whether the cell is a universal base period itself.
    pub fn is_reference(&self, base: Base) -> bool {
        self.options.base_period == BasePeriod::Universal && self.time == base.period
    }

    /// The cell with these comparison cohorts.
    pub fn with_controls(&self, base: Base, controls: Vec<usize>) -> PlannedCell {
        let status = self.is_reference(base).then_some(CellStatus::Reference);
        let Base { period: base, long: long_base } = base;
        let mut cell = PlannedCell {
            cohort: self.cohort,
            time: self.time,
            base,
            status,
            incomplete_weights: None,
            n_treated: 0,
            n_control: 0,
            sides: Vec::new(),
            controls,
        };
        self.add_sides(&mut cell, long_base);
        cell
    }

    /// The comparison cohorts of a group's cell.
    pub fn controls(&self, g: f64, base: usize) -> Vec<usize> {
        let Sample { periods, cohorts, calendar, .. } = self.sample;
        let later = periods[self.time].max(periods[base]);
        let untreated = |g: f64| calendar.grid.elapsed(later, g) > self.options.anticipation;
        (0..cohorts.len())
            .filter(|c| {
                let other = cohorts[*c].group;
                let not_yet = self.options.control_group == ControlGroup::NotYetTreated
                    && untreated(other)
                    && other != g;
                other.is_infinite() || not_yet
            })
            .collect()
    }

    fn add_sides(&self, cell: &mut PlannedCell, long_base: usize) {
        let panel = self.sample.layout == Layout::Balanced
            && self.options.fix_weights != Some(FixWeights::Varying);
        let early = match self.options.covariates {
            CovariatePeriod::Earlier => cell.time.min(cell.base),
            CovariatePeriod::Base => cell.base,
            CovariatePeriod::Cell | CovariatePeriod::Row => cell.time,
        };
        if let Some(presence) = self.sample.presence.filter(|_| self.options.pairs) {
            let outcome = Outcome::Change { post: cell.time, base: cell.base };
            let both = Weight::Product(presence + cell.base, presence + cell.time);
            // A unit's weight is 0 where it is not observed.
            let other = cell.base + cell.time - early;
            let rows = |c: usize| StratumRows {
                stratum: self.sample.stratum(c, 0),
                x: self.version(early),
                w: match self.sample.weights {
                    WeightLayout::Constant => both,
                    _ => Weight::Product(early, presence + other),
                },
                presence: both,
            };
            cell.sides = vec![self.side(outcome, cell, rows)];
        } else if panel {
            let outcome = Outcome::Change { post: cell.time, base: cell.base };
            let rows = |c: usize| StratumRows {
                stratum: self.sample.stratum(c, 0),
                x: self.version(early),
                w: self.panel_weight(early, long_base),
                presence: Weight::Ones,
            };
            cell.sides = vec![self.side(outcome, cell, rows)];
        } else {
            let sides = [cell.base, cell.time].map(|t| {
                let x = if self.sample.layout == Layout::Balanced { early } else { t };
                let column =
                    if self.sample.layout == Layout::RepeatedCrossSections { 0 } else { t };
                let rows = |c: usize| StratumRows {
                    stratum: self.sample.stratum(c, t),
                    x: self.version(x),
                    w: self.row_weight(t, long_base),
                    presence: self.presence(t, long_base),
                };
                self.side(Outcome::Level(column), cell, rows)
            });
            cell.sides = sides.into();
        }
        self.count(cell, long_base);
    }

    fn side(
        &self,
        outcome: Outcome,
        cell: &PlannedCell,
        rows: impl Fn(usize) -> StratumRows,
    ) -> Side {
        Side {
            outcome,
            treated: vec![rows(self.cohort)],
            control: cell.controls.iter().map(|c| rows(*c)).collect(),
        }
    }

    /// Covariate version of a period.
    fn version(&self, period: usize) -> usize {
        if self.sample.design.versions > 1 { period } else { 0 }
    }

    /// Weight of a unit of a balanced panel.
    fn panel_weight(&self, early: usize, long_base: usize) -> Weight {
        match (self.sample.weights, self.options.fix_weights) {
            (WeightLayout::Constant, _) => Weight::Ones,
            (WeightLayout::Invariant, _) | (_, Some(FixWeights::FirstPeriod)) => Weight::Column(0),
            (_, Some(FixWeights::BasePeriod)) => Weight::Column(long_base),
            (WeightLayout::Varying, _) => Weight::Column(early),
        }
    }

    /// Weight of a row, where rows are observations.
    fn row_weight(&self, t: usize, long_base: usize) -> Weight {
        match (self.sample.layout, self.sample.weights) {
            (Layout::Unbalanced, WeightLayout::Constant) => self.presence(t, long_base),
            (Layout::Unbalanced, _) => {
                match (self.weight_period(long_base), self.sample.presence) {
                    (Some(j), Some(first)) => Weight::Product(j, first + t),
                    _ => Weight::Column(t),
                }
            }
            (_, WeightLayout::Constant) => Weight::Ones,
            (_, WeightLayout::Invariant) | (Layout::RepeatedCrossSections, _) => Weight::Column(0),
            (Layout::Balanced, WeightLayout::Varying) => Weight::Column(t),
        }
    }

    /// One for rows that are observed (and whose weight is, if it comes from another period).
    fn presence(&self, t: usize, long_base: usize) -> Weight {
        match (self.sample.presence, self.weight_period(long_base)) {
            (None, _) => Weight::Ones,
            (Some(first), Some(j)) if j != t => Weight::Product(first + j, first + t),
            (Some(first), _) => Weight::Column(first + t),
        }
    }

    /// Period whose weight all rows of a unit get, in an unbalanced panel.
    fn weight_period(&self, long_base: usize) -> Option<usize> {
        match self.options.fix_weights {
            Some(FixWeights::BasePeriod) => Some(long_base),
            Some(FixWeights::FirstPeriod) => Some(0),
            Some(FixWeights::Varying) | None => None,
        }
    }

    /// Rows of a cohort in a period, of units that are observed in the other period too.
    fn rows(&self, cohort: usize, t: usize, other: Option<usize>) -> usize {
        match (&self.sample.pairs, other) {
            (Some(pairs), Some(j)) => pairs.count(cohort, t, j),
            _ => self.sample.counts[cohort][t],
        }
    }

    /// Fills in the counts, and the status of a cell with an empty corner.
    fn count(&self, cell: &mut PlannedCell, long_base: usize) {
        let other = self.weight_period(long_base).or(self.options.pairs.then_some(cell.base));
        let periods =
            if cell.sides.len() > 1 { vec![cell.base, cell.time] } else { vec![cell.time] };
        let mut incomplete = false;
        let mut count = |cohort: usize, t: usize| {
            let rows = self.rows(cohort, t, other);
            incomplete |= rows < self.sample.counts[cohort][t];
            rows
        };
        let sizes: Vec<(usize, usize)> = periods
            .iter()
            .map(|t| {
                let control = cell.controls.iter().map(|c| count(*c, *t)).sum();
                (count(self.cohort, *t), control)
            })
            .collect();
        let named = |t: usize| (cell.sides.len() > 1).then(|| self.sample.periods[t]);
        let empty = periods.iter().zip(&sizes).find_map(|(t, size)| match size {
            (0, _) => Some(CellStatus::NoTreated { period: named(*t) }),
            (_, 0) => Some(CellStatus::NoControls { period: named(*t) }),
            _ => None,
        });
        cell.n_treated = sizes.iter().map(|(treated, _)| treated).sum();
        cell.n_control = sizes.iter().map(|(_, control)| control).sum();
        cell.status = cell.status.take().or(empty);
        cell.incomplete_weights = self.weight_period(long_base).filter(|_| incomplete);
    }
}

#[cfg(test)]
mod tests;
