//! What a panel shows before there is a design: counts of rows and units that refuse nothing, and sums of columns by group and period.
//!
//! A sample refuses units with two rows in a period, or in two groups. A first look at data should count them instead.

mod base;
mod cells;
mod columns;
mod found;
mod reading;
mod scan;
mod sums;
mod times;
mod unit_rows;

use serde::{Deserialize, Serialize};

use super::audit::SampleAudit;
use super::counts::Counts;
use super::mistakes::{doubtful_times, status_as_group, zero_groups};
use super::rules::{Rules, SampleOptions};
use crate::base::calendar::{Frequency, TimeGrid, grid};
use crate::base::error::{DidError, DidWarning, Result};
use crate::read::columns::{ReadAsMissing, WithoutGroup, add_counts};

pub(crate) use base::BasePeriod;
use cells::Cell;
pub(crate) use columns::{FirstValues, PanelColumns, RowsWithGaps};
use found::Found;
pub(crate) use found::{GroupUnits, Irregular};
pub(crate) use reading::{OpenedRows, Reading};
pub(crate) use sums::{Moments, Sums};
pub(crate) use times::TimesFound;
pub(crate) use unit_rows::UnitRows;

/// What the rows show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Overview {
    /// Rows read.
    pub rows: usize,
    /// Rows without some of the values needed.
    pub incomplete: usize,
    /// Rows without a value that is needed, by column; a row counts for each.
    pub missing: Vec<(String, usize)>,
    /// Rows that are looked at though they lack other values.
    pub gaps: RowsWithGaps,
    read_as_missing: Vec<ReadAsMissing>,
    /// How many of these were known before there were frames.
    known_as_missing: usize,
    /// Columns with integers that are too large to be doubles.
    pub rounded: Vec<String>,
    /// Rows whose first treated period is written as 0, where periods are negative.
    pub zero_groups: usize,
    /// Rows and units without a first treated period.
    pub without_group: WithoutGroup,
    moved: Vec<(f64, f64)>,
    pub found: Found,
    number_names: Vec<String>,
    /// All periods of the data, where frames may lack some.
    known_periods: Option<Vec<f64>>,
    /// Periods of the rows that lack at most the outcome or covariates, ascending.
    placed_periods: Vec<f64>,
}

impl Overview {
    /// Of no rows yet, in files in which so much was read as missing.
    pub fn reading(read_as_missing: Vec<ReadAsMissing>) -> Self {
        Self { known_as_missing: read_as_missing.len(), read_as_missing, ..Self::default() }
    }

    /// The same; all periods with complete rows are among these, of which frames may lack some.
    #[must_use]
    pub fn of_periods(self, periods: Vec<f64>) -> Self {
        Self { known_periods: Some(periods), ..self }
    }

    /// Adds rows of whole units, with sums that are less the `shifts`.
    ///
    /// # Errors
    /// [`DidError::Config`] for more patterns of periods and treatment than are kept.
    pub fn add(&mut self, rows: &UnitRows, columns: &PanelColumns, shifts: &[f64]) -> Result<()> {
        self.merge(Self::of(rows, columns, shifts, self.known_periods.as_deref())?)?;
        let patterns = self.found.units.len() + self.found.ended.len();
        match columns.most_patterns > 0 && patterns > columns.most_patterns {
            true => Err(DidError::config(
                "by_cohort",
                "set (`--by-cohort`) where units have very many patterns of observed periods and treatment",
                format!("{patterns} patterns or more"),
            )),
            false => Ok(()),
        }
    }

    /// Of rows of whole units; sums are less the `shifts`, and changes are from one of the `periods` to the next, if these are given.
    ///
    /// # Errors
    /// [`DidError::Config`] for more cells than can be held.
    pub fn of(
        rows: &UnitRows,
        columns: &PanelColumns,
        shifts: &[f64],
        periods: Option<&[f64]>,
    ) -> Result<Self> {
        let read = rows.columns();
        let mut found = scan::scan(read, columns, shifts, periods)?;
        found.cells.shifts = shifts.to_vec();
        Ok(Self {
            rows: read.rows,
            incomplete: read.incomplete(),
            missing: read.missing(),
            gaps: read.gaps(),
            read_as_missing: read.read_as_missing.clone(),
            known_as_missing: 0,
            rounded: read.rounded.clone(),
            zero_groups: read.zero_groups,
            without_group: read.without_group,
            moved: read.moved.clone(),
            found,
            number_names: read.numbers().iter().map(|(name, _)| (*name).to_owned()).collect(),
            known_periods: None,
            placed_periods: read.placed_periods.clone(),
        })
    }

