//! Golden cases on a Vulkan adapter in double precision, where they are the CPU's but for the order of additions.
//!
//! Without an adapter the test says that it was skipped, or fails if `BURN_DID_REQUIRE_WGPU` is set.

use burn_did::backend::{DeviceWork, Vulkan};
use burn_did::data::Simulation;
use burn_did::{
    AttGt, DidError, GroupTimeResult, Result,
    options::{Bootstrap, ControlGroup, Precision},
};
use polars::prelude::{IntoLazy, col, lit};

use super::backends;
use crate::fixed_effects::devices;
use crate::support::golden::run_all;
use crate::support::tolerance::DOUBLE_PRECISION;

/// One golden case in so many is fitted: drivers in software take half a second for each.
const ONE_IN: usize = 5;

fn usable() -> bool {
    backends::usable::<Vulkan>(Precision::F64, "BURN_DID_REQUIRE_WGPU")
}

#[test]
fn golden_cases() {
    if usable() {
        run_all::<Vulkan>(Precision::F64, DOUBLE_PRECISION, ONE_IN);
    }
}

#[test]
fn golden_cases_of_continuous_treatments() {
    if usable() {
        backends::continuous_treatments::<Vulkan>(Precision::F64, ONE_IN);
    }
}

#[test]
fn golden_cases_of_two_periods_and_triple_differences() {
    if usable() {
        backends::two_periods_and_triple_differences::<Vulkan>(Precision::F64, ONE_IN);
    }
}

/// A fit of four cohorts, two of them with more than a tile.
fn fit(
    covariates: &str,
    draws: usize,
    cluster: Option<&str>,
    budget: Option<u64>,
) -> Result<GroupTimeResult> {
    let frame = Simulation::builder().units(20_000).build().frame();
    let frame = frame.lazy().with_column((col("id") % lit(50)).alias("cluster")).collect()?;
    AttGt::<Vulkan>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .covariates(covariates)
        .control_group(ControlGroup::NotYetTreated)
        .maybe_bootstrap((draws > 0).then(|| Bootstrap::draws(draws)))
        .maybe_cluster(cluster)
        .maybe_memory_budget(budget)
        .build()
        .fit(&frame)
}

/// What it asks of the device.
fn work(covariates: &str, draws: usize, cluster: Option<&str>) -> DeviceWork {
    let fit = fit(covariates, draws, cluster, None).expect("a fit");
    fit.timings.device.expect("GPUs count")
}

#[test]
fn streamed_data_give_the_same_bits() {
    if !usable() {
        return;
    }
    for (covariates, cluster) in [("~ x1", None), ("~ x1", Some("cluster")), ("~ 1", None)] {
        let resident = fit(covariates, 100, cluster, None).expect("a fit");
        let streamed = fit(covariates, 100, cluster, Some(1 << 19)).expect("a fit");
        let work = streamed.timings.device.expect("GPUs count");
        assert_eq!(work.resident_bytes, 0);
        assert!(work.reads > work.passes);
        assert_eq!(resident.cells, streamed.cells);
    }
    let error = fit("~ x1", 0, None, Some(1_000)).expect_err("not even a tile");
    assert!(matches!(error, DidError::Memory { .. }), "{error}");
}

/// Whatever the number of strata and models: the calls of a GPU cost more than the work of a small pass.
#[test]
fn a_pass_is_few_launches_and_one_read() {
    if !usable() {
        return;
    }
    // The sample is sent as one piece and then checked.
    let sent = 2;
    let plain = work("~ 1", 0, None);
    assert_eq!(plain.passes, 2, "cross-products and influence values");
    assert_eq!((plain.reads, plain.launches), (sent + 2, sent + 2 + 3));
    assert!(plain.resident_bytes > 0 && plain.bytes_up > plain.resident_bytes);
    let draws = work("~ 1", 100, None);
    assert_eq!((draws.passes, draws.reads, draws.launches), (2, sent + 2, sent + 2 + 6));
    let clusters = work("~ 1", 100, Some("cluster"));
    assert_eq!((clusters.passes, clusters.reads, clusters.launches), (2, sent + 2, sent + 2 + 3));
    let models = work("~ x1", 0, None);
    assert_eq!(models.reads, sent + models.passes);
    // Two for cross-products and for a step of all models, four for influence values.
    assert_eq!(models.launches, sent + 2 * (models.passes - 1) + 4);
}

#[test]
fn regressions_with_fixed_effects() {
    if usable() {
        devices::golden_cases::<Vulkan>(Precision::F64);
        devices::event_studies_and_columns::<Vulkan>(Precision::F64);
        let work = devices::work::<Vulkan>(Precision::F64).expect("GPUs count");
        assert!(work.passes <= 2, "double precision is right at once, or nearly: {work:?}");
        assert!(work.resident_bytes > 0 && work.launches > 20 * work.reads, "{work:?}");
    }
}
