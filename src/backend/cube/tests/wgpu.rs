//! The kernels on a wgpu adapter; a software one will do. `BURN_DID_REQUIRE_WGPU=1` makes a missing one a failure.

use burn::tensor::DType;
use burn_wgpu::WgpuRuntime;

use super::kernels;
use crate::DidError;
use crate::backend::{DidBackend, Wgpu, WgpuDevice};
use crate::options::Precision;

fn device() -> Option<WgpuDevice> {
    kernels::device::<Wgpu>(Precision::F32, "BURN_DID_REQUIRE_WGPU")
}

#[test]
fn kernels_agree_with_the_host() {
    let Some(device) = device() else { return };
    kernels::agree_with_the_host::<Wgpu>(&device, DType::F32, 2e-6);
}

#[test]
fn kernels_do_not_depend_on_chunks() {
    let Some(device) = device() else { return };
    kernels::do_not_depend_on_chunks::<Wgpu>(&device, DType::F32);
}

#[test]
fn kernels_do_all_at_once() {
    let Some(device) = device() else { return };
    kernels::do_all_at_once::<Wgpu>(&device, DType::F32);
}

#[test]
fn slabs_hold_what_is_sent() {
    let Some(device) = device() else { return };
    kernels::hold_what_is_sent::<Wgpu>(&device, DType::F32);
}

#[test]
fn lost_launches_are_missed() {
    let Some(device) = device() else { return };
    kernels::miss_lost_launches::<WgpuRuntime>(&device, DType::F32);
}

#[test]
fn kernels_draw_the_multipliers_of_the_host() {
    let Some(device) = device() else { return };
    kernels::draw_the_multipliers_of_the_host::<Wgpu>(&device, DType::F32);
}

#[test]
fn kernels_make_the_whole_from_tiles() {
    let Some(device) = device() else { return };
    kernels::make_the_whole_from_tiles::<Wgpu>(&device, DType::F32);
}

#[test]
fn kernels_follow_strides() {
    let Some(device) = device() else { return };
    kernels::follow_strides::<WgpuRuntime>(&device, DType::F32);
}

#[test]
fn kernels_bear_extreme_log_odds() {
    let Some(device) = device() else { return };
    kernels::bear_extreme_log_odds::<Wgpu>(&device, DType::F32);
}

#[cfg(not(feature = "vulkan"))]
#[test]
fn double_precision_is_refused() {
    let error = Wgpu::probe(&WgpuDevice::default(), Precision::F64).expect_err("refused");
    assert!(matches!(error, DidError::Precision { .. }) && error.to_string().contains("F32"));
}

#[test]
fn a_missing_adapter_is_an_error() {
    let error = Wgpu::probe(&WgpuDevice::DiscreteGpu(99), Precision::F32).expect_err("missing");
    assert!(matches!(error, DidError::Device { .. }), "{error}");
}
