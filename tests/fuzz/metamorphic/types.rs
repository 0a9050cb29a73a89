//! Which numeric type a column has does not matter.

use polars::prelude::{DataFrame, DataType, IntoColumn};

use super::case::{Case, Estimator};
use super::cases;
use super::numbers::{Report, Within};

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

/// A few cases of each estimator.
fn some() -> Vec<Case> {
    let few = |cases: Vec<Case>, step: usize| cases.into_iter().step_by(step);
    few(cases::att_gt(), 5).chain(few(cases::drdid(), 5)).chain(few(cases::ddd(), 7)).collect()
}

#[test]
fn of_integers() {
    let mut report = Report::default();
    for case in some() {
        // Labels of up to 100 in every type.
        let narrow = crate::support::frames::filter(&case.frame, "id", |id| id <= 120.0);
        let columns: &[&str] = match &case.estimator {
            Estimator::Drdid(_) => &["id", "t", "d"],
            Estimator::AttGt(_) => &["id", "t", "g", "cl"],
            Estimator::Ddd(_) => &["t", "g", "q", "cl"],
        };
        let frame = if matches!(case.estimator, Estimator::Ddd(_)) { &case.frame } else { &narrow };
        let plain = case.fit(frame);
        let decimal = DataType::Decimal(18, 2);
        for column in columns {
            for dtype in INTEGERS.iter().chain([&DataType::Float64, &decimal]) {
                let what = format!("{}: {column} as {dtype}", case.name);
                match case.try_fit(&cast(frame, column, dtype)) {
                    Ok(fit) => report.same(&what, &plain, &fit, Within::Bits),
                    Err(error) => report.fail(format!("{what}: {error}")),
                }
            }
        }
    }
    report.finish();
}

/// Whole numbers, so that every type holds them.
#[test]
fn of_outcomes_covariates_and_weights() {
    let mut report = Report::default();
    for case in some() {
        let whole = |column: &str, df: &DataFrame, low: f64| {
            crate::support::frames::map(df, column, |v| (8.0 * v).round().abs().max(low))
        };
        let mut frame = case.frame.clone();
        for column in ["y", "x1", "x2t"] {
            frame = whole(column, &frame, 0.0);
        }
        for column in ["w", "wt"] {
            frame = whole(column, &frame, 1.0);
        }
        let plain = case.fit(&frame);
        let mut columns = vec!["y"];
        if case.has_covariates() {
            columns.extend(["x1", "x2t"]);
        }
        columns.extend(case.weights());
        let decimal = DataType::Decimal(18, 3);
        for column in columns {
            for dtype in INTEGERS.iter().chain([&decimal]) {
                let what = format!("{}: {column} as {dtype}", case.name);
                match case.try_fit(&cast(&frame, column, dtype)) {
                    Ok(fit) => report.same(&what, &plain, &fit, Within::Bits),
                    Err(error) => report.fail(format!("{what}: {error}")),
                }
            }
        }
    }
    report.finish();
}
