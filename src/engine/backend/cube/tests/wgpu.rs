//! The kernels on a wgpu adapter; a software one will do. `BURN_DID_REQUIRE_WGPU=1` makes a missing one a failure.

use burn::backend::wgpu::WgpuRuntime;

use super::devices::{self, on_the_device};
use super::{basis, kernels};
use crate::DidError;
use crate::base::options::Precision;
use crate::engine::backend::{DidBackend, Wgpu, WgpuDevice};

fn device() -> Option<WgpuDevice> {
    devices::device::<Wgpu>(Precision::F32, "BURN_DID_REQUIRE_WGPU")
}

on_the_device!(Wgpu, WgpuRuntime, Precision::F32, 2e-6);

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
