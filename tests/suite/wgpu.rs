//! Golden cases on wgpu in single precision, held to the rule that the CPU in single precision is held to.
//!
//! Without an adapter the test says that it was skipped, or fails if `BURN_DID_REQUIRE_WGPU` is set.

use burn_did::Precision;
use burn_did::backend::Wgpu;

use crate::backends;
use crate::fixed_effects_devices;
use crate::support::golden::{DATASETS, run_some};
use crate::support::tolerance::SINGLE_PRECISION;

fn usable() -> bool {
    backends::usable::<Wgpu>(Precision::F32, "BURN_DID_REQUIRE_WGPU")
}

fn golden_cases(every: usize) {
    if !usable() {
        return;
    }
    for name in DATASETS {
        run_some::<Wgpu>(name, Precision::F32, SINGLE_PRECISION, every);
    }
}

#[test]
fn one_golden_case_in_seven() {
    golden_cases(7);
}

#[test]
fn one_golden_case_in_five_of_two_periods_and_triple_differences() {
    if usable() {
        backends::run_some::<Wgpu>(Precision::F32, 5);
    }
}

#[test]
fn regressions_with_fixed_effects() {
    if usable() {
        fixed_effects_devices::golden_cases::<Wgpu>(Precision::F32, 1);
        fixed_effects_devices::event_studies_and_columns::<Wgpu>(Precision::F32);
    }
}

#[test]
fn one_golden_case_in_five_of_continuous_treatments() {
    if usable() {
        backends::run_doses::<Wgpu>(Precision::F32, 5);
    }
}

#[test]
#[ignore = "takes minutes on a software driver"]
fn every_golden_case_of_continuous_treatments() {
    if usable() {
        backends::run_doses::<Wgpu>(Precision::F32, 1);
    }
}

#[test]
#[ignore = "takes minutes on a software driver"]
fn every_golden_case_of_two_periods_and_triple_differences() {
    if usable() {
        backends::run_some::<Wgpu>(Precision::F32, 1);
    }
}

#[test]
#[ignore = "takes many minutes on a software driver"]
fn every_golden_case() {
    golden_cases(1);
}
