//! How like cohorts are to their comparison units.

use burn_did::explore::{Balance, BalanceRow, Explore};
use burn_did::options::ControlGroup::{NeverTreated, NotYetTreated};
use burn_did::{DidError, SavedResult, data};
use polars::prelude::{IntoLazy, col, lit};

use super::{explore, panel};
use crate::support::frames::map;

fn row<'a>(balance: &'a Balance, group: f64, variable: &str, change: bool) -> &'a BalanceRow {
    let is =
        |row: &&BalanceRow| row.group == group && row.variable == variable && row.change == change;
    balance.rows.iter().find(is).unwrap()
}

#[test]
fn means_of_the_base_period_are_compared() {
    let mut look = explore();
    look.covariates = vec!["x".into()];
    let balance = look.balance(panel(), NotYetTreated).unwrap();
    // Cohort 2 in period 1: unit 1 against units 2, 3 and 5.
    let x = row(&balance, 2.0, "x", false);
    assert_eq!((x.period, x.n_treated, x.n_control), (1.0, 1, 3));
    assert_eq!((x.treated_mean, x.control_mean), (Some(1.0), Some(2.0)));
    assert_eq!((x.treated_variance, x.control_variance), (None, Some(4.0)));
    assert_eq!((x.normalized_difference, x.variance_ratio), (None, None));
    // Cohort 3 in period 2: unit 2 alone is observed, and its change from period 1.
    let y = row(&balance, 3.0, "y", true);
    assert_eq!((y.period, y.n_treated, y.treated_mean), (2.0, 1, Some(0.5)));
    assert_eq!((y.n_control, y.control_mean), (1, Some(-0.25)));
    let never = look.balance(panel(), NeverTreated).unwrap();
    assert_eq!(row(&never, 2.0, "x", false).n_control, 1);
}

#[test]
fn differences_are_those_of_the_formulas() {
    let look = Explore::builder().unit("countyreal").time("year").group("first.treat");
    let look = look.outcome("lemp").covariates(["lpop"]).build();
    let balance = look.balance(data::mpdta(), NeverTreated).unwrap();
    assert_eq!(balance.rows.len(), 3 * 4);
    let mpdta = data::mpdta();
    let column = |name: &str| -> Vec<f64> {
        let series = mpdta.column(name).unwrap().cast(&polars::prelude::DataType::Float64).unwrap();
        series.f64().unwrap().into_no_null_iter().collect()
    };
    let (year, group, lpop) = (column("year"), column("first.treat"), column("lpop"));
    let of = |g: f64| -> Vec<f64> {
        (0..year.len()).filter(|i| year[*i] == 2005.0 && group[*i] == g).map(|i| lpop[i]).collect()
    };
    let moments = |x: &[f64]| {
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        (mean, x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0))
    };
    let ((a, va), (b, vb)) = (moments(&of(2006.0)), moments(&of(0.0)));
    let found = row(&balance, 2006.0, "lpop", false);
    assert!((found.treated_mean.unwrap() - a).abs() < 1e-12);
    assert!(
        (found.normalized_difference.unwrap() - (a - b) / (0.5 * (va + vb)).sqrt()).abs() < 1e-12
    );
    assert!((found.variance_ratio.unwrap() - va / vb).abs() < 1e-12);
}

/// Where no unit is never treated, the last cohort takes their place, as in the estimators.
#[test]
fn the_last_cohort_is_compared_with_where_none_is_never_treated() {
    let treated = data::mpdta().lazy().filter(col("first.treat").gt(lit(0))).collect().unwrap();
    let look = Explore::builder().unit("countyreal").time("year").group("first.treat");
    let look = look.outcome("lemp").build();
    let balance = look.balance(&treated, NeverTreated).unwrap();
    assert_eq!(balance.last_cohort, Some(2007.0));
    let cohorts: Vec<f64> = balance.rows.iter().map(|row| row.group).collect();
    assert_eq!(cohorts, [2004.0, 2004.0, 2006.0, 2006.0]);
    assert_eq!(row(&balance, 2006.0, "lemp", false).n_control, 131);
    assert!(balance.to_string().contains("Comparison units: first treated in 2007"), "{balance}");
    assert_eq!(look.balance(data::mpdta(), NeverTreated).unwrap().last_cohort, None);
    assert_eq!(look.balance(&treated, NotYetTreated).unwrap().last_cohort, None);
}

