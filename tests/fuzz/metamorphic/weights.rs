//! Copies, constants and zeros in the weights, and the order of columns.

use burn_did::DrdidMethod;
use polars::prelude::DataFrame;

use super::case::{Case, Estimator};
use super::cases;
use super::numbers::{Report, Within};
use crate::support::frames::{filter, floats, map, with};

/// Largest label of the units.
const FAR: f64 = 100_000.0;

/// The case with a weight column, of ones if it had none, and units as clusters, so that nothing depends on how many
/// rows say the same.
fn by_pair(case: &Case) -> (Case, String) {
    let column = case.weights().unwrap_or("one").to_owned();
    let mut case = case.weighted(&column).clustered(Some("pair"));
    case.frame = with(&case.frame, "one", vec![1.0; case.frame.height()]);
    (case, column)
}

/// Rows of some units again, under other labels.
fn copies(df: &DataFrame, keep: impl Fn(f64) -> bool) -> DataFrame {
    integers(&map(&filter(df, "id", keep), "id", |id| id + FAR))
}

/// Integer labels again after arithmetic on them.
fn integers(df: &DataFrame) -> DataFrame {
    with(df, "id", floats(df, "id").into_iter().map(|id| id as i64).collect::<Vec<i64>>())
}

/// Whether the estimator takes the mean weight as known, so that its standard error depends on how many rows there are.
fn knows_the_mean(case: &Case) -> bool {
    matches!(&case.estimator, Estimator::Drdid(e) if e.method == DrdidMethod::IpwHorvitzThompson)
}

#[test]
fn two_copies_of_half_the_weight_are_one_unit() {
    let mut report = Report::default();
    for case in cases::all() {
        let (case, weights) = by_pair(&case);
        let plain = case.numbers();
        let halved = map(&case.frame, &weights, |w| w / 2.0);
        let twice = halved.vstack(&copies(&halved, |_| true)).unwrap();
        let fit = case.fit(&twice);
        for (a, b) in plain.cells.iter().zip(&fit.cells) {
            let kind = std::mem::discriminant;
            let n = a.n.map(|n| 2 * n) == b.n && kind(&a.status) == kind(&b.status);
            report.check(n, || format!("{}: {a:?} and {b:?}", case.name));
            if !knows_the_mean(&case) {
                report.numbers(&case.name, a, b, [1.0, 1.0], Within::Errors(1e-8));
            }
        }
    }
    report.finish();
}

#[test]
fn a_constant_changes_nothing() {
    let mut report = Report::default();
    for case in cases::all() {
        let Some(column) = case.weights().map(str::to_owned) else { continue };
        let plain = case.numbers();
        let powers = [-90, -30, 30, 90].map(|p| (2f64.powi(p), Within::Errors(1e-9)));
        let others = [1e-9, 3.0, 1e9, 1e60].map(|by| (by, Within::Errors(1e-9)));
        for (by, within) in powers.into_iter().chain(others) {
            let what = format!("{}: weights times {by:e}", case.name);
            match case.try_fit(&map(&case.frame, &column, |w| by * w)) {
                Ok(fit) => report.same(&what, &plain, &fit, within),
                Err(error) => report.fail(format!("{what}: {error}")),
            }
        }
    }
    report.finish();
}

#[test]
fn weights_of_one_are_no_weights() {
    let mut report = Report::default();
    for case in cases::all().into_iter().filter(|case| case.weights().is_none()) {
        let plain = case.numbers();
        let (unit, _) = by_pair(&case);
        for value in [1.0, 0.3] {
            let frame = with(&case.frame, "one", vec![value; case.frame.height()]);
            let fit = Case { frame, ..unit.clustered(None) }.numbers();
            report.same(&case.name, &plain, &fit, Within::Errors(1e-9));
        }
    }
    report.finish();
}

