//! Which rows are in the sample: every rule that drops units or periods or recodes cohorts, in the order that decides
//! ties, applied to the counts of the survey.

use std::ops::Range;

use super::audit::SampleAudit;
use super::sample::Cohort;
use super::survey::Observed;
use crate::calendar::{Fitted, TimeGrid};
use crate::error::{DidError, DidWarning, Result};
use crate::options::ControlGroup;

/// What the estimator asks of the sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleOptions {
    pub timing: Timing,
    pub control_group: ControlGroup,
    /// Whether the last cohort may take the place of a never-treated group that is asked for.
    pub stand_in: bool,
    pub anticipation: u32,
    pub repeated_cross_sections: bool,
    pub allow_unbalanced: bool,
    /// Whether it matters which units are observed in both of two periods.
    pub pairs: bool,
    /// Whether the units' labels are kept.
    pub labels: bool,
}

/// What the values of the group column mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    /// First treated periods.
    Staggered,
    /// Treated or not; there are two periods and treatment starts in the second.
    TwoPeriods,
    /// Treated or not if there are two periods and one group with a value, else first treated periods.
    Either,
}

/// Periods and cohorts of the sample, and which units are in it.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// Periods of the sample, ascending.
    pub periods: Vec<f64>,
    /// By which the time between periods is counted.
    pub grid: TimeGrid,
    /// Whether treatment starts in the second of two periods, whatever the groups' values.
    pub two_periods: bool,
    /// Cohorts of the sample, ascending.
    pub cohorts: Vec<Cohort>,
    /// The estimated groups, as positions of their cohorts.
    pub groups: Vec<Range<usize>>,
    /// Whether every unit of the sample has every period.
    pub balanced: bool,
    pub audit: SampleAudit,
    pub warnings: Vec<DidWarning>,
    recoded: Recoded,
    drops_incomplete: bool,
}

/// A unit's place in the sample.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub cohort: usize,
    /// For each of its periods in the sample, the position among its complete rows.
    pub rows: Vec<(usize, usize)>,
}

impl Rules {
    /// Applies the rules to the units observed; `audit` has the counts of rows read and missing.
    pub fn new(
        units: &[Observed],
        options: &SampleOptions,
        mut audit: SampleAudit,
    ) -> Result<Self> {
        let mut warnings = Vec::new();
        let missing: usize = audit.rows_missing.iter().map(|(_, n)| n).sum();
        if missing > 0 {
            warnings.push(DidWarning::DroppedRows { rows: missing });
        }
        let present: Vec<&Observed> = units.iter().filter(|u| !u.periods.is_empty()).collect();
        if present.is_empty() {
            return Err(DidError::EmptySample {
                after: "after dropping rows with missing or non-finite values",
                remedy: "check the columns for nulls and infinities",
            });
        }
        let mut recoded = Recoded::new(&present, options, &mut warnings)?;
        if recoded.periods.len() < 2 {
            return Err(DidError::TooFewPeriods { periods: recoded.periods.len() });
        }
        let two_periods = recoded.start_in_second(options.timing)?;
        let original = recoded.finite();
        let last = recoded.replace_never_treated(&present, options, &mut audit, &mut warnings)?;
        recoded.drop_already_treated(&present, options, &mut audit, &mut warnings);
        let kept = || present.iter().filter_map(|u| recoded.kept(u));
        let periods = distinct(kept().flat_map(|(_, periods)| periods));
        if periods.len() < 2 {
            return Err(DidError::TooFewPeriods { periods: periods.len() });
        }
        let mut rules = Self {
            periods,
            grid: recoded.grid,
            two_periods,
            cohorts: Vec::new(),
            groups: Vec::new(),
            balanced: false,
            audit,
            warnings,
            recoded,
            drops_incomplete: false,
        };
        rules.balance(&present, options)?;
        rules.find_groups(&present, options, &original, last)?;
        Ok(rules)
    }

    /// Drops units that are missing in some period unless that is allowed.
    fn balance(&mut self, units: &[&Observed], options: &SampleOptions) -> Result<()> {
        if options.repeated_cross_sections {
            return Ok(());
        }
        let count = |complete: bool| {
            let counted = |u: &&&Observed| {
                let kept = self.recoded.kept(u).map_or(0, |(_, periods)| periods.len());
                kept > 0 && (kept == self.periods.len()) == complete
            };
            units.iter().filter(counted).map(|u| u.units).sum::<usize>()
        };
        let (complete, incomplete) = (count(true), count(false));
        if incomplete == 0 || options.allow_unbalanced {
            self.balanced = incomplete == 0;
            return Ok(());
        }
        if complete == 0 {
            return Err(DidError::EmptySample {
                after: "after balancing: no unit is observed in every period",
                remedy: "allow an unbalanced panel, or use repeated cross sections",
            });
        }
        (self.balanced, self.drops_incomplete) = (true, true);
        self.audit.units_unbalanced = incomplete;
        self.warnings.push(DidWarning::Unbalanced { units: incomplete });
        Ok(())
    }

