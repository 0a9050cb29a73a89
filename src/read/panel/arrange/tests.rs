//! A sample does not depend on how, where and in which order its frames are looked at and placed.

use std::cell::RefCell;

use polars::prelude::*;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::*;
use crate::read::panel::additive::Additive;
use crate::read::panel::fixture::{NEVER, request, roles, sent, staggered};
use crate::read::panel::frame::{Frame, Placed};
use crate::read::panel::reader::Reader;
use crate::read::panel::request::Storage;
use crate::read::panel::roles::Roles;
use crate::read::panel::rules::SampleOptions;
use crate::read::panel::stratum::StratumData;

/// What data look like.
#[derive(Clone, Copy, Debug)]
struct Kind {
    by_row: bool,
    unit_column: bool,
    text_labels: bool,
    unbalanced: bool,
    shuffled: bool,
    varying: bool,
    /// Whether all units have all values in all periods.
    complete: bool,
    seed: u64,
}

/// A row of every column of the data.
struct Row {
    unit: usize,
    t: Option<f64>,
    g: Option<f64>,
    y: Option<f64>,
    x: f64,
    f: &'static str,
    w: f64,
    cluster: usize,
}

impl Kind {
    /// Random rows, and the same rows cut into frames of whole units (of any rows, where these have no unit).
    fn data(self) -> (DataFrame, Vec<DataFrame>) {
        let mut rng = SmallRng::seed_from_u64(self.seed);
        let units = rng.random_range(4..60);
        let mut rows: Vec<Row> = (0..units).flat_map(|unit| self.unit(unit, &mut rng)).collect();
        let cuts: Vec<usize> = (1..units).filter(|_| rng.random_bool(0.2)).collect();
        let piece = |row: &Row| cuts.partition_point(|cut| *cut <= row.unit);
        if self.shuffled && self.unit_column {
            rows.shuffle(&mut rng);
        }
        let of_piece = |p: usize| -> Vec<&Row> { rows.iter().filter(|r| piece(r) == p).collect() };
        let pieces = (0..=cuts.len()).map(of_piece).filter(|rows| !rows.is_empty());
        let pieces = pieces.map(|rows| self.frame(&rows)).collect();
        (self.frame(&rows.iter().collect::<Vec<_>>()), pieces)
    }

    fn unit(self, unit: usize, rng: &mut SmallRng) -> Vec<Row> {
        let g =
            [None, Some(0.0), Some(NEVER), Some(2.0), Some(3.0), Some(9.0)][rng.random_range(0..6)];
        let (x, w) = (rng.random_range(-1.0..1.0), rng.random_range(0.5..2.0));
        let f = ["a", "b", "c"][rng.random_range(0..3)];
        let cluster = rng.random_range(0..8);
        let observed = (1..=4).map(f64::from).filter(|_| self.complete || rng.random_bool(0.95));
        let observed: Vec<f64> = observed.collect();
        let row = |t: f64| {
            let y = (self.complete || rng.random_bool(0.97)).then(|| rng.random_range(-2.0..2.0));
            let changed = self.varying && rng.random_bool(0.5);
            let x = if changed { x + 1.0 } else { x };
            let w = if changed { 2.0 * w } else { w };
            let t = (self.complete || rng.random_bool(0.99)).then_some(t);
            Row { unit, t, g, y, x, f, w, cluster }
        };
        observed.into_iter().map(row).collect()
    }

