//! Event studies of regressions: what is a cohort, a period and a reference.

use burn_did::backend::Cpu;
use burn_did::{
    DidError, DidWarning, EventStudy, FixedEffects, Honest, SunAbraham, SunAbrahamResult, data,
    group_time::Provenance, options::Frequency, regression::Vcov,
};
use polars::prelude::*;

use super::properties::near;
use crate::support::frames::{filter, floats, rows, with};
use crate::support::splitmix;

fn panel() -> DataFrame {
    splitmix::panel(42, 240, [3, 4, 6, 0])
}

fn config() -> SunAbraham<Cpu> {
    SunAbraham::builder().outcome("y").unit("id").time("t").group("g").build()
}

fn fit(data: &DataFrame) -> SunAbrahamResult {
    config().fit(data).unwrap()
}

/// Rows of which the predicate of unit, period and cohort holds.
fn kept(data: &DataFrame, keep: impl Fn(i64, i64, i64) -> bool) -> DataFrame {
    let [id, t, g] = ["id", "t", "g"]
        .map(|name| floats(data, name).iter().map(|v| *v as i64).collect::<Vec<_>>());
    let order: Vec<usize> = (0..id.len()).filter(|i| keep(id[*i], t[*i], g[*i])).collect();
    rows(data, &order)
}

