//! The comparison of two groups in two periods: `drdid`.

use burn_did::Drdid;
use burn_did::backend::DidBackend;
use burn_did::options::DrdidMethod;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::anywhere::Anywhere;
use crate::call::{self, On};
use crate::group_time::with_shared;
use crate::result::Native;

pub(crate) struct TwoPeriods;

impl Anywhere for TwoPeriods {
    type Estimator<B: DidBackend> = Drdid<B>;

    fn estimator<B: DidBackend>(on: &On<'_, B>) -> PyResult<Drdid<B>> {
        let options = &on.call.options;
        let sections = !options.flag("panel")?.unwrap_or(true);
        let unit = options.text("idname")?;
        let method: Option<DrdidMethod> = options.word("est_method")?;
        let rows = sections || method == Some(DrdidMethod::Twfe);
        let cluster = options.cluster("clustervars", unit.as_deref(), rows)?;
        Ok(with_shared!(Drdid<B>, on, unit: unit, cluster: cluster)
            .maybe_covariates(options.text("xformla")?)
            .repeated_cross_sections(sections)
            .treatment(options.needed_text("treatname")?)
            .maybe_method(method)
            .maybe_locally_efficient(options.flag("locally_efficient")?)
            .maybe_trim_level(options.number("trim_level")?)
            .maybe_resampling(options.word("boot_type")?)
            .weighting(options.is("weighting")?)
            .keep_scores(options.is("keep_scores")?)
            .build())
    }
}

/// The effect on the treated from two groups in two periods.
#[pyfunction]
pub(crate) fn drdid(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    call::fit::<Native, TwoPeriods>(data, options)
}
