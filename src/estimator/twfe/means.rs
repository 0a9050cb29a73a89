//! Mean outcomes of the cohorts of a balanced panel.

use crate::base::error::Result;
use crate::read::panel::overview::{Overview, PanelColumns};
use crate::result::inference::rounding_between;

use super::study;

/// Units that are treated alike.
#[derive(Clone, Debug)]
pub(super) struct Cohort {
    /// The first treated period of the data: 0 for units that are always treated, the number of periods for those that never are.
    pub start: usize,
    pub units: usize,
    /// Mean outcome by period less the shift, `[T]`.
    pub means: Vec<f64>,
}

/// Cohorts by when their treatment starts.
#[derive(Clone, Debug)]
pub(super) struct CohortMeans {
    /// Ascending by start.
    pub cohorts: Vec<Cohort>,
    pub periods: Vec<f64>,
    /// What all means are less by, so that they have the digits of their differences.
    pub shift: f64,
}

impl CohortMeans {
    /// Of a panel in which every unit has a complete row in every period. Groups between two periods, or after the last, are those of the
    /// first period that is not before them.
    ///
    /// # Errors
    /// [`DidError::Panel`](crate::DidError::Panel) for an unbalanced panel.
    pub fn new(overview: &Overview, columns: &PanelColumns) -> Result<Self> {
        study::check_balance(overview, columns)?;
        let (cells, periods) = (&overview.found.cells, overview.periods());
        let mut cohorts: Vec<Cohort> = Vec::new();
        for (g, group) in overview.group_values().iter().enumerate() {
            let units = cells.at(g, 0).rows;
            if units == 0 {
                continue;
            }
            let start = periods.partition_point(|period| period < group);
            let mean = |t: usize| cells.at(g, t).sums[0].mean().unwrap_or(f64::NAN);
            let cohort = Cohort { start, units, means: (0..periods.len()).map(mean).collect() };
            match cohorts.last_mut().filter(|last| last.start == start) {
                Some(last) => last.join(&cohort),
                None => cohorts.push(cohort),
            }
        }
        Ok(Self { cohorts, periods: periods.to_vec(), shift: cells.shifts[0] })
    }

    pub fn units(&self) -> usize {
        self.cohorts.iter().map(|cohort| cohort.units).sum()
    }

    /// What rounding may leave of a standard error that is zero.
    pub fn rounding(&self) -> f64 {
        let means = || self.cohorts.iter().flat_map(|cohort| &cohort.means);
        let low = means().copied().fold(f64::INFINITY, f64::min);
        let high = means().copied().fold(f64::NEG_INFINITY, f64::max);
        rounding_between(low + self.shift, high + self.shift)
    }

    /// The period in which treatment starts; `None` if it never does.
    pub fn first_treated(&self, cohort: &Cohort) -> Option<f64> {
        self.periods.get(cohort.start).copied()
    }

    /// The place of a group among the cohorts.
    pub fn cohort_of(&self, group: f64) -> usize {
        let start = self.periods.partition_point(|period| *period < group);
        self.cohorts.partition_point(|cohort| cohort.start < start)
    }
}

impl Cohort {
    pub fn is_always_treated(&self) -> bool {
        self.start == 0
    }

    /// 1 from the first treated period on.
    pub fn treated(&self, period: usize) -> f64 {
        f64::from(u8::from(period >= self.start))
    }

    fn join(&mut self, other: &Self) {
        let (own, more) = (self.units as f64, other.units as f64);
        for (mean, others) in self.means.iter_mut().zip(&other.means) {
            *mean = (own * *mean + more * others) / (own + more);
        }
        self.units += other.units;
    }
}
