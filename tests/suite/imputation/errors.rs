//! What is refused or left out, and in which words.

use burn_did::imputation::{PretrendTimes, StageTerm};
use burn_did::{DidError, DidWarning, Imputation};
use polars::prelude::*;

use super::{imputation, random};
use crate::support::frames::{filter, floats, rows, with};
use crate::support::panels::staggered;

#[track_caller]
fn says(error: &DidError, words: &[&str]) {
    let message = error.to_string();
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[track_caller]
fn refused(config: &Imputation, df: &DataFrame) -> DidError {
    config.fit(df).unwrap_err()
}

/// A design without always treated units, with never treated ones.
fn regular() -> DataFrame {
    (1..)
        .map(random)
        .find(|df| {
            let g = floats(df, "g");
            g.contains(&0.0) && !g.contains(&1.0)
        })
        .unwrap()
}

#[test]
fn rows_of_a_unit_that_contradict_each_other_are_refused() {
    let df = regular();
    let twice: Vec<usize> = (0..df.height()).chain([3]).collect();
    let error = refused(&imputation(), &rows(&df, &twice));
    assert_eq!(error.code(), "panel");
    says(&error, &["has two rows for period", "(column `id`)", "panel deduplicate"]);
    let mut g = floats(&df, "g");
    g[0] += 2.0;
    let error = refused(&imputation(), &with(&df, "g", g));
    assert_eq!(error.code(), "time_varying");
    says(&error, &["`g` (group) changes over time within unit 0"]);
}

#[test]
fn data_without_treated_or_untreated_rows_are_refused() {
    let df = regular();
    let error = refused(&imputation(), &with(&df, "g", vec![0.0; df.height()]));
    assert_eq!(error.code(), "no_valid_groups");
    let error = refused(&imputation(), &with(&df, "g", vec![1.0; df.height()]));
    assert_eq!(error.code(), "panel");
    says(&error, &["all rows are treated", "(column `g`)", "never treated"]);
    // A status of 0 and 1 where no period is 1.
    let df = with(&df, "t", floats(&df, "t").iter().map(|t| t + 2000.0).collect::<Vec<f64>>());
    let status = |g: &f64| if *g > 0.0 { 1.0 } else { 0.0 };
    let df = with(&df, "g", floats(&df, "g").iter().map(status).collect::<Vec<f64>>());
    let error = refused(&imputation(), &df);
    says(&error, &["column `g` (group) holds only 0 and 1", "first treated"]);
}

#[test]
fn rows_that_cannot_be_imputed_are_counted_and_named() {
    let df = regular();
    let g: Vec<f64> = floats(&df, "id")
        .iter()
        .zip(floats(&df, "g"))
        .map(|(id, g)| if *id == 4.0 { 1.0 } else { g })
        .collect();
    let df = with(&df, "g", g);
    let of_unit = floats(&df, "id").iter().filter(|id| **id == 4.0).count();
    let fit = imputation().fit(&df).unwrap();
    assert_eq!(fit.effects.audit.rows_not_imputed, of_unit);
    let expected = DidWarning::NotImputed {
        factor: "id".into(),
        levels: 1,
        examples: vec!["4".into()],
        rows: of_unit,
    };
    assert!(fit.effects.warnings.contains(&expected), "{:?}", fit.effects.warnings);
    let shown = fit.to_string();
    assert!(shown.contains("level of `id` (1 level: 4)"), "{shown}");
    // Without never treated units, nobody is untreated in the last periods.
    let df = regular();
    let end = floats(&df, "t").into_iter().fold(0.0, f64::max);
    let treated = filter(&df, "g", |g| g > 0.0 && g <= end);
    let last = floats(&treated, "g").into_iter().fold(0.0, f64::max);
    let fit = imputation().fit(&treated).unwrap();
    let dropped = floats(&treated, "t").iter().filter(|t| **t >= last).count();
    assert!(fit.effects.audit.rows_not_imputed >= dropped);
    let of_time =
        |w: &DidWarning| matches!(w, DidWarning::NotImputed { factor, .. } if factor == "t");
    assert!(fit.effects.warnings.iter().any(of_time));
}

/// Two blocks of units that are never untreated in the same period: neither says anything of the other's periods.
#[test]
fn rows_that_nothing_connects_are_left_out() {
    let cells = [
        (1, 1, 0.0),
        (1, 2, 0.0),
        (2, 1, 0.0),
        (2, 2, 0.0),
        (5, 1, 3.0),
        (5, 2, 3.0),
        (3, 3, 0.0),
        (3, 4, 0.0),
        (4, 3, 0.0),
        (4, 4, 0.0),
        (5, 3, 3.0),
        (5, 4, 3.0),
        (6, 3, 4.0),
        (6, 4, 4.0),
    ];
    let y: Vec<f64> = (0..cells.len()).map(|row| (row as f64 * 1.7).sin()).collect();
    let column = |of: fn(&(i32, i32, f64)) -> f64| cells.iter().map(of).collect::<Vec<f64>>();
    let df = df!(
        "id" => column(|c| f64::from(c.0)), "t" => column(|c| f64::from(c.1)), "g" => column(|c| c.2), "y" => y,
    )
    .unwrap();
    let fit = imputation().fit(&df).unwrap();
    let expected = DidWarning::NotConnected { rows: 2, example: "id 5, t 3".into() };
    assert!(fit.effects.warnings.contains(&expected), "{:?}", fit.effects.warnings);
    assert_eq!(fit.effects.settings.n_treated, 1);
    let alone = filter(&df, "id", |id| id != 6.0);
    says(&refused(&imputation(), &alone), &["no treated row can be imputed", "connect"]);
}

#[test]
fn covariates_that_say_something_of_treated_rows_alone_are_refused() {
    let df = regular();
    let [t, g] = ["t", "g"].map(|name| floats(&df, name));
    let d = |row: usize| if g[row] > 0.0 && t[row] >= g[row] { t[row] } else { 0.0 };
    let df = with(&df, "d", (0..df.height()).map(d).collect::<Vec<f64>>());
    let mut config = imputation();
    config.covariates = "~ x + d".into();
    let error = refused(&config, &df);
    assert_eq!(error.code(), "panel");
    says(&error, &["covariate `d`", "on untreated rows", "leave it out"]);
    // What follows from the others everywhere is left out with a warning.
    let same = with(&df, "d", floats(&df, "x").iter().map(|x| 2.0 * x).collect::<Vec<f64>>());
    let fit = config.fit(&same).unwrap();
    let expected = DidWarning::CollinearRegressors { columns: vec!["d".into()] };
    assert!(fit.effects.warnings.contains(&expected));
    config.covariates = "~ x".into();
    assert_eq!(config.fit(&same).unwrap().effects.rows, fit.effects.rows);
}

#[test]
fn missing_values_and_weights_of_zero_are_counted() {
    let df = regular();
    let (mut y, mut w) = (floats(&df, "y"), floats(&df, "w"));
    (y[0], y[7], w[3], w[9], w[11]) = (f64::NAN, f64::NAN, 0.0, f64::NAN, 0.0);
    let df = with(&with(&df, "y", y), "w", w);
    let mut config = imputation();
    config.weights = Some("w".into());
    let fit = config.fit(&df).unwrap();
    let audit = &fit.effects.audit;
    assert_eq!(audit.rows_missing, [("y".to_owned(), 2), ("w".to_owned(), 1)]);
    assert_eq!(audit.rows_weightless, 2);
    assert!(fit.to_string().contains("3 with missing values, 2 with a weight of zero"));
    let kept: Vec<usize> = (0..df.height()).filter(|row| ![0, 7, 3, 9, 11].contains(row)).collect();
    let without = config.fit(rows(&df, &kept)).unwrap();
    assert_eq!(without.effects.rows, fit.effects.rows);
    let negative = with(&df, "w", vec![-1.0; df.height()]);
    assert!(config.fit(&negative).unwrap_err().to_string().contains("`w`"));
}

#[test]
fn options_and_columns_out_of_place_are_named() {
    let df = regular();
    let config = |change: &dyn Fn(&mut Imputation)| {
        let mut config = imputation();
        change(&mut config);
        refused(&config, &df)
    };
    let says_option = |error: DidError, option: &str| says(&error, &[option]);
    says_option(config(&|c| c.alpha = 2.0), "`alpha`");
    says_option(config(&|c| c.horizons = Some(vec![-1.0])), "`horizons`");
    says_option(config(&|c| c.horizons = Some(vec![])), "`horizons`");
    says_option(config(&|c| c.pretrends = PretrendTimes::At(vec![0.0])), "`pretrends`");
    says_option(config(&|c| c.min_effective = f64::NAN), "`min_effective`");
    says_option(
        config(&|c| {
            c.trends = true;
            c.fixed_effects = vec!["g".into(), "t".into()];
        }),
        "`trends`",
    );
    says(&config(&|c| c.outcome = "z".into()), &["column `z` (outcome)"]);
    says(&config(&|c| c.cluster = Some("none".into())), &["`none` (cluster)"]);
    says(&config(&|c| c.averages = vec!["b".into()]), &["`b` (average)"]);
    says(&config(&|c| c.covariates = "~ x +".into()), &["formula"]);
    let one = with(&df, "one", vec![1.0; df.height()]);
    let mut clustered = imputation();
    clustered.cluster = Some("one".into());
    assert!(matches!(refused(&clustered, &one), DidError::TooFewClusters { clusters: 1, .. }));
    assert!("often".parse::<PretrendTimes>().unwrap_err().to_string().contains("-3,-2,-1"));
    assert_eq!("-2,-1".parse::<PretrendTimes>().unwrap(), PretrendTimes::At(vec![-2.0, -1.0]));
}

#[test]
fn effects_that_do_not_exist_say_why() {
    let df = regular();
    let mut config = imputation();
    config.horizons = Some(vec![0.0, 40.0]);
    config.pretrends = PretrendTimes::At(vec![-30.0]);
    let fit = config.fit(&df).unwrap();
    let reason =
        |at: f64| fit.effects.get(&StageTerm::EventTime(at)).unwrap().reason.clone().unwrap();
    assert_eq!(reason(40.0), "no treated row is there");
    assert_eq!(reason(-30.0), "no untreated row is there");
    assert!(fit.to_string().contains("No estimate (event time 40): no treated row is there"));
    // The same where many units share their periods.
    let shared = config.fit(staggered(240)).unwrap();
    let reason = shared.effects.get(&StageTerm::EventTime(-30.0)).unwrap().reason.clone();
    assert_eq!(reason.as_deref(), Some("no untreated row is there"));
    // All periods before treatment are determined by the effects of units.
    config.pretrends = PretrendTimes::At((1..9).map(|at| -f64::from(at)).collect());
    let fit = config.fit(filter(&df, "g", |g| g > 0.0)).unwrap();
    let determined = fit.effects.rows.iter().filter_map(|row| row.reason.as_deref());
    assert!(determined.into_iter().any(|reason| reason.contains("determine it")));
    config.min_effective = 1e6;
    let fit = config.fit(&df).unwrap();
    let overall = fit.effects.get(&StageTerm::Overall).unwrap();
    assert!(overall.estimate.estimate.is_none());
    assert!(overall.reason.as_ref().unwrap().contains("at least 1000000"), "{overall:?}");
}
