//! The kernels on a wgpu adapter (a software one will do) against the CPU backend.

use burn::tensor::backend::Backend;
use burn::tensor::{DType, Tensor, TensorData};

use crate::DidError;
use crate::backend::sample::{self, Distances, Sample};
use crate::backend::{Cpu, DidBackend, Wgpu, WgpuDevice, multiplier_matrix};
use crate::options::{Multiplier, Precision};
use crate::pass::{GramJob, LogitJob, Multipliers, TILE, Weight};

const LAWS: [Multiplier; 3] = [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb];

/// The default adapter, or nothing where there is none and none is required.
fn device(test: &str) -> Option<WgpuDevice> {
    let device = WgpuDevice::default();
    match Wgpu::probe(&device, Precision::F32) {
        Ok(_) => Some(device),
        Err(error) => {
            let required = std::env::var_os("BURN_DID_REQUIRE_WGPU").is_some_and(|v| v == "1");
            assert!(!required, "{error}");
            println!("{test} skipped: {error}");
            None
        }
    }
}

#[test]
fn kernels_agree_with_the_host() {
    let Some(device) = device("kernels_agree_with_the_host") else { return };
    let mut worst = Distances::default();
    for (k, rows) in [
        (1, 1),
        (1, 10_000),
        (2, 4_095),
        (3, 4_096),
        (4, 4_097),
        (5, 300),
        (6, 2),
        (7, 10_000),
        (8, 8_193),
    ] {
        let sample = Sample::new(rows, k, rows as u64);
        let law = LAWS[k % 3];
        let multipliers = Multipliers { law, seed: 0x0123_4567_89AB_CDEF, draws: 300 };
        let distances = sample::compare::<Wgpu>(&sample, &device, DType::F32, multipliers);
        println!("k={k} rows={rows} {law:?}: {distances:?}");
        worst = worst.max(distances);
    }
    println!("worst: {worst:?}");
    assert!(worst.largest() < 5e-6, "{worst:?}");
}

#[test]
fn chunk_splits_do_not_change_a_bit() {
    let Some(device) = device("chunk_splits_do_not_change_a_bit") else { return };
    let sample = Sample::new(3 * TILE + 17, 3, 5);
    let split = |points: &[usize]| -> Vec<_> {
        points.windows(2).map(|p| sample.chunk::<Wgpu>(&device, DType::F32, p[0]..p[1])).collect()
    };
    let whole = split(&[0, sample.rows]);
    let parts = split(&[0, TILE, 3 * TILE, sample.rows]);
    let w = Weight::Product(0, 1);
    let job = GramJob { stratum: 0, x: 1, w, odds: Some(sample.coefficients(0, 3.0)) };
    assert_eq!(sample::gram(&whole, &job, 3), sample::gram(&parts, &job, 3));
    let job = LogitJob { model: 0, stratum: 0, x: 0, w, treated: false };
    let gamma = sample.coefficients(1, 1.0);
    assert_eq!(sample::logit(&whole, &job, &gamma), sample::logit(&parts, &job, &gamma));
    let multipliers = Multipliers { law: Multiplier::Mammen, seed: 3, draws: 200 };
    for consumers in sample::consumers(sample.clusters, multipliers) {
        let plan = sample.plan();
        let whole = sample::influence(&whole, &plan, consumers);
        let parts = sample::influence(&parts, &plan, consumers);
        assert_eq!(whole.cross, parts.cross);
        assert_eq!(whole.draws, parts.draws);
        assert_eq!(whole.clusters, parts.clusters);
    }
}

/// Unit vectors as influence values read every multiplier out.
#[test]
fn multipliers_are_those_of_the_host() {
    let Some(device) = device("multipliers_are_those_of_the_host") else { return };
    let rank: Vec<u32> = (0..37).map(|i| i * 115_249_071).collect();
    let m = rank.len();
    let identity = (0..m * m).map(|i| if i % (m + 1) == 0 { 1.0f32 } else { 0.0 }).collect();
    let data = TensorData::new(identity, [m, m]);
    let tile = Tensor::<Wgpu, 2>::from_data(data, (&device, DType::F32));
    for law in LAWS {
        let spec = Multipliers { law, seed: 0xFEDC_BA98_0000_0007, draws: 1_000 };
        let sums = Wgpu::multiplier_sums(tile.clone(), &rank, &spec).expect("sums");
        let host = multiplier_matrix(&spec, &rank);
        for i in 0..m {
            for r in 0..spec.draws {
                let (got, expected) = (sums[i * spec.draws + r], host[r * m + i]);
                assert!(
                    (got - expected).abs() < 1e-6,
                    "{law:?} row {i} draw {r}: {got} {expected}"
                );
            }
        }
    }
}

