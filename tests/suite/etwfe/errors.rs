//! What is refused or left out, and in which words.

use burn_did::backend::Cpu;
use burn_did::options::ControlGroup;
use burn_did::regression::Family;
use burn_did::{DidError, DidWarning, Etwfe, EventStudy, Imputation};

use super::etwfe;
use crate::by_unit::textbook;
use crate::support::but;
use crate::support::frames::{filter, floats, map, rows, with};

#[test]
fn rows_without_anything_to_compare_with_are_refused() {
    let df = textbook();
    let none = with(&df, "g", vec![0.0; df.height()]);
    assert!(matches!(etwfe().fit(&none), Err(DidError::NoValidGroups { .. })));
    let treated = filter(&df, "g", |g| g > 0.0);
    let never = but(etwfe(), |c| c.control_group = ControlGroup::NeverTreated);
    assert!(matches!(never.fit(&treated), Err(DidError::NoNeverTreated)));
    let one = with(&df, "g", vec![3.0; df.height()]);
    assert!(matches!(etwfe().fit(&one), Err(DidError::NoComparison)));
    // The last cohort takes their place, without its treated periods.
    let fit = etwfe().fit(&treated).unwrap();
    assert!(fit.warnings.contains(&DidWarning::LastCohortAsControl { group: 6.0 }));
    let cut = map(&filter(&treated, "t", |t| t < 6.0), "g", |g| if g == 6.0 { 0.0 } else { g });
    let expected = etwfe().fit(&cut).unwrap();
    let [a, b] = [&fit, &expected].map(|fit| fit.overall.estimate.unwrap());
    assert!((a - b).abs() < 1e-10);
}

#[test]
fn the_origin_of_covariates_changes_nothing() {
    let df = textbook();
    let config = but(etwfe(), |c| c.covariates = vec!["x".into()]);
    let [near, far] = [0.0, 1e7].map(|origin| config.fit(map(&df, "x", |x| x + origin)).unwrap());
    let [a, b] = [&near, &far].map(|fit| (fit.overall.estimate.unwrap(), fit.overall.se.unwrap()));
    assert!((a.0 - b.0).abs() < 1e-7 && (a.1 - b.1).abs() < 1e-7, "{a:?} {b:?}");
    assert_eq!(near.regression.coefficients.len(), far.regression.coefficients.len());
}

#[test]
fn columns_may_have_names_that_no_formula_takes_as_they_are() {
    let mut df = textbook();
    let expected = but(etwfe(), |c| c.covariates = vec!["x".into()]).fit(&df).unwrap();
    let renamed = [("y", "log wage"), ("x", "100% x"), ("id", "1-id"), ("t", "a t"), ("g", "+g")];
    for (old, new) in renamed {
        df.rename(old, new.into()).unwrap();
    }
    let named = but(etwfe(), |c| {
        (c.outcome, c.time, c.group) = ("log wage".into(), "a t".into(), "+g".into());
        (c.unit, c.covariates) = (Some("1-id".into()), vec!["100% x".into()]);
    });
    let fit = named.fit(&df).unwrap();
    assert_eq!(fit.overall, expected.overall);
}

#[test]
fn columns_and_options_out_of_place_are_named() {
    let df = textbook();
    let twice = but(etwfe(), |c| {
        c.covariates = vec!["x".into()];
        c.moderator = Some("x".into());
    });
    assert!(matches!(twice.fit(&df), Err(DidError::Config { option: "moderator", .. })));
    let lost = but(etwfe(), |c| c.outcome = "yy".into());
    assert!(matches!(lost.fit(&df), Err(DidError::ColumnNotFound { .. })));
    let text: Vec<String> = floats(&df, "x").iter().map(|x| format!("about {x:.0}")).collect();
    let worded = but(etwfe(), |c| c.covariates = vec!["word".into()]);
    assert!(worded.fit(with(&df, "word", text)).is_err());
    let empty = but(etwfe(), |c| c.weights = Some("w".into()));
    let none = with(&df, "w", vec![0.0; df.height()]);
    assert!(empty.fit(&none).unwrap_err().to_string().contains("weight"));
    assert!(etwfe().fit(with(&df, "t", vec![1.0; df.height()])).is_err());
}

/// Periods in steps of two, some groups between them: what is known of such cohorts is what imputation says.
/// Rows are sorted, and incomplete ones left out, before the regression reads them.
#[test]
fn errors_name_the_row_of_the_data() {
    let df = textbook();
    let mut y: Vec<f64> = floats(&df, "y").iter().map(|y| y.abs()).collect();
    (y[0], y[7]) = (f64::NAN, -1.0);
    let mixed: Vec<usize> = (0..df.height()).rev().collect();
    let df = with(&df, "y", y);
    let counts = but(etwfe(), |c| c.family = Family::Poisson);
    for (df, row) in [(df.clone(), 7), (rows(&df, &mixed), df.height() - 8)] {
        let error = counts.fit(&df).unwrap_err();
        assert!(matches!(error, DidError::Negative { row: at, .. } if at == row), "{error}");
    }
}

