//! What is refused, and in which words.

use burn_did::options::ControlGroup;
use burn_did::projections::{ProjectionBase, ProjectionMethod};
use burn_did::{DidError, DidWarning, LocalProjections};
use polars::prelude::*;

use super::{at, projections};
use crate::by_unit::{random, textbook};
use crate::support::but;
use crate::support::frames::{filter, floats, map, rows, with};

#[track_caller]
fn says(error: &DidError, words: &[&str]) {
    let message = error.to_string();
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

/// The change to event time -2 is minus the lagged change.
#[test]
fn changes_that_lagged_changes_add_up_to_have_no_effect() {
    for method in
        [ProjectionMethod::Variance, ProjectionMethod::Reweighted, ProjectionMethod::Adjusted]
    {
        let lagged = but(projections(3, 1), |c| (c.method, c.outcome_lags) = (method, 1));
        let fit = lagged.fit(textbook()).unwrap();
        assert_eq!(at(&fit, -2), (None, None), "{method:?}");
        assert!(fit.to_string().contains("own lagged changes"), "{method:?}");
        assert!(at(&fit, 0).1.is_some(), "{method:?}");
    }
}

#[test]
fn options_that_do_not_go_together_are_named() {
    let refused = |change: &dyn Fn(&mut LocalProjections), words: &[&str]| {
        let error = but(projections(2, 2), |c| change(c)).fit(textbook()).unwrap_err();
        assert_eq!(error.code(), "config");
        says(&error, words);
    };
    refused(&|c| c.group = None, &["`group`", "treatment"]);
    refused(&|c| c.treatment = Some("d".into()), &["`treatment`", "left out"]);
    refused(&|c| c.alpha = 1.0, &["`alpha`"]);
    refused(&|c| c.post_window = 1_000_000, &["`post_window`", "10000"]);
    refused(&|c| c.base = ProjectionBase::Mean(0), &["`base`"]);
    refused(&|c| c.stable_periods = Some(2), &["`stable_periods`", "`treatment`"]);
    let switching = |c: &mut LocalProjections| {
        (c.group, c.treatment, c.stable_periods) = (None, Some("s".into()), Some(1));
    };
    refused(
        &|c| {
            switching(c);
            c.base = ProjectionBase::AllBefore;
        },
        &["`base`", "stable_periods", "max"],
    );
    refused(
        &|c| {
            switching(c);
            c.stable_periods = Some(0);
        },
        &["`stable_periods`", "between 1"],
    );
}

#[test]
fn rows_that_are_no_panel_are_refused() {
    let df = random(1);
    let config = projections(2, 1);
    let twice: Vec<usize> = (0..df.height()).chain([3]).collect();
    says(&config.fit(rows(&df, &twice)).unwrap_err(), &["two rows", "panel deduplicate"]);
    let mut g = floats(&df, "g");
    g[0] += 1.0;
    let error = config.fit(with(&df, "g", g)).unwrap_err();
    assert_eq!(error.code(), "time_varying");
    says(&error, &["`g`", "irreversible"]);
    let clustered = but(config.clone(), |c| c.cluster = Some("t".into()));
    says(&clustered.fit(&df).unwrap_err(), &["`t` (cluster)", "stay in one cluster"]);
    let one = with(&df, "cl", vec![1.0; df.height()]);
    let clustered = but(config.clone(), |c| c.cluster = Some("cl".into()));
    assert!(matches!(clustered.fit(one), Err(DidError::TooFewClusters { clusters: 1, .. })));
    let text: Vec<String> = floats(&df, "x").iter().map(|x| format!("about {x:.0}")).collect();
    let worded = but(config.clone(), |c| c.covariates = vec!["word".into()]);
    says(&worded.fit(with(&df, "word", text)).unwrap_err(), &["`word` (covariate)", "indicator"]);
    let weighted = but(config.clone(), |c| c.weights = Some("w".into()));
    let none = with(&df, "w", vec![0.0; df.height()]);
    assert!(matches!(weighted.fit(none), Err(DidError::Weights { .. })));
    let negative = with(&df, "w", vec![-1.0; df.height()]);
    assert!(matches!(weighted.fit(negative), Err(DidError::Negative { .. })));
    let lost = but(config.clone(), |c| c.outcome = "yy".into());
    assert!(matches!(lost.fit(&df), Err(DidError::ColumnNotFound { .. })));
    assert!(config.fit(with(&df, "t", vec![1.0; df.height()])).is_err());
    let huge = map(&df, "y", |y| y * 1e308);
    assert!(config.fit(huge).is_err());
}

#[test]
fn treatments_that_end_or_have_doses_are_refused_without_the_option() {
    let df = random(3);
    let config = but(projections(2, 1), |c| (c.group, c.treatment) = (None, Some("s".into())));
    says(&config.fit(&df).unwrap_err(), &["`s` (treatment) goes back to 0", "stable_periods"]);
    let config = but(config, |c| c.stable_periods = Some(1));
    assert!(config.fit(&df).is_ok());
    let doses = map(&df, "s", |s| 2.0 * s);
    says(&config.fit(doses).unwrap_err(), &["must be 0 or 1", "has 2", "DidMultiplegt"]);
}

#[test]
fn periods_that_are_not_even_need_ranks() {
    let df = textbook();
    let uneven = map(&df, "t", |t| t * t);
    let uneven = map(&uneven, "g", |g| g * g);
    let config = projections(2, 1);
    says(&config.fit(&uneven).unwrap_err(), &["not evenly spaced", "`t`", "--rank-periods"]);
    let ranked = but(config.clone(), |c| c.rank_periods = true).fit(&uneven).unwrap();
    assert_eq!(ranked.effects, config.fit(&df).unwrap().effects);
    assert!(ranked.to_string().contains("event times count observed periods"));
    // A period that nobody is observed in is a gap, and groups between periods start with the next.
    let gap = filter(&df, "t", |t| t != 2.0);
    let gapped = config.fit(&gap).unwrap();
    let counted = but(config.clone(), |c| c.rank_periods = true).fit(&gap).unwrap();
    assert_ne!(at(&gapped, 0), at(&counted, 0));
    let between = map(&df, "g", |g| if g == 4.0 { 3.5 } else { g });
    assert_eq!(config.fit(&between).unwrap().effects, config.fit(&df).unwrap().effects);
    let late = map(&df, "g", |g| if g == 0.0 { 9.0 } else { g });
    assert_eq!(config.fit(&late).unwrap().effects, config.fit(&df).unwrap().effects);
}

#[test]
fn nothing_to_compare_is_an_error_with_its_reason() {
    let df = textbook();
    let config = projections(2, 1);
    for group in [0.0, 1.0] {
        let none = with(&df, "g", vec![group; df.height()]);
        let error = config.fit(&none).unwrap_err();
        assert_eq!(error.code(), "empty_window");
        says(&error, &["no unit's treatment starts", "`g`"]);
    }
    let all = with(&df, "g", vec![3.0; df.height()]);
    says(&config.fit(&all).unwrap_err(), &["no effect", "start in 3", "no controls"]);
    let long = but(config.clone(), |c| c.base = ProjectionBase::Mean(99));
    says(&long.fit(&df).unwrap_err(), &["all 99 periods before", "(`base`)", "of fewer periods"]);
    let lagged = but(config.clone(), |c| c.outcome_lags = 9);
    says(&lagged.fit(&df).unwrap_err(), &["all 10 periods before", "fewer lagged changes"]);
    let treated = filter(&df, "g", |g| g > 0.0);
    let never = but(config, |c| c.control_group = ControlGroup::NeverTreated);
    says(&never.fit(&treated).unwrap_err(), &["nobody is never treated", "control_group"]);
}

#[test]
fn what_is_left_out_or_unsure_is_said() {
    let df = textbook();
    let x: Vec<f64> = floats(&df, "x");
    let df = with(&df, "twice", x.iter().map(|x| 2.0 * x).collect::<Vec<f64>>());
    let df = with(&df, "period", floats(&df, "t"));
    for method in
        [ProjectionMethod::Variance, ProjectionMethod::Reweighted, ProjectionMethod::Adjusted]
    {
        let mut config = projections(2, 1);
        config.method = method;
        config.covariates = ["x", "twice", "period"].map(String::from).into();
        let fit = config.fit(&df).unwrap();
        let columns = vec!["twice".to_owned(), "period".to_owned()];
        assert!(fit.warnings.contains(&DidWarning::CollinearRegressors { columns }));
        config.covariates.truncate(1);
        let alone = config.fit(&df).unwrap();
        let ([a, b], [c, d]) = (pair(at(&fit, 0)), pair(at(&alone, 0)));
        assert!((a - c).abs() < 1e-9 && (b - d).abs() < 1e-9);
    }
    let mut y = floats(&df, "y");
    y[4] = f64::NAN;
    let fit = projections(2, 1).fit(with(&df, "y", y)).unwrap();
    assert!(fit.warnings.iter().any(|w| matches!(w, DidWarning::RowsWithGaps { rows: 1, .. })));
    let already = map(&df, "g", |g| if g == 3.0 { 1.0 } else { g });
    let fit = projections(2, 1).fit(&already).unwrap();
    assert!(fit.warnings.contains(&DidWarning::AlreadyTreated { units: 15, anticipation: 0 }));
    let fit = but(projections(2, 1), |c| c.weights = Some("t".into())).fit(&df).unwrap();
    assert!(fit.warnings.contains(&DidWarning::WeightsOfStart));
    let few = with(&df, "cl", floats(&df, "id").iter().map(|id| id % 4.0).collect::<Vec<f64>>());
    let fit = but(projections(2, 1), |c| c.cluster = Some("cl".into())).fit(&few).unwrap();
    assert!(fit.warnings.contains(&DidWarning::FewClusters { clusters: 4 }));
    // A window beyond the data has rows without an estimate, with the reason.
    let fit = projections(9, 7).fit(&df).unwrap();
    assert_eq!(at(&fit, 7), (None, None));
    let shown = fit.to_string();
    assert!(shown.contains("event time 7 has no estimate: no treated units"), "{shown}");
}

/// A single unit is treated.
#[test]
fn few_treated_units_are_warned_of() {
    let df = textbook();
    let (ids, groups) = (floats(&df, "id"), floats(&df, "g"));
    let only = |(id, g): (&f64, &f64)| if *id == 1.0 { *g } else { 0.0 };
    let few = with(&df, "g", ids.iter().zip(&groups).map(only).collect());
    let fit = projections(2, 1).fit(&few).unwrap();
    let warning = DidWarning::SmallGroups { groups: vec![3.0], single: vec![3.0] };
    assert!(fit.warnings.contains(&warning), "{:?}", fit.warnings);
    let all = projections(2, 1).fit(&df).unwrap();
    assert!(!all.warnings.iter().any(|w| matches!(w, DidWarning::SmallGroups { .. })));
}

/// A covariate that is 0 but in one period, which effects farther before treatment do not reach.
#[test]
fn regressors_that_some_regressions_leave_out_are_named_with_their_effects() {
    let df = textbook();
    let (x, periods) = (floats(&df, "x"), floats(&df, "t"));
    let alone = |(x, t): (&f64, &f64)| if *t == 3.0 { *x } else { 0.0 };
    let df = with(&df, "alone", x.iter().zip(&periods).map(alone).collect());
    let config = but(projections(3, 1), |c| c.covariates = vec!["alone".into()]);
    let fit = config.fit(&df).unwrap();
    let warning = DidWarning::CollinearInEffects {
        columns: vec!["alone".into()],
        effects: vec!["event time -3".into(), "pooled effect before treatment".into()],
    };
    assert!(fit.warnings.contains(&warning), "{:?}", fit.warnings);
    let shown = fit.to_string();
    let words = "only in the regressions of event time -3, pooled effect before treatment: alone";
    assert!(shown.contains(words), "{shown}");
}

/// As many parameters as rows: base periods 4 and 5, the start of treatment and a lagged change in four rows.
#[test]
fn regressions_without_a_spare_row_have_no_standard_error() {
    let cells: Vec<[f64; 2]> =
        (0..3).flat_map(|u| (1..=5).map(move |t| [f64::from(u), f64::from(t)])).collect();
    let column = |of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        cells.iter().map(|[u, t]| of(*u, *t)).collect()
    };
    let df = df!(
        "id" => column(&|u, _| u),
        "t" => column(&|_, t| t),
        "g" => column(&|u, _| if u < 2.0 { 4.0 } else { 0.0 }),
        "y" => column(&|u, t| (3.1 * u + 1.7 * t * t).sin() + 0.2 * u * t),
    )
    .unwrap();
    for method in [ProjectionMethod::Variance, ProjectionMethod::Reweighted] {
        let config = but(projections(3, 0), |c| (c.method, c.outcome_lags) = (method, 1));
        let fit = config.fit(&df).unwrap();
        let effect = fit.effects.iter().find(|of| of.event_time == -3).unwrap();
        assert!(effect.estimate.estimate.is_some() && effect.estimate.se.is_none());
        assert_eq!(effect.n_rows, if method == ProjectionMethod::Variance { 4 } else { 3 });
        let unknown = effect.unknown.as_deref().unwrap();
        assert!(unknown.contains("no more rows than parameters"), "{unknown}");
        let shown = fit.to_string();
        assert!(shown.contains("event time -3 has no standard error: its regression"), "{shown}");
        // The change to event time -2 is minus the lagged change, whatever the rows.
        let identity = fit.effects.iter().find(|of| of.event_time == -2).unwrap();
        assert_eq!((identity.status.code(), identity.n_rows > 0), ("estimator", true));
    }
}

