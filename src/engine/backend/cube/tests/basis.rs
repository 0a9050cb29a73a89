//! Sums of designs without covariates, which are mapped from those of a basis in double precision.

use burn::tensor::DType;

use super::in_batches;
use super::kernels::{LAWS, hold, sums_agree};
use crate::base::options::Multiplier;
use crate::engine::backend::sample::{self, COLUMNS, Sample};
use crate::engine::backend::{Cpu, DidBackend, Segments};
use crate::engine::pass::{
    Chunk, Consumers, InfluenceStat, Leg, Multipliers, PlanColumn, SEGMENT, Share, Stat,
    StratumPlan, TILE, Weight,
};

const PERIODS: usize = 5;

/// Outcomes of some periods and no covariates.
fn sample(rows: usize) -> Sample {
    let three = Sample::new(rows, 1, 3);
    let two = Sample::new(rows, 1, 4);
    let y = three.y.iter().chain(&two.y).take(PERIODS * rows).copied().collect();
    Sample { periods: PERIODS, versions: 1, y, ..three }
}

/// Changes or levels with one weight in `count` columns, the last the share.
pub(super) fn plan(w: Weight, levels: bool, count: usize) -> StratumPlan {
    let leg = |i: usize| Leg {
        post: (i + 1) % PERIODS,
        base: (!levels).then_some((i + i / PERIODS % 3 + 2) % PERIODS),
        w,
        c: (i as f64 * 0.9).sin(),
        f: (i as f64 * 0.4).cos() / 10.0,
        ..Leg::default()
    };
    let columns = (0..count - 1).map(|j| {
        let legs = if j % 4 == 0 { vec![leg(j), leg(j + 5)] } else { vec![leg(j)] };
        PlanColumn { column: COLUMNS - 1 - j, legs }
    });
    let share = Some(Share { column: 0, w, scale: 0.02 });
    StratumPlan { columns: columns.collect(), share, ..StratumPlan::default() }
}

fn consumers(law: Multiplier, draws: usize) -> Consumers {
    let multipliers = (draws > 0).then_some(Multipliers { law, seed: 5, draws });
    Consumers { clusters: None, multipliers, keep_rows: false }
}

/// All chunks at once, and how many launches they took.
fn at_once<B: DidBackend>(
    chunks: &[Chunk<B>],
    dtype: DType,
    together: bool,
    plans: &[StratumPlan],
    consumers: &Consumers,
) -> (Vec<InfluenceStat>, u64) {
    let whole = B::at_once().expect("all at once");
    let segments = Segments { chunks: chunks.iter().collect(), together };
    let sums = in_batches(|| {
        let _ = whole.work();
        let sums = whole.influence(&segments, plans, sample::TRIM, COLUMNS, consumers, None);
        sums.expect("sums")
    });
    let _ = whole.work();
    let once = whole.influence(&segments, plans, sample::TRIM, COLUMNS, consumers, None);
    let launches = whole.work().launches;
    let once = once.expect("sums").expect("room");
    once.iter().zip(&sums).for_each(|(once, sums)| sums_agree(once, sums, dtype));
    (sums, launches)
}

/// The chunks one by one, added in order.
fn one_by_one<B: DidBackend>(
    chunks: &[Chunk<B>],
    plans: &[StratumPlan],
    consumers: Consumers,
) -> InfluenceStat {
    let mut sums = InfluenceStat::zero(COLUMNS, &consumers);
    for chunk in chunks {
        let plan = &plans[chunk.stratum];
        let (one, _) = sample::influence(std::slice::from_ref(chunk), plan, consumers);
        sums.merge(&one).expect("equal sizes");
    }
    sums
}

