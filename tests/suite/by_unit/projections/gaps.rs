//! Rows without an outcome or a covariate, which serve where these are not needed, as in R.

use burn_did::projections::{ProjectionBase, ProjectionMethod};
use burn_did::{Data, DidWarning, LocalProjections, LocalProjectionsResult};
use polars::prelude::*;

use super::dense::compare;
use super::{at, numbers, projections};
use crate::by_unit::{random, textbook};
use crate::support::but;
use crate::support::frames::{filter, floats, permutation, rows, with};

/// The frame without a column's values in rows of these numbers.
fn without(df: &DataFrame, column: &str, is_lost: impl Fn(usize) -> bool) -> DataFrame {
    let values = floats(df, column).into_iter().enumerate();
    let value = |(row, value)| if is_lost(row) { f64::NAN } else { value };
    with(df, column, values.map(value).collect())
}

/// Some outcomes and some values of each covariate are missing.
fn gapped(seed: u64) -> DataFrame {
    let df = without(&random(seed), "y", |row| row % 11 == 3);
    without(&without(&df, "x", |row| row % 9 == 4), "z", |row| row % 17 == 8)
}

fn configurations() -> Vec<LocalProjections> {
    let plain = projections(3, 2);
    let covariates = |c: &mut LocalProjections| c.covariates = vec!["x".into(), "z".into()];
    let of = |method: ProjectionMethod| but(plain.clone(), |c| c.method = method);
    vec![
        plain.clone(),
        but(plain.clone(), covariates),
        but(of(ProjectionMethod::Reweighted), |c| {
            covariates(c);
            c.weights = Some("w".into());
        }),
        but(of(ProjectionMethod::Adjusted), covariates),
        but(plain.clone(), |c| {
            covariates(c);
            c.outcome_lags = 1;
        }),
        but(plain.clone(), |c| c.base = ProjectionBase::AllBefore),
        but(plain.clone(), |c| c.base = ProjectionBase::Mean(2)),
        but(plain.clone(), |c| c.no_composition_changes = true),
        but(plain, |c| {
            (c.group, c.treatment, c.stable_periods) = (None, Some("s".into()), Some(1));
        }),
    ]
}