/// As in estimates: who anticipates a treatment after the last period is not never treated.
#[test]
fn cohorts_that_anticipate_within_the_data_are_treated() {
    let late = |g: f64| if g == 0.0 { 4.0 } else { g };
    let panel = map(&panel(), "g", late);
    let mut look = explore();
    let controls = |look: &Explore| {
        let balance = look.balance(&panel, NeverTreated);
        balance.map(|balance| row(&balance, 3.0, "y", false).n_control)
    };
    assert_eq!(controls(&look).unwrap(), 1);
    look.anticipation = 1;
    // As nobody is never treated now, the last cohort takes their place.
    assert_eq!(controls(&look).unwrap(), 1);
    assert_eq!(look.balance(&panel, NeverTreated).unwrap().last_cohort, Some(4.0));
    // It is a cohort of its own.
    let far = |g: f64| if g == 2.0 { 9.0 } else { g };
    let balance = look.balance(map(&panel, "g", far), NeverTreated).unwrap();
    let y = row(&balance, 4.0, "y", false);
    assert_eq!((y.period, y.n_treated, y.n_control), (2.0, 1, 1));
}

#[test]
fn rows_without_a_weight_are_named_as_the_reason() {
    let mut look = explore();
    look.weights = Some("w".into());
    let weightless = |w: f64| if w == 1.0 { 0.0 } else { w };
    let shown = look.balance(map(&panel(), "w", weightless), NotYetTreated).unwrap().to_string();
    assert!(shown.contains("comparison group of one row that has a weight"), "{shown}");
}

#[test]
fn it_is_shown_saved_and_drawn() {
    let look = Explore::builder().unit("countyreal").time("year").group("first.treat");
    let balance = look
        .outcome("lemp")
        .covariates(["lpop"])
        .build()
        .balance(data::mpdta(), NeverTreated)
        .unwrap();
    let shown = balance.to_string();
    assert!(shown.contains("First treated in 2006, observed in 2005"), "{shown}");
    assert!(shown.contains("change of lemp") && balance.to_latex().contains("Norm. Diff."));
    assert!(
        shown.contains("cohort 2004: no units that have rows in the period before, too"),
        "{shown}"
    );
    assert!(shown.contains("Not defined, as nothing varies: change of lpop"), "{shown}");
    let number = |cell: &&str| cell.parse::<f64>().is_ok() && cell.contains('.');
    let of_lpop = shown.lines().filter(|line| line.trim_start().starts_with("lpop"));
    for line in of_lpop {
        let decimals =
            line.split_whitespace().filter(number).map(|n| n.len() - n.find('.').unwrap());
        assert_eq!(decimals.collect::<Vec<_>>(), [5, 5, 4, 4], "{line}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balance.json");
    balance.save(&path).unwrap();
    let SavedResult::Balance(loaded) = SavedResult::load(&path).unwrap() else {
        panic!("another kind")
    };
    assert_eq!(*loaded, balance);
    let picture = folder.path().join("balance.svg");
    balance.plot(&picture).unwrap();
    let drawn = std::fs::read_to_string(picture).unwrap();
    for words in
        ["Group 2006, in 2005", "Not defined", "no units that have rows in the period before"]
    {
        assert!(drawn.contains(words), "{words}");
    }
}

#[test]
fn something_must_be_there_to_compare() {
    let mut look = explore();
    look.outcome = None;
    assert!(matches!(
        look.balance(panel(), NeverTreated),
        Err(DidError::Config { option: "covariates", .. })
    ));
    look.covariates = vec!["c".into()];
    let error = look.balance(panel(), NeverTreated).unwrap_err();
    assert!(matches!(error, DidError::Config { option: "control_group", .. }), "{error}");
    look.covariates = vec!["c".into(), "x".into()];
    let balance = look.balance(panel(), NeverTreated).unwrap();
    assert_eq!(balance.left_out, ["c"]);
    assert!(balance.to_string().contains("`c` is text"));
}

#[test]
fn what_has_no_comparison_is_an_error_that_says_why() {
    let untreated = map(&data::mpdta(), "first.treat", |_| 0.0);
    let look = |weights: Option<&str>| {
        let look = Explore::builder().unit("countyreal").time("year").group("first.treat");
        look.outcome("lemp").maybe_weights(weights.map(str::to_owned)).build()
    };
    let error = look(None).balance(&untreated, NeverTreated).unwrap_err();
    assert!(matches!(error, DidError::NoValidGroups { .. }), "{error}");
    let weightless = map(&data::mpdta(), "lpop", |_| 0.0);
    let error = look(Some("lpop")).balance(&weightless, NeverTreated).unwrap_err();
    assert!(error.to_string().contains("all weights are 0"), "{error}");
}