/// Rows of the regression's sample.
fn n(study: &EventStudy) -> usize {
    match &study.provenance {
        Provenance::Regression(fit) => fit.n,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn assert_same(a: &EventStudy, b: &EventStudy, per_unit: f64) {
    assert_eq!((n(a), a.rows.len()), (n(b), b.rows.len()));
    for (a, b) in a.rows.iter().zip(&b.rows) {
        assert_eq!((a.at, a.reference), (b.at / per_unit, b.reference));
        near(a.estimate.estimate.unwrap(), b.estimate.estimate.unwrap(), 1e-9);
        near(a.estimate.se.unwrap_or(0.0), b.estimate.se.unwrap_or(0.0), 1e-9);
    }
}

#[test]
fn a_cohort_that_is_no_number_is_missing_and_null_is_never_treated() {
    let data = data::mpdta();
    let (county, first) = (floats(&data, "countyreal"), floats(&data, "first.treat"));
    let is_gap = |county: f64| county % 20.0 == 1.0;
    let gaps = county.iter().filter(|c| is_gap(**c)).count();
    assert!(gaps > 0);
    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").build();
    let fit = |data: &DataFrame| config.fit(data).unwrap();
    let nan = county.iter().zip(&first).map(|(c, g)| if is_gap(*c) { f64::NAN } else { *g });
    let nan = fit(&with(&data, "first.treat", nan.collect::<Vec<_>>()));
    assert_eq!(nan.regression.audit.rows_missing, [("first.treat".to_owned(), gaps)]);
    let without = fit(&filter(&data, "countyreal", |county| !is_gap(county)));
    assert_same(&nan.event_study, &without.event_study, 1.0);
    let null = first.iter().map(|g| (*g != 0.0).then_some(*g)).collect::<Vec<_>>();
    let null = fit(&with(&data, "first.treat", null));
    assert!(null.regression.audit.rows_missing.is_empty());
    assert_same(&null.event_study, &fit(&data).event_study, 1.0);
}

#[test]
fn dates_of_a_period_are_one_level() {
    let data = panel();
    let [id, t, g] = ["id", "t", "g"].map(|name| floats(&data, name));
    let date = |(id, t): (&f64, &f64)| match *id as i64 % 3 {
        0 => format!("2007-{t:02}"),
        1 => format!("2007-{t:02}-01"),
        _ => format!("2007-{t:02}-15"),
    };
    let dates: Vec<String> = id.iter().zip(&t).map(date).collect();
    let groups: Vec<Option<String>> =
        g.iter().map(|g| (*g != 0.0).then(|| format!("2007-{g:02}-28"))).collect();
    let dated = with(&with(&data, "t", dates), "g", groups);
    let mut config = config();
    config.frequency = Some(Frequency::Month);
    let months = config.fit(&dated).unwrap();
    assert_eq!(months.regression.absorbed[1].levels, 6);
    assert_same(&fit(&data).event_study, &months.event_study, 1.0);
    config.vcov = Some(Vcov::cluster(["t"]));
    let clustered = config.fit(&dated).unwrap();
    assert_eq!(clustered.regression.clusters, [("t".to_owned(), 6)]);
}

#[test]
fn timestamps_are_told_apart() {
    const HOUR: i64 = 3_600_000_000;
    const START: i64 = 1_700_000_000_000_000;
    let data = panel();
    let at = |start: i64, hour: i64| move |v: &f64| start + hour * *v as i64;
    let stamped = |start: i64, hour: i64| {
        let time: Vec<i64> = floats(&data, "t").iter().map(at(start, hour)).collect();
        let group = floats(&data, "g");
        let of = at(start, hour);
        let group: Vec<i64> = group.iter().map(|g| if *g == 0.0 { 0 } else { of(g) }).collect();
        with(&with(&data, "t", time), "g", group)
    };
    let mut hours = config();
    hours.reference = vec![-HOUR as f64];
    let hours = hours.fit(stamped(START, HOUR)).unwrap();
    let plain = fit(&data);
    assert_eq!(hours.regression.coefficients.len(), plain.regression.coefficients.len());
    assert_same(&plain.event_study, &hours.event_study, HOUR as f64);
    let name = format!("t::{HOUR}:cohort::{}", START + 3 * HOUR);
    assert!(hours.regression.coefficient(&name).is_some(), "{:?}", hours.regression.coefficients);
    let large = stamped(1 << 53, 1);
    for (column, role) in [("g", "group"), ("t", "time")] {
        let mut odd = data.clone();
        odd.with_column(large.column(column).unwrap().clone()).unwrap();
        let error = config().fit(&odd).unwrap_err();
        assert!(matches!(error, DidError::TooManyDigits { .. }), "{error}");
        assert!(error.to_string().contains(&format!("`{column}` ({role})")), "{error}");
    }
}

fn found(fit: &SunAbrahamResult, warning: &DidWarning) -> bool {
    fit.regression.warnings.contains(warning)
}

/// A cohort whose reference rows are of units seen once has none in the sample.
#[test]
fn references_that_are_singletons_are_no_references() {
    let data = panel();
    let alone = kept(&data, |id, t, g| g != 4 || (id % 2 == 0) == (t == 3));
    let fitted = fit(&alone);
    let cohorts = vec![4.0];
    assert!(found(&fitted, &DidWarning::CohortsWithoutReference { cohorts }));
    assert!(fitted.regression.dropped.is_empty(), "{:?}", fitted.regression.dropped);
    assert!(fitted.regression.n_singletons > 0);
    assert_same(&fitted.event_study, &fit(&kept(&data, |_, _, g| g != 4)).event_study, 1.0);
}

#[test]
fn never_treated_singletons_are_no_comparison() {
    let data = panel();
    let alone = kept(&data, |id, t, g| g != 0 || t == id % 6 + 1);
    let fitted = fit(&alone);
    assert!(found(&fitted, &DidWarning::LastCohortAsControl { group: 6.0 }));
    assert!(fitted.regression.dropped.is_empty(), "{:?}", fitted.regression.dropped);
    assert_same(&fitted.event_study, &fit(&kept(&data, |_, _, g| g != 0)).event_study, 1.0);
}

/// The last cohort's treated periods are left out, and with them the other row of those that have the reference.
#[test]
fn rows_left_out_can_leave_singletons() {
    let data = kept(&panel(), |_, _, g| g != 0);
    let alone = kept(&data, |id, t, g| match (g == 4, id % 2) {
        (false, _) => true,
        (true, 0) => t == 3 || t == 6,
        (true, _) => t != 3,
    });
    let fitted = fit(&alone);
    let cohorts = vec![4.0];
    assert!(found(&fitted, &DidWarning::LastCohortAsControl { group: 6.0 }));
    assert!(found(&fitted, &DidWarning::CohortsWithoutReference { cohorts }));
    assert!(fitted.regression.dropped.is_empty(), "{:?}", fitted.regression.dropped);
    assert_same(&fitted.event_study, &fit(&kept(&data, |_, _, g| g != 4)).event_study, 1.0);
}

#[test]
fn the_code_of_the_never_treated_is_no_event_time() {
    let data = data::mpdta();
    let (year, first) = (floats(&data, "year"), floats(&data, "first.treat"));
    let study = |never: i64, references: &str| {
        let event = year.iter().zip(&first);
        let event = event.map(|(t, g)| if *g > 0.0 { (t - g) as i64 } else { never });
        let data = with(&data, "event", event.collect::<Vec<_>>());
        let formula = format!("lemp ~ i(event, ref = {references}) | countyreal + year");
        let config = FixedEffects::<Cpu>::builder().formula(formula);
        let config = config.vcov(Vcov::cluster(["countyreal"])).build();
        config.fit(&data).unwrap().event_study("event").unwrap()
    };
    let expected = study(-1000, "c(-1, -1000)");
    let at: Vec<f64> = expected.rows.iter().map(|row| row.at).collect();
    assert_eq!(at, [-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
    for (never, references) in
        [(-1000, "c(-1000, -1)"), (1000, "c(-1, 1000)"), (99, "c(99, -1)"), (-1, "-1")]
    {
        assert_same(&expected, &study(never, references), 1.0);
    }
    for (never, references) in [(-1000, "c(-1, -1000)"), (1000, "c(-1, 1000)"), (4, "c(-1, 4)")] {
        let study = study(never, references);
        let post = study.plot_data().into_iter().filter(|row| row.post && !row.reference);
        assert_eq!(post.map(|row| row.at).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0], "{never}");
    }
    assert_eq!(expected.event_times(), [-4.0, -3.0, -2.0, 0.0, 1.0, 2.0, 3.0]);
    // Two event times without a coefficient are two references.
    let two = study(-1000, "c(-4, -1, -1000)");
    assert_eq!(two.rows.iter().filter(|row| row.reference).count(), 2);
    let error = two.honest(Honest::smoothness()).unwrap_err().to_string();
    assert!(error.contains("-4 and -1 are both references"), "{error}");
}

#[test]
fn a_cohort_of_one_unit_is_named() {
    let data = panel();
    let (id, g) = (floats(&data, "id"), floats(&data, "g"));
    let of_cohort = id.iter().zip(&g).filter(|(_, g)| **g == 4.0);
    let first = of_cohort.map(|(id, _)| *id as i64).min().unwrap();
    let one = kept(&data, |id, _, g| g != 4 || id == first);
    let expected = DidWarning::SmallGroups { groups: vec![4.0], single: vec![4.0] };
    assert!(fit(&one).regression.warnings.contains(&expected));
    let is_said = |warning: &DidWarning| matches!(warning, DidWarning::SmallGroups { .. });
    assert!(!fit(&data).regression.warnings.iter().any(is_said));
}

#[test]
fn a_cohort_without_its_first_period_is_refused_with_a_way_out() {
    let gap = kept(&panel(), |_, t, _| t != 4);
    let refused = config().fit(&gap).unwrap_err().to_string();
    for words in ["cohort 4", "leave out its rows", "`reference`"] {
        assert!(refused.contains(words), "{refused}");
    }
    // The ways that the message names.
    assert!(config().fit(kept(&gap, |_, _, g| g != 4)).is_ok());
    let moved: Vec<f64> =
        floats(&gap, "g").iter().map(|g| if *g == 4.0 { 5.0 } else { *g }).collect();
    let moved = with(&gap, "g", moved);
    let mut named = config();
    named.reference = vec![-2.0];
    let found = named.fit(&moved).unwrap();
    assert!(found.regression.coefficients.iter().any(|c| c.name.ends_with("cohort::5")));
    let lost = DidWarning::CohortsWithoutReference { cohorts: vec![5.0] };
    assert!(fit(&moved).regression.warnings.contains(&lost));
}
