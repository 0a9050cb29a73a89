//! All estimates as one CSV table: one row an estimate.
//!
//! By hand: `ATT(g, t)` is the only text that needs quotes, and as columns of a data frame for polars' writer it takes more lines.

use burn_did::{Aggregated, AggregationKind, DrdidResult, Estimate, GroupTimeCell, Settings};

const HEADER: &str = "type,term,group,time,at,att,se,ci_lower,ci_upper,p_value,statistic,status,n_treated,n_control\n";

/// Cells first, then each aggregation with its overall effect as the last row.
pub(crate) fn table<'a>(
    settings: &Settings,
    cells: &[GroupTimeCell],
    aggregates: impl Iterator<Item = &'a Aggregated>,
) -> String {
    let mut out = HEADER.to_owned();
    for cell in cells {
        let (group, time) = (settings.period(cell.group), settings.period(cell.time));
        let first = format!("{},\"ATT({group}, {time})\",{group},{time},", settings.estimator);
        let last = format!("{},{},{}", cell.status.code(), cell.n_treated, cell.n_control);
        row(&mut out, &first, &cell.estimate, &last);
    }
    for aggregate in aggregates {
        let kind = aggregate.aggregation.kind.name();
        for r in &aggregate.rows {
            let status = if r.reference { "reference" } else { "ok" };
            let at = match aggregate.aggregation.kind {
                AggregationKind::Group | AggregationKind::Calendar => settings.period(r.at),
                AggregationKind::Simple | AggregationKind::Dynamic => r.at.to_string(),
            };
            let first = format!("{kind},ATT({at}),,,{at}");
            row(&mut out, &first, &r.estimate, &format!("{status},,"));
        }
        row(&mut out, &format!("{kind},overall,,,"), &aggregate.overall, "ok,,");
    }
    out
}

/// The one estimate of a two-period comparison.
pub(crate) fn two_periods(fit: &DrdidResult) -> String {
    let mut out = HEADER.to_owned();
    let last = format!("{},{},{}", fit.status.code(), fit.n_treated, fit.n_control);
    row(&mut out, &format!("{},ATT,,,", fit.estimator_name()), &fit.estimate, &last);
    out
}

fn row(out: &mut String, first: &str, estimate: &Estimate, last: &str) {
    let Estimate { att, se, ci_lower, ci_upper, p_value } = *estimate;
    let numbers = [att, se, ci_lower, ci_upper, p_value, estimate.statistic()];
    let shown: Vec<String> = numbers
        .into_iter()
        .map(|v| v.filter(|v| v.is_finite()).map_or(String::new(), |v| v.to_string()))
        .collect();
    out.extend([first, ",", &shown.join(","), ",", last, "\n"]);
}
