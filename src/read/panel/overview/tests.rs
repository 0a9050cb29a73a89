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
