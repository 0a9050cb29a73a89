//! Which rows are in the sample: every rule that drops units or periods or recodes cohorts, in the order that decides
//! ties, applied to the counts of the survey. Where designs differ, each has a file of its own.

mod design;
mod options;
mod recode;
mod sizes;
mod staggered;
#[cfg(test)]
mod tests;
mod triple;
mod two_periods;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::audit::SampleAudit;
use super::patterns::Pattern;
use super::rows::is_left_out;
use super::strata::{Cohort, Layout, StratumTable};
use crate::base::calendar::TimeGrid;
use crate::base::error::{DidError, DidWarning, Result};
use recode::{Counted, Recoded, distinct};

pub(crate) use options::{SampleOptions, StudyDesign};
pub(super) use sizes::CohortSizes;
pub(crate) use sizes::smallest_cohort;
pub(crate) use staggered::Staggered;
pub(crate) use triple::Triple;
pub(crate) use two_periods::TwoPeriods;

/// Periods and cohorts of the sample, and which units are in it.
///
/// They are saved in a format that carries infinities, and then put the rows of any frame in their places, wherever it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Rules {
    pub layout: Layout,
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
    pub strata: StratumTable,
    pub audit: SampleAudit,
    pub warnings: Vec<DidWarning>,
    recoded: Recoded,
    drops_incomplete: bool,
}

/// How large a sample is, but for its units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SampleExtent {
    pub cohorts: usize,
    /// Groups that are estimated.
    pub groups: usize,
    pub periods: usize,
}

/// A unit's place in the sample.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UnitPlace {
    pub cohort: usize,
    /// For each of its periods in the sample, the position among its complete rows.
    pub rows: Vec<(usize, usize)>,
}

impl Rules {
    /// Applies the rules to the units observed; `audit` has the counts of rows read and missing. `check` may refuse the
    /// sample for its extent before anything of that extent is formed.
    pub fn new(
        units: &BTreeMap<Pattern, usize>,
        options: &SampleOptions,
        mut audit: SampleAudit,
        check: &dyn Fn(&SampleExtent) -> Result<()>,
    ) -> Result<Self> {
        let mut warnings = Vec::new();
        let (left_out, missing): (Vec<_>, Vec<_>) =
            audit.rows_missing.iter().partition(|(name, _)| is_left_out(name));
        let missing: Vec<_> = missing.into_iter().cloned().collect();
        warnings.extend(DidWarning::dropped_rows(&missing));
        let is_any_left_out = !left_out.is_empty();
        let left_out = left_out.into_iter().cloned();
        warnings.extend(left_out.map(|(column, rows)| DidWarning::LeftOutRows { rows, column }));
        let counted = units.iter().map(|(pattern, units)| Counted { pattern, units: *units });
        let present: Vec<_> = counted.filter(|u| !u.pattern.periods.is_empty()).collect();
        if present.is_empty() {
            return Err(match is_any_left_out {
                true => DidError::no_rows(
                    "after dropping rows with missing or non-finite values, with a weight of 0, or with a dose of 0 after treatment",
                    &audit.rows_missing,
                    "check the columns for nulls and infinities, and weights and doses for zeros",
                ),
                false => DidError::no_complete_rows(&audit.rows_missing),
            });
        }
        let design = options.design.own();
        let mut recoded = Recoded::new(&present, design, &mut warnings)?;
        if recoded.periods.len() < 2 {
            return Err(DidError::TooFewPeriods { periods: recoded.periods.len() });
        }
        let two_periods = recoded.start_in_second(design)?;
        if design.has_dated_groups() && !two_periods {
            warnings.extend(recoded.far());
        }
        let original = recoded.finite();
        let last = recoded.replace_never_treated(&present, design, &mut audit, &mut warnings)?;
        recoded.drop_already_treated(&present, design, &mut audit, &mut warnings);
        let in_sample = || present.iter().filter_map(|u| recoded.kept(u.pattern));
        let periods = distinct(in_sample().flat_map(|(_, periods)| periods));
        if periods.len() < 2 {
            return Err(DidError::TooFewPeriods { periods: periods.len() });
        }
        let mut rules = Self {
            layout: Layout::RepeatedCrossSections,
            periods,
            grid: recoded.grid,
            two_periods,
            cohorts: Vec::new(),
            groups: Vec::new(),
            strata: StratumTable::new(Layout::RepeatedCrossSections, 0, 0),
            audit,
            warnings,
            recoded,
            drops_incomplete: false,
        };
        if !options.repeated_cross_sections {
            rules.layout = rules.balance(&present, options.allow_unbalanced)?;
        }
        let in_sample = present.iter().filter(|u| rules.kept(u.pattern).is_some());
        rules.audit.groups_after = rules.recoded.after(in_sample);
        rules.find_groups(&present, options.design.anticipation(), &original, last)?;
        check(&SampleExtent {
            cohorts: rules.cohorts.len(),
            groups: rules.groups.len(),
            periods: rules.periods.len(),
        })?;
        rules.strata = StratumTable::new(rules.layout, rules.cohorts.len(), rules.periods.len());
        Ok(rules)
    }

