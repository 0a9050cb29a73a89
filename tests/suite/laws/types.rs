//! Which numeric type a column has does not matter.

use polars::prelude::{DataFrame, DataType, IntoColumn};

use super::report::{Report, Within};
use super::subject::Case;
use crate::support::frames::{filter, map};

const INTEGERS: [DataType; 10] = [
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::Int128,
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
    DataType::Float32,
];

fn cast(df: &DataFrame, column: &str, dtype: &DataType) -> DataFrame {
    let mut out = df.clone();
    let cast = out.column(column).unwrap().strict_cast(dtype).unwrap();
    out.with_column(cast.as_materialized_series().clone().into_column()).unwrap();
    out
}

/// Casts columns to every type in turn.
fn check(report: &mut Report, case: &Case, df: &DataFrame, columns: &[&str], float: bool) {
    let plain = case.fit(df);
    let others = [DataType::Decimal(18, 2), DataType::Float64];
    for column in columns {
        for dtype in INTEGERS.iter().chain(&others[..1 + usize::from(float)]) {
            let what = format!("{}: {column} as {dtype}", case.name);
            report.same_as(&what, &plain, case.try_fit(&cast(df, column, dtype)), Within::Bits);
        }
    }
}

law!(labels_periods_and_groups, few);

fn labels_periods_and_groups(case: &Case, report: &mut Report) {
    let columns = [case.labels, case.times, case.codes].concat();
    if columns.is_empty() {
        return report.skip();
    }
    // Labels that every type holds, if that leaves enough units.
    let narrow = filter(&case.frame, "id", |id| id <= 120.0);
    if columns.contains(&"id") && case.try_fit(&narrow).is_ok() {
        check(report, case, &narrow, &columns, true);
    } else {
        let columns: Vec<&str> = columns.into_iter().filter(|column| *column != "id").collect();
        check(report, case, &case.frame, &columns, true);
    }
}

law!(outcomes_covariates_and_weights, few);

/// Whole numbers, so that every type holds them.
fn outcomes_covariates_and_weights(case: &Case, report: &mut Report) {
    let mut frame = case.frame.clone();
    for (columns, low) in [(["y", "x1", "x2t"].as_slice(), 0.0), (&["w", "wt"], 1.0)] {
        for column in columns {
            frame = map(&frame, column, |v| (8.0 * v).round().abs().max(low));
        }
    }
    let columns = case.outcome.iter().chain(case.covariates).chain(case.weights.as_ref());
    let columns: Vec<&str> = columns.copied().collect();
    if case.outcome.is_none() {
        return report.skip();
    }
    check(report, case, &frame, &columns, false);
}
