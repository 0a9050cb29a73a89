//! Effects by dose, `cont_did`, and curves by sieves, `npiv`.

use burn_did::backend::DidBackend;
use burn_did::options::Bootstrap;
use burn_did::sieve::SieveGrid;
use burn_did::{ContDid, Npiv, SavedResult};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::anywhere::Anywhere;
use crate::call::{self, Call, On};
use crate::errors;
use crate::group_time::with_shared;
use crate::options::Options;
use crate::result::Native;

pub(crate) struct Doses;

impl Anywhere for Doses {
    type Estimator<B: DidBackend> = ContDid<B>;

    fn estimator<B: DidBackend>(on: &On<'_, B>) -> PyResult<ContDid<B>> {
        let options = &on.call.options;
        let unit = options.text("idname")?;
        let cluster = options.cluster("clustervars", unit.as_deref(), false)?;
        Ok(with_shared!(ContDid<B>, on, unit: unit, cluster: cluster)
            .maybe_group(options.text("gname")?)
            .dose(options.needed_text("dname")?)
            .maybe_target(options.word("target_parameter")?)
            .maybe_aggregation(options.word("aggregation")?)
            .maybe_method(options.word("dose_est_method")?)
            .maybe_degree(options.count("degree")?)
            .maybe_knots(options.count("num_knots")?)
            .maybe_grid(options.listed("dvals")?)
            .maybe_control_group(options.word("control_group")?)
            .maybe_base_period(options.word("base_period")?)
            .maybe_anticipation(options.count("anticipation")?)
            .maybe_resampling(options.word("boot_type")?)
            .maybe_shares(options.word("shares")?)
            .maybe_curve_errors(options.word("curve_errors")?)
            .maybe_compare_at(options.listed("compare_at")?)
            .maybe_damping(options.flag("damping")?)
            .maybe_comparison_noise(options.flag("comparison_noise")?)
            .maybe_band(options.band()?)
            .build())
    }
}

/// Effects of a continuous treatment by dose.
#[pyfunction]
pub(crate) fn cont_did(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    call::fit::<Native, Doses>(data, options)
}

/// Where a function is evaluated: points of one regressor, or rows of points of several.
fn points(options: &Options<'_>) -> PyResult<Option<SieveGrid>> {
    if let Some(rows) = options.rows("x_eval")? {
        return Ok(Some(SieveGrid::Points(rows)));
    }
    options.listed("x_eval")
}

/// A function of regressors by splines, with instruments or without.
#[pyfunction]
pub(crate) fn npiv(data: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Native> {
    let call = Call::new(data, options)?;
    let options = &call.options;
    let regressors = options.texts("xname")?;
    let index: Option<usize> = options.count("deriv_index")?;
    if index == Some(0) {
        return Err(errors::option(options.py(), "`deriv_index` counts regressors from 1"));
    }
    let range = |low, high| {
        let ends = (options.number(low)?, options.number(high)?);
        options.both((low, high), ends)
    };
    let draws: Option<usize> = options.count("biters")?;
    let seed: Option<u64> = options.count("seed")?;
    let mut config = Npiv::builder()
        .outcome(options.needed_text("yname")?)
        .regressors(options.needed("xname", regressors)?)
        .instruments(options.texts("wname")?.unwrap_or_default())
        .maybe_weights(options.text("weightsname")?)
        .maybe_basis(options.word("basis")?)
        .maybe_knots(options.word("knots")?)
        .maybe_x_degree(options.count("j_x_degree")?)
        .maybe_x_segments(options.count("j_x_segments")?)
        .maybe_w_degree(options.count("k_w_degree")?)
        .maybe_w_segments(options.count("k_w_segments")?)
        .maybe_w_smooth(options.count("k_w_smooth")?)
        .maybe_damping(options.flag("damping")?)
        .maybe_x_range(range("x_min", "x_max")?)
        .maybe_w_range(range("w_min", "w_max")?)
        .maybe_grid(points(options)?)
        .maybe_derivative_index(index.map(|index| index - 1))
        .maybe_derivative_order(options.count("deriv_order")?)
        .maybe_alpha(options.number("alpha")?)
        .maybe_missing_values(options.missing_values()?)
        .build();
    let of_library = config.bootstrap;
    config.bootstrap =
        Bootstrap::draws(draws.unwrap_or(of_library.draws)).seed(seed.unwrap_or(of_library.seed));
    call.finish(SavedResult::Npiv, move |data| config.fit(data))
}