    /// The rules as far as they say where rows go.
    #[cfg(feature = "cluster")]
    pub fn for_placing(&self) -> Self {
        let (audit, warnings) = (SampleAudit::default(), Vec::new());
        Self { audit, warnings, ..self.clone() }
    }

    /// Drops units that are missing in some period unless that is allowed.
    fn balance(&mut self, units: &[Counted<'_>], allow_unbalanced: bool) -> Result<Layout> {
        let count = |complete: bool| {
            let counted = |u: &&Counted<'_>| {
                let kept = self.recoded.kept(u.pattern).map_or(0, |(_, periods)| periods.len());
                kept > 0 && (kept == self.periods.len()) == complete
            };
            units.iter().filter(counted).map(|u| u.units).sum::<usize>()
        };
        let (complete, incomplete) = (count(true), count(false));
        if incomplete == 0 {
            return Ok(Layout::Balanced);
        }
        if allow_unbalanced {
            return Ok(Layout::Unbalanced);
        }
        if complete == 0 {
            return Err(DidError::EmptySample {
                after: "after balancing: no unit is observed in every period".into(),
                remedy: "leave out periods that most units miss or, where the estimator has these options, allow an unbalanced panel or use repeated cross sections",
            });
        }
        self.drops_incomplete = true;
        self.audit.units_unbalanced = incomplete;
        self.warnings.push(DidWarning::Unbalanced { units: incomplete });
        Ok(Layout::Balanced)
    }

    fn find_groups(
        &mut self,
        units: &[Counted<'_>],
        anticipation: u32,
        original: &[f64],
        last: Option<f64>,
    ) -> Result<()> {
        let in_sample = units.iter().filter_map(|u| self.kept(u.pattern));
        self.cohorts = distinct(in_sample.map(|(cohort, _)| cohort));
        let (grid, first) = (self.grid, self.periods[0]);
        let later = |g: f64| grid.elapsed(first, g) > f64::from(anticipation);
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
        let anticipating = if anticipation > 0 {
            format!(" (with {anticipation} periods of anticipation)")
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
    fn kept(&self, pattern: &Pattern) -> Option<(Cohort, Vec<f64>)> {
        let complete = |periods: &Vec<f64>| periods.len() == self.periods.len();
        self.recoded.kept(pattern).filter(|(_, p)| !self.drops_incomplete || complete(p))
    }

    /// Place of units in the sample; `None` if they are not in it.
    pub fn place(&self, pattern: &Pattern) -> Option<UnitPlace> {
        let (cohort, kept) = self.kept(pattern)?;
        let at = |sorted: &[f64], value: f64| sorted.partition_point(|s| *s < value);
        let rows = kept.into_iter().map(|t| (at(&self.periods, t), at(&pattern.periods, t)));
        let cohort = self.cohorts.partition_point(|c| *c < cohort);
        Some(UnitPlace { cohort, rows: rows.collect() })
    }
}
