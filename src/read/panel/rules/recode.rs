//! Cohorts as they are compared: groups on the calendar's grid, those first treated beyond the sample as never treated, and
//! the periods and cohorts that are dropped.

use serde::{Deserialize, Serialize};

use super::design::{DesignRules, LastCohort};
use crate::base::calendar::{FittedCalendar, TimeGrid};
use crate::base::error::{DidError, DidWarning, Result};
use crate::read::panel::audit::SampleAudit;
use crate::read::panel::mistakes::doubtful_times;
use crate::read::panel::patterns::Pattern;
use crate::read::panel::strata::Cohort;

/// Units of one pattern.
#[derive(Clone, Copy)]
pub(super) struct Counted<'a> {
    pub pattern: &'a Pattern,
    pub units: usize,
}

/// Which cohort and periods units have in the sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Recoded {
    pub periods: Vec<f64>,
    pub grid: TimeGrid,
    /// Groups that rounding alone tells from a period or another group, ascending, and what they are taken as.
    moved: Vec<(f64, f64)>,
    /// Groups first treated longer after the last period are never treated inside the sample.
    delta: f64,
    /// Where treatment starts for all groups with a value, if these only say who is treated.
    start: Option<f64>,
    /// The last cohort, if it takes the place of the never treated.
    never: Option<f64>,
    found: Vec<f64>,
    /// Periods from here on are dropped.
    end: f64,
    /// Cohorts up to here are dropped.
    already_treated: f64,
}

impl Recoded {
    pub fn new(
        units: &[Counted<'_>],
        design: &dyn DesignRules,
        warnings: &mut Vec<DidWarning>,
    ) -> Result<Self> {
        let periods = distinct(units.iter().flat_map(|u| u.pattern.periods.iter().copied()));
        if let Some(pair) = periods.windows(2).find(|p| is_rounding(p[0], p[1])) {
            return Err(DidError::ClosePeriods { first: pair[0], second: pair[1] });
        }
        let mut recoded = Self {
            periods,
            grid: TimeGrid::default(),
            moved: Vec::new(),
            delta: f64::from(design.anticipation()),
            start: None,
            never: None,
            found: distinct(units.iter().map(|u| u.pattern.cohort.group)),
            end: f64::INFINITY,
            already_treated: f64::NEG_INFINITY,
        };
        recoded.find_grid(design.has_dated_groups(), warnings);
        Ok(recoded)
    }

    /// Finds the calendar's grid, and takes groups as the periods that they are but for rounding.
    fn find_grid(&mut self, dated: bool, warnings: &mut Vec<DidWarning>) {
        let (Some(&first), Some(&last)) = (self.periods.first(), self.periods.last()) else {
            return;
        };
        let near = |g: &f64| dated && *g >= first - 1.0 && *g <= last + self.delta + 1.0;
        let groups: Vec<f64> = self.found.iter().copied().filter(near).collect();
        let FittedCalendar { grid, approximate } = FittedCalendar::new(&self.periods, &groups);
        self.grid = grid;
        warnings.extend(approximate.map(|per_unit| DidWarning::UnevenPeriods { per_unit }));
        self.moved = grid.moved(&self.periods, &groups);
        warnings.extend(DidWarning::moved_groups(&self.moved));
        if !self.moved.is_empty() {
            self.found = distinct(self.found.iter().map(|g| self.on_grid(*g)));
        }
    }

    /// The group that a value of the group column is but for rounding.
    fn on_grid(&self, g: f64) -> f64 {
        let at = self.moved.partition_point(|(from, _)| *from < g);
        self.moved.get(at).filter(|(from, _)| *from == g).map_or(g, |(_, to)| *to)
    }

    /// Makes treatment start in the second period if that is what the groups' values mean.
    pub fn start_in_second(&mut self, design: &dyn DesignRules) -> Result<bool> {
        let treated = self.found.iter().filter(|g| g.is_finite()).count();
        let two = design.starts_in_second(self.periods.len(), treated)?;
        self.start = self.periods.last().copied().filter(|_| two);
        Ok(two)
    }

    fn effective(&self, g: f64) -> f64 {
        if let Some(start) = self.start {
            return if g.is_finite() { start } else { g };
        }
        let g = self.on_grid(g);
        let last = self.periods.last().copied().unwrap_or(f64::NEG_INFINITY);
        let beyond = self.grid.elapsed(last, g) > self.delta;
        if beyond || Some(g) == self.never { f64::INFINITY } else { g }
    }

    /// Groups so far from the periods that they look like a code, of a column whose name is not known here.
    pub fn far(&self) -> impl Iterator<Item = DidWarning> {
        doubtful_times("", self.found.iter().copied(), self.periods.iter().copied())
    }

    /// First treated periods inside the sample.
    pub fn finite(&self) -> Vec<f64> {
        distinct(self.found.iter().map(|g| self.effective(*g)).filter(|g| g.is_finite()))
    }

    /// Groups first treated after the last period, and their units.
    pub fn after<'a>(
        &self,
        units: impl Iterator<Item = &'a Counted<'a>> + Clone,
    ) -> Vec<(f64, usize)> {
        let is_after =
            |g: &f64| g.is_finite() && self.effective(*g).is_infinite() && Some(*g) != self.never;
        let of = |g: f64| {
            let of_group = units.clone().filter(|u| self.on_grid(u.pattern.cohort.group) == g);
            of_group.map(|u| u.units).sum::<usize>()
        };
        let later_groups = self.found.iter().filter(|g| is_after(g)).map(|g| (*g, of(*g)));
        later_groups.filter(|(_, units)| *units > 0).collect()
    }

