//! All estimates as one CSV table: one row an estimate.
//!
//! By hand: `ATT(g, t)` and notes are the only texts that need quotes, and as columns of a data frame for polars' writer it takes more
//! lines.

use burn_did::{Aggregated, AggregationKind, DrdidResult, Estimate, GroupTimeCell, Settings};

const HEADER: &str =
    "type,term,group,time,at,att,se,ci_lower,ci_upper,p_value,statistic,status,n_treated,n_control";

/// Cells first, then each aggregation with its overall effect as the last row.
///
/// Where an average leaves something out there are two more columns: `left_out`, the share of a row's weight on cells without an
/// estimate, and at overall effects a `note` with what is left out. The status of such a row is `partial`, or `no_estimate`.
pub(crate) fn table<'a>(
    settings: &Settings,
    cells: &[GroupTimeCell],
    aggregates: impl Iterator<Item = &'a Aggregated>,
) -> String {
    let aggregates: Vec<&Aggregated> = aggregates.collect();
    let noted = aggregates.iter().any(|a| a.left_out_summary().is_some());
    let more = if noted { "," } else { "" };
    let mut out = format!("{HEADER}{}\n", if noted { ",left_out,note" } else { "" });
    for cell in cells {
        let (group, time) = (settings.period(cell.group), settings.period(cell.time));
        let first = format!("{},\"ATT({group}, {time})\",{group},{time},", settings.estimator);
        let (n_treated, n_control) = (cell.n_treated, cell.n_control);
        let last = format!("{},{n_treated},{n_control}{more}{more}", cell.status.code());
        row(&mut out, &first, &cell.estimate, &last);
    }
    for aggregate in aggregates {
        let kind = aggregate.aggregation.kind.name();
        let noted = |share: f64, note: &str| {
            if noted { format!(",{share},{note}") } else { String::new() }
        };
        for (at, estimate) in aggregate.rows_with_empty() {
            let share = aggregate.left_out_at(at);
            let reference = aggregate.rows.iter().any(|r| r.at == at && r.reference);
            let status = if reference { "reference" } else { status(estimate.att, share) };
            let at = match aggregate.aggregation.kind {
                AggregationKind::Group | AggregationKind::Calendar => settings.period(at),
                AggregationKind::Simple | AggregationKind::Dynamic => at.to_string(),
            };
            let first = format!("{kind},ATT({at}),,,{at}");
            row(&mut out, &first, &estimate, &format!("{status},,{}", noted(share, "")));
        }
        let share = aggregate.left_out.as_ref().map_or(0.0, |left_out| left_out.share);
        let note = aggregate.left_out_summary().map_or(String::new(), |note| quoted(&note));
        let status = status(aggregate.overall.att, share);
        let last = format!("{status},,{}", noted(share, &note));
        row(&mut out, &format!("{kind},overall,,,"), &aggregate.overall, &last);
    }
    out
}

/// The one estimate of a two-period comparison.
pub(crate) fn two_periods(fit: &DrdidResult) -> String {
    let mut out = format!("{HEADER}\n");
    let last = format!("{},{},{}", fit.status.code(), fit.n_treated, fit.n_control);
    row(&mut out, &format!("{},ATT,,,", fit.estimator_name()), &fit.estimate, &last);
    out
}

/// Whether an average is what was asked for: `ok`; `partial` without some of its cells, `no_estimate` without all.
fn status(att: Option<f64>, left_out: f64) -> &'static str {
    match att {
        None if left_out > 0.0 => "no_estimate",
        Some(_) if left_out > 0.0 => "partial",
        _ => "ok",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
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