#[test]
fn units_without_weight_might_be_left_out() {
    let mut report = Report::default();
    for case in cases::all().into_iter().filter(|case| !knows_the_mean(case)) {
        let (case, weights) = by_pair(&case);
        let plain = case.numbers();
        let ghosts = copies(&case.frame, |id| id % 4.0 == 1.0);
        let ghosts = map(&ghosts, &weights, |_| 0.0);
        let ghosts = map(&ghosts, "y", |y| 50.0 - 30.0 * y);
        let pair = floats(&ghosts, "id").into_iter().map(|id| id as i64).collect::<Vec<i64>>();
        let ghosts = with(&ghosts, "pair", pair);
        for spoil in [1.0, 40.0] {
            let ghosts = map(&ghosts, "x1", |x| spoil * x);
            let fit = case.fit(&case.frame.vstack(&ghosts).unwrap());
            let what = format!("{}: x1 times {spoil}", case.name);
            for (a, b) in plain.cells.iter().zip(&fit.cells) {
                report.numbers(&what, a, b, [1.0, 1.0], Within::Errors(1e-8));
            }
        }
    }
    report.finish();
}

/// A weight of a row whose outcome is missing is no weight.
#[test]
fn where_only_lost_rows_have_weight_there_is_an_error() {
    let mut report = Report::default();
    for case in cases::all() {
        let (case, weights) = by_pair(&case);
        let ids = floats(&case.frame, "id");
        let lost = |spoiled: &str, value: f64| {
            let marked = |column: &str, off: f64, on: Option<f64>| {
                let old = floats(&case.frame, column);
                let new = ids.iter().zip(old).map(
                    |(id, v)| {
                        if *id < 5.0 { off } else { on.unwrap_or(v) }
                    },
                );
                new.collect::<Vec<f64>>()
            };
            let df = with(&case.frame, &weights, marked(&weights, 1.0, Some(0.0)));
            with(&df, spoiled, marked(spoiled, value, None))
        };
        let mut frames = vec![("missing outcome", lost("y", f64::NAN))];
        if !matches!(case.estimator, Estimator::Drdid(_)) {
            frames.push(("treated from the start", lost("g", 1.0)));
        }
        for (why, frame) in frames {
            let what = format!("{}: {why}", case.name);
            match case.try_fit(&frame) {
                Ok(fit) => report.fail(format!("{what}: {:?}", fit.cells[0])),
                Err(error) => {
                    let text = error.to_string();
                    report.check(text.contains("weight"), || format!("{what}: {text}"));
                }
            }
        }
    }
    report.finish();
}

#[test]
fn the_order_of_columns_and_covariates() {
    let mut report = Report::default();
    for case in cases::all() {
        let plain = case.numbers();
        let mut names: Vec<_> = case.frame.get_column_names_owned();
        names.reverse();
        let mut backwards = case.frame.select(names).unwrap();
        let mut unused = vec![f64::NAN; backwards.height()];
        unused[0] = f64::INFINITY;
        backwards = with(&backwards, "unused", unused);
        report.same(&case.name, &plain, &case.fit(&backwards), Within::Bits);
        if case.has_covariates() {
            let mut swapped = case.clone();
            for formula in ["~ x2t + x1", "~ 1 + x1 + x2t + x1", "~ x1 * x2t - x1:x2t"] {
                let formula = formula.to_owned();
                match &mut swapped.estimator {
                    Estimator::AttGt(e) => e.covariates = formula,
                    Estimator::Drdid(e) => e.covariates = formula,
                    Estimator::Ddd(e) => e.covariates = formula,
                }
                let fit = swapped.numbers();
                report.same(&case.name, &plain, &fit, Within::Errors(1e-8));
            }
        }
    }
    report.finish();
}

/// Rows twice are refused where there are units, and are two rows in cross sections without.
#[test]
fn rows_twice() {
    let mut report = Report::default();
    for case in cases::all() {
        let twice = case.frame.vstack(&case.frame).unwrap();
        report.check(case.try_fit(&twice).is_err(), || format!("{}: rows twice", case.name));
        if !case.rows_are_units() {
            continue;
        }
        let clustered = case.clustered(Some("pair")).without_unit();
        let plain = clustered.numbers();
        let fit = clustered.fit(&twice);
        for (a, b) in plain.cells.iter().zip(&fit.cells) {
            if !knows_the_mean(&case) {
                report.numbers(&case.name, a, b, [1.0, 1.0], Within::Errors(1e-8));
            }
        }
    }
    report.finish();
}