    fn find_groups(
        &mut self,
        units: &[&Observed],
        options: &SampleOptions,
        original: &[f64],
        last: Option<f64>,
    ) -> Result<()> {
        self.cohorts =
            distinct(units.iter().filter_map(|u| self.kept(u)).map(|(cohort, _)| cohort));
        let (grid, first) = (self.grid, self.periods[0]);
        let later = |g: f64| grid.elapsed(first, g) > f64::from(options.anticipation);
        let estimated = |g: f64| g.is_finite() && later(g) && Some(g) != last;
        let mut start = 0;
        for cohorts in self.cohorts.chunk_by(|a, b| a.group == b.group) {
            let end = start + cohorts.len();
            if estimated(cohorts[0].group) {
                self.groups.push(start..end);
            }
            start = end;
        }
        self.record_lost_cohorts(original);
        if !self.groups.is_empty() {
            return Ok(());
        }
        let anticipating = if options.anticipation > 0 {
            format!(" (with {} periods of anticipation)", options.anticipation)
        } else {
            String::new()
        };
        Err(DidError::NoValidGroups { anticipating })
    }

    fn record_lost_cohorts(&mut self, original: &[f64]) {
        for g in original {
            let reason = match self.cohorts.iter().position(|c| c.group == *g) {
                Some(c) if self.groups.iter().any(|group| group.contains(&c)) => continue,
                Some(_) => "kept as a comparison only",
                None if self.audit.rows_after_last_cohort > 0 && original.last() == Some(g) => {
                    "the comparison in place of never-treated units"
                }
                None => "already treated in the first period, or no complete unit",
            };
            self.audit.cohorts_lost.push((*g, reason.to_owned()));
        }
        self.audit.groups = self.groups.iter().map(|c| self.cohorts[c.start].group).collect();
    }

    /// Cohort and periods of units of the sample.
    fn kept(&self, unit: &Observed) -> Option<(Cohort, Vec<f64>)> {
        let complete = |periods: &Vec<f64>| periods.len() == self.periods.len();
        self.recoded.kept(unit).filter(|(_, p)| !self.drops_incomplete || complete(p))
    }

    /// Place of units in the sample; `None` if they are not in it.
    pub fn place(&self, unit: &Observed) -> Option<Place> {
        let (cohort, kept) = self.kept(unit)?;
        let at = |sorted: &[f64], value: f64| sorted.partition_point(|s| *s < value);
        let rows = kept.into_iter().map(|t| (at(&self.periods, t), at(&unit.periods, t)));
        let cohort = self.cohorts.partition_point(|c| *c < cohort);
        Some(Place { cohort, rows: rows.collect() })
    }
}

/// Distinct values, ascending.
fn distinct<T: Copy + PartialOrd>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for value in values {
        let at = found.partition_point(|f| *f < value);
        if found.get(at) != Some(&value) {
            found.insert(at, value);
        }
    }
    found
}

/// Whether two numbers that are not whole differ by no more than what calculations leave.
fn is_rounding(a: f64, b: f64) -> bool {
    (a.fract() != 0.0 || b.fract() != 0.0) && b - a <= 1e-12 * a.abs().max(b.abs())
}

/// Cohorts with those first treated beyond the sample recoded to never treated, and the periods and cohorts dropped.
#[derive(Clone, Debug)]
struct Recoded {
    periods: Vec<f64>,
    grid: TimeGrid,
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
    fn new(
        units: &[&Observed],
        options: &SampleOptions,
        warnings: &mut Vec<DidWarning>,
    ) -> Result<Self> {
        let periods = distinct(units.iter().flat_map(|u| u.periods.iter().copied()));
        if let Some(pair) = periods.windows(2).find(|p| is_rounding(p[0], p[1])) {
            return Err(DidError::ClosePeriods { first: pair[0], second: pair[1] });
        }
        let mut recoded = Self {
            periods,
            grid: TimeGrid::default(),
            moved: Vec::new(),
            delta: f64::from(options.anticipation),
            start: None,
            never: None,
            found: distinct(units.iter().map(|u| u.cohort.group)),
            end: f64::INFINITY,
            already_treated: f64::NEG_INFINITY,
        };
        recoded.find_grid(options.timing, warnings);
        Ok(recoded)
    }