    fn frame(self, rows: &[&Row]) -> DataFrame {
        let column = |name: &str, of: fn(&Row) -> Option<f64>| {
            Column::new(name.into(), rows.iter().map(|row| of(row)).collect::<Vec<_>>())
        };
        let factors: Vec<&str> = rows.iter().map(|row| row.f).collect();
        let clusters: Vec<String> = rows.iter().map(|row| format!("c{}", row.cluster)).collect();
        let label = |row: &&Row| format!("u{:03}", row.unit);
        let units = if self.text_labels {
            Column::new("id".into(), rows.iter().map(label).collect::<Vec<_>>())
        } else {
            let ids: Vec<u64> = rows.iter().map(|row| row.unit as u64 * 7).collect();
            Column::new("id".into(), ids)
        };
        let columns = vec![
            units,
            column("t", |r| r.t),
            column("g", |r| r.g),
            column("y", |r| r.y),
            column("x", |r| Some(r.x)),
            column("w", |r| Some(r.w)),
            Column::new("f".into(), factors),
            Column::new("c".into(), clusters),
        ];
        DataFrame::new(rows.len(), columns).unwrap()
    }

    fn roles(self) -> Roles {
        Roles {
            unit: self.unit_column.then(|| "id".into()),
            weights: Some("w".into()),
            cluster: Some("c".into()),
            ..roles("~ x + f")
        }
    }

    fn options(self) -> SampleOptions {
        let (repeated_cross_sections, allow_unbalanced) = (self.by_row, self.unbalanced);
        SampleOptions { repeated_cross_sections, allow_unbalanced, ..staggered() }
    }
}

type Arranged = (Blueprint, Vec<StratumData>);

/// The blueprint and the strata of one frame, by the way that estimators take.
fn whole(df: &DataFrame, request: &Request<'_>) -> Result<Arranged> {
    let frames = Frames::whole(df, request)?;
    let DecidedSample { blueprint, rows, .. } = decide(&frames, SampleAudit::default(), request)?;
    let mut store = Store::new(blueprint.shape, &rows, Storage::Resident)?;
    fill(&frames, &blueprint, &rows, request, &mut store)?;
    match store.finish()? {
        Strata::Resident(strata) => Ok((blueprint, strata)),
        Strata::Spilled(_) => panic!("in memory"),
    }
}

/// Looks that were found in any order and sent, merged in any order and association.
fn merged<L: Additive>(mut looks: Vec<L>, rng: &mut SmallRng) -> L {
    looks.shuffle(rng);
    while looks.len() > 1 {
        let right = looks.remove(rng.random_range(1..looks.len()));
        let left = rng.random_range(0..looks.len());
        let mut left: L = sent(&looks.swap_remove(left));
        left.merge(sent(&right)).unwrap();
        looks.push(left);
    }
    looks.pop().unwrap_or_default()
}

/// Frames that are read anew for each look, know nothing of each other but what was sent, and are looked at in any order.
struct Apart<'a> {
    pieces: &'a [DataFrame],
    rng: RefCell<SmallRng>,
}

impl Apart<'_> {
    fn look<L: Additive>(
        &self,
        find: impl Fn(&Frame) -> Result<L>,
        reader: Reader<'_>,
    ) -> Result<L> {
        let look = |df| find(&Frame::new(df, reader)?);
        let looks = self.pieces.iter().map(look).collect::<Result<_>>()?;
        Ok(merged(looks, &mut self.rng.borrow_mut()))
    }
}

impl FrameSource for Apart<'_> {
    fn survey(&self, request: &Request<'_>) -> Result<Survey> {
        self.look(|frame| Ok(Survey::of(frame)), request.reader())
    }

    fn levels(&self, rules: &Rules, request: &Request<'_>) -> Result<Levels> {
        let of = |frame: &Frame| {
            Ok(Levels::of(Placed { rows: &frame.rows, grids: &frame.place(&sent(rules)) }))
        };
        self.look(of, request.reader())
    }

    fn changes(&self, rules: &Rules, levels: &Levels, request: &Request<'_>) -> Result<Changes> {
        let of = |frame: &Frame| {
            let placed = Placed { rows: &frame.rows, grids: &frame.place(&sent(rules)) };
            Changes::of(placed, &sent(levels).factors, rules.layout)
        };
        self.look(of, request.reader())
    }
}

