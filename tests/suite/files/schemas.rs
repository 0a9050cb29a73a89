//! Parquet files that do not agree on types: one answer, whatever the memory budget and the order of the files.

use std::path::Path;

use burn_did::backend::Cpu;
use burn_did::{AttGt, Data, DidError, GroupTimeResult, Result};
use polars::prelude::*;

use crate::support::but;
use crate::support::frames::with;
use crate::support::splitmix;

fn panel() -> DataFrame {
    splitmix::panel(11, 240, [3, 4, 6, 0])
}

fn config() -> AttGt<Cpu> {
    let config = AttGt::builder().outcome("y").unit("id").time("t").group("g");
    config.covariates("~ x1").cluster("cl").build()
}

fn cast(df: &DataFrame, column: &str, dtype: &DataType) -> DataFrame {
    let mut df = df.clone();
    df.with_column(df.column(column).unwrap().strict_cast(dtype).unwrap()).unwrap();
    df
}

fn write(folder: &Path, pieces: &[DataFrame]) {
    for (i, df) in pieces.iter().enumerate() {
        let file = std::fs::File::create(folder.join(format!("{i}.parquet"))).unwrap();
        let writer = ParquetWriter::new(file).with_row_group_size(Some(200));
        writer.finish(&mut df.clone()).unwrap();
    }
}

/// The frame in halves, of which the second has a column of another type; and the other way round.
fn fits(df: &DataFrame, column: &str, types: [&DataType; 2]) -> Vec<Result<GroupTimeResult>> {
    let half = df.height() / 2;
    let mut fits = Vec::new();
    for [a, b] in [types, [types[1], types[0]]] {
        let folder = tempfile::tempdir().unwrap();
        let halves = [df.slice(0, half), df.slice(half as i64, half)];
        write(folder.path(), &[cast(&halves[0], column, a), cast(&halves[1], column, b)]);
        for budget in [None, Some(60_000), Some(4_000_000)] {
            let config = but(config(), |c| c.memory_budget = budget);
            fits.push(config.fit(folder.path()));
            fits.push(config.fit(Data::in_pieces(folder.path())));
        }
    }
    fits
}

#[test]
fn types_of_different_kinds_are_an_error() {
    let df = panel();
    use DataType::{Float64, Int64, String};
    for (column, types) in [
        ("id", [&Int64, &String]),
        ("id", [&Int64, &Float64]),
        ("cl", [&Float64, &String]),
        ("x1", [&Float64, &String]),
        ("y", [&Float64, &Decimal]),
        ("t", [&Int64, &Float64]),
        ("g", [&Int64, &String]),
    ] {
        for fit in fits(&cast(&df, column, types[0]), column, types) {
            let error = fit.unwrap_err();
            let DidError::TypesDiffer { column: named, file, other, got, expected } = &error else {
                panic!("{column}: {error}")
            };
            assert_eq!(named, column);
            assert!(file.ends_with("1.parquet") && other.ends_with("0.parquet"), "{error}");
            assert_ne!(got, expected);
        }
    }
}

#[expect(non_upper_case_globals, reason = "stands among types")]
const Decimal: DataType = DataType::Decimal(20, 6);

