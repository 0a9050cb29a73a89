//! What is refused, and in which words.

use burn_did::twfe::TwfeCells;
use burn_did::{DidError, DidWarning};
use polars::prelude::*;

use super::{bacon, random, weights};
use crate::support::but;
use crate::support::frames::{floats, rows, with};

/// The messages of both.
fn both(df: &DataFrame) -> [DidError; 2] {
    [bacon().fit(df).unwrap_err(), weights().fit(df).unwrap_err()]
}

#[track_caller]
fn says(error: &DidError, words: &[&str]) {
    let message = error.to_string();
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn two_rows_of_a_unit_in_a_period_are_refused() {
    let df = random(1).frame();
    let twice: Vec<usize> = (0..df.height()).chain([3]).collect();
    for error in both(&rows(&df, &twice)) {
        assert_eq!(error.code(), "panel");
        says(
            &error,
            &["1 unit has two rows in a period (column `id`)", "0 in 4", "`panel::deduplicate`"],
        );
    }
}

#[test]
fn treatment_that_turns_off_is_refused() {
    let df = random(1).frame();
    let mut g = floats(&df, "g");
    g[0] += 1.0;
    for error in both(&with(&df, "g", g)) {
        assert_eq!(error.code(), "time_varying");
        says(&error, &["`g`", "unit 0", "irreversible"]);
    }
    // A status in place of the first treated period.
    let status = with(&df, "g", floats(&df, "d"));
    for error in both(&status) {
        says(&error, &["treatment status of 0 and 1", "panel first-treated"]);
    }
}

#[test]
fn an_unbalanced_panel_is_refused_by_the_decomposition_and_named_by_the_weights() {
    let design = random(3);
    let df = design.unbalanced();
    let error = bacon().fit(&df).unwrap_err();
    says(&error, &["balanced", "units (column `id`) have no complete row", "panel balance"]);
    let warns = |cells| {
        let mut config = weights();
        config.cells = cells;
        let is =
            |w: &DidWarning| matches!(w, DidWarning::CohortsInPlaceOfUnits { units } if *units > 0);
        config.fit(&df).unwrap().warnings.iter().any(is)
    };
    assert!(warns(TwfeCells::Cohort) && !warns(TwfeCells::Unit));
    // A missing outcome is a gap, and is said to be one.
    let df = design.frame();
    let mut y = floats(&df, "y");
    y[4] = f64::NAN;
    let df = with(&df, "y", y);
    says(&bacon().fit(&df).unwrap_err(), &["1 of", "1 row lacks a value of y"]);
    let fit = weights().fit(&df).unwrap();
    assert_eq!(fit.settings.read.rows_missing, 1);
    assert!(fit.warnings.iter().any(|w| matches!(w, DidWarning::DroppedRows { rows: 1, .. })));
}

#[test]
fn a_treatment_that_effects_determine_is_refused() {
    let df = random(2).frame();
    for group in [0.0, 1.0, 2.0] {
        let same = with(&df, "g", vec![group; df.height()]);
        for error in both(&same) {
            assert_eq!(error.code(), "panel");
            says(&error, &["determine the treatment", "never treated"]);
        }
    }
    let (time, group) = (floats(&df, "t"), floats(&df, "g"));
    let treated = time.iter().zip(&group).map(|(t, g)| f64::from(*g > 0.0 && t >= g));
    let own = with(&df, "own", treated.collect::<Vec<f64>>());
    let controlled = but(weights(), |c| c.covariates = vec!["own".into()]);
    says(&controlled.fit(&own).unwrap_err(), &["the covariates (own)", "leave out covariates"]);
}

#[test]
fn columns_and_options_out_of_place_are_named() {
    let df = random(2).frame();
    let mut config = bacon();
    config.alpha = 0.0;
    assert!(matches!(config.fit(&df), Err(DidError::Config { option: "alpha", .. })));
    config.alpha = 0.05;
    config.cluster = Some("d".into());
    says(&config.fit(&df).unwrap_err(), &["`d` (cluster)", "stay in one cluster"]);
    let one = with(&df, "cl", vec![1.0; df.height()]);
    config.cluster = Some("cl".into());
    assert!(matches!(config.fit(&one), Err(DidError::TooFewClusters { clusters: 1, .. })));
    config.outcome = "yy".into();
    assert!(matches!(config.fit(&df), Err(DidError::ColumnNotFound { .. })));

    let mut config = weights();
    let text: Vec<String> = floats(&df, "x").iter().map(|x| format!("about {x:.0}")).collect();
    config.covariates = vec!["word".into()];
    let error = config.fit(with(&df, "word", text)).unwrap_err();
    says(&error, &["`word` (covariate)", "an indicator for each text"]);
    config.covariates.clear();
    config.weights = Some("w".into());
    let none = with(&df, "w", vec![0.0; df.height()]);
    for cells in [TwfeCells::Cohort, TwfeCells::Unit] {
        config.cells = cells;
        assert!(matches!(config.fit(&none), Err(DidError::Weights { .. })));
    }
    let negative = with(&df, "w", vec![-1.0; df.height()]);
    assert!(matches!(config.fit(&negative), Err(DidError::Negative { .. })));
    let one = with(&df, "t", vec![1.0; df.height()]);
    assert!(weights().fit(&one).is_err());
    let large = with(&df, "x", floats(&df, "x").iter().map(|x| 1e300 * x).collect::<Vec<_>>());
    let controlled = but(weights(), |c| c.covariates = vec!["x".into()]);
    says(&controlled.fit(&large).unwrap_err(), &["column `x` reaches"]);
}

#[test]
fn controls_that_depend_on_others_are_left_out_and_named() {
    let df = random(5).frame();
    let twice = with(&df, "x2", floats(&df, "x").iter().map(|x| 2.0 * x).collect::<Vec<_>>());
    let constant = with(&twice, "id2", floats(&df, "id"));
    for cells in [TwfeCells::Cohort, TwfeCells::Unit] {
        let mut config = weights();
        config.cells = cells;
        config.covariates = ["x", "x2", "id2"].map(String::from).into();
        let fit = config.fit(&constant).unwrap();
        let columns = vec!["x2".to_owned(), "id2".to_owned()];
        assert!(fit.warnings.contains(&DidWarning::CollinearRegressors { columns }));
        config.covariates.truncate(1);
        let alone = config.fit(&constant).unwrap();
        assert!((fit.coefficient - alone.coefficient).abs() < 1e-9);
    }
}
