//! Extended two-way fixed effects: `etwfe`.

use burn_did::backend::DidBackend;
use burn_did::{Etwfe, SavedResult};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{self, Family, On};
use crate::regressions::one_device;
use crate::result::Native;

struct Extended;

impl Family<Native> for Extended {
    fn fit<B: DidBackend>(on: On<'_, B>) -> PyResult<Native> {
        let options = &on.call.options;
        let device = one_device::<B>(options.py(), &on.devices)?;
        let config = Etwfe::<B>::builder()
            .outcome(options.needed_text("yname")?)
            .maybe_unit(options.text("idname")?)
            .time(options.needed_text("tname")?)
            .group(options.needed_text("gname")?)
            .covariates(options.texts("xformla")?.unwrap_or_default())
            .maybe_moderator(options.text("xvar")?)
            .maybe_control_group(options.word("cgroup")?)
            .maybe_family(options.word("family")?)
            .maybe_scale(options.word("scale")?)
            .maybe_absorb(options.word("fe")?)
            .maybe_weights(options.text("weightsname")?)
            .maybe_vcov(options.parsed("vcov")?)
            .maybe_ssc(options.parsed("ssc")?)
            .unweighted_averages(options.is("unweighted_averages")?)
            .undetermined(options.is("undetermined")?)
            .random_shares(options.is("random_shares")?)
            .maybe_frequency(options.word("frequency")?)
            .maybe_solver(options.word("solver")?)
            .maybe_fixef_tol(options.number("fixef_tol")?)
            .maybe_fixef_maxiter(options.count("fixef_maxiter")?)
            .maybe_glm_tol(options.number("glm_tol")?)
            .maybe_glm_maxiter(options.count("glm_maxiter")?)
            .keep_influence(options.is("influence")?)
            .maybe_missing_values(options.missing_values()?)
            .maybe_alpha(options.number("alpha")?)
            .precision(on.precision)
            .build();
        on.call.finish(SavedResult::Etwfe, move |data| config.fit_on(data, &device))
    }
}

/// A regression with an effect of each cohort in each of its treated periods, and averages of these.
#[pyfunction]
pub(crate) fn etwfe(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    call::fit::<Native, Extended>(data, options)
}
