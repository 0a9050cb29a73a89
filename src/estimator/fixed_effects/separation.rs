//! Rows that a Poisson regression fits with a mean of zero, whatever the other rows say: the iterative rectifier of Correia,
//! Guimarães and Zylkin (2019, section 3.2), and what the regression's own steps show where that comes to no end.

use super::collinear::Basis;
use super::least_squares::least_squares;
use super::linear::{CentredRegressors, is_iterated, weigh};
use super::poisson::weighted;
use super::problem::{Where, project};
use super::sample::RegressionSample;
use super::sums;
use crate::base::error::Result;
use crate::engine::demean::Demeaner;

/// A fitted value this near to zero is zero.
const TOLERANCE: f64 = 1e-4;

const ITERATIONS: usize = 500;

/// A linear predictor that becomes smaller by more than this in a step of a converged regression falls for ever.
const FALL: f64 = 0.1;

/// Means of rows with an outcome of zero that are smaller than this part of the mean outcome are suspect.
const SUSPECT: f64 = 1e-4;

/// Whether rows may be separated: only then is it worth while to look for them. Their means are small, or would still become smaller:
/// rows of little weight do not keep the regression from its end.
pub(super) fn is_suspected(sample: &RegressionSample, mu: &[f64], falls: &[f64]) -> bool {
    let mean = sample.outcome.iter().sum::<f64>() / mu.len() as f64;
    let rows = sample.outcome.iter().zip(mu).zip(falls);
    rows.into_iter().any(|((y, mu), fall)| *y == 0.0 && (*mu < SUSPECT * mean || *fall > FALL))
}

/// Positions of the separated rows in the sample; `None` if they could not be found out. `falls` is by how much the last step of the
/// regression made each row's linear predictor smaller.
pub(super) fn separated(
    sample: &RegressionSample,
    regressors: &CentredRegressors,
    place: &Where<'_>,
    falls: &[f64],
) -> Result<Option<Vec<usize>>> {
    let positive: Vec<bool> = sample.outcome.iter().map(|y| *y > 0.0).collect();
    match rectified(sample, regressors, place, &positive)? {
        None => fallen(sample, regressors, place, &positive, falls),
        found => Ok(found),
    }
}

/// Rows with a positive outcome have weights that force the fit of zero there. Of the others, what a combination of regressors
/// and fixed effects fits that is nowhere negative is separated.
fn rectified(
    sample: &RegressionSample,
    regressors: &CentredRegressors,
    place: &Where<'_>,
    positive: &[bool],
) -> Result<Option<Vec<usize>>> {
    let heavy = positive.iter().filter(|p| **p).count() as f64 / TOLERANCE.powi(2);
    let weights: Vec<f64> = positive.iter().map(|p| if *p { heavy } else { 1.0 }).collect();
    let mut u: Vec<f64> = positive.iter().map(|p| f64::from(u8::from(!*p))).collect();
    let Some(fit) = Fit::new(sample, regressors, place, &weights) else { return Ok(None) };
    for _ in 0..ITERATIONS {
        let Some(mut fitted) = fit.of(&u)? else { return Ok(None) };
        sums::update(&mut fitted, |row, fitted| {
            let zero = positive[row] || (fitted > -0.1 * TOLERANCE && fitted < TOLERANCE);
            if zero { 0.0 } else { fitted }
        });
        if fitted.iter().all(|fitted| *fitted >= 0.0) {
            let found = (0..).zip(&fitted).filter(|(_, fitted)| **fitted > 0.0);
            return Ok(Some(found.map(|(row, _)| row).collect()));
        }
        sums::update(&mut u, |row, _| fitted[row].max(0.0));
    }
    Ok(None)
}

/// Once all else has converged, a step of Newton's makes the linear predictor of separated rows smaller by a combination of regressors
/// and fixed effects that is zero in all other rows: which they are if it is.
fn fallen(
    sample: &RegressionSample,
    regressors: &CentredRegressors,
    place: &Where<'_>,
    positive: &[bool],
    falls: &[f64],
) -> Result<Option<Vec<usize>>> {
    let falls_at = |row: usize, fall: f64| !positive[row] && fall > FALL;
    let found: Vec<usize> =
        (0..).zip(falls).filter(|(row, fall)| falls_at(*row, **fall)).map(|(row, _)| row).collect();
    let mut u = vec![0.0; positive.len()];
    for row in &found {
        u[*row] = falls[*row];
    }
    let equal = vec![1.0; u.len()];
    let Some(fit) = Fit::new(sample, regressors, place, &equal) else { return Ok(None) };
    let Some(fitted) = fit.of(&u)? else { return Ok(None) };
    let certain = |(fitted, u): (&f64, &f64)| (fitted - u).abs() < TOLERANCE;
    Ok((!found.is_empty() && fitted.iter().zip(&u).all(certain)).then_some(found))
}

/// Weighted least squares on the regressors and fixed effects.
struct Fit<'a> {
    weights: &'a [f64],
    demeaner: Option<Demeaner<'a>>,
    basis: Basis,
}

impl<'a> Fit<'a> {
    /// `None` if fixed effects cannot be projected out.
    fn new(
        sample: &'a RegressionSample,
        regressors: &CentredRegressors,
        place: &Where<'a>,
        weights: &'a [f64],
    ) -> Option<Self> {
        let demeaner = place.demeaner(sample, Some(weights)).ok()?;
        let named = regressors.names.iter().zip(&regressors.values);
        let columns: Vec<(&str, &[f64])> =
            named.map(|(name, values)| (name.as_str(), &values[..])).collect();
        let mut projected = project(demeaner.as_ref(), &columns, None).ok()?;
        weigh(&mut projected.residuals, Some(weights));
        let iterated = is_iterated(projected.solved.as_ref());
        let before = weighted(regressors, weights);
        let basis = Basis::find(projected.residuals, &before, place.options.tolerance, iterated);
        Some(Self { weights, demeaner, basis })
    }

    /// What it fits to `u`; `None` if fixed effects cannot be projected out.
    fn of(&self, u: &[f64]) -> Result<Option<Vec<f64>>> {
        let columns = [("outcome", u)];
        let Ok(mut projected) = project(self.demeaner.as_ref(), &columns, None) else {
            return Ok(None);
        };
        weigh(&mut projected.residuals, Some(self.weights));
        let fit = least_squares(&projected.residuals[0], &self.basis)?;
        let mut fitted = u.to_vec();
        sums::update(&mut fitted, |row, u| u - fit.residuals[row] / self.weights[row].sqrt());
        Ok(Some(fitted))
    }
}
