//! What is refused, and in which words.

use burn_did::options::ControlGroup;
use burn_did::stacks::StackWeights;
use burn_did::{DidError, DidWarning, Stacked};

use super::stacked;
use crate::by_unit::{random, textbook};
use crate::support::but;
use crate::support::frames::{filter, floats, map, rows, with};

#[track_caller]
fn says(error: &DidError, words: &[&str]) {
    let message = error.to_string();
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn options_that_do_not_go_together_are_named() {
    let refused = |change: &dyn Fn(&mut Stacked), words: &[&str]| {
        let error = but(stacked(2, 1), |c| change(c)).fit(textbook()).unwrap_err();
        assert_eq!(error.code(), "config");
        says(&error, words);
    };
    refused(&|c| c.pre_window = 0, &["`pre_window`", "between 1"]);
    refused(&|c| c.post_window = 1_000_000, &["`post_window`", "10000"]);
    refused(&|c| c.alpha = 0.0, &["`alpha`"]);
    refused(
        &|c| {
            c.independent_copies = true;
            c.cluster = Some("cl".into());
        },
        &["`cluster`", "independent_copies"],
    );
}

#[test]
fn rows_that_are_no_panel_are_refused() {
    let df = random(1);
    let config = stacked(1, 1);
    let twice: Vec<usize> = (0..df.height()).chain([3]).collect();
    says(&config.fit(rows(&df, &twice)).unwrap_err(), &["two rows", "panel deduplicate"]);
    let mut g = floats(&df, "g");
    g[0] += 1.0;
    says(&config.fit(with(&df, "g", g)).unwrap_err(), &["`g`", "irreversible"]);
    let one = with(&df, "cl", vec![1.0; df.height()]);
    let clustered = but(config.clone(), |c| c.cluster = Some("cl".into()));
    assert!(matches!(clustered.fit(one), Err(DidError::TooFewClusters { clusters: 1, .. })));
    let text: Vec<String> = floats(&df, "x").iter().map(|x| format!("about {x:.0}")).collect();
    let worded = but(config.clone(), |c| c.covariates = vec!["word".into()]);
    says(&worded.fit(with(&df, "word", text)).unwrap_err(), &["`word` (covariate)", "indicator"]);
    let weighted = but(config.clone(), |c| c.weights = Some("w".into()));
    let none = with(&df, "w", vec![0.0; df.height()]);
    assert!(matches!(weighted.fit(none), Err(DidError::Weights { .. })));
    let lost = but(config.clone(), |c| c.outcome = "yy".into());
    assert!(matches!(lost.fit(&df), Err(DidError::ColumnNotFound { .. })));
    let uneven = map(&map(&df, "t", |t| t * t), "g", |g| g * g);
    says(&config.fit(&uneven).unwrap_err(), &["not evenly spaced", "--rank-periods"]);
    let ranked = but(config.clone(), |c| c.rank_periods = true).fit(&uneven).unwrap();
    assert_eq!(ranked.effects, config.fit(&df).unwrap().effects);
    assert!(config.fit(map(&df, "y", |y| y * 1e308)).is_err());
}

#[test]
fn nothing_to_compare_is_an_error_with_its_reason() {
    let df = textbook();
    let none = with(&df, "g", vec![0.0; df.height()]);
    says(&stacked(2, 1).fit(&none).unwrap_err(), &["no unit's treatment starts", "`g`"]);
    says(&stacked(5, 4).fit(&df).unwrap_err(), &["no cohort is observed from 5", "shorter window"]);
    let all = with(&df, "g", vec![3.0; df.height()]);
    says(&stacked(2, 1).fit(&all).unwrap_err(), &["no cohort", "controls", "`control_group`"]);
    let treated = filter(&df, "g", |g| g > 0.0);
    let never = but(stacked(2, 1), |c| c.control_group = ControlGroup::NeverTreated);
    assert_eq!(never.fit(&treated).unwrap_err().code(), "empty_window");
}

#[test]
fn what_is_left_out_or_unsure_is_said() {
    let df = textbook();
    let fit = stacked(2, 2).fit(&df).unwrap();
    assert!(fit.warnings.contains(&DidWarning::TrimmedCohorts { cohorts: vec![5.0, 6.0] }));
    // A period that nobody has is in the windows of two cohorts.
    let fit = stacked(1, 0).fit(filter(&df, "t", |t| t != 4.0)).unwrap();
    assert!(fit.warnings.contains(&DidWarning::TrimmedCohorts { cohorts: vec![4.0, 5.0] }));
    // Treated that have no row at an event time would be compared with their own others.
    let is_kept = |at: f64| at != 35.0;
    let places: Vec<f64> =
        floats(&df, "g").iter().zip(floats(&df, "t")).map(|(g, t)| 10.0 * g + t).collect();
    let gap = filter(&with(&df, "place", places), "place", is_kept);
    let fit = stacked(2, 2).fit(&gap).unwrap_or_else(|error| panic!("{error}"));
    assert!(fit.warnings.contains(&DidWarning::CohortsWithoutControls { cohorts: vec![3.0] }));
    // The last cohort has no controls where nobody is never treated.
    let treated = filter(&df, "g", |g| g > 0.0);
    let fit = stacked(2, 0).fit(&treated).unwrap();
    assert!(fit.warnings.contains(&DidWarning::CohortsWithoutControls { cohorts: vec![6.0] }));
    let fit = but(stacked(2, 0), |c| c.stack_weights = StackWeights::Unweighted).fit(&df).unwrap();
    assert!(fit.warnings.contains(&DidWarning::UnweightedStack));
    assert!(fit.to_string().contains("which are biased"));
    let fit = but(stacked(2, 0), |c| c.independent_copies = true).fit(&df).unwrap();
    assert!(fit.warnings.contains(&DidWarning::IndependentCopies));
    let x = floats(&df, "x");
    let twice = with(&df, "twice", x.iter().map(|x| 2.0 * x).collect::<Vec<f64>>());
    let config = but(stacked(2, 1), |c| c.covariates = vec!["x".into(), "twice".into()]);
    let fit = config.fit(&twice).unwrap();
    let columns = vec!["twice".to_owned()];
    assert!(fit.warnings.contains(&DidWarning::CollinearRegressors { columns }));
    let mut y = floats(&df, "y");
    y[4] = f64::NAN;
    let fit = stacked(2, 1).fit(with(&df, "y", y)).unwrap();
    assert!(fit.warnings.iter().any(|w| matches!(w, DidWarning::DroppedRows { rows: 1, .. })));
    let already = map(&df, "g", |g| if g == 3.0 { 1.0 } else { g });
    let fit = stacked(2, 1).fit(&already).unwrap();
    assert!(fit.warnings.contains(&DidWarning::AlreadyTreated { units: 15, anticipation: 0 }));
}

/// Outcomes of every year and a covariate of every second one: event times stay years, of which no window has all.
#[test]
fn event_times_are_those_of_all_rows() {
    let df = textbook();
    let (x, periods) = (floats(&df, "x"), floats(&df, "t"));
    let even = |(x, t): (&f64, &f64)| if *t % 2.0 == 0.0 { *x } else { f64::NAN };
    let df = with(&df, "even", x.iter().zip(&periods).map(even).collect());
    let config = but(stacked(1, 1), |c| c.covariates = vec!["even".into()]);
    let error = config.fit(&df).unwrap_err();
    says(&error, &["no cohort is observed from 1", "shorter window", "270 of `even`"]);
    assert!(stacked(1, 1).fit(&df).is_ok());
    // A period in which all rows lack the outcome is a period, too.
    let lost = |(y, t): (&f64, &f64)| if *t == 2.0 { f64::NAN } else { *y };
    let y = floats(&df, "y");
    let gap = with(&df, "y", y.iter().zip(&periods).map(lost).collect());
    let fit = stacked(1, 1).fit(&gap).unwrap();
    assert!(fit.warnings.contains(&DidWarning::TrimmedCohorts { cohorts: vec![3.0, 6.0] }));
    assert_eq!((fit.sample.period_length, fit.sample.n_periods), (Some(1.0), 5));
}

#[test]
fn months_in_digits_are_named_where_no_window_is_whole() {
    let month = |t: f64| match t {
        _ if !(1.0..100.0).contains(&t) => t,
        _ if t < 3.0 => 201_410.0 + t,
        _ => 201_498.0 + t,
    };
    let df = map(&map(&random(1), "t", month), "g", month);
    let error = stacked(2, 2).fit(&df).unwrap_err();
    says(
        &error,
        &["no cohort", "such as 201412 and 201501 look like months", "`--frequency month`"],
    );
}

#[test]
fn what_has_no_standard_error_says_so() {
    let df = textbook();
    let fit = stacked(2, 1).fit(with(&df, "y", vec![3.7; df.height()])).unwrap();
    let effect = fit.effects.iter().find(|of| of.event_time == 0).unwrap();
    assert!(effect.estimate.estimate.is_some() && effect.estimate.se.is_none());
    assert_eq!(effect.unknown.as_deref(), Some("the estimate does not vary"));
    let shown = fit.to_string();
    for what in ["event time 0 has", "the average effect after treatment has"] {
        let words = format!("{what} no standard error: the estimate does not vary");
        assert!(shown.contains(&words), "{shown}");
    }
    for scale in [1e200, 1e-200] {
        let fit = stacked(2, 1).fit(map(&df, "y", |y| y * scale)).unwrap();
        let effect = fit.effects.iter().find(|of| of.event_time == 0).unwrap();
        assert!(effect.estimate.estimate.is_some() && effect.estimate.se.is_none(), "{scale}");
        let unknown = effect.unknown.as_deref().unwrap();
        assert!(unknown.contains("outside the range of double precision"), "{scale}: {unknown}");
    }
    // A single unit is treated.
    let (ids, groups) = (floats(&df, "id"), floats(&df, "g"));
    let only = |(id, g): (&f64, &f64)| if *id == 1.0 { *g } else { 0.0 };
    let fit =
        stacked(2, 1).fit(with(&df, "g", ids.iter().zip(&groups).map(only).collect())).unwrap();
    let warning = DidWarning::SmallGroups { groups: vec![3.0], single: vec![3.0] };
    assert!(fit.warnings.contains(&warning), "{:?}", fit.warnings);
}

#[test]
fn groups_between_two_periods_are_named() {
    let df = textbook();
    let apart = map(&map(&df, "t", |t| 2.0 * t), "g", |g| 2.0 * g);
    let named = |warning: &DidWarning| matches!(warning, DidWarning::GroupsBetweenPeriods { .. });
    let whole = stacked(2, 1).fit(&apart).unwrap();
    assert!(!whole.warnings.iter().any(named));
    let between = map(&apart, "g", |g| if g == 6.0 { 5.0 } else { g });
    let fit = stacked(2, 1).fit(&between).unwrap();
    assert!(fit.warnings.contains(&DidWarning::GroupsBetweenPeriods { groups: vec![5.0] }));
    assert!(fit.to_string().contains("first treated in the next one"));
    assert_eq!(fit.effects, whole.effects);
    // Observed periods that are counted, too.
    let squares = map(&map(&df, "t", |t| t * t), "g", |g| if g == 3.0 { 8.0 } else { g * g });
    let fit = but(stacked(2, 1), |c| c.rank_periods = true).fit(&squares).unwrap();
    assert!(fit.warnings.contains(&DidWarning::GroupsBetweenPeriods { groups: vec![8.0] }));
}

#[test]
fn covariates_that_change_over_time_are_said() {
    let df = textbook();
    let [units, periods] = ["id", "t"].map(|name| floats(&df, name));
    let moving: Vec<f64> =
        units.iter().zip(&periods).map(|(id, t)| (id * 7.0 + t * t).sin()).collect();
    let still: Vec<f64> = units.iter().map(|id| (id * 7.0).sin()).collect();
    let df = with(&with(&df, "moving", moving), "still", still);
    let warnings = |covariates: &[&str]| {
        let covariates = covariates.iter().map(|name| (*name).to_owned()).collect();
        but(stacked(2, 1), |c| c.covariates = covariates).fit(&df).unwrap().warnings
    };
    let moves = DidWarning::ChangingCovariates { columns: vec!["moving".into()] };
    assert!(warnings(&["still", "moving"]).contains(&moves));
    let is_said = |warning: &DidWarning| matches!(warning, DidWarning::ChangingCovariates { .. });
    assert!(!warnings(&["still"]).iter().any(is_said));
    assert!(moves.to_string().contains("(`moving`)"));
}