#[test]
fn groups_between_two_periods_stay_apart() {
    let df = textbook();
    let doubled = map(&map(&df, "t", |t| 2.0 * t), "g", |g| 2.0 * g);
    let [units, groups] = ["id", "g"].map(|name| floats(&doubled, name));
    let between = |(unit, group): (f64, f64)| if unit >= 60.0 { group - 1.0 } else { group };
    let groups = units.into_iter().zip(groups).map(between).map(|g| g.max(0.0));
    let df = with(&doubled, "g", groups.collect::<Vec<f64>>());
    let fit = etwfe().fit(&df).unwrap();
    let config = Imputation::builder().outcome("y").unit("id").time("t").group("g").build();
    let [a, b] = [fit.event_study(), config.fit(&df).unwrap().event_study()];
    let after = |study: EventStudy| -> Vec<(f64, f64)> {
        let rows = study.rows.into_iter().filter(|row| row.at >= 0.0);
        rows.map(|row| (row.at, row.estimate.estimate.unwrap())).collect()
    };
    let (a, b) = (after(a), after(b));
    assert_eq!(
        a.iter().map(|(at, _)| *at).collect::<Vec<f64>>(),
        (0..8).map(f64::from).collect::<Vec<f64>>()
    );
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-9, "{a:?} {b:?}");
    }
}

#[test]
fn units_with_two_groups_or_rows_are_said() {
    let df = textbook();
    assert!(etwfe().fit(&df).unwrap().warnings.is_empty());
    let changed = floats(&df, "g").into_iter().enumerate();
    let changed = changed.map(|(row, g)| if row == 7 { 5.0 } else { g }).collect::<Vec<f64>>();
    let warnings = etwfe().fit(with(&df, "g", changed)).unwrap().warnings;
    let changing = DidWarning::ChangingGroups { units: 1, example: "1".into() };
    assert!(warnings.contains(&changing), "{warnings:?}");
    let twice = df.vstack(&df.slice(6, 6)).unwrap();
    let warnings = etwfe().fit(&twice).unwrap().warnings;
    let repeated = DidWarning::RepeatedRows { units: 1, example: "1 in 1".into() };
    assert!(warnings.contains(&repeated), "{warnings:?}");
}

#[test]
fn words_in_data_frames_are_known() {
    let df = textbook();
    let never = |g: &f64| *g == 0.0 || g.is_infinite();
    let rows = floats(&df, "g").iter().filter(|g| never(g)).count();
    let df = map(&df, "g", |g| if never(&g) { f64::NAN } else { g });
    let named = but(etwfe(), |c| c.missing_values = Some(vec!["NaN".to_owned()]));
    let read = named.fit(&df).unwrap().settings.read_as_missing;
    let found: Vec<_> = read.iter().map(|e| (&*e.token, e.values, e.never_treated)).collect();
    assert_eq!(found, [("NaN", rows, true)]);
}

#[test]
fn what_is_left_out_is_said() {
    let df = textbook();
    let already = map(&df, "g", |g| if g == 3.0 { 1.0 } else { g });
    let fit = etwfe().fit(&already).unwrap();
    assert!(fit.warnings.contains(&DidWarning::AlreadyTreatedRows { rows: 90 }));
    let mut y = floats(&df, "y");
    y[4] = f64::NAN;
    let fit = etwfe().fit(with(&df, "y", y)).unwrap();
    assert!(fit.warnings.iter().any(|w| matches!(w, DidWarning::DroppedRows { rows: 1, .. })));
    // A covariate that does not change follows from the effects of units.
    let fit = but(etwfe(), |c| c.covariates = vec!["x".into()]).fit(&df).unwrap();
    assert!(fit.regression.dropped.contains(&"x".to_owned()), "{:?}", fit.regression.dropped);
    assert!(fit.to_string().contains("cohort 3 in 4") || !fit.regression.dropped.is_empty());
}

#[test]
fn effects_whose_rows_are_separated_are_not_said_to_follow_from_others() {
    let df = textbook();
    let (groups, times) = (floats(&df, "g"), floats(&df, "t"));
    let count = |(y, (g, t)): (f64, (&f64, &f64))| match *g == 5.0 && *t >= 5.0 {
        true => 0.0,
        false => 1.0 + y.abs().floor(),
    };
    let counts: Vec<f64> =
        floats(&df, "y").into_iter().zip(groups.iter().zip(&times)).map(count).collect();
    let fit = but(etwfe(), |c| c.family = Family::Poisson).fit(with(&df, "y", counts)).unwrap();
    let shown = fit.to_string();
    assert!(shown.contains("cohort 5 has no effect in 5: all its rows are separated"), "{shown}");
    assert!(!shown.contains("follows from other regressors"), "{shown}");
}

#[test]
fn covariates_that_change_over_time_are_said() {
    let df = textbook();
    let [units, periods] = ["id", "t"].map(|name| floats(&df, name));
    let moving: Vec<f64> =
        units.iter().zip(&periods).map(|(id, t)| (id * 7.0 + t * t).sin()).collect();
    let still: Vec<f64> = units.iter().map(|id| (id * 7.0).sin()).collect();
    let df = with(&with(&df, "moving", moving), "still", still);
    let warnings =
        |change: &dyn Fn(&mut Etwfe<Cpu>)| but(etwfe(), |c| change(c)).fit(&df).unwrap().warnings;
    let moves = DidWarning::ChangingCovariates { columns: vec!["moving".into()] };
    let both = |c: &mut Etwfe<Cpu>| c.covariates = vec!["still".into(), "moving".into()];
    assert!(warnings(&both).contains(&moves));
    assert!(warnings(&|c| c.moderator = Some("moving".into())).contains(&moves));
    assert!(warnings(&|c| c.covariates = vec!["still".into()]).is_empty());
    // Rows without units are not compared with each other.
    let sections = warnings(&|c| {
        both(c);
        c.unit = None;
    });
    assert!(!sections.contains(&moves));
    assert!(moves.to_string().contains("(`moving`)"));
}
