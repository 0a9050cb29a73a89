//! Averages as data frames: one row an estimate, or one row about the aggregation.

use polars::prelude::{Column, DataFrame, df};

use crate::base::error::Result;
use crate::estimator::aggregate::{Aggregated, AggregationKind};
use crate::report::frame::{band, estimates, settings};
use crate::result::inference::Estimate;

impl Aggregated {
    /// One row per estimate: `type`, `term`, `at` (event time, group or period), `att`, `se`, `ci_lower`, `ci_upper`, `p_value`,
    /// `statistic`, `event_time` (of a dynamic aggregation), `left_out`, `note`. The last row, of term `overall` and without `at`, is the
    /// overall effect with its pointwise interval.
    ///
    /// `left_out` is the share of the row's weight that is on cells without an estimate, which were left out; a row that has no
    /// other cells has no estimate. The `note` at the overall effect says which cells these are, and what the window leaves out.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn to_dataframe(&self) -> Result<DataFrame> {
        let all: Vec<ShownRow> = self.shown_rows().collect();
        let at: Vec<Option<f64>> = all.iter().map(|row| row.at).collect();
        let parameter = self.settings.parameter();
        let term = |at: &Option<f64>| {
            at.map_or("overall".into(), |at| format!("{parameter}({})", self.shown(at)))
        };
        let mut first = df!(
            "type" => vec![self.aggregation.kind.name(); at.len()],
            "term" => at.iter().map(term).collect::<Vec<_>>(),
        )?;
        first.with_column(match self.aggregation.kind {
            AggregationKind::Group | AggregationKind::Calendar => {
                self.settings.periods("at", at.into_iter())
            }
            AggregationKind::Simple | AggregationKind::Dynamic => Column::new("at".into(), at),
        })?;
        let dynamic = self.aggregation.kind == AggregationKind::Dynamic;
        let last = df!(
            "event_time" => all.iter().map(|row| row.at.filter(|_| dynamic)).collect::<Vec<_>>(),
            "left_out" => all.iter().map(|row| row.left_out).collect::<Vec<_>>(),
            "note" => all.iter().map(|row| row.note.as_deref()).collect::<Vec<_>>(),
        )?;
        let estimates = estimates(all.iter().map(|row| &row.estimate))?;
        Ok(first.hstack(estimates.columns())?.hstack(last.columns())?)
    }

    /// The rows as tables and frames have them, the overall effect last.
    fn shown_rows(&self) -> impl Iterator<Item = ShownRow> {
        let row = move |(at, estimate): (f64, Estimate)| {
            let note = estimate.att.is_none().then(|| "no estimate".to_owned());
            ShownRow { at: Some(at), estimate, left_out: self.left_out_at(at), note }
        };
        let overall = ShownRow {
            at: None,
            estimate: self.overall,
            left_out: self.left_out.as_ref().map_or(0.0, |l| l.share),
            note: self.left_out_summary(),
        };
        self.rows_with_empty().map(row).chain([overall])
    }

    /// One row about the aggregation: its options, the overall effect, critical value, and the fit's settings.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn glance(&self) -> Result<DataFrame> {
        let Estimate { att, se, ci_lower, ci_upper, p_value } = self.overall;
        let options = self.aggregation;
        let own = df!(
            "type" => [options.kind.name()],
            "min_e" => [options.min_e],
            "max_e" => [options.max_e],
            "balance_e" => [options.balance_e],
            "na_rm" => [options.na_rm],
            "overall_att" => [att],
            "overall_se" => [se],
            "overall_ci_lower" => [ci_lower],
            "overall_ci_upper" => [ci_upper],
            "overall_p_value" => [p_value],
            "n_rows_aggregated" => [self.rows.len() as u64],
            "critical_value" => [self.critical_value],
            "band" => [band(self.band)],
            "left_out" => [self.left_out.as_ref().map_or(0.0, |l| l.share)],
            "n_warnings" => [self.warnings.len() as u64],
        )?;
        Ok(own.hstack(settings(&self.settings)?.columns())?)
    }
}

/// A row of an aggregation, or its overall effect.
struct ShownRow {
    at: Option<f64>,
    estimate: Estimate,
    left_out: f64,
    note: Option<String>,
}
