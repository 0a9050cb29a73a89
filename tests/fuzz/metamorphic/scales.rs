//! Units and origins of every column, from 1e-9 to 1e9, and cohorts far from each other.

use burn_did::{BasePeriod, CellStatus, ControlGroup, DrdidMethod};
use polars::prelude::DataFrame;

use super::case::{Case, Cell, Estimator};
use super::cases;
use super::numbers::{Report, Within};
use crate::support::frames::{floats, map, with};

const FACTORS: [f64; 4] = [1e9, 1e-9, -1e9, -3.0];

const ORIGINS: [f64; 4] = [1e9, -1e9, 1e6, -5e3];

/// What is left of a column after it was somewhere else: a shift rounds, the way back does not.
fn there_and_back(df: &DataFrame, column: &str, by: f64) -> DataFrame {
    map(df, column, |v| (v + by) - by)
}

/// Whether a constant in the outcome cancels: it does not in weights that do not add up to one.
fn shifts_cancel(case: &Case) -> bool {
    !matches!(&case.estimator, Estimator::Drdid(e) if e.method == DrdidMethod::IpwHorvitzThompson)
}

/// A standard error that is taken for rounding, as in R, and some space around it.
const NONE: f64 = 1e-6;

/// All cells, those of the second with their outcome's unit. As in R, badly scaled covariates may be refused, and standard
/// errors of tiny outcomes may be missing; numbers must not be others.
fn compare(report: &mut Report, what: &str, plain: &[Cell], moved: &[Cell], by: f64, limit: f64) {
    for (a, b) in plain.iter().zip(moved) {
        if matches!(b.status, CellStatus::SingularDesign { .. }) && what.contains(": x") {
            report.check(b.att.is_none() && b.se.is_none(), || format!("{what}: {b:?}"));
            continue;
        }
        let mut b = b.clone();
        if b.se.is_none() && a.se.is_some_and(|se| se * by.abs() < NONE) {
            b.se = a.se.map(|se| se * by.abs());
        }
        let kind = std::mem::discriminant;
        let same = kind(&a.status) == kind(&b.status) && a.n == b.n;
        report.check(same, || format!("{what}: {a:?} and {b:?}"));
        report.numbers(what, a, &b, [1.0 / by, 1.0 / by.abs()], Within::Errors(limit));
    }
}

#[test]
fn of_the_outcome() {
    let mut report = Report::default();
    for case in cases::all() {
        let plain = case.numbers();
        for by in FACTORS {
            let what = format!("{}: y times {by:e}", case.name);
            let fit = case.fit(&map(&case.frame, "y", |y| by * y));
            compare(&mut report, &what, &plain.cells, &fit.cells, by, 1e-9);
        }
        for by in ORIGINS.into_iter().filter(|_| shifts_cancel(&case)) {
            let what = format!("{}: y plus {by:e}", case.name);
            let fit = case.fit(&map(&case.frame, "y", |y| y + by));
            let plain = case.fit(&there_and_back(&case.frame, "y", by));
            compare(&mut report, &what, &plain.cells, &fit.cells, 1.0, 1e-6);
        }
    }
    report.finish();
}

#[test]
fn of_covariates() {
    let mut report = Report::default();
    for case in cases::all().into_iter().filter(Case::has_covariates) {
        let plain = case.numbers();
        for column in ["x1", "x2t"] {
            for by in FACTORS {
                let what = format!("{}: {column} times {by:e}", case.name);
                let fit = case.fit(&map(&case.frame, column, |x| by * x));
                compare(&mut report, &what, &plain.cells, &fit.cells, 1.0, 1e-7);
            }
            for by in ORIGINS {
                let what = format!("{}: {column} plus {by:e}", case.name);
                let fit = case.fit(&map(&case.frame, column, |x| x + by));
                let plain = case.fit(&there_and_back(&case.frame, column, by));
                compare(&mut report, &what, &plain.cells, &fit.cells, 1.0, 1e-6);
            }
        }
    }
    report.finish();
}

/// Distances of a cohort from the others, in spreads of the outcome.
const FAR: [f64; 3] = [1e8, 1e9, 1e10];

/// What is moved.
#[derive(Clone, Copy, Debug)]
enum Moved {
    /// The outcome's level.
    Level,
    /// The outcome's change from period to period.
    Trend,
}

/// What to add to the outcome of a row.
fn distance(moved: Moved, far: f64, time: f64) -> f64 {
    match moved {
        Moved::Level => far,
        Moved::Trend => far * time,
    }
}

