//! The kernels in double precision on a Vulkan adapter; a software one will do. `BURN_DID_REQUIRE_WGPU=1` makes a missing
//! one a failure.

use burn::tensor::DType;
use burn_wgpu::WgpuRuntime;

use super::kernels;
use crate::backend::{Vulkan, WgpuDevice};
use crate::options::Precision;

fn device() -> Option<WgpuDevice> {
    kernels::device::<Vulkan>(Precision::F64, "BURN_DID_REQUIRE_WGPU")
}

#[test]
fn kernels_agree_with_the_host() {
    let Some(device) = device() else { return };
    kernels::agree_with_the_host::<Vulkan>(&device, DType::F64, 1e-12);
}

#[test]
fn kernels_do_not_depend_on_chunks() {
    let Some(device) = device() else { return };
    kernels::do_not_depend_on_chunks::<Vulkan>(&device, DType::F64);
}

#[test]
fn kernels_draw_the_multipliers_of_the_host() {
    let Some(device) = device() else { return };
    kernels::draw_the_multipliers_of_the_host::<Vulkan>(&device, DType::F64);
}

#[test]
fn kernels_make_the_whole_from_tiles() {
    let Some(device) = device() else { return };
    kernels::make_the_whole_from_tiles::<Vulkan>(&device, DType::F64);
}

#[test]
fn kernels_follow_strides() {
    let Some(device) = device() else { return };
    kernels::follow_strides::<WgpuRuntime>(&device, DType::F64);
}

#[test]
fn kernels_bear_extreme_log_odds() {
    let Some(device) = device() else { return };
    kernels::bear_extreme_log_odds::<Vulkan>(&device, DType::F64);
}
