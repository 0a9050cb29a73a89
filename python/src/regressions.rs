//! Regressions with fixed effects: `feols`, `fepois`, `feglm`, `sunab` and `demean`.

use burn_did::backend::DidBackend;
use burn_did::{Demean, FixedEffects, SavedResult, SunAbraham};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{self, Family, On};
use crate::errors;
use crate::result::Native;
use crate::table::Table;

/// The one device on which fixed effects are projected out.
pub(crate) fn one_device<B: DidBackend>(
    py: Python<'_>,
    devices: &[B::Device],
) -> PyResult<B::Device> {
    match devices {
        [device] => Ok(device.clone()),
        _ => Err(errors::option(
            py,
            "`backend` must be one device, on which fixed effects are projected out",
        )),
    }
}

struct Regression;

impl Family<Native> for Regression {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<Native> {
        let options = &on.call.options;
        let device = one_device::<B>(options.py(), &on.devices)?;
        let config = FixedEffects::<B>::builder()
            .formula(options.needed_text("fml")?)
            .maybe_weights(options.text("weights")?)
            .maybe_missing_values(options.missing_values()?)
            .maybe_vcov(options.parsed("vcov")?)
            .maybe_ssc(options.parsed("ssc")?)
            .maybe_alpha(options.number("alpha")?)
            .maybe_family(options.word("family")?)
            .keep_singletons(options.is("keep_singletons")?)
            .maybe_solver(options.word("solver")?)
            .maybe_fixef_tol(options.number("fixef_tol")?)
            .maybe_fixef_maxiter(options.count("fixef_maxiter")?)
            .maybe_glm_tol(options.number("glm_tol")?)
            .maybe_glm_maxiter(options.count("glm_maxiter")?)
            .keep_residuals(options.is("residuals")?)
            .keep_fixed_effects(options.is("fixef")?)
            .keep_influence(options.is("influence")?)
            .precision(on.precision)
            .build();
        on.call.finish(SavedResult::Regression, move |data| config.fit_on(data, &device))
    }
}

struct Cohorts;

impl Family<Native> for Cohorts {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<Native> {
        let options = &on.call.options;
        let device = one_device::<B>(options.py(), &on.devices)?;
        let config = SunAbraham::<B>::builder()
            .outcome(options.needed_text("yname")?)
            .unit(options.needed_text("idname")?)
            .time(options.needed_text("tname")?)
            .group(options.needed_text("gname")?)
            .maybe_frequency(options.word("frequency")?)
            .maybe_covariates(options.text("xformla")?)
            .absorb(options.texts("absorb")?.unwrap_or_default());
        let reference = options.numbers("ref_p")?;
        let mut config = config
            .maybe_weights(options.text("weightsname")?)
            .maybe_vcov(options.parsed("vcov")?)
            .maybe_ssc(options.parsed("ssc")?)
            .maybe_solver(options.word("solver")?)
            .maybe_fixef_tol(options.number("fixef_tol")?)
            .maybe_fixef_maxiter(options.count("fixef_maxiter")?)
            .keep_influence(options.is("influence")?)
            .maybe_missing_values(options.missing_values()?)
            .maybe_alpha(options.number("alpha")?)
            .precision(on.precision)
            .build();
        if let Some(reference) = reference {
            config.reference = reference;
        }
        on.call.finish(SavedResult::SunAbraham, move |data| config.fit_on(data, &device))
    }
}

/// A linear regression, or one by maximum likelihood, with fixed effects.
#[pyfunction]
pub(crate) fn feglm(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    call::fit::<Native, Regression>(data, options)
}

/// The event study of Sun and Abraham.
#[pyfunction]
pub(crate) fn sunab(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    call::fit::<Native, Cohorts>(data, options)
}

struct Demeaned;

impl Family<Table> for Demeaned {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<Table> {
        let options = &on.call.options;
        let device = one_device::<B>(options.py(), &on.devices)?;
        let columns = options.texts("columns")?;
        let absorb = options.texts("absorb")?;
        let config = Demean::<B>::builder()
            .columns(options.needed("columns", columns)?)
            .absorb(options.needed("absorb", absorb)?)
            .maybe_weights(options.text("weightsname")?)
            .maybe_missing_values(options.missing_values()?)
            .maybe_solver(options.word("solver")?)
            .maybe_fixef_tol(options.number("fixef_tol")?)
            .maybe_fixef_maxiter(options.count("fixef_maxiter")?)
            .precision(on.precision)
            .build();
        on.call.run(move |data| config.fit_on(data, &device)?.to_dataframe()).map(Table::new)
    }
}

/// Columns without their fixed effects.
#[pyfunction]
pub(crate) fn demean(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Table> {
    call::fit::<Table, Demeaned>(data, options)
}
