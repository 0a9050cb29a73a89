//! The kernels on a wgpu adapter; a software one will do. `BURN_DID_REQUIRE_WGPU=1` makes a missing one a failure.

use burn::tensor::DType;
use burn::tensor::backend::Backend;
use burn_wgpu::WgpuRuntime;

use super::kernels;
use crate::DidError;
use crate::backend::sample::{self, Sample};
use crate::backend::{Cpu, DidBackend, Wgpu, WgpuDevice};
use crate::options::Precision;
use crate::pass::{GramJob, Multipliers, Weight};

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

/// The kernels without `exp` are right in double precision too, in which the CUDA backend runs them.
#[test]
fn arithmetic_is_right_in_double_precision() {
    let Some(device) = device() else { return };
    if !<Wgpu as Backend>::supports_dtype(&device, DType::F64) {
        println!("skipped: no doubles");
        return;
    }
    let sample = Sample::new(5_000, 6, 2);
    let chunk = [sample.chunk::<Wgpu>(&device, DType::F64, 0..sample.rows)];
    let host = [sample.chunk::<Cpu>(&Default::default(), DType::F64, 0..sample.rows)];
    let outcomes = vec![0, 1, 2];
    let job = GramJob { stratum: 0, x: 1, w: Weight::Product(0, 1), odds: None, outcomes };
    let (a, b) = (sample::gram(&chunk, &job, 3), sample::gram(&host, &job, 3));
    assert!(sample::distance(&a.zz, &b.zz) < 1e-13 && sample::distance(&a.zy, &b.zy) < 1e-13);
    let mut plan = sample.plan();
    for leg in plan.columns.iter_mut().flat_map(|c| &mut c.legs) {
        leg.prop = None;
    }
    for law in kernels::LAWS {
        let multipliers = Multipliers { law, seed: 9, draws: 131 };
        let [consumers, _] = sample::consumers(sample.clusters, multipliers);
        let (a, own) = sample::influence(&chunk, &plan, consumers);
        let (b, other) = sample::influence(&host, &plan, consumers);
        assert!(sample::distance(&own[0].values, &other[0].values) < 1e-14);
        assert!(sample::distance(&a.cross, &b.cross) < 1e-13);
        assert!(sample::distance(&a.draws, &b.draws) < 1e-13);
    }
}

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
