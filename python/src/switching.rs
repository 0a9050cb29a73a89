//! Treatments that switch on, off, up and down: `did_multiplegt`.

use burn_did::{DidMultiplegt, SavedResult};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::Call;
use crate::result::Native;

/// Effects of a treatment that may switch, by the time since a group's first change.
#[pyfunction]
pub(crate) fn did_multiplegt(
    data: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    let options = &call.options;
    let unit = options.needed_text("idname")?;
    let cluster = options.cluster("cluster", Some(&unit), false)?;
    let config = DidMultiplegt::builder()
        .outcome(options.needed_text("yname")?)
        .unit(unit)
        .time(options.needed_text("tname")?)
        .maybe_frequency(options.word("frequency")?)
        .treatment(options.needed_text("dname")?)
        .maybe_effects(options.count("effects")?)
        .maybe_placebos(options.count("placebo")?)
        .normalized(options.is("normalized")?)
        .maybe_effects_equal(options.parsed("effects_equal")?)
        .maybe_switchers(options.word("switchers")?)
        .only_never_switchers(options.is("only_never_switchers")?)
        .same_switchers(options.is("same_switchers")?)
        .same_switchers_placebos(options.is("same_switchers_pl")?)
        .maybe_covariates(options.text("xformla")?)
        .trends_nonparam(options.texts("trends_nonparam")?.unwrap_or_default())
        .linear_trends(options.is("trends_lin")?)
        .maybe_continuous(options.count("continuous")?)
        .maybe_weights(options.text("weightsname")?)
        .maybe_cluster(cluster)
        .less_conservative_se(options.is("less_conservative_se")?)
        .keep_bidirectional_switchers(options.is("keep_bidirectional_switchers")?)
        .drop_if_treatment_missing(options.is("drop_missing_preswitch")?)
        .maybe_predict_heterogeneity(options.parsed("predict_het")?)
        .separate_control_variance(options.is("separate_control_variance")?)
        .maybe_bootstrap(options.bootstrap()?)
        .maybe_missing_values(options.missing_values()?)
        .maybe_alpha(options.number("alpha")?)
        .build();
    call.finish(SavedResult::Multiplegt, move |data| config.fit(data))
}
