//! What periods are called does not matter: any increasing map of a grid gives the same cells and event study.

use burn_did::{Aggregated, Aggregation, GroupTimeResult};
use polars::prelude::DataFrame;

use super::report::{Report, Within};
use super::subject::{Case, Change};
use crate::support::frames::map;

/// A calendar: its name, the label of period `t` and the distance of neighbours.
type Calendar = (&'static str, fn(f64) -> f64, f64);

const CALENDARS: [Calendar; 12] = [
    ("years", |t| 2000.0 + t, 1.0),
    ("every other year", |t| 1990.0 + 2.0 * t, 2.0),
    ("decades", |t| 1900.0 + 10.0 * t, 10.0),
    ("far from zero", |t| 1e9 + t, 1.0),
    ("dates as numbers", |t| 20_000_101.0 + t, 1.0),
    ("quarters", |t| 2003.0 + t / 4.0, 0.25),
    ("months", |t| 2003.0 + (t + 4.0) / 12.0, 1.0 / 12.0),
    ("months of four decimals", |t| decimals(2003.0 + (t + 4.0) / 12.0, 4), 1.0 / 12.0),
    ("months of two decimals", |t| decimals(1999.0 + (t + 8.0) / 12.0, 2), 1.0 / 12.0),
    ("tenths", |t| 2010.0 + t * 0.1, 0.1),
    ("small tenths", |t| t * 0.1, 0.1),
    ("thirds", |t| 1.0 + t / 3.0, 1.0 / 3.0),
];

fn decimals(value: f64, places: i32) -> f64 {
    let unit = 10f64.powi(places);
    (value * unit).round() / unit
}

/// The frame with periods and groups of another calendar.
fn renamed(case: &Case, calendar: fn(f64) -> f64) -> DataFrame {
    case.times.iter().fold(case.frame.clone(), |df, column| {
        map(&df, column, |t| if t > 0.0 { calendar(t) } else { t })
    })
}

law!(calendars, some);

fn calendars(case: &Case, report: &mut Report) {
    if case.times.is_empty() {
        return report.skip();
    }
    let plain = case.numbers();
    for (name, calendar, step) in CALENDARS {
        let what = format!("{}: {name}", case.name);
        let scaled = case.changed(Change::Step(step)).unwrap_or_else(|| case.clone());
        let other = match scaled.try_fit(&renamed(case, calendar)) {
            Ok(fit) => fit,
            Err(error) => {
                report.fail(format!("{what}: {error}"));
                continue;
            }
        };
        report.same(&what, &plain, &other, Within::Bits);
        for (a, b) in report.pairs(&what, &plain, &other) {
            let (Some(first), Some(second)) = (a.cell, b.cell) else { continue };
            // Two periods of a triple difference go by who is treated.
            let labels = [(first.0, second.0), (first.1, second.1)];
            let mapped = labels.iter().all(|(a, b)| (calendar(*a) - b).abs() < 1e-3);
            report.check(mapped, || format!("{what}: {a:?} is called {b:?}"));
        }
        let [Some(a), Some(b)] = [&plain.group_time, &other.group_time] else { continue };
        windows(report, &what, a, b, step);
    }
}

/// The event study and its windows.
fn windows(report: &mut Report, what: &str, a: &GroupTimeResult, b: &GroupTimeResult, step: f64) {
    let dynamic = Aggregation::dynamic().na_rm(true);
    // Windows are in the calendar's units, with half a step to spare.
    let spare = |e: f64| (e + 0.5_f64.copysign(e)) * step;
    let all = [
        (dynamic, dynamic),
        (dynamic.min_e(-1.0).max_e(1.0), dynamic.min_e(spare(-1.0)).max_e(spare(1.0))),
    ];
    for (plain, scaled) in all {
        match (a.aggregate(plain), b.aggregate(scaled)) {
            (Ok(a), Ok(b)) => events(report, what, &a, &b, step),
            (Err(_), Err(_)) => {}
            (a, b) => report.fail(format!("{what}: event study {:?} and {:?}", a.err(), b.err())),
        }
    }
    let calendar = Aggregation::calendar().na_rm(true);
    if let (Ok(a), Ok(b)) = (a.aggregate(calendar), b.aggregate(calendar)) {
        report.check(a.overall == b.overall && a.rows.len() == b.rows.len(), || {
            format!("{what}: by calendar {:?} and {:?}", a.overall, b.overall)
        });
    }
}

fn events(report: &mut Report, what: &str, a: &Aggregated, b: &Aggregated, step: f64) {
    report.check(a.overall == b.overall, || {
        format!("{what}: overall {:?} and {:?}", a.overall, b.overall)
    });
    report.check(a.rows.len() == b.rows.len(), || {
        let at: Vec<f64> = b.rows.iter().map(|r| r.at).collect();
        format!("{what}: {} event times, not {}: {at:?}", b.rows.len(), a.rows.len())
    });
    for (x, y) in a.rows.iter().zip(&b.rows) {
        report.check(x.estimate == y.estimate, || format!("{what}: {x:?} and {y:?}"));
        let at = (x.at * step - y.at).abs() < 1e-2 * step.max(0.1);
        report.check(at, || format!("{what}: event time {} is {}", x.at, y.at));
    }
}

law!(anticipation);

/// Anticipation counts in the calendar's units; a whole number of them where the calendar has whole numbers.
fn anticipation(case: &Case, report: &mut Report) {
    let anticipating = |periods: u32| case.changed(Change::Anticipation(periods));
    let Some(one) = anticipating(1) else { return report.skip() };
    let plain = one.numbers();
    for (name, calendar, step) in CALENDARS.into_iter().filter(|c| c.2 >= 1.0) {
        let scaled = anticipating(step as u32).expect("it has the option");
        let fit = scaled.try_fit(&renamed(case, calendar));
        report.same_as(&format!("{}: {name}", case.name), &plain, fit, Within::Bits);
    }
}