#[test]
fn effects_are_those_of_the_dense_program() {
    let mut compared = 0;
    for seed in 1..=6 {
        let df = gapped(seed);
        for config in configurations() {
            match config.fit(&df) {
                Ok(fit) => compared += compare(&df, &config, &fit),
                Err(error) => assert!(error.to_string().contains("no effect"), "{error}"),
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn neither_order_nor_pieces_change_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gaps.parquet");
    let df = gapped(2);
    let writer = ParquetWriter::new(std::fs::File::create(&path).unwrap());
    writer.with_row_group_size(Some(13)).finish(&mut df.clone()).unwrap();
    for config in configurations() {
        let whole = config.fit(&df).unwrap();
        let mixed = config.fit(rows(&df, &permutation(df.height(), 5))).unwrap();
        assert_eq!(numbers(&mixed), numbers(&whole));
        let config = but(config, |c| c.memory_budget = Some(64));
        let pieces = config.fit(Data::in_pieces(&path)).unwrap();
        for (a, b) in numbers(&pieces).iter().zip(numbers(&whole)) {
            assert!((a - b).abs() <= 1e-10 * (1e-3 + b.abs()), "{a} is not {b}");
        }
        assert_eq!(pieces.sample.rows_with_gaps, whole.sample.rows_with_gaps);
        assert_eq!(pieces.warnings, whole.warnings);
    }
}

#[test]
fn rows_that_serve_in_part_are_counted() {
    let df = textbook();
    let without_x = without(&df, "x", |row| row % 10 == 2);
    let without_both = without(&without_x, "y", |row| row % 20 == 2);
    let config = but(projections(2, 1), |c| c.covariates = vec!["x".into()]);
    let fit = config.fit(&without_both).unwrap();
    let columns = vec![("x".to_owned(), 54), ("y".to_owned(), 27)];
    assert!(fit.warnings.contains(&DidWarning::RowsWithGaps { rows: 54, columns }));
    assert_eq!((fit.sample.read.rows_missing, fit.sample.rows_with_gaps), (0, 54));
    assert_eq!((fit.sample.n_used(), fit.sample.n_units), (540, 90));
    let shown = fit.to_string();
    assert!(shown.contains("54 for `x`, 27 for `y`) stay: a row without a covariate"), "{shown}");
    // Without covariates only outcomes are read.
    let fit = projections(2, 1).fit(&without_x).unwrap();
    assert_eq!(fit, projections(2, 1).fit(&df).unwrap());
    // A row without a group serves nowhere.
    let lost = without(&without_both, "g", |row| row == 2 || row == 5);
    let fit = config.fit(&lost).unwrap();
    let columns = vec![("g".to_owned(), 2)];
    assert!(fit.warnings.contains(&DidWarning::DroppedRows { rows: 2, columns }));
    assert_eq!((fit.sample.read.rows_missing, fit.sample.rows_with_gaps), (2, 53));
}

/// Outcomes of every year and a covariate of every second one: event times stay years.
#[test]
fn event_times_are_those_of_all_rows() {
    let df = textbook();
    let periods = floats(&df, "t");
    let odd = without(&df, "x", |row| periods[row] % 2.0 == 1.0);
    let config = but(projections(2, 2), |c| c.covariates = vec!["x".into()]);
    let fit = config.fit(&odd).unwrap();
    assert!(compare(&odd, &config, &fit) >= 5);
    assert_eq!((fit.sample.period_length, fit.sample.n_periods), (Some(1.0), 6));
    let ranked = but(config.clone(), |c| c.rank_periods = true).fit(&odd).unwrap();
    assert_eq!(ranked.effects, fit.effects);
    // Rows that serve nowhere have no period.
    let weights: Vec<f64> =
        periods.iter().map(|t| if t % 2.0 == 1.0 { f64::NAN } else { 1.0 }).collect();
    let weighted = but(projections(2, 2), |c| c.weights = Some("w".into()));
    let fit = weighted.fit(with(&df, "w", weights)).unwrap();
    assert_eq!((fit.sample.period_length, fit.sample.n_periods), (Some(2.0), 3));
    // An outcome of every second year changes from the year before treatment to the one after its first; from rank to rank it has every change.
    let biennial = without(&df, "y", |row| periods[row] % 2.0 == 1.0);
    let by_time = projections(2, 2).fit(&biennial).unwrap();
    let estimated = by_time.effects.iter().filter(|of| of.status.is_estimated());
    // The reference among them.
    assert_eq!(estimated.map(|of| of.event_time).collect::<Vec<i64>>(), [-1, 1]);
    let ranks = but(projections(2, 2), |c| c.rank_periods = true);
    let ranked = ranks.fit(&biennial).unwrap();
    let even = ranks.fit(filter(&df, "t", |t| t % 2.0 == 0.0)).unwrap();
    assert_eq!(ranked.effects, even.effects);
    assert_eq!((ranked.sample.n_periods, ranked.sample.n_units), (3, even.sample.n_units));
    let without_outcomes = without(&df, "y", |row| periods[row] == 1.0);
    let fit = projections(2, 2).fit(&without_outcomes).unwrap();
    let later = projections(2, 2).fit(filter(&df, "t", |t| t > 1.0)).unwrap();
    let same = |a: &LocalProjectionsResult, b: &LocalProjectionsResult| {
        (-2..=2).all(|event_time| at(a, event_time) == at(b, event_time))
    };
    assert!(same(&fit, &later));
}

#[test]
fn columns_without_any_value_are_named() {
    let df = textbook();
    for column in ["x", "y"] {
        let config = but(projections(2, 1), |c| c.covariates = vec!["x".into()]);
        let error = config.fit(without(&df, column, |_| true)).unwrap_err();
        assert_eq!(error.code(), "empty_sample");
        assert!(error.to_string().contains(&format!("540 for `{column}`")), "{error}");
    }
}
