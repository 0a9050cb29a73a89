//! Analyses of event studies: `honest_did` and `pretrends`.

use burn_did::joint_study::StudyEstimator;
use burn_did::sensitivity::Effect;
use burn_did::{
    Aggregation, DidError, EventStudy, Honest, JointStudyResult, Pretrends, RegressionResult,
    Result, SavedResult,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::options::Options;
use crate::result::Native;

/// The event study of a regression: the coefficients of an `i()`, the first unless one is named.
fn of_regression(fit: &RegressionResult, term: Option<&str>) -> Result<EventStudy> {
    match term.or_else(|| fit.event_studies().next()) {
        Some(term) => fit.event_study(term),
        None => Err(DidError::EventStudy {
            problem: "the regression has no i(), and so no event study; add one, as in i(event_time, ref = -1)"
                .into(),
        }),
    }
}

/// The event study of an estimator of a joint study, which must be named unless there is one only.
fn of_joint_study(fit: &JointStudyResult, term: Option<&str>) -> Result<EventStudy> {
    let ran: Vec<_> = fit.estimators.iter().filter(|of| of.event_study.is_some()).collect();
    let found = match (term, ran.as_slice()) {
        (Some(term), _) => term.parse::<StudyEstimator>().ok().and_then(|of| fit.event_study(of)),
        (None, [one]) => one.event_study.as_ref(),
        (None, _) => None,
    };
    let named: Vec<String> = ran.iter().map(|of| format!("`{}`", of.estimator)).collect();
    let problem = || {
        let why = match term {
            Some(term) => format!("the study has none by `{term}`"),
            None => format!("the study has those of {} estimators", ran.len()),
        };
        format!("{why}; name one by `term`: {}", named.join(", "))
    };
    found.cloned().ok_or_else(|| DidError::EventStudy { problem: problem() })
}

/// The event study that a result has, or that its effects are averaged to.
fn study(result: &SavedResult, term: Option<&str>) -> Result<EventStudy> {
    let has_terms = matches!(result, SavedResult::JointStudy(_) | SavedResult::Regression(_));
    if let (Some(term), false) = (term, has_terms) {
        let kind = result.report().kind();
        return Err(DidError::EventStudy {
            problem: format!(
                "`term` = {term:?} is for regressions and joint studies, and a result of the kind `{kind}` has one event study; leave it out"
            ),
        });
    }
    match result {
        SavedResult::EventStudy(study) => Ok((**study).clone()),
        SavedResult::SunAbraham(fit) => Ok(fit.event_study.clone()),
        SavedResult::Aggregated(average) => average.event_study(),
        SavedResult::Multiplegt(fit) => Ok(fit.event_study()),
        SavedResult::LocalProjections(fit) => Ok(fit.event_study()),
        SavedResult::Stacked(fit) => Ok(fit.event_study()),
        SavedResult::Etwfe(fit) => Ok(fit.event_study()),
        SavedResult::Imputation(fit) => Ok(fit.event_study()),
        SavedResult::TwoStage(fit) => Ok(fit.event_study()),
        SavedResult::JointStudy(fit) => of_joint_study(fit, term),
        SavedResult::Regression(fit) => of_regression(fit, term),
        SavedResult::ContDid(fit) => fit.event_study(fit.target),
        SavedResult::GroupTime(fit) => fit.aggregate(Aggregation::dynamic())?.event_study(),
        other => Err(DidError::EventStudy {
            problem: format!("a result of the kind `{}` has none", other.report().kind()),
        }),
    }
}

/// The event study of a result.
#[pyfunction]
#[pyo3(signature = (result, term=None))]
pub(crate) fn event_study(py: Python<'_>, result: &Native, term: Option<&str>) -> PyResult<Native> {
    let study = py.detach(|| study(&result.saved, term));
    let study = study.map_err(|error| errors::raised(py, &error))?;
    Ok(Native::new(SavedResult::EventStudy(Box::new(study))))
}

/// An event study from coefficients and their covariance.
#[pyfunction]
#[pyo3(signature = (coefficients, covariance, pre, post, event_times=None))]
pub(crate) fn given_event_study(
    py: Python<'_>,
    coefficients: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    pre: usize,
    post: usize,
    event_times: Option<Vec<f64>>,
) -> PyResult<Native> {
    let given = EventStudy::new(coefficients, covariance, pre, post);
    let study = given.and_then(|study| match event_times {
        Some(times) => study.at_event_times(times),
        None => Ok(study),
    });
    let study = study.map_err(|error| errors::raised(py, &error))?;
    Ok(Native::new(SavedResult::EventStudy(Box::new(study))))
}

/// Robust intervals for the effects of an event study.
#[pyfunction]
pub(crate) fn honest_did(
    py: Python<'_>,
    result: &Native,
    options: &Bound<'_, PyDict>,
) -> PyResult<Native> {
    let given = Options::new(options)?;
    let study = study(&result.saved, given.text("term")?.as_deref());
    let study = study.map_err(|error| errors::raised(py, &error))?;
    let mut options = Honest::smoothness();
    if let Some(delta) = given.word("sensitivity_type")? {
        options.delta = delta;
    }
    options.restriction = given.word("restriction")?;
    options.method = given.word("method")?;
    let of_relative = given.numbers("m_bar_vec")?;
    let is_relative = of_relative.is_some();
    options.m = given.numbers("m_vec")?.or(of_relative);
    match (given.listed("l_vec")?, given.number("event_time")?) {
        (Some(_), Some(_)) => {
            return Err(errors::option(
                py,
                "`l_vec` and `event_time` both name the effect; leave out one",
            ));
        }
        (Some(weights), None) => options.effect = weights,
        (None, Some(at)) => options.effect = Effect::At(at),
        (None, None) => {}
    }
    options.kappa = given.number("kappa")?;
    if let Some(search) = given.word("search")? {
        options.search = search;
    }
    options.grid_points = given.count("grid_points")?;
    let ends = (given.number("grid_lb")?, given.number("grid_ub")?);
    options.grid = given.both(("grid_lb", "grid_ub"), ends)?;
    let (draws, seed): (Option<usize>, Option<u64>) =
        (given.count("draws")?, given.count("random_state")?);
    let (draws, seed) = (draws.unwrap_or(options.draws), seed.unwrap_or(options.seed));
    let options = options.draws(draws, seed).alpha(given.number("alpha")?.unwrap_or(study.alpha));
    given.all_taken()?;
    let hook = crate::work::Hook::new(None);
    let done = crate::work::run(py, &hook, move || {
        study.honest(options).map_err(|mut error| {
            if let (DidError::Config { option: option @ "m", .. }, true) = (&mut error, is_relative)
            {
                *option = "m_bar_vec";
            }
            error
        })
    });
    Ok(Native::new(SavedResult::Honest(Box::new(done?))))
}

/// What a test of pre-trends would detect.
#[pyfunction]
pub(crate) fn pretrends(
    py: Python<'_>,
    result: &Native,
    options: &Bound<'_, PyDict>,
) -> PyResult<Native> {
    let given = Options::new(options)?;
    let study = study(&result.saved, given.text("term")?.as_deref());
    let study = study.map_err(|error| errors::raised(py, &error))?;
    let mut options = Pretrends::new();
    if let Some(test) = given.word("test")? {
        options.test = test;
    }
    options.critical = given.number("critical")?.unwrap_or(options.critical);
    options.alpha = given.number("alpha")?.unwrap_or(options.alpha);
    if let Some(power) = given.numbers("power")? {
        options.power = power;
    }
    options.slopes = given.numbers("slope")?.unwrap_or_default();
    options.violations = given.numbers("violations")?;
    options.threshold = given.number("threshold")?;
    given.all_taken()?;
    let hook = crate::work::Hook::new(None);
    let done = crate::work::run(py, &hook, move || study.pretrends(options));
    Ok(Native::new(SavedResult::Pretrends(Box::new(done?))))
}
