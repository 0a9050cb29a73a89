//! Regressions by maximum likelihood: counts, and outcomes between 0 and 1.
//!
//! [`iterate`] is one iteration for all; what distinguishes them is a [`model`].

mod binary;
mod cone;
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
use self::separation::{Suspicion, separated, suspicion};
use self::step::Iterated;
use super::linear::{CentredRegressors, LinearFit, gaussian};
use super::options::Family;
use super::problem::Where;
use super::sample::RegressionSample;
use crate::base::error::{DidError, DidWarning, Result};
use crate::engine::demean::{DemeanOptions, Solver};

pub(super) use self::iterate::Stopping;
pub(super) use self::separation::Separation;

/// A tolerance of projections that leaves hardly an error, also in rows that weigh next to nothing.
const EXACT: f64 = 1e-12;

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
    place: Where<'_>,
    stopping: Stopping,
) -> Result<Maximum> {
    match family {
        Family::Gaussian => {
            gaussian(sample, regressors, &place).map(|fit| Maximum::Found(Box::new(fit), None))
        }
        Family::Poisson => found(&Poisson, Iterated { sample, regressors, place }, stopping),
        Family::Logit => found(&Logit, Iterated { sample, regressors, place }, stopping),
        Family::Probit => found(&Probit, Iterated { sample, regressors, place }, stopping),
    }
}

fn found<M: Model>(model: &M, iterated: Iterated<'_>, stopping: Stopping) -> Result<Maximum> {
    let Iterated { sample, place, .. } = iterated;
    let mut last = LastStep::default();
    let fitted = iterate(model, iterated, stopping, &mut last);
    // What is separated keeps the iteration from its end.
    let suspicion = match &fitted {
        Ok((fit, mu)) => suspicion(model, sample, mu, &last, (place.options, fit.quality.rss)),
        Err(error) => has_no_end(error).then_some(Suspicion::Moving),
    };
    let judged = match suspicion {
        Some(suspicion) => judge(model, iterated, stopping, (&last, suspicion))?,
        None => Judgement::default(),
    };
    match judged.separation {
        Some(separation) => Ok(Maximum::Separated(separation)),
        None => Ok(Maximum::Found(Box::new(fitted?.0), judged.warning)),
    }
}

/// Which rows are separated, if any, and whether that remains unknown.
#[derive(Default)]
struct Judgement {
    separation: Option<Separation>,
    warning: Option<DidWarning>,
}

impl Judgement {
    /// Of a search; `None` if it came to no end.
    fn searched(found: Option<Separation>) -> Self {
        let warning = found.is_none().then_some(DidWarning::SeparationUnknown);
        Self { separation: found.filter(|separation| !separation.rows.is_empty()), warning }
    }
}

/// Looks for separated rows, after a regression whose last step and means make them likely. Where an iterated projection may hide that rows
/// of next to no weight move on, the regression is repeated with hardly an error, and its steps decide.
fn judge<M: Model>(
    model: &M,
    iterated: Iterated<'_>,
    stopping: Stopping,
    (last, suspicion): (&LastStep, Suspicion),
) -> Result<Judgement> {
    let place = iterated.place;
    let DemeanOptions { solver, tolerance, .. } = *place.options;
    // Weights may differ by ten orders of magnitude here, for which the regression's own solver need not do.
    let automatic = DemeanOptions { solver: Solver::Auto, ..*place.options };
    let search = || {
        let place = Where { options: &automatic, ..place };
        separated(model, Iterated { place, ..iterated }, last).map(Judgement::searched)
    };
    let is_exact =
        iterated.sample.factors.len() < 2 || (solver == Solver::Auto && tolerance <= EXACT);
    if is_exact {
        return match suspicion {
            Suspicion::Near => Ok(Judgement::default()),
            Suspicion::Moving => search(),
        };
    }
    if suspicion == Suspicion::Moving {
        let judged = search()?;
        if judged.warning.is_none() {
            return Ok(judged);
        }
    }
    let options = DemeanOptions { tolerance: tolerance.min(EXACT), ..automatic };
    let place = Where { options: &options, ..place };
    match found(model, Iterated { place, ..iterated }, stopping) {
        Ok(Maximum::Separated(separation)) => {
            Ok(Judgement { separation: Some(separation), warning: None })
        }
        Ok(Maximum::Found(_, warning)) => Ok(Judgement { separation: None, warning }),
        Err(error) if !has_no_end(&error) => Err(error),
        Err(_) if suspicion == Suspicion::Near => search(),
        Err(_) => Ok(Judgement::searched(None)),
    }
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
