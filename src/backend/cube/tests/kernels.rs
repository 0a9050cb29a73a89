//! What must hold of the kernels on every device.

use burn::tensor::{DType, Tensor, TensorData};
use burn_cubecl::CubeBackend;

use super::GpuRuntime;
use crate::backend::sample::{self, Distances, Sample};
use crate::backend::{Cpu, DidBackend, multiplier_matrix};
use crate::error::Result;
use crate::options::{Multiplier, Precision};
use crate::pass::{Chunk, GramJob, InfluenceStat, LogitJob, Multipliers, TILE, Weight};

pub(super) const LAWS: [Multiplier; 3] =
    [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb];

/// The default device, or nothing where there is none and the environment variable does not require one.
pub(super) fn device<B: DidBackend>(precision: Precision, required: &str) -> Option<B::Device> {
    let device = B::Device::default();
    match B::probe(&device, precision) {
        Ok(_) => Some(device),
        Err(error) => {
            assert!(std::env::var_os(required).is_none_or(|v| v != "1"), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// Every operation on chunks of several shapes, with ragged and tiny tails, against the CPU backend.
pub(super) fn agree_with_the_host<B: DidBackend>(device: &B::Device, dtype: DType, tolerance: f64) {
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
        let sample = Sample::new(rows, k, 7 * k as u64);
        let law = LAWS[k % 3];
        let multipliers = Multipliers { law, seed: 0x0123_4567_89AB_CDEF, draws: 300 };
        let distances = sample::compare::<B>(&sample, device, dtype, multipliers);
        println!("k = {k}, {rows} rows, {law:?}: {distances:?}");
        worst = worst.max(distances);
    }
    println!("worst: {worst:?}");
    assert!(worst.largest() < tolerance, "{worst:?}");
}

/// Splits at multiples of the tile leave every bit in place.
pub(super) fn do_not_depend_on_chunks<B: DidBackend>(device: &B::Device, dtype: DType) {
    let sample = Sample::new(3 * TILE + 17, 3, 5);
    let split = |points: &[usize]| -> Vec<Chunk<B>> {
        points.windows(2).map(|p| sample.chunk(device, dtype, p[0]..p[1])).collect()
    };
    let whole = split(&[0, sample.rows]);
    let parts = split(&[0, TILE, 3 * TILE, sample.rows]);
    let w = Weight::Product(0, 1);
    let odds = Some(sample.coefficients(0, 3.0));
    let job = GramJob { stratum: 0, x: 1, w, odds, outcomes: vec![0, 1, 2] };
    assert_eq!(sample::gram(&whole, &job, 3), sample::gram(&parts, &job, 3));
    let gamma = sample.coefficients(1, 1.0);
    let job = LogitJob { stratum: 0, x: 0, w, treated: false, gamma };
    for thinning in [1, 8] {
        let [whole, parts] = [&whole, &parts].map(|c| sample::logit(c, &job, thinning));
        assert_eq!(whole, parts);
    }
    let multipliers = Multipliers { law: Multiplier::Mammen, seed: 3, draws: 200 };
    for consumers in sample::consumers(sample.clusters, multipliers) {
        let plan = sample.plan();
        let (whole, _) = sample::influence(&whole, &plan, consumers);
        let (parts, _) = sample::influence(&parts, &plan, consumers);
        assert_eq!(whole, parts);
    }
}

/// Unit vectors as influence values read every multiplier out.
pub(super) fn draw_the_multipliers_of_the_host<B: DidBackend>(device: &B::Device, dtype: DType) {
    // From small ranks to some beyond 32 bits.
    let rank: Vec<u64> = (0..37).map(|i| i * 1_152_490_710).collect();
    let m = rank.len();
    let identity = (0..m * m).map(|i| if i % (m + 1) == 0 { 1.0 } else { 0.0 }).collect();
    let data = TensorData::new::<f64, _>(identity, [m, m]).convert_dtype(dtype);
    let tile = Tensor::<B, 2>::from_data(data, (device, dtype));
    for law in LAWS {
        let spec = Multipliers { law, seed: 0xFEDC_BA98_0000_0007, draws: 1_000 };
        let sums = B::multiplier_sums(tile.clone(), &rank, &spec).expect("sums");
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

/// The batched pass and the operations on one tile are the same sums.
pub(super) fn make_the_whole_from_tiles<B: DidBackend>(device: &B::Device, dtype: DType) {
    let sample = Sample::new(2 * TILE - 3, 3, 8);
    let chunk = sample.chunk::<B>(device, dtype, 0..sample.rows);
    let multipliers = Multipliers { law: Multiplier::Webb, seed: 1, draws: 129 };
    let [consumers, _] = sample::consumers(sample.clusters, multipliers);
    let plan = sample.plan();
    let batched = sample::influence(std::slice::from_ref(&chunk), &plan, consumers);
    let mut tiled = InfluenceStat::zero(sample::COLUMNS, &consumers);
    let kept =
        crate::backend::default::influence(&chunk, &plan, sample::TRIM, &consumers, &mut tiled);
    assert_eq!(batched, (tiled, kept.expect("influence").into_iter().collect()));
}

/// Padded rows, as CUDA uploads them, and transposed views are read through their strides.
pub(super) fn follow_strides<R: GpuRuntime>(device: &R::Device, dtype: DType) {
    type Gpu<R> = CubeBackend<R, f32, i32, u32>;
    let sample = Sample::new(700, 3, 6);
    let plain = sample.chunk::<Gpu<R>>(device, dtype, 0..600);
    let wide = sample.chunk::<Gpu<R>>(device, dtype, 0..700);
    let narrow = |tensor: &Tensor<Gpu<R>, 2>| {
        let mut primitive = tensor.clone().into_primitive().tensor();
        primitive.meta.shape = [tensor.dims()[0], 600].into();
        Tensor::from_primitive(burn::tensor::TensorPrimitive::Float(primitive))
    };
    let padded = Chunk {
        rows: 600,
        y: narrow(&wide.y),
        x: wide.x.as_ref().map(narrow),
        w: wide.w.as_ref().map(narrow),
        ..plain.clone()
    };
    let transposed = |tensor: &Tensor<Gpu<R>, 2>| {
        let rows = tensor.clone().transpose().into_data();
        Tensor::<Gpu<R>, 2>::from_data(rows, (device, dtype)).transpose()
    };
    let transposed = Chunk {
        y: transposed(&plain.y),
        x: plain.x.as_ref().map(transposed),
        w: plain.w.as_ref().map(transposed),
        ..plain.clone()
    };
    let results = |chunk: Chunk<Gpu<R>>| -> Result<_> {
        let job = GramJob {
            stratum: 0,
            x: 1,
            w: Weight::Product(0, 1),
            odds: Some(sample.coefficients(0, 1.0)),
            outcomes: vec![0, 1, 2],
        };
        let multipliers = Multipliers { law: Multiplier::Rademacher, seed: 1, draws: 5 };
        let [consumers, _] = sample::consumers(sample.clusters, multipliers);
        let tile = chunk.y.clone();
        Ok((
            Gpu::<R>::cross_moments(tile.clone())?,
            Gpu::<R>::multiplier_sums(tile, &chunk.rank, &multipliers)?,
            sample::gram(std::slice::from_ref(&chunk), &job, 3),
            sample::influence(&[chunk], &sample.plan(), consumers),
        ))
    };
    let expected = results(plain).expect("contiguous");
    assert!(expected == results(padded).expect("padded"));
    assert!(expected == results(transposed).expect("transposed"));
}

/// Where `e^-η` overflows single precision, or `1 - p` vanishes in it.
pub(super) fn bear_extreme_log_odds<B: DidBackend>(device: &B::Device, dtype: DType) {
    let sample = Sample::new(500, 2, 4);
    let here = [sample.chunk::<B>(device, dtype, 0..500)];
    let host = [sample.chunk::<Cpu>(&Default::default(), DType::F64, 0..500)];
    for gamma in [[200.0, 10.0], [-200.0, 10.0], [0.0, 300.0]] {
        let gamma = gamma.to_vec();
        let job = LogitJob { stratum: 0, x: 0, w: Weight::Ones, treated: false, gamma };
        let (a, b) = (sample::logit(&here, &job, 1), sample::logit(&host, &job, 1));
        assert!((a.max_p - b.max_p).abs() < 1e-9, "{} {}", a.max_p, b.max_p);
        for (a, b) in a.score.iter().chain(&a.hessian).zip(b.score.iter().chain(&b.hessian)) {
            assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{:?}: {a} {b}", job.gamma);
        }
    }
}
