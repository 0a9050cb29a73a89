//! The rows of a first stage as they are read.

use std::time::Instant;

use super::audit::StageAudit;
use super::columns::{Formulas, StageColumns};
use crate::base::error::{DidError, Result};
use crate::estimator::fixed_effects::{RegressionColumns, RegressionRows};
use crate::read::columns::{Kind, Table, Values, Wanted};
use crate::read::input::Data;

/// Rows, and what happened to them.
pub(in crate::estimator) struct StageReading {
    pub rows: RegressionRows,
    /// The rows as a second stage has them.
    pub second: Option<RegressionRows>,
    /// Weights of rows in averages, column by column.
    pub averages: Vec<Values>,
    /// Which factors are fixed effects.
    pub used: Vec<usize>,
    pub audit: StageAudit,
    /// Seconds of reading files.
    pub read: f64,
}

impl StageReading {
    /// Reads the columns.
    ///
    /// # Errors
    /// Errors about a column, a formula or a file.
    pub fn new(data: Data<'_>, columns: &StageColumns, start: Instant) -> Result<Self> {
        let missing = columns.missing();
        let Formulas { first, used, second } = columns.formulas()?;
        data.reading(&missing, |data| {
            let asked = wanted(&first, second.as_ref(), &columns.averages);
            let found = data.read(&asked, &missing, None)?;
            let read = start.elapsed().as_secs_f64();
            let frame = &found.frame;
            let names: Vec<&str> = frame.get_column_names().iter().map(|n| n.as_str()).collect();
            asked.find_in(&names)?;
            let mut rows = RegressionRows::read(frame, &first, &missing)?;
            let mut second =
                second.map(|second| RegressionRows::read(frame, &second, &missing)).transpose()?;
            let mut read_as_missing = found.read_as_missing;
            read_as_missing.append(&mut rows.read_as_missing);
            if let Some(second) = &mut second {
                read_as_missing.append(&mut second.read_as_missing);
            }
            read_as_missing.dedup();
            if let Some(cohorts) = &rows.cohorts {
                cohorts.mark(&mut read_as_missing);
            }
            let only = Wanted::default().and("average", Kind::Value, &columns.averages);
            let table = Table::read(frame, &only, &missing, 0)?;
            let average = |name: &String| table.numbers(name, "average");
            let averages: Vec<Values> =
                columns.averages.iter().map(average).collect::<Result<_>>()?;
            if !columns.sums {
                refuse_negative(&rows, &columns.averages, &averages)?;
            }
            let audit = StageAudit {
                files: found.files,
                read_as_missing,
                rows_in: rows.len,
                rows_missing: std::mem::take(&mut rows.missing),
                rows_weightless: rows.weightless,
                ..StageAudit::default()
            };
            Ok(Self { rows, second, averages, used, audit, read })
        })
    }
}

/// An error for a negative weight of a treated row in an average.
fn refuse_negative(rows: &RegressionRows, names: &[String], averages: &[Values]) -> Result<()> {
    let Some(cohorts) = &rows.cohorts else { return Ok(()) };
    let is_treated = |row: usize| cohorts.time[row] >= cohorts.cohort[row];
    for (name, values) in names.iter().zip(averages) {
        let negative = |(row, value): &(usize, &f64)| **value < 0.0 && is_treated(*row);
        if let Some((row, value)) = values.iter().enumerate().find(negative) {
            return Err(DidError::Negative {
                column: name.clone(),
                role: "weights of an average",
                value: *value,
                row,
                line: None,
                remedy: "only a sum (`sums`, `--sum`) may have negative weights".into(),
            });
        }
    }
    Ok(())
}

/// All columns that are read, with what they are for.
fn wanted(
    first: &RegressionColumns,
    second: Option<&RegressionColumns>,
    averages: &[String],
) -> Wanted {
    let own = first.wanted().and("average", Kind::Value, averages);
    match second {
        None => own,
        Some(second) => own.and("regressor", Kind::Value, &second.formula.regressors.variables()),
    }
}