    /// Adds what other units show.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn merge(&mut self, more: Self) -> Result<()> {
        if self.found.cells.shifts.is_empty() {
            self.found.cells.shifts.clone_from(&more.found.cells.shifts);
            self.number_names = more.number_names;
        }
        self.rows += more.rows;
        self.incomplete += more.incomplete;
        self.zero_groups += more.zero_groups;
        self.without_group.add(more.without_group);
        add_new(&mut self.moved, more.moved);
        add_new(&mut self.rounded, more.rounded);
        add_counts(&mut self.read_as_missing, &more.read_as_missing);
        add_by_column(&mut self.missing, more.missing);
        for period in more.placed_periods {
            let at = self.placed_periods.partition_point(|known| *known < period);
            if self.placed_periods.get(at) != Some(&period) {
                self.placed_periods.insert(at, period);
            }
        }
        self.gaps.rows += more.gaps.rows;
        add_by_column(&mut self.gaps.columns, more.gaps.columns);
        self.found.merge(more.found)
    }

    /// Leaves out periods in which no row is complete, after all frames, and says whether there are any. What is said of columns is in
    /// their order, whichever frame has something to say first.
    pub fn finish(&mut self, columns: &PanelColumns) -> bool {
        let names = columns.names();
        let place = |column: &String| names.iter().position(|name| *name == column);
        self.missing.sort_by_key(|(column, _)| place(column));
        self.gaps.columns.sort_by_key(|(column, _)| place(column));
        self.rounded.sort_by_key(place);
        let of_frames = &mut self.read_as_missing[self.known_as_missing..];
        of_frames.sort_by(|a, b| (&a.column, &a.token).cmp(&(&b.column, &b.token)));
        self.found.cells.drop_empty_periods()
    }

    /// Whether it may be what so many rows of some shard show, of which sums are less the `shifts`.
    #[cfg(feature = "cluster")]
    pub fn is_of(&self, rows: usize, shifts: &[f64], periods: &[f64]) -> bool {
        let (cells, groups) = (&self.found.cells, &self.found.groups);
        let units = groups.iter().fold(0_usize, |sum, group| sum.saturating_add(group.units));
        self.rows == rows
            && self.incomplete <= rows
            && units <= rows
            && self.found.is_sound()
            && cells.shifts == shifts
            && cells.periods == periods
    }

    /// The number columns of which there are sums: the outcome, then covariates. Sums of their changes follow in the same order.
    pub fn number_names(&self) -> &[String] {
        &self.number_names
    }

    /// Distinct groups of at least one unit, ascending; the never-treated are at infinity.
    pub fn group_values(&self) -> &[f64] {
        &self.found.cells.groups
    }

    /// A warning about rows that were left out for a missing value.
    pub fn dropped_rows(&self) -> Option<DidWarning> {
        DidWarning::dropped(self.incomplete, self.missing.clone())
    }

    /// The error if no row has what is needed, or a column has no value in any of those that do.
    ///
    /// # Errors
    /// [`DidError::EmptySample`].
    pub fn check_rows(&self) -> Result<()> {
        let complete = self.rows - self.incomplete;
        let is_empty = |(_, lost): &(String, usize)| *lost == complete;
        match complete == 0 || self.gaps.columns.iter().any(is_empty) {
            true => Err(DidError::no_complete_rows(
                &[self.missing.as_slice(), &self.gaps.columns].concat(),
            )),
            false => Ok(()),
        }
    }

    /// Warnings about groups that were taken as a period, or as another group, from which rounding alone tells them, about groups that look
    /// like a code, periods that look like dates, and about rows without a group.
    pub fn doubtful_groups(&self, group: Option<&String>) -> Vec<DidWarning> {
        let moved = self.moved_groups().into_iter();
        let Some(group) = group else { return moved.collect() };
        let periods = || self.periods().iter().copied();
        let doubtful = doubtful_times(group, self.group_values().iter().copied(), periods());
        let zeros = zero_groups(group, self.zero_groups, periods());
        moved.chain(doubtful).chain(zeros).chain(self.missing_groups(group)).collect()
    }

    /// A warning about groups that were taken as a period, or as another group, from which rounding alone tells them.
    pub fn moved_groups(&self) -> Option<DidWarning> {
        DidWarning::moved_groups(&self.moved)
    }

    /// What was read as missing, of which some in the group column stands for never treated.
    pub fn marked_as_missing(&self, group: Option<&String>) -> Vec<ReadAsMissing> {
        let mut all = self.read_as_missing.clone();
        if let Some(group) = group {
            self.without_group.mark(group, &mut all);
        }
        all
    }

    /// Warnings about rows without a group.
    fn missing_groups(&self, group: &str) -> Vec<DidWarning> {
        let groups = self.group_values().iter().zip(&self.found.groups);
        let groups = groups.filter(|(_, of)| of.units > 0).map(|(group, _)| *group);
        self.without_group.warnings(group, groups, self.periods().iter().copied())
    }

    /// The grid of periods and groups.
    pub fn grid(&self) -> TimeGrid {
        grid(self.periods(), self.group_values())
    }

    /// The error of a column of groups that holds a treatment status, if it does.
    pub fn status_as_group(
        &self,
        group: Option<&String>,
        frequency: Option<Frequency>,
    ) -> Option<DidError> {
        let (groups, periods) =
            (self.group_values().iter().copied(), self.periods().iter().copied());
        status_as_group(group?, groups, periods, frequency)
    }

    /// Periods with complete rows, ascending.
    pub fn periods(&self) -> &[f64] {
        &self.found.cells.periods
    }

    /// Periods of the rows that lack at most the outcome or covariates, ascending.
    pub fn placed_periods(&self) -> &[f64] {
        &self.placed_periods
    }

    /// Periods with an outcome, ascending.
    pub fn periods_with_outcomes(&self) -> Vec<f64> {
        let cells = &self.found.cells;
        let has_outcome =
            |t: &usize| (0..cells.groups.len()).any(|g| cells.at(g, *t).sums[0].mean().is_some());
        (0..cells.periods.len()).filter(has_outcome).map(|t| cells.periods[t]).collect()
    }

    /// Units by group and periods with complete rows.
    pub fn units(&self) -> impl Iterator<Item = (f64, &[f64], usize)> {
        self.found
            .units
            .iter()
            .map(|(pattern, units)| (pattern.cohort.group, pattern.periods.as_slice(), *units))
    }

    /// Units whose treatment ends, by group, periods with complete rows, and those of them in which they are not treated any more.
    pub fn ended(&self) -> impl Iterator<Item = (f64, &[f64], &[f64], usize)> {
        self.found.ended.iter().map(|(pattern, units)| {
            let (observed, ended) = (&pattern.observed, &pattern.ended);
            (observed.cohort.group, observed.periods.as_slice(), ended.periods.as_slice(), *units)
        })
    }

    /// An error if all complete rows have a weight of 0, in this column.
    ///
    /// # Errors
    /// [`DidError::Weights`].
    pub fn check_weights(&self, column: Option<&String>) -> Result<()> {
        let cells = &self.found.cells;
        let mut places =
            (0..cells.groups.len()).flat_map(|g| (0..cells.periods.len()).map(move |t| (g, t)));
        // Of rows with an outcome, which is the first number if there is one.
        let has_weight =
            |cell: &Cell| cell.sums.first().map_or(cell.has_weight, |sums| sums.weight() > 0.0);
        match places.any(|(g, t)| has_weight(cells.at(g, t))) {
            true => Ok(()),
            false => Err(DidError::Weights {
                column: column.cloned().unwrap_or_default(),
                problem: "all weights are 0; leave out the column, or check its values".into(),
            }),
        }
    }

    /// What a design with this many covariates would make of the rows, if every unit had one row a period and one group.
    ///
    /// # Errors
    /// Why the design has no sample.
    pub fn used(&self, options: &SampleOptions, covariates: usize) -> Result<SampleAudit> {
        let audit = SampleAudit { rows_in: self.rows, ..SampleAudit::default() };
        let mut rules = Rules::new(&self.found.units, options, audit, &|_| Ok(()))?;
        let counts = Counts::new(&self.found.units, &rules);
        counts.check_sizes(&rules, options, covariates)?;
        rules.audit.rows = counts.rows.iter().flatten().sum();
        rules.audit.units = counts.of_strata(&rules.strata).iter().sum();
        rules.audit.periods.clone_from(&rules.periods);
        let never = rules.cohorts.iter().zip(&counts.units).filter(|(c, _)| c.group.is_infinite());
        rules.audit.never_treated = never.map(|(_, units)| units).sum();
        Ok(rules.audit)
    }
}

/// Adds what is not there yet.
fn add_new<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

/// Adds rows by column.
fn add_by_column(total: &mut Vec<(String, usize)>, more: Vec<(String, usize)>) {
    for (column, rows) in more {
        match total.iter_mut().find(|(known, _)| *known == column) {
            Some((_, count)) => *count += rows,
            None => total.push((column, rows)),
        }
    }
}

#[cfg(test)]
mod tests;
