//! Extreme values in rows that a cell does not use leave the cell as it is.

use burn_did::options::{BasePeriod, ControlGroup};
use polars::prelude::DataFrame;

use super::report::{Report, Within};
use super::subject::{Case, Comparison, CovariateRows, Reported};
use super::subjects;
use crate::support::frames::{floats, with};

/// Other rows may change the order of sums or where they are centred, which is rounding.
const LIMIT: Within = Within::Errors(1e-9);

/// Rows that get the value.
#[derive(Clone, Copy, Debug)]
enum Place {
    Cohort(f64),
    /// The first unit of a cohort.
    Unit(f64),
    Period(f64),
}

const PLACES: [Place; 4] =
    [Place::Cohort(4.0), Place::Cohort(0.0), Place::Unit(6.0), Place::Period(5.0)];

/// A column's role.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Outcome,
    Covariate,
    Weight,
}

/// Whether a cell uses a column of the place's rows.
fn touches(comparison: &Comparison, (group, time): (f64, f64), place: Place, role: Role) -> bool {
    let before = group - 1.0;
    let base = match comparison.base_period {
        BasePeriod::Varying if time < group => time - 1.0,
        _ => before,
    };
    // The base of cohorts 3, 4 and 6 in periods 1 to 6 is the period before.
    let last = base.max(time);
    let cohort = |c: f64| {
        c == group
            || c == 0.0
            || (comparison.control_group == ControlGroup::NotYetTreated && c > last)
    };
    match place {
        Place::Cohort(c) | Place::Unit(c) => cohort(c),
        Place::Period(p) => match comparison.covariates {
            CovariateRows::Earlier if role != Role::Outcome => p == base.min(time),
            CovariateRows::Base if role != Role::Outcome => p == base,
            _ => p == time || p == base,
        },
    }
}

/// The frame with the value in a column of the place's rows.
fn spoil(df: &DataFrame, column: &str, place: Place, value: f64) -> DataFrame {
    let [id, g, t] = ["id", "g", "t"].map(|c| floats(df, c));
    let first = |cohort| g.iter().position(|v| *v == cohort).map(|row| id[row]);
    let values = floats(df, column).into_iter().enumerate().map(|(row, old)| {
        let spoiled = match place {
            Place::Cohort(c) => g[row] == c,
            Place::Unit(c) => Some(id[row]) == first(c),
            Place::Period(p) => t[row] == p,
        };
        // Not all alike: a constant is no outlier.
        if spoiled { value * (1.0 + (row % 7) as f64 / 8.0) } else { old }
    });
    with(df, column, values.collect::<Vec<f64>>())
}

/// Cells that use the rows have finite numbers, the others the same ones.
fn check(case: &Case, report: &mut Report, role: Role, values: [f64; 4]) {
    let column = match role {
        Role::Outcome => case.outcome,
        Role::Covariate => case.covariates.first().copied(),
        Role::Weight => case.weights,
    };
    let (Some(comparison), Some(column)) = (&case.comparison, column) else { return report.skip() };
    let plain = case.numbers();
    for place in PLACES {
        for value in values {
            let what = format!("{}: {column} {value:e} at {place:?}", case.name);
            let spoiled = match case.try_fit(&spoil(&case.frame, column, place, value)) {
                Ok(fit) => fit,
                Err(error) => {
                    report.fail(format!("{what}: {error}"));
                    continue;
                }
            };
            for (a, b) in report.pairs(&what, &plain, &spoiled) {
                if a.cell.is_some_and(|cell| touches(comparison, cell, place, role)) {
                    report.check(is_sane(b), || format!("{what}: {b:?}"));
                } else {
                    report.estimate(&what, a, b, LIMIT);
                }
            }
        }
    }
}

fn is_sane(reported: &Reported) -> bool {
    let finite = [reported.value, reported.se].iter().flatten().all(|v| v.is_finite());
    finite && reported.se.is_none_or(|se| se > 0.0)
}

law!(outcomes, crate::laws::some: att_gt, ddd);

fn outcomes(case: &Case, report: &mut Report) {
    check(case, report, Role::Outcome, [1e9, -1e17, 1e37, 1e300]);
}

law!(covariates, crate::laws::some: att_gt, ddd);

fn covariates(case: &Case, report: &mut Report) {
    check(case, report, Role::Covariate, [1e9, -1e17, 1e37, 1e300]);
}

law!(weights: att_gt, ddd);

fn weights(case: &Case, report: &mut Report) {
    check(case, report, Role::Weight, [1e9, 1e17, 1e37, 1e300]);
}

/// A panel of two periods takes covariates and weights from the first.
#[test]
fn the_second_period_of_a_two_period_panel() {
    let mut report = Report::default();
    for case in subjects::drdid::cases() {
        if case.rows_are_units || case.name.starts_with("Twfe") || case.covariates.is_empty() {
            continue;
        }
        let plain = case.numbers();
        for column in ["x1", "w"] {
            for value in [1e9, 1e17, 1e37, 1e300] {
                let spoiled = spoil(&case.frame, column, Place::Period(4.0), value);
                let what = format!("{}: {column} {value:e}", case.name);
                report.same_as(&what, &plain, case.try_fit(&spoiled), LIMIT);
            }
        }
    }
    report.finish();
}
