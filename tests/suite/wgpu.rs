//! Every golden case on wgpu in single precision, held to the rule that the CPU in single precision is held to.
//!
//! Without an adapter the test says that it was skipped, or fails if `BURN_DID_REQUIRE_WGPU` is set.

use burn_did::Precision;
use burn_did::backend::{DidBackend, Wgpu};

use crate::support::golden::{DATASETS, run_dataset};
use crate::support::tolerance::SINGLE_PRECISION;

#[test]
fn golden_cases_on_wgpu() {
    if let Err(error) = Wgpu::probe(&Default::default(), Precision::F32) {
        assert!(std::env::var_os("BURN_DID_REQUIRE_WGPU").is_none(), "{error}");
        println!("skipped: {error}");
        return;
    }
    for name in DATASETS {
        run_dataset::<Wgpu>(name, Precision::F32, SINGLE_PRECISION);
    }
}