/// As [`whole`], of frames apart.
fn apart(pieces: &[DataFrame], request: &Request<'_>, rng: &mut SmallRng) -> Result<Arranged> {
    let shown = Apart { pieces, rng: RefCell::new(rng.clone()) };
    let DecidedSample { blueprint, rows, .. } = decide(&shown, SampleAudit::default(), request)?;
    let read = |df: &DataFrame| Frame::new(df, request.reader());
    let Blueprint { rules, shape, .. } = &blueprint;
    let rows_of = |df: &DataFrame| -> Result<Vec<usize>> {
        let units = Survey::of(&read(df)?).units;
        Ok(Counts::new(&units, rules).of_strata(&rules.strata))
    };
    let mut placements = vec![Placement::first(&rules.strata, &rows)];
    for piece in pieces {
        placements.push(placements[placements.len() - 1].after(&rows_of(piece)?));
    }
    let mut strata: Vec<StratumData> = rows.iter().map(|n| shape.stratum(*n)).collect();
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.shuffle(rng);
    for piece in order {
        let (blueprint, placement) = (sent(&blueprint), sent(&placements[piece]));
        let frame = read(&pieces[piece])?;
        let grids = frame.place(&blueprint.rules);
        let placed = Placed { rows: &frame.rows, grids: &grids };
        assert_eq!(placed.rows_by_stratum(), rows_of(&pieces[piece])?);
        let filling = blueprint.filling(&frame.rows);
        for (s, grid) in grids.iter().enumerate() {
            let (rank, at) = (placement.first_rank[s], placement.start[s]);
            filling.fill(&frame.rows, grid, rank, &mut strata[s], at)?;
        }
    }
    Ok((blueprint, strata))
}

/// Everything about strata, so that no bit may differ.
fn bits(strata: &[StratumData]) -> Vec<(usize, Vec<u64>, Vec<u64>)> {
    let columns = |s: &StratumData| {
        let doubles = s.y.iter().chain(&s.x).chain(&s.w).map(|v| v.to_bits()).collect();
        let numbers = s.rank.iter().copied();
        (s.rows, doubles, numbers.chain(s.cluster.iter().map(|v| u64::from(*v))).collect())
    };
    strata.iter().map(columns).collect()
}

/// Lists of the audit have the order in which something is seen first.
fn sorted(mut blueprint: Blueprint) -> Blueprint {
    blueprint.rules.audit.rows_missing.sort();
    blueprint
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn frames_apart_have_the_strata_of_the_whole(
        flags in prop::array::uniform6(any::<bool>()),
        seed in any::<u64>(),
    ) {
        let [by_row, unit_column, text_labels, unbalanced, shuffled, varying] = flags;
        let unit_column = unit_column || !by_row;
        let complete = seed.is_multiple_of(4);
        let kind =
            Kind { by_row, unit_column, text_labels, unbalanced, shuffled, varying, complete, seed };
        let (df, pieces) = kind.data();
        let roles = kind.roles();
        let request = request(&roles, kind.options());
        let mut rng = SmallRng::seed_from_u64(seed ^ 1);
        match (whole(&df, &request), apart(&pieces, &request, &mut rng)) {
            (Ok((expected, strata)), Ok((blueprint, found))) => {
                prop_assert_eq!(sorted(blueprint), sorted(expected));
                prop_assert_eq!(bits(&found), bits(&strata));
            }
            (Err(expected), Err(found)) => {
                prop_assert_eq!(found.to_string(), expected.to_string());
            }
            (expected, found) => prop_assert!(false, "{:?} {:?}", expected.err(), found.err()),
        }
    }
}

