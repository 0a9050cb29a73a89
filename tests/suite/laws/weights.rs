//! Copies, constants and zeros in the weights, and the order of columns.

use burn_did::options::ControlGroup;
use polars::prelude::DataFrame;

use super::report::{Report, Within, same_kind};
use super::subject::{Case, Change, Comparison, Numbers, Reported};
use crate::support::frames::{filter, floats, map, with};

/// Largest label of the units.
const FAR: f64 = 100_000.0;

/// The frame with a column of ones.
pub fn with_ones(df: &DataFrame) -> DataFrame {
    with(df, "one", vec![1.0; df.height()])
}

/// The case with weights, and units as clusters where it may have clusters, so that nothing depends on how many rows say the same.
/// Then the last is true. None if the estimator takes no weights.
fn by_pair(case: &Case) -> Option<(Case, &'static str, bool)> {
    let (case, weights) = case.weighted()?;
    Some(match case.changed(Change::Cluster(Some("pair"))) {
        Some(clustered) => (clustered, weights, !case.counts_rows),
        None => (case, weights, false),
    })
}

/// Rows of some units again, under other labels.
pub fn copies(df: &DataFrame, keep: impl Fn(f64) -> bool) -> DataFrame {
    integers(&map(&filter(df, "id", keep), "id", |id| id + FAR))
}

/// Integer labels again after arithmetic on them.
fn integers(df: &DataFrame) -> DataFrame {
    with(df, "id", floats(df, "id").into_iter().map(|id| id as i64).collect::<Vec<i64>>())
}

/// Estimates, and standard errors where units are clusters.
fn compare(report: &mut Report, what: &str, [a, b]: [&Numbers; 2], with_errors: bool) {
    for (a, b) in report.pairs(what, a, b) {
        let b = if with_errors { b.clone() } else { Reported { se: a.se, ..b.clone() } };
        report.numbers(what, a, &b, 1.0, Within::Errors(1e-8));
    }
}

law!(two_copies_of_half_the_weight_are_one_unit);

fn two_copies_of_half_the_weight_are_one_unit(case: &Case, report: &mut Report) {
    let Some((case, weights, clustered)) = by_pair(case) else { return report.skip() };
    let plain = case.numbers();
    let halved = map(&case.frame, weights, |w| w / 2.0);
    let fit = case.fit(&halved.vstack(&copies(&halved, |_| true)).unwrap());
    for (a, b) in report.pairs(&case.name, &plain, &fit) {
        let doubled: Vec<usize> = a.n.iter().map(|n| 2 * n).collect();
        report
            .check(doubled == b.n && same_kind(a, b), || format!("{}: {a:?} and {b:?}", case.name));
    }
    if case.is_normalised && !case.has_draws && !case.counts_units {
        compare(report, &case.name, [&plain, &fit], clustered);
    }
}

law!(a_unit_twice_has_twice_the_weight);

fn a_unit_twice_has_twice_the_weight(case: &Case, report: &mut Report) {
    let pooled = |c: &Comparison| c.is_triple && c.control_group == ControlGroup::NotYetTreated;
    if case.comparison.as_ref().is_some_and(pooled) {
        // Several comparison cohorts are combined by the variances of units, not of clusters.
        return report.skip();
    }
    let Some((case, weights, clustered)) = by_pair(case) else { return report.skip() };
    let some = |id: f64| id % 3.0 == 0.0;
    let fit = case.fit(&case.frame.vstack(&copies(&case.frame, some)).unwrap());
    let pairs = floats(&case.frame, "id").into_iter().zip(floats(&case.frame, weights));
    let doubled = pairs.map(|(id, w)| if some(id) { 2.0 * w } else { w }).collect::<Vec<f64>>();
    let plain = case.fit(&with(&case.frame, weights, doubled));
    if case.is_normalised && !case.has_draws && !case.counts_units {
        compare(report, &case.name, [&plain, &fit], clustered);
    } else {
        report.skip();
    }
}

law!(a_constant_changes_nothing);

fn a_constant_changes_nothing(case: &Case, report: &mut Report) {
    let Some(column) = case.weights else { return report.skip() };
    let plain = case.numbers();
    let powers = [-90, -30, 30, 90].map(|power| 2f64.powi(power));
    for by in powers.into_iter().chain([1e-9, 3.0, 1e9, 1e60]) {
        let what = format!("{}: weights times {by:e}", case.name);
        match case.try_fit(&map(&case.frame, column, |w| by * w)) {
            // Regressions refuse what overflows in a product.
            Err(error) if error.to_string().contains("overflow") => {}
            fit => report.same_as(&what, &plain, fit, Within::Errors(1e-9)),
        }
    }
}

law!(weights_of_one_are_no_weights);

fn weights_of_one_are_no_weights(case: &Case, report: &mut Report) {
    if case.weights.is_some() {
        return report.skip();
    }
    let plain = case.numbers();
    let Some((weighted, column)) = case.weighted() else { return report.skip() };
    for value in [1.0, 0.3] {
        let frame = map(&weighted.frame, column, |_| value);
        report.same_as(&case.name, &plain, weighted.try_fit(&frame), Within::Errors(1e-9));
    }
}