/// At once, chunk by chunk, in batches and on the host: strata of many weights, and one without columns.
pub(super) fn agree_with_the_host<B: DidBackend>(device: &B::Device, dtype: DType, tolerance: f64) {
    let ends = [TILE + 5, TILE + 9, TILE + 80, TILE + 90 + SEGMENT + 2 * TILE];
    let sample = sample(ends[3]);
    let parts = [
        (0, 0..ends[0]),
        (1, ends[0]..ends[1]),
        (2, ends[1]..ends[2]),
        (3, ends[2]..ends[2] + SEGMENT),
        (3, ends[2] + SEGMENT..ends[3]),
    ];
    let plans = [
        plan(Weight::Column(0), false, COLUMNS),
        plan(Weight::Ones, true, 8),
        StratumPlan::default(),
        plan(Weight::Product(0, 1), false, 6),
    ];
    let here = hold::<B>(&sample, device, dtype, &parts).expect("held");
    let host = parts.clone().map(|(stratum, range)| Chunk {
        stratum,
        rank: range.clone().map(|i| i as u64 * 3 + 1).collect(),
        ..sample.chunk::<Cpu>(&Default::default(), DType::F64, range)
    });
    for (law, draws) in [(LAWS[0], 0), (LAWS[0], 130), (LAWS[1], 600), (LAWS[2], 40)] {
        let consumers = consumers(law, draws);
        let (together, launches) = at_once(&here, dtype, true, &plans, &consumers);
        let expected = match (dtype, draws) {
            (_, 0) => 3,
            (DType::F64, _) => 6,
            _ => 5,
        };
        assert_eq!(launches, expected);
        let each = one_by_one(&here, &plans, consumers);
        sums_agree(&together[0], &each, dtype);
        let (alone, _) = at_once(&here, dtype, false, &plans, &consumers);
        for (chunk, alone) in here.iter().zip(&alone) {
            sums_agree(alone, &one_by_one(std::slice::from_ref(chunk), &plans, consumers), dtype);
        }
        let on_host = one_by_one(&host, &plans, consumers);
        for (a, b) in [(&each.cross, &on_host.cross), (&each.draws, &on_host.draws)] {
            let distance = sample::distance(a, b);
            assert!(distance < tolerance, "{law:?}, {draws} draws: {distance}");
        }
    }
}

/// Far from zero the squares of a basis lose what varies; the influence values do not. In single precision neither has it.
pub(super) fn are_formed_from_values_where_terms_cancel<B: DidBackend>(
    device: &B::Device,
    dtype: DType,
) {
    if dtype != DType::F64 {
        return;
    }
    let rows = 3 * TILE;
    let level = 2f64.powi(27);
    let spread = |i: usize| if i / TILE == 1 { 1.0 } else { 2f64.powi(22) };
    let y = |i: usize| level + spread(i) * (i as f64 * 0.37).sin();
    let sample = Sample { periods: 1, y: (0..rows).map(y).collect(), ..Sample::new(rows, 1, 3) };
    // Powers of two, so that nothing is rounded but in the sums.
    let column = |j: i32| {
        let c = 2f64.powi(j);
        let f = if j == 3 { 0.0 } else { -c * level };
        let legs = vec![Leg { c, f, ..Leg::default() }];
        PlanColumn { column: usize::try_from(j).expect("small"), legs }
    };
    let plans = [StratumPlan { columns: (0..4).map(column).collect(), ..StratumPlan::default() }];
    let consumers = consumers(Multiplier::Mammen, 130);
    let chunks = |length: usize| sample.chunks::<B>(device, dtype, 0..rows, length);
    let (whole, _) = sample::influence(&chunks(rows), &plans[0], consumers);
    let (tiles, _) = sample::influence(&chunks(TILE), &plans[0], consumers);
    assert_eq!(whole, tiles);
    let held = hold::<B>(&sample, device, dtype, &[(0, 0..rows)]).expect("held");
    let (at_once, launches) = at_once(&held, dtype, true, &plans, &consumers);
    assert_eq!((&at_once[0], launches), (&whole, 6 + 9), "without the values, then with them");
    let host = sample.chunks::<Cpu>(&Default::default(), DType::F64, 0..rows, TILE);
    for (tile, chunk) in chunks(TILE).into_iter().enumerate() {
        let (sums, _) = sample::influence(&[chunk], &plans[0], consumers);
        let (expected, _) = sample::influence(&host[tile..=tile], &plans[0], consumers);
        for j in 0..4 {
            let of = |stat: &InfluenceStat| stat.draws[j * 130..(j + 1) * 130].to_vec();
            let distance = sample::distance(&of(&sums), &of(&expected));
            assert!(distance < 1e-10, "tile {tile}, column {j}: {distance}");
            let (a, b) = (sums.cross[j * COLUMNS + j], expected.cross[j * COLUMNS + j]);
            assert!((a / b - 1.0).abs() < 1e-10, "tile {tile}, column {j}: {a} {b}");
        }
    }
}