fn base(base_period: BasePeriod, cell: &Cell) -> f64 {
    let varying = base_period == BasePeriod::Varying && cell.time < cell.group;
    if varying { cell.time - 1.0 } else { cell.group - 1.0 }
}

/// The cohorts to move, each with the cells whose numbers are known: the effect's change by cell, or `None` if unknown.
type Known = Box<dyn Fn(&Cell, Moved, f64) -> Option<f64>>;

fn cohorts(case: &Case) -> Vec<(&'static str, f64, Known)> {
    match &case.estimator {
        Estimator::AttGt(e) => {
            let (base_period, controls) = (e.base_period, e.control_group);
            [0.0, 4.0, 6.0]
                .into_iter()
                // Several comparison cohorts apart from each other do have larger errors.
                .filter(|c| *c > 0.0 || controls == ControlGroup::NeverTreated)
                .map(|cohort| {
                    let known = move |cell: &Cell, moved: Moved, far: f64| {
                        let own = cell.group == cohort;
                        let never = controls == ControlGroup::NeverTreated;
                        let periods = cell.time - base(base_period, cell);
                        let trend = if matches!(moved, Moved::Trend) { far * periods } else { 0.0 };
                        match () {
                            () if own => Some(trend),
                            () if cohort == 0.0 => Some(-trend),
                            () if never => Some(0.0),
                            () => None,
                        }
                    };
                    ("g", cohort, Box::new(known) as Known)
                })
                .collect()
        }
        Estimator::Drdid(_) => [0.0, 1.0]
            .into_iter()
            .map(|d| {
                let known = move |_: &Cell, moved: Moved, far: f64| {
                    let sign = if d == 1.0 { 1.0 } else { -1.0 };
                    Some(if matches!(moved, Moved::Trend) { sign * far } else { 0.0 })
                };
                ("d", d, Box::new(known) as Known)
            })
            .collect(),
        // Both halves of a cohort move together, which cancels.
        Estimator::Ddd(e) => {
            let never = e.control_group == ControlGroup::NeverTreated;
            let all = [0.0, 4.0].into_iter().filter(|c| never || *c > 0.0);
            all.map(|cohort| {
                let known = move |cell: &Cell, _: Moved, _: f64| {
                    // With two periods the group's value is not the cell's.
                    (never || cell.group == cohort).then_some(0.0)
                };
                ("g", cohort, Box::new(known) as Known)
            })
            .collect()
        }
    }
}

fn check_far(cases: &[Case], moved: Moved, covariates: bool) {
    let mut report = Report::default();
    for case in cases.iter().filter(|c| c.has_covariates() == covariates && shifts_cancel(c)) {
        for (column, value, known) in cohorts(case) {
            for far in FAR {
                let what = format!("{}: {moved:?} of {column} = {value} by {far:e}", case.name);
                let [y, t, g] = ["y", "t", column].map(|c| floats(&case.frame, c));
                let add = |row: usize| {
                    if g[row] == value { distance(moved, far, t[row]) } else { 0.0 }
                };
                let away: Vec<f64> = (0..y.len()).map(|row| y[row] + add(row)).collect();
                let back: Vec<f64> = (0..y.len()).map(|row| away[row] - add(row)).collect();
                let [away, back] = [away, back].map(|y| case.fit(&with(&case.frame, "y", y)));
                for (a, b) in back.cells.iter().zip(&away.cells) {
                    let Some(change) = known(a, moved, far) else { continue };
                    // Numbers of the size of the change have so many digits.
                    let near =
                        |att: f64, own: f64| (att - change - own).abs() < 1e-14 * change.abs();
                    let own = a.att.filter(|own| b.att.is_some_and(|att| near(att, *own)));
                    let att = own.or_else(|| b.att.map(|att| att - change));
                    let b = Cell { att, ..b.clone() };
                    report.cell(&what, a, &b, Within::Errors(1e-4));
                }
            }
        }
    }
    report.finish();
}

#[test]
fn a_cohort_of_another_level_keeps_its_standard_errors() {
    check_far(&cases::all(), Moved::Level, false);
}

#[test]
fn a_cohort_of_another_trend_keeps_its_standard_errors() {
    check_far(&cases::all(), Moved::Trend, false);
}

#[test]
fn a_cohort_of_another_level_keeps_its_standard_errors_with_covariates() {
    check_far(&cases::all(), Moved::Level, true);
}

#[test]
fn a_cohort_of_another_trend_keeps_its_standard_errors_with_covariates() {
    check_far(&cases::all(), Moved::Trend, true);
}
