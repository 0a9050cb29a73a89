//! Several estimators of one sample, `joint_study`, and all combinations of choices, `specification_curve`.

use burn_did::backend::DidBackend;
use burn_did::joint_study::{StudyEstimator, Variation};
use burn_did::{JointStudy, SavedResult};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{self, Family, On};
use crate::errors;
use crate::regressions::one_device;
use crate::result::Native;

/// The study that a call asks for.
fn study<B: DidBackend>(on: &On<'_, B>) -> PyResult<JointStudy<B>> {
    let options = &on.call.options;
    let unit = options.needed_text("idname")?;
    let cluster = options.cluster("clustervars", Some(&unit), false)?;
    Ok(JointStudy::<B>::builder()
        .outcome(options.needed_text("yname")?)
        .unit(unit)
        .time(options.needed_text("tname")?)
        .group(options.needed_text("gname")?)
        .maybe_covariates(options.text("xformla")?)
        .maybe_weights(options.text("weightsname")?)
        .maybe_cluster(cluster)
        .maybe_estimators(options.words::<StudyEstimator>("estimators")?)
        .maybe_control_group(options.word("control_group")?)
        .maybe_anticipation(options.count("anticipation")?)
        .maybe_min_e(options.number("min_e")?)
        .maybe_max_e(options.number("max_e")?)
        .maybe_band(options.band()?)
        .maybe_frequency(options.word("frequency")?)
        .maybe_missing_values(options.missing_values()?)
        .maybe_alpha(options.number("alpha")?)
        .precision(on.precision)
        .build())
}

struct Joint;

impl Family<Native> for Joint {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<Native> {
        let device = one_device::<B>(on.call.options.py(), &on.devices)?;
        let config = study(&on)?;
        on.call.finish(SavedResult::JointStudy, move |data| config.fit_on(data, &device))
    }
}

struct Curve;

impl Family<Native> for Curve {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<Native> {
        let options = &on.call.options;
        let device = one_device::<B>(options.py(), &on.devices)?;
        let vary = Variation::read(&options.needed_text("vary")?);
        let vary = vary.map_err(|error| errors::raised(options.py(), &error))?;
        let config = study(&on)?;
        let fit = move |data| config.specification_curve_on(data, &vary, &device);
        on.call.finish(SavedResult::SpecificationCurve, fit)
    }
}

/// Effects by event time of several estimators, their joint covariance, and tests that they agree.
#[pyfunction]
pub(crate) fn joint_study(
    data: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Native> {
    call::fit::<Native, Joint>(data, options)
}

/// Every estimator with every value of some choices, and tests of all specifications together.
#[pyfunction]
pub(crate) fn specification_curve(
    data: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Native> {
    call::fit::<Native, Curve>(data, options)
}
