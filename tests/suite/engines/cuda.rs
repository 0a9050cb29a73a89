//! Golden cases on an NVIDIA GPU in double precision, where they are the CPU's but for the order of additions.
//!
//! Without one the test says that it was skipped, or fails if `BURN_DID_REQUIRE_CUDA` is set.

use burn_did::backend::Cuda;
use burn_did::options::Precision;

use super::backends;
use crate::fixed_effects::devices;
use crate::support::golden::run_all;
use crate::support::tolerance::DOUBLE_PRECISION;

fn usable() -> bool {
    backends::usable::<Cuda>(Precision::F64, "BURN_DID_REQUIRE_CUDA")
}

#[test]
fn every_golden_case() {
    if usable() {
        run_all::<Cuda>(Precision::F64, DOUBLE_PRECISION, 1);
    }
}

#[test]
fn every_golden_case_of_continuous_treatments() {
    if usable() {
        backends::continuous_treatments::<Cuda>(Precision::F64, 1);
    }
}

#[test]
fn every_golden_case_of_two_periods_and_triple_differences() {
    if usable() {
        backends::two_periods_and_triple_differences::<Cuda>(Precision::F64, 1);
    }
}

#[test]
fn regressions_with_fixed_effects() {
    if usable() {
        for precision in [Precision::F64, Precision::F32] {
            devices::golden_cases::<Cuda>(precision);
            devices::event_studies_and_columns::<Cuda>(precision);
        }
    }
}
