//! The kernels on an NVIDIA GPU, in double precision. `BURN_DID_REQUIRE_CUDA=1` makes a missing one a failure.

use burn::backend::cuda::CudaDevice;
use cubecl::cuda::CudaRuntime;

use super::devices::{self, on_the_device};
use super::{basis, kernels};
use crate::DidError;
use crate::base::options::Precision;
use crate::engine::backend::{Cuda, DidBackend};

fn device() -> Option<CudaDevice> {
    devices::device::<Cuda>(Precision::F64, "BURN_DID_REQUIRE_CUDA")
}

on_the_device!(Cuda, CudaRuntime, Precision::F64, 1e-12);

#[test]
fn a_missing_gpu_is_an_error() {
    let error = Cuda::probe(&CudaDevice::new(99), Precision::F64).expect_err("missing");
    assert!(matches!(error, DidError::Device { .. }), "{error}");
}