    /// Cohort and periods that are not dropped.
    pub fn kept(&self, pattern: &Pattern) -> Option<(Cohort, Vec<f64>)> {
        let cohort = Cohort { group: self.effective(pattern.cohort.group), ..pattern.cohort };
        let periods: Vec<f64> = pattern.periods.iter().copied().filter(|t| *t < self.end).collect();
        (cohort.group > self.already_treated && !periods.is_empty()).then_some((cohort, periods))
    }

    /// Without never-treated units, the last cohort is the comparison up to its treatment. Returns that cohort if it stays
    /// a treated cohort that is not estimated.
    pub fn replace_never_treated(
        &mut self,
        units: &[Counted<'_>],
        design: &dyn DesignRules,
        audit: &mut SampleAudit,
        warnings: &mut Vec<DidWarning>,
    ) -> Result<Option<f64>> {
        if self.found.iter().any(|g| self.effective(*g).is_infinite()) {
            return Ok(None);
        }
        let role = design.last_cohort(self.start.is_some())?;
        let Some(&last) = self.found.last() else { return Ok(None) };
        let later = |g: &f64| self.grid.elapsed(self.periods[0], *g) > self.delta;
        if later(&last) && !self.found.iter().any(|g| *g != last && later(g)) {
            return Err(DidError::NoComparison);
        }
        let from = |t: &f64| self.grid.elapsed(*t, last) <= self.delta;
        self.end = self.periods.iter().copied().find(from).unwrap_or(f64::INFINITY);
        let dropped = |t: &&f64| **t >= self.end;
        let after = |u: &Counted<'_>| u.units * u.pattern.periods.iter().filter(dropped).count();
        audit.rows_after_last_cohort = units.iter().map(after).sum();
        let periods = self.periods.iter().filter(|t| **t < self.end).count();
        if periods < 2 {
            return Err(DidError::TooFewPeriods { periods });
        }
        warnings.push(DidWarning::LastCohortAsControl { group: last });
        match role {
            LastCohort::NeverTreated => {
                self.never = Some(last);
                Ok(None)
            }
            LastCohort::NotYetTreated => Ok(Some(last)),
        }
    }

    /// Drops cohorts treated (or anticipating) in the first period already.
    pub fn drop_already_treated(
        &mut self,
        units: &[Counted<'_>],
        design: &dyn DesignRules,
        audit: &mut SampleAudit,
        warnings: &mut Vec<DidWarning>,
    ) {
        let first = self.periods[0];
        let early = |g: &f64| self.grid.elapsed(first, *g) <= self.delta;
        let last_early = self.finite().into_iter().rfind(early).unwrap_or(f64::NEG_INFINITY);
        let treated = |u: &&Counted<'_>| {
            self.kept(u.pattern).is_some_and(|(cohort, _)| cohort.group <= last_early)
        };
        let dropped = units.iter().filter(treated).map(|u| u.units).sum();
        self.already_treated = last_early;
        audit.units_already_treated = dropped;
        if dropped > 0 {
            let anticipation = design.anticipation();
            warnings.push(DidWarning::AlreadyTreated { units: dropped, anticipation });
        }
    }
}

/// Distinct values, ascending.
pub(super) fn distinct<T: Copy + PartialOrd>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut ascending: Vec<T> = Vec::new();
    for value in values {
        let at = ascending.partition_point(|f| *f < value);
        if ascending.get(at) != Some(&value) {
            ascending.insert(at, value);
        }
    }
    ascending
}

/// Whether two numbers that are not whole differ by no more than what calculations leave.
fn is_rounding(a: f64, b: f64) -> bool {
    (a.fract() != 0.0 || b.fract() != 0.0) && b - a <= 1e-12 * a.abs().max(b.abs())
}
