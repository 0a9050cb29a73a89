//! Extreme values in rows that a cell does not use leave the cell as it is.

use burn_did::{BasePeriod, ControlGroup, DrdidMethod, UnbalancedPanel};
use polars::prelude::DataFrame;

use super::case::{Case, Cell, Estimator};
use super::cases;
use super::numbers::{Report, Within};
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

/// What decides which rows a cell uses.
struct Use {
    base_period: BasePeriod,
    control_group: ControlGroup,
    /// Which period covariates and weights are from: each row's own, the earlier of both, or the base period.
    covariates: From,
}

#[derive(Clone, Copy, PartialEq)]
enum From {
    Rows,
    Earlier,
    Base,
}

impl Use {
    fn of(case: &Case) -> Option<Self> {
        Some(match &case.estimator {
            Estimator::AttGt(e) => {
                let rows = e.repeated_cross_sections
                    || e.allow_unbalanced_panel
                    || e.fix_weights.is_some();
                let covariates = if rows { From::Rows } else { From::Earlier };
                Self { base_period: e.base_period, control_group: e.control_group, covariates }
            }
            Estimator::Ddd(e) => {
                let rows = e.repeated_cross_sections || e.unbalanced == UnbalancedPanel::Rows;
                let covariates = if rows { From::Rows } else { From::Base };
                Self { base_period: e.base_period, control_group: e.control_group, covariates }
            }
            Estimator::Drdid(_) => return None,
        })
    }

    /// Whether a cell uses a column of the place's rows.
    fn touches(&self, cell: &Cell, place: Place, role: Role) -> bool {
        let before = cell.group - 1.0;
        let post = cell.time >= cell.group;
        let base = match self.base_period {
            BasePeriod::Universal => before,
            BasePeriod::Varying if post => before,
            BasePeriod::Varying => cell.time - 1.0,
        };
        // The base of cohorts 3, 4 and 6 in periods 1 to 6 is the period before.
        let last = base.max(cell.time);
        let cohort = |c: f64| {
            c == cell.group
                || c == 0.0
                || (self.control_group == ControlGroup::NotYetTreated && c > last)
        };
        match place {
            Place::Cohort(c) | Place::Unit(c) => cohort(c),
            Place::Period(p) => match self.covariates {
                From::Earlier if role != Role::Outcome => p == base.min(cell.time),
                From::Base if role != Role::Outcome => p == base,
                _ => p == cell.time || p == base,
            },
        }
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

fn check(cases: &[Case], role: Role, values: &[f64]) {
    let mut report = Report::default();
    for case in cases {
        let Some(usage) = Use::of(case) else { continue };
        let column = match role {
            Role::Outcome => "y",
            Role::Covariate if case.has_covariates() => "x1",
            Role::Covariate => continue,
            Role::Weight => match case.weights() {
                Some(column) => column,
                None => continue,
            },
        };
        let plain = case.numbers();
        for place in PLACES {
            for value in values {
                let what = format!("{}: {column} {value:e} at {place:?}", case.name);
                let spoiled = match case.try_fit(&spoil(&case.frame, column, place, *value)) {
                    Ok(fit) => fit,
                    Err(error) => {
                        report.fail(format!("{what}: {error}"));
                        continue;
                    }
                };
                for (a, b) in plain.cells.iter().zip(&spoiled.cells) {
                    if usage.touches(a, place, role) {
                        let numbers = [b.att, b.se];
                        let finite = numbers.iter().flatten().all(|v| v.is_finite());
                        let sane = finite && b.se.is_none_or(|se| se > 0.0);
                        report.check(sane, || format!("{what}: {b:?}"));
                    } else {
                        report.cell(&what, a, b, LIMIT);
                    }
                }
            }
        }
    }
    report.finish();
}

#[test]
fn outcomes_of_other_cohorts_units_and_periods() {
    check(&cases::att_gt(), Role::Outcome, &[1e9, -1e17, 1e37, 1e300]);
}

#[test]
fn outcomes_of_other_cohorts_in_triple_differences() {
    check(&cases::ddd(), Role::Outcome, &[1e9, -1e17, 1e37, 1e300]);
}

#[test]
fn covariates_of_other_cohorts_units_and_periods() {
    check(&cases::att_gt(), Role::Covariate, &[1e9, -1e17, 1e37, 1e300]);
}

#[test]
fn covariates_of_other_cohorts_in_triple_differences() {
    check(&cases::ddd(), Role::Covariate, &[1e9, -1e17, 1e37, 1e300]);
}

#[test]
fn weights_of_other_cohorts_units_and_periods() {
    check(&cases::att_gt(), Role::Weight, &[1e9, 1e17, 1e37, 1e300]);
}

#[test]
fn weights_of_other_cohorts_in_triple_differences() {
    check(&cases::ddd(), Role::Weight, &[1e9, 1e17, 1e37, 1e300]);
}

/// A panel of two periods takes covariates and weights from the first.
#[test]
fn the_second_period_of_a_two_period_panel() {
    let mut report = Report::default();
    for case in cases::drdid() {
        let Estimator::Drdid(e) = &case.estimator else { continue };
        if e.repeated_cross_sections || e.method == DrdidMethod::Twfe || !case.has_covariates() {
            continue;
        }
        let plain = case.numbers();
        for column in ["x1", "w"] {
            for value in [1e9, 1e17, 1e37, 1e300] {
                let what = format!("{}: {column} {value:e}", case.name);
                match case.try_fit(&spoil(&case.frame, column, Place::Period(4.0), value)) {
                    Ok(fit) => report.same(&what, &plain, &fit, LIMIT),
                    Err(error) => report.fail(format!("{what}: {error}")),
                }
            }
        }
    }
    report.finish();
}