#[test]
fn widths_of_one_kind_are_read_as_the_widest() {
    let df = panel();
    use DataType::{Float32, Float64, Int32, Int64, Null, UInt32};
    let single = cast(&cast(&df, "x1", &Float32), "x1", &Float64);
    let whole = cast(&cast(&cast(&df, "id", &Int64), "t", &Int64), "g", &Int64);
    for (df, column, types) in [
        (&whole, "id", [&Int64, &Int32]),
        (&whole, "id", [&Int64, &UInt32]),
        (&whole, "t", [&Int32, &Int64]),
        (&whole, "g", [&UInt32, &Int64]),
        (&single, "x1", [&Float64, &Float32]),
    ] {
        let expected = config().fit(df).unwrap();
        for fit in fits(df, column, types) {
            let fit = fit.unwrap_or_else(|e| panic!("{column}: {e}"));
            assert_eq!((fit.cells, fit.settings.n_units), (expected.cells.clone(), 240));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let half = df.height() / 2;
    let mut empty = df.slice(half as i64, half);
    empty.with_column(Column::full_null("x1".into(), empty.height(), &Null)).unwrap();
    write(
        folder.path(),
        &[empty.clone(), df.slice(0, half), cast(&df, "id", &DataType::String).clear()],
    );
    let expected = config().fit(df.slice(0, half)).unwrap();
    let fit = config().fit(Data::in_pieces(folder.path())).unwrap();
    assert_eq!(fit.cells, expected.cells);
    assert_eq!(fit.audit.rows_missing, [("x1".to_owned(), half)]);
}

/// Each half has an enum of its own categories, as partitions have that were written one by one.
#[test]
fn enums_of_other_categories_are_text() {
    let df = cast(&cast(&panel(), "cl", &DataType::Int64), "cl", &DataType::String);
    let expected = config().fit(&df).unwrap();
    let clusters = |part: &DataFrame| {
        let names = part.column("cl").unwrap().unique().unwrap();
        let names = names.str().unwrap().iter().flatten().map(str::to_owned);
        names.collect::<Vec<String>>()
    };
    let as_enum = |part: &DataFrame| {
        let names = clusters(part);
        let names = FrozenCategories::new(names.iter().map(String::as_str)).unwrap();
        cast(part, "cl", &DataType::from_frozen_categories(names))
    };
    let half = df.height() / 2;
    let [first, second] = [df.slice(0, half), df.slice(half as i64, half)];
    for (first, second) in [
        (as_enum(&first), as_enum(&second)),
        (as_enum(&first), second.clone()),
        (first.clone(), as_enum(&second)),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[first, second]);
        for data in [Data::from(folder.path()), Data::in_pieces(folder.path())] {
            let fit = config().fit(data).unwrap();
            assert_eq!(
                (&fit.cells, fit.settings.n_clusters),
                (&expected.cells, expected.settings.n_clusters)
            );
        }
    }
}

#[test]
fn large_labels_in_some_pieces_do_not_change_the_others() {
    let df = panel();
    let label = |v: u64| if v.is_multiple_of(7) { u64::MAX - v } else { v + 9 };
    for column in ["cl", "id"] {
        let values: Vec<u64> = crate::support::frames::floats(&df, column)
            .into_iter()
            .map(|v| label(v as u64))
            .collect();
        let df = with(&df, column, values);
        let expected = config().fit(&df).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let pieces: Vec<DataFrame> =
            (0..df.height()).step_by(90).map(|start| df.slice(start as i64, 90)).collect();
        write(folder.path(), &pieces);
        for budget in [None, Some(60_000), Some(400_000)] {
            let config = but(config(), |c| c.memory_budget = budget);
            let fit = config.fit(Data::in_pieces(folder.path())).unwrap();
            assert_eq!(
                (&fit.cells, fit.vcov().unwrap()),
                (&expected.cells, expected.vcov().unwrap()),
                "{column}"
            );
            assert_eq!(fit.settings.n_clusters, expected.settings.n_clusters);
        }
    }
}

#[test]
fn rows_in_errors_are_rows_of_the_files() {
    let df = panel();
    let mut g = crate::support::frames::floats(&df, "g");
    g[1_003] = -5.0;
    let df = with(&df, "g", g);
    let reversed = df.reverse();
    for (df, row) in [(&df, 1_003), (&reversed, df.height() - 1 - 1_003)] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[df.slice(0, 500), df.slice(500, usize::MAX)]);
        for budget in [None, Some(20_000)] {
            let config = but(config(), |c| c.memory_budget = budget);
            let error = config.fit(Data::in_pieces(folder.path())).unwrap_err();
            assert!(
                matches!(error, DidError::Negative { role: "group", row: found, .. } if found == row),
                "{error}"
            );
        }
    }
}
