//! Rows of a regression as read, and which of them can be used.

use std::collections::HashSet;

use polars::prelude::DataFrame;

use super::columns::{CohortColumns, RegressionColumns};
use super::factor::Coded;
use crate::base::calendar::{TimeGrid, grid, near};
use crate::base::error::{DidWarning, Result};
use crate::base::parallel;
use crate::read::columns::{
    Gaps, MISSING, MissingValues, ReadAsMissing, Table, Values, WithoutGroup,
};
use crate::read::formula::{Evaluated, Formula, RawColumn};

/// Values that one task looks at.
const PART: usize = 1 << 14;

/// Rows as read, one entry each.
pub(crate) struct RegressionRows {
    pub len: usize,
    pub outcome: Values,
    pub regressors: Evaluated,
    pub weights: Option<Values>,
    pub factors: Vec<Coded>,
    pub clusters: Vec<Coded>,
    pub cohorts: Option<RowCohorts>,
    /// Whether each row has all its values and a positive weight; `None` if all rows do.
    pub usable: Option<Vec<bool>>,
    /// Rows dropped for a missing or non-finite value, under their first such column.
    pub missing: Vec<(String, usize)>,
    /// Rows dropped for a weight of zero.
    pub weightless: usize,
    pub read_as_missing: Vec<ReadAsMissing>,
    /// Columns with integers that are too large to be doubles.
    pub rounded: Vec<String>,
}

/// First treated periods and periods, by row.
pub(crate) struct RowCohorts {
    /// Positive infinity for never treated (0, +inf, null), NaN if missing.
    pub cohort: Values,
    pub time: Values,
    /// Rows in which the first treated period is written as 0, where periods are negative.
    pub zero_groups: usize,
    /// Rows and units without a first treated period.
    without_group: WithoutGroup,
    /// The column of first treated periods.
    column: String,
    /// Groups that rounding alone tells from a period or another group, with what they are taken as.
    moved: Vec<(f64, f64)>,
    /// The grid of periods and groups, by which event times are counted.
    pub grid: TimeGrid,
}

impl RowCohorts {
    /// From the columns of a table in periods.
    fn read(table: &Table<'_>, columns: &CohortColumns) -> Result<Self> {
        let mut cohort = table.first_period_values(&columns.cohort)?;
        let time = table.period_values(&columns.time)?;
        let (grid, moved) = match are_whole(&cohort) && are_whole(&time) {
            true => (TimeGrid::default(), Vec::new()),
            false => {
                let (periods, groups) = (distinct(&time), distinct(&cohort));
                let grid = grid(&periods, &groups);
                (grid, grid.moved(&periods, &near(&periods, &groups)))
            }
        };
        if !moved.is_empty() {
            let to =
                |group: &f64| moved.iter().find(|(from, _)| from == group).map_or(*group, |m| m.1);
            cohort = cohort.iter().map(to).collect::<Vec<f64>>().into();
        }
        let lowest = time.iter().copied().reduce(f64::min);
        let zero_groups = table.zero_groups(&columns.cohort, None, lowest)?;
        let (column, without_group) = (columns.cohort.clone(), WithoutGroup::default());
        Ok(Self { cohort, time, zero_groups, without_group, column, moved, grid })
    }

    /// Finds the rows without a group among those that are usable, or among all.
    fn find_missing(
        &mut self,
        table: &Table<'_>,
        unit: &str,
        usable: Option<&[bool]>,
    ) -> Result<()> {
        let group = |row: usize| self.cohort[row];
        let units = |holds: &(dyn Fn(usize) -> bool + Sync)| table.units_with(unit, holds);
        self.without_group = table.without_group(&self.column, group, usable, units)?;
        Ok(())
    }

    /// Warnings about rows without a group, in a sample with these groups and periods.
    pub fn missing_groups(
        &self,
        groups: impl Iterator<Item = f64>,
        periods: impl Iterator<Item = f64>,
    ) -> Vec<DidWarning> {
        self.without_group.warnings(&self.column, groups, periods)
    }

    /// Says of what was read as missing in the group column that it stands for never treated.
    pub fn mark(&self, read_as_missing: &mut Vec<ReadAsMissing>) {
        self.without_group.mark(&self.column, read_as_missing);
    }

    /// A warning about groups that were taken as a period, or as another group, from which rounding alone tells them.
    pub fn moved_groups(&self) -> Option<DidWarning> {
        DidWarning::moved_groups(&self.moved)
    }
}

/// Whether all finite values are whole numbers.
fn are_whole(values: &[f64]) -> bool {
    /// From here on all doubles are.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    // Adding it rounds to a whole number; a function of the library is not vectorised.
    let is_whole = |value: f64| {
        let size = value.abs();
        (size + WHOLE - WHOLE == size) | (size >= WHOLE) | value.is_nan()
    };
    parallel::all(values.len().div_ceil(PART), &|part| {
        let part = &values[parallel::part(part, PART, values.len())];
        part.iter().fold(true, |all, value| all & is_whole(*value))
    })
}

