//! Regressions by maximum likelihood: counts, and outcomes between 0 and 1.
//!
//! [`iterate`] is one iteration for all; what distinguishes them is a [`model`].

mod binary;
mod converged;
mod deviance;
mod iterate;
mod model;
mod poisson;
mod separation;
mod step;

use self::binary::{Logit, Probit};
use self::iterate::{LastStep, iterate};
use self::model::Model;
use self::poisson::Poisson;
use self::separation::{is_moving, is_suspected, separated};
use super::linear::{CentredRegressors, LinearFit, gaussian};
use super::options::Family;
use super::problem::Where;
use super::sample::RegressionSample;
use crate::base::error::{DidError, DidWarning, Result};
use crate::engine::demean::{DemeanOptions, Solver};

pub(super) use self::iterate::Stopping;
pub(super) use self::separation::Separation;

/// What the iteration came to.
pub(super) enum Maximum {
    Found(Box<LinearFit>, Option<DidWarning>),
    /// Nowhere: rows have a likelihood that rises without end.
    Separated(Separation),
}

/// The maximum of a family's likelihood.
pub(super) fn maximum(
    family: Family,
    sample: &RegressionSample,
    regressors: &mut CentredRegressors,
    place: &Where<'_>,
    stopping: Stopping,
) -> Result<Maximum> {
    match family {
        Family::Gaussian => {
            gaussian(sample, regressors, place).map(|fit| Maximum::Found(Box::new(fit), None))
        }
        Family::Poisson => found(&Poisson, sample, regressors, place, stopping),
        Family::Logit => found(&Logit, sample, regressors, place, stopping),
        Family::Probit => found(&Probit, sample, regressors, place, stopping),
    }
}

fn found<M: Model>(
    model: &M,
    sample: &RegressionSample,
    regressors: &CentredRegressors,
    place: &Where<'_>,
    stopping: Stopping,
) -> Result<Maximum> {
    let mut last = LastStep::default();
    let fitted = iterate(model, sample, regressors, place, stopping, &mut last);
    // What is separated keeps the iteration from its end.
    let suspected = match &fitted {
        Ok((fit, mu)) => is_suspected(model, sample, mu, &last, (place.options, fit.quality.rss)),
        Err(error) => has_no_end(error),
    };
    let mut warning = None;
    if suspected {
        // Weights may differ by ten orders of magnitude here, for which the regression's own solver need not do.
        let solver = place.options.solver;
        let options = DemeanOptions { solver: Solver::Auto, ..*place.options };
        let place = &Where { options: &options, place: place.place };
        if solver == Solver::Lsmr {
            // Its own steps need not show what moves, so those of the other solver decide.
            match found(model, sample, regressors, place, stopping) {
                Ok(Maximum::Found(_, warned)) => warning = warned,
                Err(error) if has_no_end(&error) => warning = Some(DidWarning::SeparationUnknown),
                decided => return decided,
            }
        } else {
            match separated(model, sample, regressors, place, &last)? {
                None if fitted.is_ok() && !is_moving(model, sample, &last) => {}
                None => warning = Some(DidWarning::SeparationUnknown),
                Some(separation) if separation.rows.is_empty() => {}
                Some(separation) => return Ok(Maximum::Separated(separation)),
            }
        }
    }
    Ok(Maximum::Found(Box::new(fitted?.0), warning))
}

/// Whether the iteration did not come to an end, which separated rows may be the reason of.
fn has_no_end(error: &DidError) -> bool {
    matches!(
        error,
        DidError::NotConverged { .. }
            | DidError::NotDemeaned { .. }
            | DidError::CovariateRange { .. }
            | DidError::Singular { .. }
    )
}

/// The value of the mean at a linear predictor.
pub(super) fn mean(family: Family, eta: f64) -> f64 {
    match family {
        Family::Gaussian => eta,
        Family::Poisson => Poisson.mean(eta),
        Family::Logit => Logit.mean(eta),
        Family::Probit => Probit.mean(eta),
    }
}
