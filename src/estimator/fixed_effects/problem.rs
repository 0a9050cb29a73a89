//! A regression in canonical order: columns without their means and fixed effects.

use super::collinear::Before;
use super::range::check_range;
use super::sample::RegressionSample;
use super::sums;
use crate::base::error::{DidWarning, Result};
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
