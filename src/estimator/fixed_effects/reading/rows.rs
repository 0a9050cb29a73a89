//! Rows of a regression as read, and which of them can be used.

use polars::prelude::*;

use super::columns::{CohortColumns, RegressionColumns};
use super::factor::Coded;
use crate::base::error::{DidError, Result};
use crate::read::columns::{
    Gaps, MISSING, MissingValues, Numbers, ReadAsMissing, Values, cleaned, find, negative_group,
    numeric, periods, refuse_negative,
};
use crate::read::formula::{Evaluated, Formula, RawColumn};

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
}

impl RowCohorts {
    /// From the columns [in periods](in_periods).
    fn read(df: &DataFrame, columns: &CohortColumns) -> Result<Self> {
        let distinct = |name: &str, role, null| {
            let numbers = numeric(find(df, name, role)?.as_materialized_series(), role, null)?;
            // Infinity as the largest value: all rows are looked at.
            match numbers.indistinct(f64::INFINITY) {
                None => Ok(numbers.values()),
                Some((row, value)) => {
                    let column = name.to_owned();
                    Err(DidError::TooManyDigits { column, role, value, row, line: None })
                }
            }
        };
        let cohorts = distinct(&columns.cohort, "group", f64::INFINITY)?;
        if let Some((row, value)) = (0..).zip(&*cohorts).find(|(_, g)| **g < 0.0) {
            return Err(negative_group(&columns.cohort, *value, row));
        }
        let never = |g: &f64| if *g == 0.0 { f64::INFINITY } else { *g };
        let cohorts: Vec<f64> = cohorts.iter().map(never).collect();
        Ok(Self { cohort: cohorts.into(), time: distinct(&columns.time, "time", f64::NAN)? })
    }
}

/// The frame with periods in place of dates, so that the dates of a period are one level, too.
fn in_periods(df: &DataFrame, columns: &CohortColumns) -> Result<DataFrame> {
    let mut out = df.clone();
    for (name, role) in [(&columns.cohort, "group"), (&columns.time, "time")] {
        let series = periods(find(df, name, role)?, role, columns.frequency, 0)?;
        out.with_column(series.into_column())?;
    }
    Ok(out)
}

impl RegressionRows {
    /// Reads the columns of a frame.
    ///
    /// # Errors
    /// [`DidError`] naming the column.
    pub fn read(
        df: &DataFrame,
        columns: &RegressionColumns,
        missing: &MissingValues,
    ) -> Result<Self> {
        let (df, read_as_missing) = cleaned(df, &columns.wanted(), missing)?;
        let outcome = match columns.with_outcome {
            true => outcome(&df, &columns.formula.outcome)?,
            false => vec![0.0; df.height()].into(),
        };
        let raw = |name: &str| {
            RawColumn::from_series(find(&df, name, "regressor")?.as_materialized_series())
        };
        let regressors = columns.formula.regressors.evaluate(df.height(), &raw)?;
        let mut texts = regressors.texts(&|name| {
            df.column(name).is_ok_and(|c| c.dtype().is_categorical() || c.dtype().is_enum())
        });
        for taken in &read_as_missing {
            texts.take(&taken.column, &taken.token);
        }
        texts.check()?;
        let weights = columns.weights.as_ref().map(|name| weights(&df, name)).transpose()?;
        let dated = columns.cohorts.as_ref().map(|c| in_periods(&df, c)).transpose()?;
        let levels: &DataFrame = dated.as_ref().unwrap_or(&df);
        let factors = Coded::read(levels, &columns.formula.absorb, "fixed effect")?;
        let clusters = Coded::read(levels, &columns.clusters, "cluster")?;
        let cohorts = columns.cohorts.as_ref().map(|c| RowCohorts::read(levels, c)).transpose()?;
        let mut rounded: Vec<String> = regressors.rounded().to_vec();
        if outcome.is_rounded() {
            rounded.insert(0, columns.formula.outcome_label().to_owned());
        }
        let mut rows = Self {
            len: df.height(),
            outcome,
            regressors,
            weights,
            factors,
            clusters,
            cohorts,
            usable: None,
            missing: Vec::new(),
            weightless: 0,
            read_as_missing,
            rounded,
        };
        rows.find_usable(columns);
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
fn outcome(df: &DataFrame, formula: &Formula) -> Result<Values> {
    let raw = |name: &str| {
        let series = find(df, name, "outcome")?.as_materialized_series();
        numbers(series, "outcome").map(RawColumn::Numeric)
    };
    let evaluated = formula.evaluate(df.height(), &raw)?;
    match evaluated.only() {
        Some(RawColumn::Numeric(values)) => Ok(values.clone()),
        // Columns are read as numbers above, and arithmetic gives numbers.
        _ => Ok(vec![f64::NAN; df.height()].into()),
    }
}

fn weights(df: &DataFrame, name: &str) -> Result<Values> {
    let values = numbers(find(df, name, "weights")?.as_materialized_series(), "weights")?;
    refuse_negative(name, &values, 0)?;
    Ok(values)
}

/// A column of numbers or booleans.
fn numbers(series: &Series, role: &'static str) -> Result<Values> {
    numeric(series, role, f64::NAN).map(Numbers::values)
}
