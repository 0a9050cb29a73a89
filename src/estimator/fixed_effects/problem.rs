//! A regression in canonical order: columns without their means and fixed effects.

use super::collinear::Before;
use super::predictor::SampleLevels;
use super::range::check_range;
use super::sample::RegressionSample;
use super::sums;
use crate::base::error::{DidWarning, Result};
use crate::base::memory;
use crate::engine::demean::{
    Column, ColumnReport, DemeanOptions, DemeanedColumns, Demeaner, Place,
};
use crate::read::formula::{Design, Indicator};

/// Where no device takes part.
pub(super) const HOST: &str = "host";

/// A cohort at an event time, as whole numbers of a millionth: differences of periods are not exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::estimator) struct CohortCell {
    pub at: i128,
    pub cohort: i128,
}

/// A regressor.
pub(in crate::estimator) struct Regressor {
    pub name: String,
    /// In canonical order, as it is.
    pub values: Vec<f64>,
    pub indicator: Option<Indicator>,
    /// The cohort and event time whose effect its coefficient is.
    pub cell: Option<CohortCell>,
}

/// Indicators of cells of rows: at most one of them is one in a row.
pub(in crate::estimator) struct CellIndicators {
    /// The cell of each row in canonical order; [`u32::MAX`] for none.
    pub codes: Vec<u32>,
    pub names: Vec<String>,
    /// The cohort and event time of each cell, where there are such.
    pub cells: Vec<Option<CohortCell>>,
}

impl CellIndicators {
    /// With a value for each row.
    ///
    /// # Errors
    /// [`DidError::Memory`](crate::DidError::Memory).
    pub fn columns(self) -> Result<Vec<Regressor>> {
        memory::check(
            "indicators of cohorts in periods",
            // The values, and what the fixed effects and the regression leave of them.
            3 * 8 * self.codes.len() as u128 * self.names.len() as u128,
            "count longer periods (`frequency`), or have weights that are constant within units",
        )?;
        let column = |(code, (name, cell)): (u32, (String, Option<CohortCell>))| {
            let mut values = vec![0.0; self.codes.len()];
            sums::update(&mut values, |row, _| f64::from(u8::from(self.codes[row] == code)));
            Regressor { name, values, indicator: None, cell }
        };
        Ok((0..).zip(self.names.into_iter().zip(self.cells)).map(column).collect())
    }
}

/// The right side of a regression.
pub(in crate::estimator) struct Regressors {
    /// Stand before the columns.
    pub cells: Option<CellIndicators>,
    pub columns: Vec<Regressor>,
    /// The design that the columns come from, where one does.
    pub(super) design: Option<(Design, SampleLevels)>,
}

impl Regressors {
    /// Of no design of a formula's.
    pub fn new(cells: CellIndicators, columns: Vec<Regressor>) -> Self {
        Self { cells: Some(cells), columns, design: None }
    }

    /// Of each regressor, the level of `i()` that it is one of.
    pub fn indicators(&self) -> Vec<Option<Indicator>> {
        let of_cells = self.cells.iter().flat_map(|cells| cells.cells.iter().map(|_| None));
        of_cells.chain(self.columns.iter().map(|column| column.indicator.clone())).collect()
    }

    /// Of each regressor, the cohort and event time whose effect its coefficient is.
    pub fn cohort_cells(&self) -> Vec<Option<CohortCell>> {
        let of_cells = self.cells.iter().flat_map(|cells| cells.cells.iter().copied());
        of_cells.chain(self.columns.iter().map(|column| column.cell)).collect()
    }
}

/// The regressors of a design but for the constant.
///
/// # Errors
/// As [`check_range`].
pub(in crate::estimator) fn columns(design: &Design, rows: &[u32]) -> Result<Vec<Regressor>> {
    let column = |index: usize| {
        let mut values = vec![0.0; rows.len()];
        const PART: usize = 1 << 16;
        crate::base::parallel::chunks(&mut values, PART, |part, out| {
            design.fill(index, &rows[part * PART..][..out.len()], out);
        });
        let name = design.names()[index].clone();
        check_range(&name, &values)?;
        Ok(Regressor { name, values, indicator: design.indicator(index).cloned(), cell: None })
    };
    design.covariates().map(column).collect()
}

/// A column about its mean, which fixed effects and a constant span.
pub(super) struct Centred {
    pub mean: f64,
    pub before: Before,
}

/// Subtracts the weighted mean.
pub(super) fn centre(values: &mut [f64], weights: Option<&[f64]>, total: f64) -> Centred {
    let n = values.len();
    let weight = |row: usize| weights.map_or(1.0, |w| w[row]);
    let read: &[f64] = values;
    let raw = sums::sum(n, |row| weight(row) * read[row] * read[row]);
    let mean = sums::sum(n, |row| weight(row) * read[row]) / total;
    sums::update(values, |_, value| value - mean);
    let read: &[f64] = values;
    let centred = sums::sum(n, |row| weight(row) * read[row] * read[row]);
    Centred { mean, before: Before { raw, centred } }
}

/// What the columns are without the fixed effects.
pub(super) struct Projected {
    /// The outcome first.
    pub residuals: Vec<Vec<f64>>,
    /// Effects of each, factor after factor; none without factors.
    pub effects: Vec<Vec<f64>>,
    pub solved: Option<Report>,
    pub warnings: Vec<DidWarning>,
}

/// How the fixed effects were projected out.
pub(super) struct Report {
    pub solver: &'static str,
    pub place: String,
    pub columns: Vec<ColumnReport>,
}

/// Where it was done.
fn place(done: &DemeanedColumns) -> String {
    match &done.device {
        None => HOST.to_owned(),
        Some(device) if done.host => format!("{device}, then {HOST}"),
        Some(device) => device.clone(),
    }
}

/// Where and how fixed effects are projected out.
#[derive(Clone, Copy)]
pub(super) struct Where<'a> {
    pub options: &'a DemeanOptions,
    pub place: &'a dyn Place,
}

impl<'a> Where<'a> {
    /// What solves for a sample's factors; none without factors.
    pub fn demeaner<'s>(
        &self,
        sample: &'s RegressionSample,
        weights: Option<&'s [f64]>,
    ) -> Result<Option<Demeaner<'s>>>
    where
        'a: 's,
    {
        if sample.factors.is_empty() {
            return Ok(None);
        }
        Demeaner::new(&sample.factors, weights, self.options, self.place).map(Some)
    }
}

/// Projects the fixed effects out of columns, or leaves them as they are without factors.
pub(super) fn project(
    demeaner: Option<&Demeaner<'_>>,
    columns: &[(&str, &[f64])],
    start: Option<&[Vec<f64>]>,
) -> Result<Projected> {
    let Some(demeaner) = demeaner else {
        let residuals = columns.iter().map(|(_, values)| values.to_vec()).collect();
        return Ok(Projected { residuals, effects: vec![], solved: None, warnings: vec![] });
    };
    let named: Vec<Column<'_>> =
        columns.iter().map(|(name, values)| Column { name, values }).collect();
    let done = demeaner.demean(&named, start)?;
    let place = place(&done);
    Ok(Projected {
        residuals: done.residuals,
        effects: done.effects,
        solved: Some(Report { solver: done.solver, place, columns: done.columns }),
        warnings: done.warnings,
    })
}
