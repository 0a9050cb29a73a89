use polars::prelude::*;

use super::cells::CellTable;
use super::*;
use crate::read::columns::MissingValues;

/// Of the outcome, and of its changes.
const SHIFTS: [f64; 2] = [1.0, 0.0];

fn columns() -> PanelColumns {
    PanelColumns {
        unit: Some("id".into()),
        time: "t".into(),
        group: Some("g".into()),
        treatment: None,
        outcome: Some("y".into()),
        weights: None,
        cluster: Some("c".into()),
        covariates: Vec::new(),
        frequency: None,
        keeps_gaps: false,
        base: None,
        most_patterns: usize::MAX,
        moments: Moments::Errors,
        changes: true,
    }
}

fn frame() -> DataFrame {
    df!(
        "id" => [1, 1, 2, 2, 3, 3],
        "t" => [1, 2, 1, 2, 2, 3],
        "g" => [2, 2, 0, 0, 3, 3],
        "y" => [1.0, 2.5, 0.0, 0.5, 7.0, f64::NAN],
        "c" => ["a", "a", "b", "b", "a", "a"],
    )
    .unwrap()
}

fn arranged(df: &DataFrame) -> UnitRows {
    UnitRows::new(df, &columns(), &MissingValues::default(), None).unwrap()
}

fn whole() -> Overview {
    let mut overview = Overview::default();
    overview.add(&arranged(&frame()), &columns(), &SHIFTS).unwrap();
    overview
}

#[test]
fn changes_are_from_the_period_before() {
    let overview = whole();
    let cells = &overview.found.cells;
    assert_eq!(
        (overview.group_values(), overview.periods()),
        (&[2.0, 3.0, f64::INFINITY][..], &[1.0, 2.0, 3.0][..])
    );
    let change =
        |g: usize, t: usize| (cells.at(g, t).sums[1].rows, cells.mean(&cells.at(g, t).sums[1], 1));
    assert_eq!(
        [change(0, 1), change(2, 1), change(1, 1)],
        [(1, Some(1.5)), (1, Some(0.5)), (0, None)]
    );
    assert_eq!(cells.mean(&cells.at(1, 1).sums[0], 0), Some(7.0));
}

#[test]
fn frames_of_whole_units_add_up() {
    let mut parts = Overview::default().of_periods(vec![1.0, 2.0, 3.0]);
    for (start, rows) in [(0, 2), (2, 2), (4, 2)] {
        let df = frame().slice(start, rows);
        parts.add(&arranged(&df), &columns(), &SHIFTS).unwrap();
    }
    let whole = whole();
    assert_eq!(parts.found.groups, whole.found.groups);
    assert_eq!(parts.found.units, whole.found.units);
    assert_eq!((parts.rows, parts.incomplete, &parts.missing), (6, 1, &whole.missing));
    for (g, t) in [(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)] {
        let (a, b) = (&parts.found.cells, &whole.found.cells);
        assert_eq!(a.at(g, t).rows, b.at(g, t).rows);
        assert_eq!(a.mean(&a.at(g, t).sums[0], 0), b.mean(&b.at(g, t).sums[0], 0));
    }
}

#[test]
fn too_many_cells_are_refused() {
    let values = |n: usize| (0..n).map(|v| v as f64).collect::<Vec<f64>>();
    let error = CellTable::new(values(5_000), values(5_000), &[0.0], Moments::Means)
        .unwrap_err()
        .to_string();
    assert!(error.contains("5000 groups, 5000 periods"), "{error}");
}

#[test]
fn patterns_are_kept_as_far_as_they_are_asked_for() {
    let with = |most_patterns| {
        let mut overview = Overview::default();
        let columns = PanelColumns { most_patterns, ..columns() };
        overview.add(&arranged(&frame()), &columns, &SHIFTS).map(|()| overview)
    };
    assert_eq!(with(3).unwrap().units().count(), 3);
    let error = with(2).unwrap_err();
    assert!(matches!(error, DidError::Config { option: "by_cohort", .. }), "{error}");
    assert!(error.to_string().contains("3 patterns or more"), "{error}");
    let none = with(0).unwrap();
    assert_eq!((none.units().count(), none.found.groups.iter().map(|g| g.units).sum()), (0, 3));
}