law!(units_without_weight_might_be_left_out);

fn units_without_weight_might_be_left_out(case: &Case, report: &mut Report) {
    if !case.is_normalised || case.has_draws || case.counts_units {
        return report.skip();
    }
    let Some((case, weights, clustered)) = by_pair(case) else { return report.skip() };
    let plain = case.numbers();
    let ghosts = copies(&case.frame, |id| id % 4.0 == 1.0);
    let ghosts = map(&ghosts, weights, |_| 0.0);
    let ghosts = map(&ghosts, "y", |y| 50.0 - 30.0 * y);
    let pair = floats(&ghosts, "id").into_iter().map(|id| id as i64).collect::<Vec<i64>>();
    let ghosts = with(&ghosts, "pair", pair);
    for (outcomes, covariate) in [(1.0, 1.0), (1.0, 40.0), (1e12, 1.0)] {
        let ghosts = map(&ghosts, "y", |y| outcomes * y);
        let ghosts = map(&ghosts, "x1", |x| covariate * x);
        let fit = case.fit(&case.frame.vstack(&ghosts).unwrap());
        let what = format!("{}: y times {outcomes}, x1 times {covariate}", case.name);
        compare(report, &what, [&plain, &fit], clustered);
    }
}

law!(where_only_lost_rows_have_weight_there_is_an_error);

/// A weight of a row whose outcome is missing is no weight.
fn where_only_lost_rows_have_weight_there_is_an_error(case: &Case, report: &mut Report) {
    let Some((case, weights, _)) = by_pair(case) else { return report.skip() };
    let ids = floats(&case.frame, "id");
    let lost = |df: &DataFrame, spoiled: &str, value: f64| {
        let marked = |column: &str, off: f64, on: Option<f64>| {
            let old = ids.iter().zip(floats(df, column));
            let new = old.map(|(id, v)| if *id < 5.0 { off } else { on.unwrap_or(v) });
            new.collect::<Vec<f64>>()
        };
        let df = with(df, weights, marked(weights, 1.0, Some(0.0)));
        with(&df, spoiled, marked(spoiled, value, None))
    };
    let mut outcomes = case.outcome.map_or(vec!["count", "any"], |outcome| vec![outcome]);
    outcomes.retain(|outcome| case.frame.column(outcome).is_ok());
    if outcomes.is_empty() {
        return report.skip();
    }
    let without = outcomes.into_iter().fold(case.frame.clone(), |df, y| lost(&df, y, f64::NAN));
    let mut frames = vec![("missing outcome", without)];
    if case.comparison.is_some() {
        frames.push(("treated from the start", lost(&case.frame, "g", 1.0)));
    }
    for (why, frame) in frames {
        let what = format!("{}: {why}", case.name);
        match case.try_fit(&frame) {
            Ok(fit) => report.fail(format!("{what}: {:?}", fit.estimates[0])),
            Err(error) => {
                let text = error.to_string();
                report.check(text.contains("weight"), || format!("{what}: {text}"));
            }
        }
    }
}

law!(the_order_of_columns_and_covariates);

fn the_order_of_columns_and_covariates(case: &Case, report: &mut Report) {
    let plain = case.numbers();
    let mut names: Vec<_> = case.frame.get_column_names_owned();
    names.reverse();
    let mut backwards = case.frame.select(names).unwrap();
    let mut unused = vec![f64::NAN; backwards.height()];
    unused[0] = f64::INFINITY;
    backwards = with(&backwards, "unused", unused);
    report.same(&case.name, &plain, &case.fit(&backwards), Within::Bits);
    if case.covariates.len() < 2 {
        return;
    }
    for formula in ["~ x2t + x1", "~ 1 + x1 + x2t + x1", "~ x1 * x2t - x1:x2t"] {
        let Some(swapped) = case.changed(Change::Covariates(formula)) else { return };
        report.same(&case.name, &plain, &swapped.numbers(), Within::Errors(1e-8));
    }
}

law!(rows_twice);

/// Rows twice are refused where there are units, and are two rows in cross sections without; elsewhere they change nothing.
fn rows_twice(case: &Case, report: &mut Report) {
    let twice = case.frame.vstack(&case.frame).unwrap();
    if case.rows_are_unique {
        report.check(case.try_fit(&twice).is_err(), || format!("{}: rows twice", case.name));
        if !case.rows_are_units {
            return;
        }
    }
    let clustered = case.changed(Change::Cluster(Some("pair")));
    let (case, clustered) = match clustered {
        Some(clustered) => (clustered, true),
        None => (case.clone(), false),
    };
    let case = case.changed(Change::WithoutUnit).unwrap_or(case);
    if case.is_normalised {
        compare(report, &case.name, [&case.numbers(), &case.fit(&twice)], clustered);
    }
}
