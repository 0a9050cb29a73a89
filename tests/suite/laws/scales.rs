//! Units and origins of every column, from 1e-9 to 1e9, and cohorts far from each other.

use burn_did::{
    group_time::CellStatus,
    options::{BasePeriod, ControlGroup},
};
use polars::prelude::DataFrame;

use super::report::{Report, Within, same_kind};
use super::subject::{Case, Comparison, Numbers, Reported};
use crate::support::frames::{floats, map, with};

const FACTORS: [f64; 4] = [1e9, 1e-9, -1e9, -3.0];

const ORIGINS: [f64; 4] = [1e9, -1e9, 1e6, -5e3];

/// What is left of a column after it was somewhere else: a shift rounds, the way back does not.
fn there_and_back(df: &DataFrame, column: &str, by: f64) -> DataFrame {
    map(df, column, |v| (v + by) - by)
}

/// A standard error that is taken for rounding, as in R, and some space around it.
const NONE: f64 = 1e-6;

/// What a change of units and origins does to an estimate.
#[derive(Clone, Copy)]
struct Moved<'a> {
    /// Of the outcome.
    by: f64,
    plus: f64,
    /// Of another column.
    column: Option<(&'a str, f64)>,
    may_refuse: bool,
}

impl<'a> Moved<'a> {
    fn outcome(by: f64, plus: f64) -> Self {
        Self { by, plus, column: None, may_refuse: false }
    }

    fn column(case: &Case, column: &'a str, by: f64) -> Self {
        let is_triple = case.comparison.as_ref().is_some_and(|c| c.is_triple);
        Self { by: 1.0, plus: 0.0, column: Some((column, by)), may_refuse: !is_triple }
    }
}

/// All estimates, those of the second in their own units. As in R, badly scaled covariates may be refused, but for triple differences,
/// and standard errors of tiny outcomes may be missing; numbers must not be others.
fn compare(
    report: &mut Report,
    what: &str,
    [plain, moved]: [&Numbers; 2],
    change: Moved<'_>,
    limit: f64,
) {
    for (a, b) in report.pairs(what, plain, moved) {
        if matches!(b.status, Some(CellStatus::SingularDesign { .. })) && change.may_refuse {
            report.check(b.value.is_none() && b.se.is_none(), || format!("{what}: {b:?}"));
            continue;
        }
        let slope = change.column.filter(|(column, _)| a.per == Some(column));
        let by = change.by / slope.map_or(1.0, |(_, by)| by);
        let plus = if a.is_level { change.plus } else { 0.0 };
        let mut b = Reported { value: b.value.map(|value| value - plus), ..b.clone() };
        if b.se.is_none() && a.se.is_some_and(|se| se * by.abs() < NONE) {
            b.se = a.se.map(|se| se * by.abs());
        }
        let same = same_kind(a, &b) && a.n == b.n;
        report.check(same, || format!("{what}: {a:?} and {b:?}"));
        report.numbers(what, a, &b, 1.0 / by, Within::Errors(limit));
    }
}

law!(of_the_outcome);

fn of_the_outcome(case: &Case, report: &mut Report) {
    let Some(outcome) = case.outcome else { return report.skip() };
    let plain = case.numbers();
    for by in FACTORS {
        let what = format!("{}: y times {by:e}", case.name);
        let fit = case.fit(&map(&case.frame, outcome, |y| by * y));
        compare(report, &what, [&plain, &fit], Moved::outcome(by, 0.0), 1e-9);
    }
    for plus in ORIGINS.into_iter().filter(|_| case.is_normalised) {
        if plus.abs() > case.largest_origin {
            continue;
        }
        let what = format!("{}: y plus {plus:e}", case.name);
        let fit = case.fit(&map(&case.frame, outcome, |y| y + plus));
        let plain = case.fit(&there_and_back(&case.frame, outcome, plus));
        compare(report, &what, [&plain, &fit], Moved::outcome(1.0, plus), 1e-6);
    }
}

law!(of_covariates);

fn of_covariates(case: &Case, report: &mut Report) {
    let plain = case.numbers();
    for column in case.covariates {
        for by in FACTORS {
            let what = format!("{}: {column} times {by:e}", case.name);
            let fit = case.fit(&map(&case.frame, column, |x| by * x));
            let change = Moved::column(case, column, by);
            compare(report, &what, [&plain, &fit], change, 1e-7);
        }
        for plus in ORIGINS {
            let what = format!("{}: {column} plus {plus:e}", case.name);
            let fit = case.fit(&map(&case.frame, column, |x| x + plus));
            let plain = case.fit(&there_and_back(&case.frame, column, plus));
            let change = Moved::column(case, column, 1.0);
            compare(report, &what, [&plain, &fit], change, 1e-6);
        }
    }
    if case.covariates.is_empty() {
        report.skip();
    }
}

