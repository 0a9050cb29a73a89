//! Rows that a Poisson regression fits with a mean of zero, whatever the other rows say: the iterative rectifier of Correia,
//! Guimarães and Zylkin (2019, section 3.2).

use super::collinear::independent;
use super::least_squares::least_squares;
use super::linear::{Regressors, named, of_kept, weigh};
use super::poisson::weighted;
use super::problem::{Where, project};
use super::sample::Sample;
use super::sums;
use crate::backend::DidBackend;
use crate::error::Result;

/// A fitted value this near to zero is zero.
const TOLERANCE: f64 = 1e-4;

const ITERATIONS: usize = 500;

/// Means of rows with an outcome of zero that are smaller than this part of the mean outcome are suspect.
const SUSPECT: f64 = 1e-4;

/// Whether rows may be separated: only then is it worth while to look for them.
pub(super) fn is_suspected(sample: &Sample, mu: &[f64]) -> bool {
    let mean = sample.outcome.iter().sum::<f64>() / mu.len() as f64;
    sample.outcome.iter().zip(mu).any(|(y, mu)| *y == 0.0 && *mu < SUSPECT * mean)
}

/// Positions of the separated rows in the sample; `None` if they could not be found out.
///
/// Rows with a positive outcome have weights that force the fit of zero there. Of the others, what a combination of regressors
/// and fixed effects fits that is nowhere negative is separated.
pub(super) fn separated<B: DidBackend>(
    sample: &Sample,
    regressors: &Regressors,
    place: &Where<'_, B>,
) -> Result<Option<Vec<usize>>> {
    let positive: Vec<bool> = sample.outcome.iter().map(|y| *y > 0.0).collect();
    let heavy = positive.iter().filter(|p| **p).count() as f64 / TOLERANCE.powi(2);
    let weights: Vec<f64> = positive.iter().map(|p| if *p { heavy } else { 1.0 }).collect();
    let mut u: Vec<f64> = positive.iter().map(|p| f64::from(u8::from(!*p))).collect();
    let Some(demeaner) = place.demeaner(sample, Some(&weights)).ok() else { return Ok(None) };
    for _ in 0..ITERATIONS {
        let columns = named(&u, &regressors.names, &regressors.values);
        let Ok(projected) = project(demeaner.as_ref(), &columns, None) else { return Ok(None) };
        let mut residuals = projected.residuals;
        weigh(&mut residuals, Some(&weights));
        let columns = residuals.split_off(1);
        let outcome = residuals.pop().unwrap_or_default();
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let gram = sums::gram(&slices, None);
        let before = weighted(regressors, &weights);
        let kept = independent(&gram, &before, place.options.tolerance);
        let slices: Vec<&[f64]> = kept.iter().map(|j| slices[*j]).collect();
        let fit = least_squares(&outcome, &slices, &of_kept(&gram, columns.len(), &kept))?;
        let mut fitted = u.clone();
        sums::update(&mut fitted, |row, u| {
            let fitted = u - fit.residuals[row] / weights[row].sqrt();
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
