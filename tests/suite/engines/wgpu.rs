//! Golden cases on wgpu in single precision, held to the rule that the CPU in single precision is held to.
//!
//! Without an adapter the test says that it was skipped, or fails if `BURN_DID_REQUIRE_WGPU` is set.

use burn_did::backend::Wgpu;
use burn_did::options::Precision;

use super::backends;
use crate::fixed_effects::devices;
use crate::support::golden::run_all;
use crate::support::tolerance::SINGLE_PRECISION;

/// One golden case in so many is fitted: drivers in software take half a second for each.
const ONE_IN: usize = 7;

fn usable() -> bool {
    backends::usable::<Wgpu>(Precision::F32, "BURN_DID_REQUIRE_WGPU")
}

#[test]
fn golden_cases() {
    if usable() {
        run_all::<Wgpu>(Precision::F32, SINGLE_PRECISION, ONE_IN);
    }
}

#[test]
fn golden_cases_of_two_periods_and_triple_differences() {
    if usable() {
        backends::two_periods_and_triple_differences::<Wgpu>(Precision::F32, ONE_IN);
    }
}

#[test]
fn golden_cases_of_continuous_treatments() {
    if usable() {
        backends::continuous_treatments::<Wgpu>(Precision::F32, ONE_IN);
    }
}

#[test]
fn regressions_with_fixed_effects() {
    if usable() {
        devices::golden_cases::<Wgpu>(Precision::F32);
        devices::event_studies_and_columns::<Wgpu>(Precision::F32);
    }
}
