//! What must hold of the kernels on every device.

use burn::tensor::{DType, Tensor, TensorData};
use burn_cubecl::CubeBackend;

use std::ops::Range;

use super::super::runtime::{Gpu, Launches};
use super::GpuRuntime;
use super::in_batches;
use crate::base::error::Result;
use crate::base::options::Multiplier;
use crate::engine::backend::sample::{self, Distances, Sample};
use crate::engine::backend::{Cpu, DidBackend, HostRows, Segments, multiplier_matrix};
use crate::engine::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, KeptRows, LogitJob, LogitStat, Multipliers,
    SEGMENT, Stat, TILE, Weight,
};

pub(super) const LAWS: [Multiplier; 3] =
    [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb];

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

/// Rows of the sample as chunks of strata in one slab.
pub(super) fn hold<B: DidBackend>(
    sample: &Sample,
    device: &B::Device,
    dtype: DType,
    parts: &[(usize, Range<usize>)],
) -> Result<Vec<Chunk<B>>> {
    let rank: Vec<u64> = (0..sample.rows).map(|i| i as u64 * 3 + 1).collect();
    let cluster: Vec<u32> = (0u32..).take(sample.rows).map(|i| i % 7).collect();
    let rows: Vec<HostRows<'_>> = parts
        .iter()
        .map(|(stratum, range)| HostRows {
            stratum: *stratum,
            range: range.clone(),
            y: &sample.y,
            x: &sample.x,
            w: &sample.w,
            rank: &rank,
            cluster: &cluster,
        })
        .collect();
    let whole = B::at_once().expect("all at once");
    whole.hold(&rows, sample.k, dtype, device)
}

/// What is held is what was sent, in several pieces.
pub(super) fn hold_what_is_sent<B: DidBackend>(device: &B::Device, dtype: DType) {
    let sample = Sample::new(SEGMENT + 3, 4, 21);
    let parts = [(0, 0..5), (1, 5..SEGMENT + 1), (4, SEGMENT + 1..SEGMENT + 3)];
    let chunks = hold::<B>(&sample, device, dtype, &parts).expect("held");
    for ((stratum, range), chunk) in parts.into_iter().zip(chunks) {
        assert_eq!((chunk.stratum, chunk.rows), (stratum, range.len()));
        let alone = chunk.alone();
        let expected = sample.chunk::<B>(device, dtype, range);
        assert_eq!((&alone.rank, alone.first), (&expected.rank, 0));
        let values = |t: &Tensor<B, 2>| t.clone().into_data();
        assert_eq!(values(&alone.y), values(&expected.y));
        assert_eq!(alone.x.as_ref().map(values), expected.x.as_ref().map(values));
        assert_eq!(alone.w.as_ref().map(values), expected.w.as_ref().map(values));
    }
}

/// Sums that are the same to the last bit in double precision; in single precision, in which tiles are added on the device or
/// on the host, to twelve digits.
fn agree(a: &[f64], b: &[f64], dtype: DType) {
    if dtype == DType::F64 {
        assert_eq!(a, b);
    } else {
        let distance = sample::distance(a, b);
        assert!(distance < 1e-12, "{distance}");
    }
}

fn grams_agree(a: &Gram, b: &Gram, dtype: DType) {
    agree(&a.zz, &b.zz, dtype);
    agree(&a.zy, &b.zy, dtype);
    let weights = |gram: &Gram| {
        [gram.weights.squares, gram.weights.trimmed_rows, gram.weights.trimmed_weight]
    };
    agree(&weights(a), &weights(b), dtype);
}

fn logits_agree(a: &LogitStat, b: &LogitStat, dtype: DType) {
    agree(&a.score, &b.score, dtype);
    agree(&a.hessian, &b.hessian, dtype);
    assert_eq!(a.max_p, b.max_p);
}

pub(super) fn sums_agree(a: &InfluenceStat, b: &InfluenceStat, dtype: DType) {
    agree(&a.cross, &b.cross, dtype);
    agree(&a.draws, &b.draws, dtype);
    // Singles that are added up in two singles, or in doubles.
    let distance = sample::distance(&a.clusters, &b.clusters);
    assert!(distance < 1e-9, "{distance}");
    if dtype == DType::F64 {
        assert_eq!(a.clusters, b.clusters);
    }
}

