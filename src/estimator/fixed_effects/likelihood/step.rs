//! A step of iterated least squares.

use super::super::collinear::{Basis, Before};
use super::super::least_squares::{LeastSquares, least_squares};
use super::super::linear::CentredRegressors;
use super::super::problem::{Projected, Report, Where, project};
use super::super::regressed::{is_iterated, named, weigh};
use super::super::sample::RegressionSample;
use super::super::sums;
use crate::base::error::{DidWarning, Result};
use crate::engine::demean::Demeaner;

/// What is the same in all steps.
#[derive(Clone, Copy)]
pub(super) struct Iterated<'a> {
    pub sample: &'a RegressionSample,
    pub regressors: &'a CentredRegressors,
    pub place: Where<'a>,
}

/// The weighted least squares of a step.
pub(super) struct LeastSquaresStep {
    /// Linear predictors after it.
    pub eta: Vec<f64>,
    pub basis: Basis,
    pub fit: LeastSquares,
    /// Levels' effects on the outcome and on each regressor; none without factors.
    pub effects: Vec<Vec<f64>>,
    pub solved: Option<Report>,
    pub warnings: Vec<DidWarning>,
    /// Error of the linear predictors, as the root of their weighted sum of squares.
    pub error: f64,
}

impl Iterated<'_> {
    /// Regresses the outcome `z` under these weights; on the regressors that are `kept`, or all that do not depend on others.
    /// Projections begin at the effects `start`.
    pub fn step(
        &self,
        z: Vec<f64>,
        weights: &[f64],
        demeaner: Option<&Demeaner<'_>>,
        kept: Option<&[usize]>,
        start: Option<&[Vec<f64>]>,
    ) -> Result<LeastSquaresStep> {
        let Self { sample, regressors, place } = *self;
        let tolerance = place.options.tolerance;
        let columns = named(&sample.outcome_label, &z, &regressors.names, &regressors.values);
        let Projected { mut residuals, effects, solved, warnings } =
            project(demeaner, &columns, start)?;
        weigh(&mut residuals, Some(weights));
        let columns = residuals.split_off(1);
        let outcome = residuals.pop().unwrap_or_default();
        let iterated = is_iterated(solved.as_ref());
        let basis = match kept {
            None => Basis::find(columns, &weighted(regressors, weights), tolerance, iterated),
            Some(kept) => Basis::of_kept(columns, kept),
        };
        let fit = least_squares(&outcome, &basis)?;
        let error = if iterated { tolerance * spread(&z, weights) } else { 0.0 };
        let eta = if sample.factors.is_empty() {
            // Where a mean is far below its outcome, `z` is so large that nothing of `η` would be left of a difference.
            fitted(regressors, kept.unwrap_or(&basis.kept), &fit.b)
        } else {
            let mut eta = z;
            sums::update(&mut eta, |row, z| z - fit.residuals[row] / weights[row].sqrt());
            eta
        };
        Ok(LeastSquaresStep { eta, basis, fit, effects, solved, warnings, error })
    }
}

/// The kept regressors times their coefficients.
fn fitted(regressors: &CentredRegressors, kept: &[usize], b: &[f64]) -> Vec<f64> {
    let columns: Vec<&[f64]> = kept.iter().map(|j| regressors.values[*j].as_slice()).collect();
    let minus: Vec<f64> = b.iter().map(|b| -b).collect();
    let rows = regressors.values.first().map_or(0, Vec::len);
    sums::less_fitted(&vec![0.0; rows], &columns, &minus)
}

/// Sums of squares of the regressors under `weights`, with the raw sums scaled in proportion.
pub(super) fn weighted(regressors: &CentredRegressors, weights: &[f64]) -> Vec<Before> {
    let of = |(values, before): (&Vec<f64>, &Before)| {
        let now = sums::sum(values.len(), |row| weights[row] * values[row] * values[row]);
        let share = if before.centred > 0.0 { now / before.centred } else { 0.0 };
        Before { raw: before.raw * share, centred: now }
    };
    regressors.values.iter().zip(&regressors.before).map(of).collect()
}

/// Root of the sum of squares of a column about its mean.
fn spread(values: &[f64], weights: &[f64]) -> f64 {
    let n = values.len();
    let mean = sums::sum(n, |row| weights[row] * values[row]) / sums::sum(n, |row| weights[row]);
    sums::sum(n, |row| weights[row] * (values[row] - mean).powi(2)).sqrt()
}