/// Numbers without an order, of sizes that differ.
fn odd(seed: u64) -> f64 {
    let bits = (seed + 1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(29)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// A panel with weights, in the order of its units.
fn panel(units: u64) -> DataFrame {
    let rows = || (0..units).flat_map(|unit| (1..=5).map(move |period| (unit, period)));
    let column = |of: &dyn Fn(u64, u64) -> f64| -> Vec<f64> {
        rows().map(|(unit, period)| of(unit, period)).collect()
    };
    let y = column(&|unit, period| (12.0 * odd(7 * unit + period)).exp() - 1e3 * odd(unit));
    df!(
        "id" => column(&|unit, _| unit as f64),
        "t" => column(&|_, period| period as f64),
        "g" => column(&|unit, _| [0.0, 3.0, 4.0][unit as usize % 3]),
        "y" => y,
        "w" => column(&|unit, period| [1.0, 0.3, 2.0 * odd(unit ^ period)][unit as usize % 3]),
        "c" => column(&|unit, _| (unit % 40) as f64),
    )
    .unwrap()
}

/// Cells, groups and counts of units to the last bit, in whatever parts of whole units and in whatever order of these.
#[test]
fn parts_and_their_order_change_no_bit() {
    let df = panel(300);
    for weights in [None, Some("w".to_owned())] {
        let base = Some(BasePeriod::default());
        let columns = PanelColumns { weights, base, ..columns() };
        let of = |df: &DataFrame| {
            let rows = UnitRows::new(df, &columns, &MissingValues::default(), None).unwrap();
            Overview::of(&rows, &columns, &SHIFTS, Some(&[1.0, 2.0, 3.0, 4.0, 5.0])).unwrap()
        };
        let whole = of(&df).found;
        for units in [3, 40, 200] {
            let starts = (0..df.height()).step_by(5 * units);
            let parts: Vec<Overview> =
                starts.map(|row| of(&df.slice(row as i64, 5 * units))).collect();
            for backwards in [false, true] {
                let mut all = Overview::default();
                let mut ordered: Vec<&Overview> = parts.iter().collect();
                if backwards {
                    ordered.reverse();
                }
                for part in ordered {
                    all.merge(part.clone()).unwrap();
                }
                assert_eq!(all.found, whole, "{units} units, backwards: {backwards}");
                let (own, other) = (&all.found.cells, &whole.cells);
                for (g, t) in (0..3).flat_map(|g| (0..5).map(move |t| (g, t))) {
                    for (own, other) in own.at(g, t).sums.iter().zip(&other.at(g, t).sums) {
                        let numbers = |sums: &Sums| {
                            [sums.mean(), sums.variance(), sums.standard_error()]
                                .map(|number| number.map(f64::to_bits))
                        };
                        assert_eq!(numbers(own), numbers(other));
                    }
                }
            }
        }
    }
}

/// Those of the first units that have any, however few a frame has.
#[test]
fn first_values_are_those_of_all_frames() {
    let df = panel(60);
    let whole = arranged(&df).first_values();
    for rows in [5, 40, 150] {
        let mut parts = FirstValues::default();
        let starts = (0..df.height()).step_by(rows);
        starts.for_each(|row| parts.append(arranged(&df.slice(row as i64, rows)).first_values()));
        assert!(parts.are_all());
        assert_eq!(parts, whole);
        assert_eq!(parts.shifts(&columns()), whole.clone().shifts(&columns()));
    }
}

/// What is said of columns does not depend on which frame says it first.
#[test]
fn columns_are_named_in_their_order() {
    let columns = PanelColumns { covariates: vec!["x".into(), "z".into()], ..columns() };
    let mut overview = Overview {
        missing: ["z", "x", "y", "t"].map(|name| (name.to_owned(), 1)).to_vec(),
        rounded: ["x".into(), "y".into()].to_vec(),
        ..Overview::default()
    };
    overview.finish(&columns);
    let named: Vec<&str> = overview.missing.iter().map(|(name, _)| &**name).collect();
    assert_eq!(named, ["t", "y", "x", "z"]);
    assert_eq!(overview.rounded, ["y", "x"]);
}