law!(of_doses);

fn of_doses(case: &Case, report: &mut Report) {
    let plain = case.numbers();
    for column in case.doses {
        for by in FACTORS.into_iter().filter(|by| *by > 0.0) {
            let what = format!("{}: {column} times {by:e}", case.name);
            let fit = case.fit(&map(&case.frame, column, |x| by * x));
            let change = Moved::column(case, column, by);
            compare(report, &what, [&plain, &fit], change, 1e-7);
        }
    }
    if case.doses.is_empty() {
        report.skip();
    }
}

/// Distances of a cohort from the others, in spreads of the outcome.
const FAR: [f64; 3] = [1e8, 1e9, 1e10];

/// What of a cohort is far from the others.
#[derive(Clone, Copy, Debug)]
enum Away {
    /// The outcome's level.
    Level,
    /// The outcome's change from period to period.
    Trend,
}

/// What to add to the outcome of a row.
fn distance(moved: Away, far: f64, time: f64) -> f64 {
    match moved {
        Away::Level => far,
        Away::Trend => far * time,
    }
}

fn base(base_period: BasePeriod, (group, time): (f64, f64)) -> f64 {
    let varying = base_period == BasePeriod::Varying && time < group;
    if varying { time - 1.0 } else { group - 1.0 }
}

/// The cohorts that may be moved: the column that names them, and its values.
fn cohorts(comparison: Option<&Comparison>) -> (&'static str, Vec<f64>) {
    let Some(comparison) = comparison else { return ("d", vec![0.0, 1.0]) };
    let all = if comparison.is_triple { vec![0.0, 4.0] } else { vec![0.0, 4.0, 6.0] };
    // Several comparison cohorts apart from each other do have larger errors.
    let never = comparison.control_group == ControlGroup::NeverTreated;
    ("g", all.into_iter().filter(|cohort| never || *cohort > 0.0).collect())
}

/// By how much an effect changes if a cohort is moved, where that is known.
fn change(
    comparison: Option<&Comparison>,
    cell: Option<(f64, f64)>,
    cohort: f64,
    moved: Away,
    far: f64,
) -> Option<f64> {
    let trend = |periods: f64| if matches!(moved, Away::Trend) { far * periods } else { 0.0 };
    let (Some(comparison), Some(cell)) = (comparison, cell) else {
        return Some(trend(if cohort == 1.0 { 1.0 } else { -1.0 }));
    };
    let never = comparison.control_group == ControlGroup::NeverTreated;
    if comparison.is_triple {
        // Both halves of a cohort move together, which cancels. With two periods the group's value is not the cell's.
        return (never || cell.0 == cohort).then_some(0.0);
    }
    let periods = cell.1 - base(comparison.base_period, cell);
    match () {
        () if cell.0 == cohort => Some(trend(periods)),
        () if cohort == 0.0 => Some(trend(-periods)),
        () => never.then_some(0.0),
    }
}

law!(a_cohort_of_another_level: att_gt, drdid, ddd);

/// It keeps its standard errors.
fn a_cohort_of_another_level(case: &Case, report: &mut Report) {
    check_far(case, report, Away::Level);
}

law!(a_cohort_of_another_trend: att_gt, drdid, ddd);

/// It keeps its standard errors.
fn a_cohort_of_another_trend(case: &Case, report: &mut Report) {
    check_far(case, report, Away::Trend);
}

fn check_far(case: &Case, report: &mut Report, moved: Away) {
    if !case.is_normalised {
        return report.skip();
    }
    let comparison = case.comparison.as_ref();
    let (column, values) = cohorts(comparison);
    for value in values {
        for far in FAR {
            let what = format!("{}: {moved:?} of {column} = {value} by {far:e}", case.name);
            let [y, t, g] = ["y", "t", column].map(|c| floats(&case.frame, c));
            let add = |row: usize| if g[row] == value { distance(moved, far, t[row]) } else { 0.0 };
            let away: Vec<f64> = (0..y.len()).map(|row| y[row] + add(row)).collect();
            let back: Vec<f64> = (0..y.len()).map(|row| away[row] - add(row)).collect();
            let [away, back] = [away, back].map(|y| case.fit(&with(&case.frame, "y", y)));
            for (a, b) in report.pairs(&what, &back, &away) {
                let Some(change) = change(comparison, a.cell, value, moved, far) else { continue };
                // Numbers of the size of the change have so many digits.
                let near =
                    |found: f64, own: f64| (found - change - own).abs() < 1e-14 * change.abs();
                let own = a.value.filter(|own| b.value.is_some_and(|found| near(found, *own)));
                let value = own.or_else(|| b.value.map(|found| found - change));
                report.estimate(&what, a, &Reported { value, ..b.clone() }, Within::Errors(1e-4));
            }
        }
    }
}