/// All chunks at once are the chunks one by one, added in order: of strata of less and more than a segment, together and each.
pub(super) fn do_all_at_once<B: DidBackend>(device: &B::Device, dtype: DType) {
    let ends = [TILE + 5, TILE + 9, SEGMENT + 2 * TILE + 26];
    let sample = Sample::new(ends[2], 3, 12);
    let whole = B::at_once().expect("all at once");
    let parts = [
        (0, 0..ends[0]),
        (2, ends[0]..ends[1]),
        (3, ends[1]..ends[1] + SEGMENT),
        (3, ends[1] + SEGMENT..ends[2]),
    ];
    let chunks = hold::<B>(&sample, device, dtype, &parts).expect("held");
    let jobs = |stratum: usize, x| GramJob {
        stratum,
        x,
        w: Weight::Product(0, 1),
        odds: Some(sample.coefficients(x as u64, 3.0)),
        outcomes: vec![0, 1, 2],
    };
    let jobs = [jobs(0, 0), jobs(1, 0), jobs(2, 0), jobs(2, 1), jobs(3, 1)];
    let models: Vec<LogitJob> = (0u64..)
        .zip([0, 2, 3, 3])
        .map(|(seed, stratum)| LogitJob {
            stratum,
            x: stratum % 2,
            w: Weight::Column(0),
            treated: seed % 2 == 0,
            gamma: sample.coefficients(seed, 1.0),
        })
        .collect();
    let multipliers = Multipliers { law: Multiplier::Mammen, seed: 3, draws: 130 };
    let [consumers, clustered] = sample::consumers(sample.clusters, multipliers)
        .map(|consumers| Consumers { keep_rows: false, ..consumers });
    let mut plans = vec![sample.plan(); 4];
    plans[2].columns.truncate(4);
    plans[0].share = None;

    let of = |stratum: usize| jobs.iter().filter(move |j| j.stratum == stratum);
    let models_of = |stratum: usize| models.iter().filter(move |j| j.stratum == stratum);
    let mut grams = vec![Gram::zero(3, 3); jobs.len()];
    let mut logits = vec![LogitStat::zero(3); models.len()];
    let mut sums = InfluenceStat::zero(sample::COLUMNS, &consumers);
    let mut by_cluster = InfluenceStat::zero(sample::COLUMNS, &clustered);
    let each = Segments { chunks: chunks.iter().collect(), together: false };
    let gram = |segments: &Segments<'_, B>, before: Option<&Vec<Gram>>| {
        whole.gram(segments, &jobs, sample::TRIM, before).expect("gram")
    };
    let logit = |segments: &Segments<'_, B>, before: Option<&Vec<LogitStat>>| {
        whole.logit(segments, 2, &models, before).expect("logit")
    };
    let influence = |segments: &Segments<'_, B>, consumers, before: Option<&InfluenceStat>| {
        let (trim, columns) = (sample::TRIM, sample::COLUMNS);
        whole.influence(segments, &plans, trim, columns, consumers, before).expect("influence")
    };
    let each_gram = gram(&each, None).expect("room");
    let each_logit = logit(&each, None).expect("room");
    let each_sums = influence(&each, &consumers, None).expect("room");
    assert_eq!(influence(&each, &clustered, None), None, "many times as many sums as rows");
    for (i, chunk) in chunks.iter().enumerate() {
        let chunk = std::slice::from_ref(chunk);
        let stratum = chunk[0].stratum;
        for (j, job) in of(stratum).enumerate() {
            let one = sample::gram(chunk, job, 3);
            grams_agree(&each_gram[i][j], &one, dtype);
            let at = jobs.partition_point(|job| job.stratum < stratum) + j;
            grams[at].merge(&one).expect("equal sizes");
        }
        for (j, job) in models_of(stratum).enumerate() {
            let one = sample::logit(chunk, job, 2);
            logits_agree(&each_logit[i][j], &one, dtype);
            let at = models.partition_point(|job| job.stratum < stratum) + j;
            logits[at].merge(&one).expect("equal sizes");
        }
        let (one, _): (_, Vec<KeptRows>) = sample::influence(chunk, &plans[stratum], consumers);
        sums_agree(&each_sums[i], &one, dtype);
        sums.merge(&one).expect("equal sizes");
        let (one, _): (_, Vec<KeptRows>) = sample::influence(chunk, &plans[stratum], clustered);
        by_cluster.merge(&one).expect("equal sizes");
    }
    let slabs = [&parts[..2], &parts[2..]]
        .map(|parts| hold::<B>(&sample, device, dtype, parts).expect("held"));
    for slabs in [vec![&chunks], slabs.iter().collect()] {
        let (mut of_grams, mut of_logits) = (None, None);
        let (mut of_sums, mut of_clusters) = (None, None);
        for slab in slabs {
            let all = Segments { chunks: slab.iter().collect(), together: true };
            of_grams = in_batches(|| gram(&all, of_grams.as_ref())).pop();
            of_logits = in_batches(|| logit(&all, of_logits.as_ref())).pop();
            of_sums = in_batches(|| influence(&all, &consumers, of_sums.as_ref())).pop();
            of_clusters = in_batches(|| influence(&all, &clustered, of_clusters.as_ref())).pop();
        }
        let of_grams = of_grams.expect("cross-products");
        of_grams.iter().zip(&grams).for_each(|(a, b)| grams_agree(a, b, dtype));
        assert_eq!(of_grams[1], Gram::zero(3, 3), "a stratum without rows");
        let of_logits = of_logits.expect("derivatives");
        of_logits.iter().zip(&logits).for_each(|(a, b)| logits_agree(a, b, dtype));
        sums_agree(&of_sums.expect("sums"), &sums, dtype);
        sums_agree(&of_clusters.expect("sums by cluster"), &by_cluster, dtype);
    }
}

