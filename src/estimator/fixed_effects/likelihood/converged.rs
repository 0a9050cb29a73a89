//! The regression at the maximum.

use super::super::collinear::Basis;
use super::super::columns::FitColumns;
use super::super::least_squares::LeastSquares;
use super::super::linear::{CentredRegressors, LinearFit, Quality};
use super::super::problem::project;
use super::super::regressed::{add_constant, effects_of_fit, weigh};
use super::super::sample::RegressionSample;
use super::super::sums;
use super::deviance::{StepEnd, likelihoods, squared_correlation};
use super::model::Model;
use crate::base::error::{DidError, Result};
use crate::base::solve::Spd;
use crate::engine::demean::Demeaner;

/// Linear predictors and means at the maximum.
pub(super) struct Converged<'a, M> {
    pub model: &'a M,
    pub sample: &'a RegressionSample,
    pub eta: &'a [f64],
    pub mu: &'a [f64],
    pub end: StepEnd,
    /// Mean of the outcome, and sum of the weights.
    pub mean: f64,
    pub total_weight: f64,
}

/// The last weighted least-squares step.
pub(super) struct LastRegression<'a> {
    pub basis: Basis,
    pub fit: LeastSquares,
    /// Regressors with a coefficient.
    pub chosen: &'a [usize],
    /// Levels' effects on the outcome and on each regressor; none without factors.
    pub effects: Vec<Vec<f64>>,
}

impl<M: Model> Converged<'_, M> {
    /// The fit, but for what the solver reports, warnings and the number of steps.
    pub fn fit(
        &self,
        regressors: &CentredRegressors,
        demeaner: Option<&mut Demeaner<'_>>,
        last: LastRegression<'_>,
    ) -> Result<LinearFit> {
        let LastRegression { basis, fit, chosen, effects } = last;
        let shifts = chosen.iter().zip(&fit.b).map(|(j, b)| b * regressors.means[*j]);
        let constant = -shifts.sum::<f64>();
        let effects: Vec<Vec<f64>> = match effects.is_empty() {
            true => Vec::new(),
            false => {
                let positions = [0].into_iter().chain(chosen.iter().map(|j| j + 1));
                positions.map(|column| effects[column].clone()).collect()
            }
        };
        let mut raw_residuals = self.sample.outcome.clone();
        sums::update(&mut raw_residuals, |row, y| y - self.mu[row]);
        let mut effects = effects_of_fit(&effects, &fit.b);
        add_constant(&mut effects, self.sample, constant);
        let (b, bread) = self.bread(regressors, demeaner, basis, fit, chosen)?;
        Ok(LinearFit {
            columns: FitColumns::Rows(bread.columns),
            turn: bread.turn,
            kept: chosen.to_vec(),
            effects,
            b,
            residuals: bread.residuals,
            bread: bread.matrix,
            dispersion: self.mu.len() as f64 - 1.0,
            quality: self.quality(),
            raw_residuals,
            report: None,
            warnings: Vec::new(),
            steps: None,
            mean: 0.0,
        })
    }

    fn quality(&self) -> Quality {
        let Self { model, sample, eta, mu, mean, .. } = *self;
        let [of_fit, of_mean] = likelihoods(model, sample, (mu, eta), (mean, model.link(mean)));
        Quality {
            rss: self.end.deviance,
            total: self.total_weight * model.unit(mean),
            within: None,
            fitted: 0.0,
            rounding: self.end.rounding,
            // There is no pseudo R² where that of a constant mean is beyond double precision.
            likelihood: Some((of_fit, if of_mean.is_finite() { of_mean } else { f64::NAN })),
            squared_correlation: squared_correlation(&sample.outcome, mu),
        }
    }

    /// Coefficients and what their covariance is formed of: by the weights of the iteration, or by expected ones.
    fn bread(
        &self,
        regressors: &CentredRegressors,
        demeaner: Option<&mut Demeaner<'_>>,
        basis: Basis,
        fit: LeastSquares,
        chosen: &[usize],
    ) -> Result<(Vec<f64>, Bread)> {
        let Self { model, sample, eta, mu, .. } = *self;
        let Some(expected) = model.expected_weight() else {
            let LeastSquares { b, bread: matrix, residuals, .. } = fit;
            return Ok((b, Bread { columns: basis.columns, turn: basis.turn, matrix, residuals }));
        };
        let row_weight = |row: usize| sample.weights.as_ref().map_or(1.0, |w| w[row]);
        let weights = (0..mu.len()).map(|row| row_weight(row) * expected(eta[row])).collect();
        let mut scores = sample.outcome.clone();
        sums::update(&mut scores, |row, y| row_weight(row) * model.score(y, mu[row], eta[row]));
        Ok((fit.b, Bread::new(regressors, chosen, demeaner, weights, scores)?))
    }
}

/// What the covariance of the coefficients is formed of, as in [`LinearFit`].
struct Bread {
    columns: Vec<Vec<f64>>,
    turn: Option<Vec<f64>>,
    matrix: Vec<f64>,
    residuals: Vec<f64>,
}

impl Bread {
    /// Of other weights than those of the iteration, by the scores of the linear predictors.
    fn new(
        regressors: &CentredRegressors,
        kept: &[usize],
        mut demeaner: Option<&mut Demeaner<'_>>,
        weights: Vec<f64>,
        scores: Vec<f64>,
    ) -> Result<Self> {
        if let Some(demeaner) = &mut demeaner {
            demeaner.weigh(weights.clone())?;
        }
        let columns: Vec<(&str, &[f64])> = kept
            .iter()
            .map(|j| (regressors.names[*j].as_str(), regressors.values[*j].as_slice()))
            .collect();
        let mut projected = project(demeaner.as_deref(), &columns, None)?;
        weigh(&mut projected.residuals, Some(&weights));
        let all: Vec<usize> = (0..kept.len()).collect();
        let basis = Basis::of_kept(projected.residuals, &all);
        let k = basis.columns.len();
        let matrix = match k {
            0 => Vec::new(),
            _ => {
                let spd = Spd::regular(&basis.gram, k);
                spd.ok_or(DidError::Singular { what: "expected information" })?.inverse()
            }
        };
        let mut residuals = scores;
        sums::update(&mut residuals, |row, score| score / weights[row].sqrt());
        Ok(Self { columns: basis.columns, turn: basis.turn, matrix, residuals })
    }
}
