//! What a two-way regression averages: `bacon` and `twfe_weights`.

use burn_did::{Bacon, TwfeWeights};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{Call, by_unit};
use crate::result::Native;

by_unit!(Bacon, TwfeWeights);

/// The two-way coefficient as an average of two-by-two comparisons.
#[pyfunction]
pub(crate) fn bacon(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    let options = &call.options;
    let unit = options.needed_text("idname")?;
    let cluster = options.cluster("clustervars", Some(&unit), false)?;
    let config = Bacon::builder()
        .outcome(options.needed_text("yname")?)
        .unit(unit)
        .time(options.needed_text("tname")?)
        .group(options.needed_text("gname")?)
        .covariates(options.texts("xname")?.unwrap_or_default())
        .maybe_cluster(cluster)
        .maybe_frequency(options.word("frequency")?)
        .maybe_memory_budget(options.count("memory_budget")?)
        .maybe_missing_values(options.missing_values()?)
        .maybe_alpha(options.number("alpha")?)
        .progress(call.progress())
        .build();
    call.finish_by_unit(config)
}

/// The weights of a two-way coefficient on effects by group and period.
#[pyfunction]
pub(crate) fn twfe_weights(
    data: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    let options = &call.options;
    let config = TwfeWeights::builder()
        .outcome(options.needed_text("yname")?)
        .unit(options.needed_text("idname")?)
        .time(options.needed_text("tname")?)
        .group(options.needed_text("gname")?)
        .maybe_weights(options.text("weightsname")?)
        .covariates(options.texts("xname")?.unwrap_or_default())
        .maybe_regression(options.word("type")?)
        .maybe_cells(options.word("cells")?)
        .maybe_frequency(options.word("frequency")?)
        .maybe_memory_budget(options.count("memory_budget")?)
        .maybe_missing_values(options.missing_values()?)
        .progress(call.progress())
        .build();
    call.finish_by_unit(config)
}