/// Finite values, each once, ascending.
fn distinct(values: &[f64]) -> Vec<f64> {
    let known: HashSet<u64> =
        values.iter().filter(|v| v.is_finite()).map(|v| v.to_bits()).collect();
    let mut known: Vec<f64> = known.into_iter().map(f64::from_bits).collect();
    known.sort_by(f64::total_cmp);
    known
}

/// The table with periods in place of dates.
fn in_periods<'a>(table: &Table<'a>, columns: &CohortColumns) -> Result<Table<'a>> {
    let dated = [(columns.cohort.as_str(), "group"), (columns.time.as_str(), "time")];
    table.in_periods(dated, columns.frequency)
}

impl RegressionRows {
    /// Reads the columns of a frame.
    ///
    /// # Errors
    /// [`DidError`](crate::DidError) naming the column.
    pub fn read(
        df: &DataFrame,
        columns: &RegressionColumns,
        missing: &MissingValues,
    ) -> Result<Self> {
        let table = Table::read(df, &columns.wanted(), missing, 0)?;
        let outcome = match columns.with_outcome {
            true => outcome(&table, &columns.formula.outcome)?,
            false => vec![0.0; table.len()].into(),
        };
        let raw = |name: &str| RawColumn::from_series(table.series(name, "regressor")?);
        let regressors = columns.formula.regressors.evaluate(table.len(), &raw)?;
        let mut texts = regressors.texts(&|name| table.is_categorical(name));
        for taken in &table.read_as_missing {
            texts.take(&taken.column, &taken.token);
        }
        texts.check()?;
        let weights = columns.weights.as_ref().map(|name| table.weights(name)).transpose()?;
        let dated = columns.cohorts.as_ref().map(|c| in_periods(&table, c)).transpose()?;
        let levels = dated.as_ref().unwrap_or(&table);
        let effects = columns.formula.absorb.iter().map(|factor| ("fixed effect", factor));
        let clusters = columns.clusters.iter().map(|factor| ("cluster", factor));
        // Infinity may be a level, as of cohorts, but no unit or cluster of units.
        let units = columns.cohorts.as_ref().map(|cohorts| cohorts.unit.as_str());
        let mut factors = Coded::read(levels, effects.chain(clusters), units)?;
        let clusters = factors.split_off(columns.formula.absorb.len());
        let cohorts = columns.cohorts.as_ref().map(|c| RowCohorts::read(levels, c)).transpose()?;
        let mut rounded: Vec<String> = regressors.rounded().to_vec();
        if outcome.is_rounded() {
            rounded.insert(0, columns.formula.outcome_label().to_owned());
        }
        let mut rows = Self {
            len: table.len(),
            outcome,
            regressors,
            weights,
            factors,
            clusters,
            cohorts,
            usable: None,
            missing: Vec::new(),
            weightless: 0,
            read_as_missing: table.read_as_missing.clone(),
            rounded,
        };
        rows.find_usable(columns);
        if let (Some(cohorts), Some(of)) = (&mut rows.cohorts, &columns.cohorts) {
            cohorts.find_missing(levels, &of.unit, rows.usable.as_deref())?;
        }
        Ok(rows)
    }

    fn find_usable(&mut self, columns: &RegressionColumns) {
        let mut gaps = Gaps::new(self.len);
        gaps.mark(columns.formula.outcome_label(), |row| self.outcome[row].is_finite());
        self.regressors.mark_missing(&mut gaps);
        for factor in self.factors.iter().chain(&self.clusters) {
            gaps.mark(&factor.name, |row| factor.codes[row] != MISSING);
        }
        if let (Some(cohorts), Some(columns)) = (&self.cohorts, &columns.cohorts) {
            gaps.mark(&columns.time, |row| cohorts.time[row].is_finite());
            gaps.mark(&columns.cohort, |row| !cohorts.cohort[row].is_nan());
        }
        if let (Some(weights), Some(name)) = (&self.weights, &columns.weights) {
            gaps.mark(name, |row| weights[row].is_finite());
        }
        let complete = |usable: &Option<Vec<bool>>| {
            usable.as_ref().map_or(self.len, |u| u.iter().filter(|u| **u).count())
        };
        let before = complete(&gaps.complete);
        let missing = std::mem::take(&mut gaps.missing);
        if let Some(weights) = &self.weights {
            gaps.mark("", |row| weights[row] != 0.0);
        }
        self.weightless = before - complete(&gaps.complete);
        (self.usable, self.missing) = (gaps.complete, missing);
    }
}

/// The outcome, NaN if missing.
fn outcome(table: &Table<'_>, formula: &Formula) -> Result<Values> {
    let raw = |name: &str| table.numbers(name, "outcome").map(RawColumn::Numeric);
    let evaluated = formula.evaluate(table.len(), &raw)?;
    match evaluated.only() {
        Some(RawColumn::Numeric(values)) => Ok(values.clone()),
        // Columns are read as numbers above, and arithmetic gives numbers.
        _ => Ok(vec![f64::NAN; table.len()].into()),
    }
}
