//! What estimates are of: effects of treated rows are added, effects of units and periods cancel.

use polars::prelude::DataFrame;

use super::report::{Report, Within};
use super::subject::{Case, Change, Reported, Treated};
use crate::support::frames::{filter, floats, map, with};

/// The outcome and something more.
fn plus(case: &Case, more: impl Fn(usize) -> f64) -> DataFrame {
    let outcome = case.outcome.expect("the law is of outcomes");
    let values = floats(&case.frame, outcome).into_iter().enumerate();
    with(&case.frame, outcome, values.map(|(row, y)| y + more(row)).collect::<Vec<f64>>())
}

law!(an_effect_of_treated_rows_is_added);

fn an_effect_of_treated_rows_is_added(case: &Case, report: &mut Report) {
    const EFFECT: f64 = 2.5;
    if case.outcome.is_none() || !case.is_normalised {
        return report.skip();
    }
    let plain = case.numbers();
    if plain.estimates.iter().all(|of| of.of_treated.is_none()) {
        return report.skip();
    }
    let column = |name: &str| floats(&case.frame, name);
    let from_group = || {
        let rows = column("t").into_iter().zip(column("g"));
        rows.map(|(time, group)| f64::from(u8::from(group > 0.0 && time >= group))).collect()
    };
    let treated: Vec<f64> = match case.treated {
        Treated::FromGroup => from_group(),
        Treated::Eligible => from_group().iter().zip(column("q")).map(|(on, q)| on * q).collect(),
        Treated::Switching => column("d"),
    };
    let moved = case.fit(&plus(case, |row| EFFECT * treated[row]));
    for (a, b) in report.pairs(&case.name, &plain, &moved) {
        let Some(share) = a.of_treated else { continue };
        let b = Reported { value: b.value.map(|value| value - share * EFFECT), ..b.clone() };
        report.estimate(&case.name, a, &b, Within::Errors(1e-7));
    }
}

law!(effects_of_units_and_periods_cancel);

fn effects_of_units_and_periods_cancel(case: &Case, report: &mut Report) {
    if case.outcome.is_none() || !case.effects_cancel {
        return report.skip();
    }
    let [ids, times] = ["id", "t"].map(|name| floats(&case.frame, name));
    let effect = |row: usize| 7.0 * (1.7 * ids[row]).sin() + 4.0 * (2.3 * times[row]).cos();
    let fit = case.try_fit(&plus(case, effect));
    report.same_as(&case.name, &case.numbers(), fit, Within::Errors(1e-7));
}

law!(an_outcome_without_noise_has_no_standard_errors, some);

/// An outcome of effects of units and periods alone is known without error: what rounding leaves of it is no standard error.
fn an_outcome_without_noise_has_no_standard_errors(case: &Case, report: &mut Report) {
    let Some(outcome) = case.outcome.filter(|_| case.effects_cancel) else { return report.skip() };
    let [ids, times] = ["id", "t"].map(|name| floats(&case.frame, name));
    let effect = |row: usize| 7.0 * (1.7 * ids[row]).sin() + 4.0 * (2.3 * times[row]).cos();
    let nothing = Case { frame: map(&case.frame, outcome, |_| 0.0), ..case.clone() };
    let Ok(fit) = case.try_fit(&plus(&nothing, effect)) else { return report.skip() };
    if fit.estimates.iter().all(|of| of.is_level) {
        return report.skip();
    }
    for of in fit.estimates.iter().filter(|of| !of.is_level) {
        report.check(of.se.is_none(), || format!("{}: {of:?}", case.name));
    }
}

law!(clusters_that_are_cohorts_have_no_standard_errors_of_rounding, some);

/// Of one cohort and the never-treated, as clusters, influence adds up to zero in each: for many estimators, and not to rounding.
fn clusters_that_are_cohorts_have_no_standard_errors_of_rounding(case: &Case, report: &mut Report) {
    const ROUNDING: f64 = 1e-12;
    let is_usual = case.outcome.is_some() && case.times.contains(&"g");
    let changed = is_usual.then(|| case.changed(Change::Cluster(Some("cohort")))).flatten();
    let Some(case) = changed else { return report.skip() };
    let groups = floats(&case.frame, "g");
    let first = groups.iter().copied().filter(|g| *g > 2.0).fold(f64::INFINITY, f64::min);
    let frame = with(&case.frame, "cohort", groups);
    let two = filter(&frame, "g", |g| g == 0.0 || g == first);
    let Ok(fit) = case.try_fit(&two) else { return report.skip() };
    if fit.estimates.is_empty() {
        return report.skip();
    }
    for of in &fit.estimates {
        report.check(of.se.is_none_or(|se| se > ROUNDING), || format!("{}: {of:?}", case.name));
    }
}