#[test]
fn tile_operations_make_the_whole() {
    let Some(device) = device("tile_operations_make_the_whole") else { return };
    let sample = Sample::new(TILE - 3, 3, 8);
    let chunk = sample.chunk::<Wgpu>(&device, DType::F32, 0..sample.rows);
    let multipliers = Multipliers { law: Multiplier::Webb, seed: 1, draws: 129 };
    let [consumers, _] = sample::consumers(sample.clusters, multipliers);
    let plan = sample.plan();
    let batched = sample::influence(&[chunk.clone()], &plan, consumers);
    let pass_columns = batched.cross.len();
    let mut by_tiles = crate::pass::InfluenceStat {
        cross: vec![0.0; pass_columns],
        clusters: Vec::new(),
        draws: vec![0.0; batched.draws.len()],
        rows: Vec::new(),
    };
    crate::backend::default::influence(&chunk, &plan, sample::TRIM, &consumers, &mut by_tiles)
        .expect("influence");
    assert_eq!(batched, by_tiles);
}

/// Where `e^-η` overflows single precision, or `1 - p` vanishes in it.
#[test]
fn extreme_log_odds_stay_finite() {
    let Some(device) = device("extreme_log_odds_stay_finite") else { return };
    let sample = Sample::new(500, 2, 4);
    let chunk = [sample.chunk::<Wgpu>(&device, DType::F32, 0..500)];
    let host = [sample.chunk::<Cpu>(&Default::default(), DType::F64, 0..500)];
    for gamma in [[200.0, 10.0], [-200.0, 10.0], [0.0, 300.0]] {
        let job = LogitJob { model: 0, stratum: 0, x: 0, w: Weight::Ones, treated: false };
        let (a, b) = (sample::logit(&chunk, &job, &gamma), sample::logit(&host, &job, &gamma));
        assert!((a.max_p - b.max_p).abs() < 1e-9, "{} {}", a.max_p, b.max_p);
        for (a, b) in a.score.iter().chain(&a.hessian).zip(b.score.iter().chain(&b.hessian)) {
            assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{gamma:?}: {a} {b}");
        }
    }
}

/// The kernels without `exp` are right in double precision too, which the CUDA backend runs them in.
#[test]
fn arithmetic_in_double_precision() {
    let Some(device) = device("arithmetic_in_double_precision") else { return };
    if !<Wgpu as Backend>::supports_dtype(&device, DType::F64) {
        println!("arithmetic_in_double_precision skipped: no doubles");
        return;
    }
    let sample = Sample::new(5_000, 6, 2);
    let chunk = [sample.chunk::<Wgpu>(&device, DType::F64, 0..sample.rows)];
    let host = [sample.chunk::<Cpu>(&Default::default(), DType::F64, 0..sample.rows)];
    let job = GramJob { stratum: 0, x: 1, w: Weight::Product(0, 1), odds: None };
    let (a, b) = (sample::gram(&chunk, &job, 3), sample::gram(&host, &job, 3));
    assert!(sample::distance(&a.zz, &b.zz) < 1e-14 && sample::distance(&a.zy, &b.zy) < 1e-13);
    let mut plan = sample.plan();
    for leg in plan.columns.iter_mut().flat_map(|c| &mut c.legs) {
        leg.prop = None;
    }
    for law in LAWS {
        let multipliers = Multipliers { law, seed: 9, draws: 131 };
        let [consumers, _] = sample::consumers(sample.clusters, multipliers);
        let a = sample::influence(&chunk, &plan, consumers);
        let b = sample::influence(&host, &plan, consumers);
        assert!(sample::distance(&a.rows[0].2, &b.rows[0].2) < 1e-14);
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
