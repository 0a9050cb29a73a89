//! Golden cases on a Vulkan adapter in double precision, where they are the CPU's but for the order of additions.
//!
//! Without an adapter the test says that it was skipped, or fails if `BURN_DID_REQUIRE_WGPU` is set.

use burn_did::Precision;
use burn_did::backend::{DidBackend, Vulkan};

use crate::backends;
use crate::support::golden::{DATASETS, run_some};
use crate::support::tolerance::DOUBLE_PRECISION;

/// Whether there is an adapter with doubles; says so if not.
fn usable() -> bool {
    if let Err(error) = Vulkan::probe(&Default::default(), Precision::F64) {
        assert!(std::env::var_os("BURN_DID_REQUIRE_WGPU").is_none(), "{error}");
        println!("skipped: {error}");
        return false;
    }
    true
}

#[test]
fn every_golden_case() {
    if usable() {
        for name in DATASETS {
            run_some::<Vulkan>(name, Precision::F64, DOUBLE_PRECISION, 1);
        }
    }
}

#[test]
fn every_golden_case_of_two_periods_and_triple_differences() {
    if usable() {
        backends::run_some::<Vulkan>(Precision::F64, 1);
    }
}
