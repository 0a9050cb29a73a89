//! The kernels in double precision on a Vulkan adapter; a software one will do. `BURN_DID_REQUIRE_WGPU=1` makes a missing
//! one a failure.

use burn::backend::wgpu::WgpuRuntime;
use cubecl::Runtime;

use super::super::runtime::guarded;
use super::devices::{self, on_the_device};
use super::{basis, kernels};
use crate::base::options::Precision;
use crate::engine::backend::{Vulkan, WgpuDevice};
use crate::{AttGt, data};

fn device() -> Option<WgpuDevice> {
    devices::device::<Vulkan>(Precision::F64, "BURN_DID_REQUIRE_WGPU")
}

on_the_device!(Vulkan, WgpuRuntime, Precision::F64, 1e-12);

/// In a process of its own, as other tests use the same memory.
#[test]
fn fits_leave_no_memory_behind() {
    if device().is_none() {
        return;
    }
    let name = "engine::backend::cube::tests::vulkan::ten_fits_hold_what_one_holds";
    let test = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", name, "--ignored", "--nocapture"])
        .output()
        .expect("it starts");
    let printed = String::from_utf8_lossy(&test.stdout);
    assert!(test.status.success() && printed.contains("1 passed"), "{printed}");
}

#[test]
#[ignore = "alone in a process, by the test before"]
fn ten_fits_hold_what_one_holds() {
    let device = WgpuDevice::default();
    let config = AttGt::<Vulkan>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").covariates("~ lpop").build();
    let data = data::mpdta();
    let held = || {
        let _ = config.fit_on(&data, &device).expect("a fit");
        let client = WgpuRuntime::client(&device);
        let usage = guarded::<WgpuRuntime, _>(&device, || Ok(client.memory_usage()));
        let usage = usage.expect("no panic").expect("usage");
        (usage.bytes_in_use, usage.bytes_reserved)
    };
    let first = held();
    for _ in 0..9 {
        assert_eq!(held(), first);
    }
}