    /// Finds the calendar's grid, and takes groups as the periods that they are but for rounding.
    fn find_grid(&mut self, timing: Timing, warnings: &mut Vec<DidWarning>) {
        let (Some(&first), Some(&last)) = (self.periods.first(), self.periods.last()) else {
            return;
        };
        // The values of an indicator are no instants.
        let dated = timing != Timing::TwoPeriods;
        let near = |g: &f64| dated && *g >= first - 1.0 && *g <= last + self.delta + 1.0;
        let groups: Vec<f64> = self.found.iter().copied().filter(near).collect();
        let Fitted { grid, approximate } = Fitted::new(&self.periods, &groups);
        self.grid = grid;
        warnings.extend(approximate.map(|per_unit| DidWarning::UnevenPeriods { per_unit }));
        let mut known = self.periods.clone();
        for group in groups {
            let at = known.partition_point(|k| *k < group);
            let neighbours = known[at.saturating_sub(1)..known.len().min(at + 1)].iter();
            match neighbours.copied().find(|k| grid.is_same(*k, group)) {
                Some(same) if same != group => self.moved.push((group, same)),
                Some(_) => {}
                None => known.insert(at, group),
            }
        }
        if !self.moved.is_empty() {
            warnings.push(DidWarning::MovedGroups { groups: self.moved.clone() });
            self.found = distinct(self.found.iter().map(|g| self.on_grid(*g)));
        }
    }

    /// The group that a value of the group column is but for rounding.
    fn on_grid(&self, g: f64) -> f64 {
        let at = self.moved.partition_point(|(from, _)| *from < g);
        self.moved.get(at).filter(|(from, _)| *from == g).map_or(g, |(_, to)| *to)
    }

    /// Makes treatment start in the second period if that is what the groups' values mean.
    fn start_in_second(&mut self, timing: Timing) -> Result<bool> {
        let (periods, treated) = (self.periods.len(), self.finite_values());
        let two = match timing {
            Timing::Staggered => false,
            Timing::Either => periods == 2 && treated == 1,
            Timing::TwoPeriods if periods > 2 => {
                return Err(DidError::TooManyPeriods { periods });
            }
            Timing::TwoPeriods => true,
        };
        self.start = self.periods.last().copied().filter(|_| two);
        Ok(two)
    }

    /// Number of groups with a first treated period, inside the sample or not.
    fn finite_values(&self) -> usize {
        self.found.iter().filter(|g| g.is_finite()).count()
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

    fn finite(&self) -> Vec<f64> {
        distinct(self.found.iter().map(|g| self.effective(*g)).filter(|g| g.is_finite()))
    }

    /// Cohort and periods that are not dropped.
    fn kept(&self, unit: &Observed) -> Option<(Cohort, Vec<f64>)> {
        let cohort = Cohort { group: self.effective(unit.cohort.group), ..unit.cohort };
        let periods: Vec<f64> = unit.periods.iter().copied().filter(|t| *t < self.end).collect();
        (cohort.group > self.already_treated && !periods.is_empty()).then_some((cohort, periods))
    }

    /// Without never-treated units, the last cohort is the comparison up to its treatment. Returns that cohort if it stays
    /// a treated cohort that is not estimated (not-yet-treated controls).
    fn replace_never_treated(
        &mut self,
        units: &[&Observed],
        options: &SampleOptions,
        audit: &mut SampleAudit,
        warnings: &mut Vec<DidWarning>,
    ) -> Result<Option<f64>> {
        if self.found.iter().any(|g| self.effective(*g).is_infinite()) {
            return Ok(None);
        }
        let asked = !options.stand_in && options.control_group == ControlGroup::NeverTreated;
        if asked || self.start.is_some() {
            return Err(DidError::NoNeverTreated);
        }
        let Some(&last) = self.found.last() else { return Ok(None) };
        let from = |t: &f64| self.grid.elapsed(*t, last) <= self.delta;
        self.end = self.periods.iter().copied().find(from).unwrap_or(f64::INFINITY);
        let after = |u: &&Observed| u.units * u.periods.iter().filter(|t| **t >= self.end).count();
        audit.rows_after_last_cohort = units.iter().map(after).sum();
        let periods = self.periods.iter().filter(|t| **t < self.end).count();
        if periods < 2 {
            return Err(DidError::TooFewPeriods { periods });
        }
        warnings.push(DidWarning::LastCohortAsControl { group: last });
        match options.control_group {
            ControlGroup::NeverTreated => {
                self.never = Some(last);
                Ok(None)
            }
            ControlGroup::NotYetTreated => Ok(Some(last)),
        }
    }

    /// Drops cohorts treated (or anticipating) in the first period already.
    fn drop_already_treated(
        &mut self,
        units: &[&Observed],
        options: &SampleOptions,
        audit: &mut SampleAudit,
        warnings: &mut Vec<DidWarning>,
    ) {
        let first = self.periods[0];
        let early = |g: &f64| self.grid.elapsed(first, *g) <= self.delta;
        let last_early = self.finite().into_iter().rfind(early).unwrap_or(f64::NEG_INFINITY);
        let treated =
            |u: &&&Observed| self.kept(u).is_some_and(|(cohort, _)| cohort.group <= last_early);
        let dropped = units.iter().filter(treated).map(|u| u.units).sum();
        self.already_treated = last_early;
        audit.units_already_treated = dropped;
        if dropped > 0 {
            warnings.push(DidWarning::AlreadyTreated {
                units: dropped,
                anticipation: options.anticipation,
            });
        }
    }
}