/// The units' numbers as labels of other types, in the same order.
fn relabelled(df: &DataFrame) -> Vec<DataFrame> {
    let numbers = df.column("id").unwrap().cast(&DataType::Int64).unwrap();
    let numbers: Vec<i64> = numbers.i64().unwrap().iter().flatten().collect();
    let short: Vec<String> = numbers.iter().map(|v| format!("u{v:04}")).collect();
    let long: Vec<String> = numbers.iter().map(|v| format!("the unit of number {v:04}")).collect();
    let sparse: Vec<i64> = numbers.iter().map(|v| (v - 100) * 1_000_000_007).collect();
    let integers = Series::new("id".into(), &numbers);
    let (short, long) = (Series::new("id".into(), short), Series::new("id".into(), long));
    let mut levels: Vec<&str> = long.str().unwrap().iter().flatten().rev().collect();
    levels.extend(["unused", ""]);
    levels.sort_unstable_by(|a, b| b.cmp(a));
    levels.dedup();
    let frozen = DataType::from_frozen_categories(FrozenCategories::new(levels).unwrap());
    let categories = Categories::random(PlSmallStr::EMPTY, CategoricalPhysical::U32);
    let mut all = vec![
        short.cast(&DataType::from_categories(categories)).unwrap(),
        long.cast(&frozen).unwrap(),
        short,
        long,
        Series::new("id".into(), sparse),
    ];
    for dtype in [DataType::Int128, DataType::UInt16, DataType::Float64, DataType::UInt64] {
        all.push(integers.cast(&dtype).unwrap());
    }
    let with = |ids: Series| {
        let mut df = df.clone();
        df.with_column(ids.into_column()).unwrap();
        df
    };
    all.into_iter().map(with).collect()
}

/// The rows in other orders: those of files, and none.
fn reordered(df: &DataFrame, rng: &mut SmallRng) -> Vec<DataFrame> {
    let sorted = |by: &[&str], descending: bool| {
        let options = SortMultipleOptions::default().with_maintain_order(true);
        let options = options.with_order_descending(descending);
        df.sort(by.iter().copied(), options).unwrap()
    };
    let mut order: Vec<IdxSize> = (0..df.height() as IdxSize).collect();
    order.shuffle(rng);
    let shuffled = df.take(&IdxCa::from_vec("order".into(), order)).unwrap();
    let by = |by: &[&str]| sorted(by, false);
    let periods = shuffled.sort(["t"], SortMultipleOptions::default()).unwrap();
    let downwards = sorted(&["id", "t"], true);
    vec![
        by(&["id", "t"]),
        by(&["t", "id"]),
        by(&["g", "id", "t"]),
        by(&["t", "g", "x"]),
        by(&["c", "x", "t"]),
        downwards,
        sorted(&["t", "id"], true),
        periods,
        shuffled,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn orders_of_rows_and_types_of_labels_change_no_bit(
        flags in prop::array::uniform3(any::<bool>()),
        seed in any::<u64>(),
    ) {
        let [unbalanced, varying, complete] = flags;
        let (by_row, unit_column, text_labels, shuffled) = (false, true, false, false);
        let kind =
            Kind { by_row, unit_column, text_labels, unbalanced, shuffled, varying, complete, seed };
        let (df, _) = kind.data();
        let roles = kind.roles();
        let request = request(&roles, kind.options());
        let mut rng = SmallRng::seed_from_u64(seed ^ 2);
        let arranged = |df: &DataFrame| {
            let (blueprint, strata) = whole(df, &request).map_err(|e| std::mem::discriminant(&e))?;
            Ok::<_, std::mem::Discriminant<DidError>>((sorted(blueprint), bits(&strata)))
        };
        let expected = arranged(&df);
        for df in relabelled(&df) {
            for reordered in reordered(&df, &mut rng) {
                prop_assert_eq!(&arranged(&reordered), &expected, "{:?}", reordered.column("id"));
            }
        }
    }
}

#[test]
fn most_random_samples_are_samples() {
    let kind = |seed| Kind {
        by_row: false,
        unit_column: true,
        text_labels: false,
        unbalanced: true,
        shuffled: true,
        varying: true,
        complete: false,
        seed,
    };
    let arranged = |seed| {
        let (df, pieces) = kind(seed).data();
        let roles = kind(seed).roles();
        pieces.len() > 1 && whole(&df, &request(&roles, kind(seed).options())).is_ok()
    };
    assert!((0..40).filter(|seed| arranged(*seed)).count() > 20);
}