#[test]
fn outcomes_that_do_not_vary_have_no_standard_error() {
    let df = textbook();
    let fit = projections(2, 1).fit(with(&df, "y", vec![3.7; df.height()])).unwrap();
    assert_eq!(at(&fit, 0), (Some(0.0), None));
    assert_eq!(fit.pooled.unknown.as_deref(), Some("the estimate does not vary"));
    for scale in [1e200, 1e-200] {
        let fit = projections(2, 1).fit(map(&df, "y", |y| y * scale)).unwrap();
        assert_eq!(at(&fit, 0).1, None, "{scale}");
        let unknown = fit.pooled.unknown.as_deref().unwrap();
        assert!(unknown.contains("outside the range of double precision"), "{scale}: {unknown}");
    }
    let lagged = but(projections(3, 1), |c| c.outcome_lags = 1);
    let fit = lagged.fit(with(&df, "y", vec![3.7; df.height()])).unwrap();
    assert_eq!(at(&fit, -3), (Some(0.0), None));
    let frame = fit.to_dataframe().unwrap();
    let status: Vec<Option<&str>> = frame.column("status").unwrap().str().unwrap().iter().collect();
    assert!(status.contains(&Some("no_standard_error")), "{status:?}");
}

fn pair((estimate, se): (Option<f64>, Option<f64>)) -> [f64; 2] {
    [estimate, se].map(Option::unwrap)
}

#[test]
fn groups_between_two_periods_are_named() {
    let df = textbook();
    let apart = map(&map(&df, "t", |t| 2.0 * t), "g", |g| 2.0 * g);
    let named = |warning: &DidWarning| matches!(warning, DidWarning::GroupsBetweenPeriods { .. });
    let whole = projections(2, 1).fit(&apart).unwrap();
    assert!(!whole.warnings.iter().any(named));
    let between = map(&apart, "g", |g| if g == 6.0 { 5.0 } else { g });
    let fit = projections(2, 1).fit(&between).unwrap();
    assert!(fit.warnings.contains(&DidWarning::GroupsBetweenPeriods { groups: vec![5.0] }));
    assert!(fit.to_string().contains("first treated in the next one"));
    assert_eq!(fit.effects, whole.effects);
    // Observed periods that are counted, too.
    let squares = map(&map(&df, "t", |t| t * t), "g", |g| if g == 3.0 { 8.0 } else { g * g });
    let fit = but(projections(2, 1), |c| c.rank_periods = true).fit(&squares).unwrap();
    assert!(fit.warnings.contains(&DidWarning::GroupsBetweenPeriods { groups: vec![8.0] }));
}
