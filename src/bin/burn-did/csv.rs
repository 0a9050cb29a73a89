//! All estimates as one CSV table: one row an estimate.

use std::io;

use ::csv::Writer;
use burn_did::{Aggregated, AggregationKind, DrdidResult, Estimate, GroupTimeCell, Settings};

use crate::error::{CliError, Result};

const HEADER: &str = "type,term,group,time,at,att,se,ci_lower,ci_upper,p_value,statistic,status,n_treated,n_control\n";

/// Cells first, then each aggregation with its overall effect as the last row.
pub(crate) fn table<'a>(
    settings: &Settings,
    cells: &[GroupTimeCell],
    aggregates: impl Iterator<Item = &'a Aggregated>,
) -> Result<String> {
    let mut table = Table::new();
    for cell in cells {
        let (group, time) = (settings.period(cell.group), settings.period(cell.time));
        let term = format!("ATT({group}, {time})");
        let counts = [cell.n_treated, cell.n_control].map(|n| n.to_string());
        let first = [&settings.estimator, &term, &group, &time, ""];
        table.add(first, &cell.estimate, [cell.status.code(), &counts[0], &counts[1]])?;
    }
    for aggregate in aggregates {
        let kind = aggregate.aggregation.kind.name();
        for r in &aggregate.rows {
            let status = if r.reference { "reference" } else { "ok" };
            let at = match aggregate.aggregation.kind {
                AggregationKind::Group | AggregationKind::Calendar => settings.period(r.at),
                AggregationKind::Simple | AggregationKind::Dynamic => r.at.to_string(),
            };
            let term = format!("ATT({at})");
            table.add([kind, &term, "", "", &at], &r.estimate, [status, "", ""])?;
        }
        table.add([kind, "overall", "", "", ""], &aggregate.overall, ["ok", "", ""])?;
    }
    table.text()
}

/// The one estimate of a two-period comparison.
pub(crate) fn two_periods(fit: &DrdidResult) -> Result<String> {
    let mut table = Table::new();
    let counts = [fit.n_treated, fit.n_control].map(|n| n.to_string());
    let (name, status) = (fit.estimator_name(), fit.status.code());
    table.add([&name, "ATT", "", "", ""], &fit.estimate, [status, &counts[0], &counts[1]])?;
    table.text()
}

/// Records in memory.
struct Table(Writer<Vec<u8>>);

impl Table {
    fn new() -> Self {
        Self(Writer::from_writer(HEADER.as_bytes().to_vec()))
    }

    /// Adds an estimate; numbers that are none are empty.
    fn add(&mut self, first: [&str; 5], estimate: &Estimate, last: [&str; 3]) -> Result<()> {
        let Estimate { att, se, ci_lower, ci_upper, p_value } = *estimate;
        let numbers = [att, se, ci_lower, ci_upper, p_value, estimate.statistic()];
        let shown = numbers
            .map(|v| v.filter(|v| v.is_finite()).map_or_else(String::new, |v| v.to_string()));
        let record = first.into_iter().chain(shown.iter().map(String::as_str)).chain(last);
        self.0.write_record(record).map_err(|e| CliError::Output(e.into()))
    }

    fn text(self) -> Result<String> {
        let bytes = self.0.into_inner().map_err(|e| CliError::Output(e.into_error()))?;
        String::from_utf8(bytes).map_err(|e| CliError::Output(io::Error::other(e)))
    }
}
