//! The kernels on an NVIDIA GPU, in double precision. `BURN_DID_REQUIRE_CUDA=1` makes a missing one a failure.

use burn::tensor::DType;
use burn_cuda::CudaDevice;
use cubecl::cuda::CudaRuntime;

use super::kernels;
use crate::DidError;
use crate::backend::{Cuda, DidBackend};
use crate::options::Precision;

fn device() -> Option<CudaDevice> {
    kernels::device::<Cuda>(Precision::F64, "BURN_DID_REQUIRE_CUDA")
}

#[test]
fn kernels_agree_with_the_host() {
    let Some(device) = device() else { return };
    kernels::agree_with_the_host::<Cuda>(&device, DType::F64, 1e-12);
}

#[test]
fn kernels_do_not_depend_on_chunks() {
    let Some(device) = device() else { return };
    kernels::do_not_depend_on_chunks::<Cuda>(&device, DType::F64);
}

#[test]
fn kernels_do_all_at_once() {
    let Some(device) = device() else { return };
    kernels::do_all_at_once::<Cuda>(&device, DType::F64);
}

#[test]
fn slabs_hold_what_is_sent() {
    let Some(device) = device() else { return };
    kernels::hold_what_is_sent::<Cuda>(&device, DType::F64);
}

#[test]
fn lost_launches_are_missed() {
    let Some(device) = device() else { return };
    kernels::miss_lost_launches::<CudaRuntime>(&device, DType::F64);
}

#[test]
fn kernels_draw_the_multipliers_of_the_host() {
    let Some(device) = device() else { return };
    kernels::draw_the_multipliers_of_the_host::<Cuda>(&device, DType::F64);
}

#[test]
fn kernels_make_the_whole_from_tiles() {
    let Some(device) = device() else { return };
    kernels::make_the_whole_from_tiles::<Cuda>(&device, DType::F64);
}

#[test]
fn kernels_follow_strides() {
    let Some(device) = device() else { return };
    kernels::follow_strides::<CudaRuntime>(&device, DType::F64);
}

#[test]
fn kernels_bear_extreme_log_odds() {
    let Some(device) = device() else { return };
    kernels::bear_extreme_log_odds::<Cuda>(&device, DType::F64);
}

#[test]
fn a_missing_gpu_is_an_error() {
    let error = Cuda::probe(&CudaDevice::new(99), Precision::F64).expect_err("missing");
    assert!(matches!(error, DidError::Device { .. }), "{error}");
}
