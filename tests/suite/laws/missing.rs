//! Nothing is left where a column has no value, and the error names the column.

use super::report::Report;
use super::subject::Case;
use crate::support::frames::with;

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
