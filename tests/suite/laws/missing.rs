//! Rows without a value are left out; where nothing is left, the error names the column.

use polars::prelude::{BooleanChunked, DataFrame, IntoColumn, Series};

use super::report::{Report, Within};
use super::subject::Case;
use crate::support::frames::{rows, with};

law!(an_outcome_without_values, few);

fn an_outcome_without_values(case: &Case, report: &mut Report) {
    let Some(outcome) = case.outcome else { return report.skip() };
    let rows = case.frame.height();
    match case.try_fit(&with(&case.frame, outcome, vec![None::<f64>; rows])) {
        Ok(_) => report.fail(format!("{}: a fit without an outcome", case.name)),
        Err(error) => {
            let (text, named) = (error.to_string(), format!("{rows} for `{outcome}`"));
            report.check(text.contains(&named), || format!("{}: {text}", case.name));
        }
    }
}

/// The frame without values of a column in some rows.
pub fn without(df: &DataFrame, column: &str, is_lost: impl Fn(usize) -> bool) -> DataFrame {
    let old = df.column(column).unwrap();
    let kept = BooleanChunked::from_iter((0..old.len()).map(|row| Some(!is_lost(row))));
    let nulls = Series::full_null(column.into(), old.len(), old.dtype());
    let series = old.as_materialized_series().zip_with(&kept, &nulls).unwrap();
    let mut frame = df.clone();
    frame.with_column(series.into_column()).unwrap();
    frame
}

law!(
    a_row_without_a_value_might_be_left_out, crate::laws::some:
        att_gt, drdid, ddd, doses, fixed_effects, first_stage, sun_abraham, npiv, projections, stacked, etwfe, twfe, explore
);

/// But for groups, which are never treated then, doses, which other rows of a unit have, treatments that switch, whose history counts, and outcomes
/// and covariates of local projections, whose other values serve.
fn a_row_without_a_value_might_be_left_out(case: &Case, report: &mut Report) {
    let times = case.times.iter().filter(|column| **column != "g");
    let numbers = case.outcome.iter().chain(case.covariates).filter(|_| !case.keeps_gaps);
    let columns = numbers.chain(times).chain(case.weights.as_ref());
    let columns = columns.chain(case.labels).chain(case.codes);
    let is_lost = |row: usize| row % 97 == 5;
    let kept: Vec<usize> = (0..case.frame.height()).filter(|row| !is_lost(*row)).collect();
    let fewer = case.try_fit(&rows(&case.frame, &kept));
    for column in columns {
        let what = format!("{}: {column}", case.name);
        let fit = case.try_fit(&without(&case.frame, column, is_lost));
        report.alike(&what, &fewer, &fit, Within::Errors(1e-12));
    }
}
