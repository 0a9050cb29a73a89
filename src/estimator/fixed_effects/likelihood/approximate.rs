//! Steps of iterated least squares that need not be exact.
//!
//! Most of a step's work is to project the fixed effects out of the regressors under its weights. An approximate step takes the regressors
//! as an earlier step left them. It projects the fixed effects out of the score over the weight, and regresses what is left on these: half
//! a turn of block Gauss-Seidel on the normal equations of Newton's step. What it leaves of the step is the part of the regressors that fixed
//! effects explain under the new weights but not under the old ones, squared.

use super::super::problem::project;
use super::super::sums;
use crate::base::solve::Spd;
use crate::engine::demean::Demeaner;

/// The regressors without their fixed effects, as an exact step left them.
pub(super) struct EarlierRegressors {
    /// Those that are kept or combinations of them, multiplied by the roots of the weights.
    pub columns: Vec<Vec<f64>>,
    /// The weights of that step.
    pub weights: Vec<f64>,
}

/// Where an approximate step ends.
pub(super) struct Approximation {
    pub eta: Vec<f64>,
    /// What it adds to the levels' effects on the outcome.
    pub effects: Vec<f64>,
}

impl EarlierRegressors {
    /// A step from the linear predictors `eta` with the scores over the weights; `None` if there is none, for whatever reason: an exact
    /// step says why.
    pub fn step(
        &self,
        demeaner: &Demeaner<'_>,
        weights: &[f64],
        eta: &[f64],
        scores: Vec<f64>,
    ) -> Option<Approximation> {
        let mut projected = project(Some(demeaner), &[("outcome", &scores)], None).ok()?;
        let mut outcome = projected.residuals.pop()?;
        let earlier = &self.weights;
        sums::update(&mut outcome, |row, left| left * earlier[row].sqrt());
        let scale = sums::of_rows(weights.len(), |row| (weights[row] / earlier[row]).sqrt());
        let columns: Vec<&[f64]> = self.columns.iter().map(Vec::as_slice).collect();
        let all: Vec<&[f64]> = columns.iter().copied().chain([outcome.as_slice()]).collect();
        let products = sums::gram(&all, Some(&scale));
        drop(scale);
        let b = coefficients(&products, columns.len())?;
        let left = sums::less_fitted(&outcome, &columns, &b);
        let mut next = scores;
        sums::update(&mut next, |row, score| eta[row] + (score - left[row] / earlier[row].sqrt()));
        Some(Approximation { eta: next, effects: projected.effects.pop()? })
    }
}

/// Of the last of some columns on the `k` before it, whose cross-products are given.
fn coefficients(products: &[f64], k: usize) -> Option<Vec<f64>> {
    if k == 0 {
        return Some(Vec::new());
    }
    let rows = products.chunks_exact(k + 1).take(k);
    let gram: Vec<f64> = rows.clone().flat_map(|row| row[..k].to_vec()).collect();
    let cross: Vec<f64> = rows.map(|row| row[k]).collect();
    Some(Spd::regular(&gram, k)?.solve(&cross))
}