/// Strata whose plans have no columns take no part, and the others' rows keep their multipliers.
pub(super) fn pass_over_plans_without_columns<B: DidBackend>(device: &B::Device, dtype: DType) {
    let sample = Sample::new(2 * TILE, 3, 14);
    let parts = [(0, 0..9), (1, 9..TILE), (2, TILE..TILE + 7), (3, TILE + 7..2 * TILE)];
    let chunks = hold::<B>(&sample, device, dtype, &parts).expect("held");
    let multipliers = Multipliers { law: Multiplier::Mammen, seed: 3, draws: 130 };
    let consumers = Consumers { clusters: None, multipliers: Some(multipliers), keep_rows: false };
    let mut plans = vec![sample.plan(); 4];
    for stratum in [0, 2] {
        plans[stratum].columns.clear();
        plans[stratum].share = None;
    }
    let mut sums = InfluenceStat::zero(sample::COLUMNS, &consumers);
    for (chunk, plan) in chunks.iter().zip(&plans) {
        let (one, _) = sample::influence(std::slice::from_ref(chunk), plan, consumers);
        sums.merge(&one).expect("equal sizes");
    }
    let influence = |chunks: &[Chunk<B>]| {
        let segments = Segments { chunks: chunks.iter().collect(), together: true };
        let whole = B::at_once().expect("all at once");
        whole
            .influence(&segments, &plans, sample::TRIM, sample::COLUMNS, &consumers, None)
            .expect("influence")
            .expect("room")
    };
    sums_agree(&influence(&chunks)[0], &sums, dtype);
    let none = InfluenceStat::zero(sample::COLUMNS, &consumers);
    assert_eq!(influence(&chunks[..1])[0].draws, none.draws);
}

/// A launch that did not run is an error, whatever is in the memory.
pub(super) fn miss_lost_launches<R: GpuRuntime>(device: &R::Device, dtype: DType) {
    let gpu = Gpu::<R>::new(device, dtype);
    let work = Launches::new(&gpu, 2);
    let _ = (work.ticket(), work.ticket());
    let result = gpu.floats(vec![1.0, 2.0]);
    let error = work.read(&[&result]).expect_err("nothing ran").to_string();
    assert!(error.contains("only 0 of 2 kernels ran") && error.contains("memory"), "{error}");
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
    grams_agree(&sample::gram(&whole, &job, 3), &sample::gram(&parts, &job, 3), dtype);
    let gamma = sample.coefficients(1, 1.0);
    let job = LogitJob { stratum: 0, x: 0, w, treated: false, gamma };
    for thinning in [1, 8] {
        let [whole, parts] = [&whole, &parts].map(|c| sample::logit(c, &job, thinning));
        logits_agree(&whole, &parts, dtype);
    }
    let multipliers = Multipliers { law: Multiplier::Mammen, seed: 3, draws: 200 };
    for consumers in sample::consumers(sample.clusters, multipliers) {
        let plan = sample.plan();
        let (whole, _) = sample::influence(&whole, &plan, consumers);
        let (parts, _) = sample::influence(&parts, &plan, consumers);
        sums_agree(&whole, &parts, dtype);
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
    let kept = crate::engine::backend::default::influence(
        &chunk,
        &plan,
        sample::TRIM,
        &consumers,
        &mut tiled,
    );
    sums_agree(&batched.0, &tiled, dtype);
    assert_eq!(batched.1, kept.expect("influence").into_iter().collect::<Vec<_>>());
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
