//! Results as data frames: one row an estimate, or one row about the fit.

use polars::prelude::{Column, CsvWriter, DataFrame, SerWriter, df};

use crate::base::calendar::Frequency;
use crate::base::error::Result;
use crate::base::options::{Band, Multiplier, SharesOf};
use crate::estimator::{GroupTimeCell, GroupTimeResult};
use crate::result::aggregate::{Aggregated, AggregationKind};
use crate::result::estimates::Overlap;
use crate::result::inference::Estimate;

use super::foot;
use crate::result::settings::Settings;

impl GroupTimeResult {
    /// One row a cell: `group`, `time`, `att`, `se`, `ci_lower`, `ci_upper`, `p_value`, `statistic`, `status`,
    /// `n_treated`, `n_control`, and the fields of [`Overlap`](crate::Overlap). What does not exist is null. Groups and periods are numbers, or text such as `2007-03` with a
    /// [`Frequency`](crate::Frequency).
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// let cells = fit.to_dataframe()?;
    /// assert_eq!((cells.height(), cells.get_column_names()[2].as_str()), (12, "att"));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn to_dataframe(&self) -> Result<DataFrame> {
        let cells = &self.cells;
        let last = df!(
            "status" => cells.iter().map(|c| c.status.code()).collect::<Vec<_>>(),
            "n_treated" => cells.iter().map(|c| c.n_treated as u64).collect::<Vec<_>>(),
            "n_control" => cells.iter().map(|c| c.n_control as u64).collect::<Vec<_>>(),
        )?;
        let last = last.hstack(overlaps(cells.iter().map(|c| c.overlap))?.columns())?;
        let periods = |name: &str, of: fn(&GroupTimeCell) -> f64| {
            self.settings.periods(name, cells.iter().map(|c| Some(of(c))))
        };
        let first = [periods("group", |c| c.group), periods("time", |c| c.time)];
        let estimates = estimates(cells.iter().map(|c| &c.estimate))?;
        let first = DataFrame::new(cells.len(), first.into())?;
        Ok(first.hstack(estimates.columns())?.hstack(last.columns())?)
    }

    /// One row about the fit: settings, sample sizes, critical value and pre-test.
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// assert_eq!(fit.glance()?.column("n_units")?.u64()?.get(0), Some(500));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn glance(&self) -> Result<DataFrame> {
        let estimated = self.cells.iter().filter(|c| c.status.is_estimated()).count();
        let own = df!(
            "n_cells" => [self.cells.len() as u64],
            "n_estimated" => [estimated as u64],
            "critical_value" => [self.critical_value],
            "band" => [band(self.band)],
            "wald_stat" => [self.wald.map(|w| w.stat)],
            "wald_df" => [self.wald.map(|w| w.df as u64)],
            "wald_p_value" => [self.wald.map(|w| w.p_value)],
            "n_warnings" => [self.warnings.len() as u64],
        )?;
        Ok(settings(&self.settings)?.hstack(own.columns())?)
    }

    /// [`Self::to_dataframe`] as CSV, with empty fields for null.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn to_csv(&self) -> Result<String> {
        csv(self.to_dataframe()?)
    }
}

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

    /// [`Self::to_dataframe`] as CSV, with empty fields for null.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn to_csv(&self) -> Result<String> {
        csv(self.to_dataframe()?)
    }
}

/// A row of an aggregation, or its overall effect.
struct ShownRow {
    at: Option<f64>,
    estimate: Estimate,
    left_out: f64,
    note: Option<String>,
}

pub(super) fn estimates<'a>(rows: impl Iterator<Item = &'a Estimate>) -> Result<DataFrame> {
    let rows: Vec<&Estimate> = rows.collect();
    let column = |f: fn(&Estimate) -> Option<f64>| rows.iter().map(|e| f(e)).collect::<Vec<_>>();
    Ok(df!(
        "att" => column(|e| e.att),
        "se" => column(|e| e.se),
        "ci_lower" => column(|e| e.ci_lower),
        "ci_upper" => column(|e| e.ci_upper),
        "p_value" => column(|e| e.p_value),
        "statistic" => column(Estimate::statistic),
    )?)
}

/// The columns of how comparison units are weighted.
pub(super) fn overlaps(of: impl Iterator<Item = Option<Overlap>>) -> Result<DataFrame> {
    let of: Vec<Option<Overlap>> = of.collect();
    let column = |value: fn(Overlap) -> Option<f64>| {
        of.iter().map(|overlap| overlap.and_then(value)).collect::<Vec<_>>()
    };
    Ok(df!(
        "largest_score_treated" => column(|overlap| overlap.largest_score_treated),
        "largest_score_control" => column(|overlap| overlap.largest_score_control),
        "trimmed" => of.iter().map(|o| o.map(|o| o.trimmed as u64)).collect::<Vec<_>>(),
        "trimmed_share" => column(|overlap| Some(overlap.trimmed_share)),
        "effective_control" => column(|overlap| overlap.effective_control),
        "effective_control_sampling" => column(|overlap| overlap.effective_control_sampling),
    )?)
}

/// As [`estimates`], of coefficients, whose name is `estimate`.
pub(super) fn coefficients<'a>(rows: impl Iterator<Item = &'a Estimate>) -> Result<DataFrame> {
    let mut frame = estimates(rows)?;
    frame.rename("att", "estimate".into())?;
    Ok(frame)
}

impl Settings {
    /// A column of periods or groups: numbers, or text if they are dates.
    fn periods(&self, name: &str, periods: impl Iterator<Item = Option<f64>>) -> Column {
        if self.frequency.is_none() {
            return Column::new(name.into(), periods.collect::<Vec<_>>());
        }
        let text = |period: Option<f64>| period.map(|period| self.period(period));
        Column::new(name.into(), periods.map(text).collect::<Vec<_>>())
    }
}

pub(super) fn settings(s: &Settings) -> Result<DataFrame> {
    let bootstrap = s.inference.bootstrap;
    Ok(df!(
        "estimator" => [s.estimator.as_str()],
        "outcome" => [s.outcome.as_str()],
        "covariates" => [s.covariates.as_str()],
        "weights" => [s.weights.as_deref()],
        "cluster" => [s.cluster.as_deref()],
        "eligible" => [s.eligible.as_deref()],
        "control_group" => [s.comparison_units()],
        "group_shares" => [s.group_shares().map(SharesOf::name)],
        "base_period" => [foot::base_period(s.base_period)],
        // With a dose there is no choice of two-by-two estimators.
        "method" => [s.dose.is_none().then(|| foot::method(s.method))],
        "anticipation" => [s.anticipation],
        "frequency" => [s.frequency.map(Frequency::name)],
        "layout" => [s.layout.name()],
        "n_units" => [s.n_units as u64],
        "n_rows" => [s.n_rows as u64],
        "n_clusters" => [s.n_clusters.map(|n| n as u64)],
        "alpha" => [s.inference.alpha],
        "bootstrap_draws" => [bootstrap.map(|b| b.draws as u64)],
        "bootstrap_seed" => [bootstrap.map(|b| b.seed)],
        "bootstrap_multiplier" => [bootstrap.map(|b| law(b.multiplier))],
        "backend" => [s.backend.as_str()],
        "precision" => [s.precision.as_str()],
    )?)
}

fn law(law: Multiplier) -> &'static str {
    match law {
        Multiplier::Mammen => "mammen",
        Multiplier::Rademacher => "rademacher",
        Multiplier::Webb => "webb",
        Multiplier::Gaussian => "gaussian",
    }
}

fn band(band: Band) -> &'static str {
    match band {
        Band::Pointwise => "pointwise",
        Band::Uniform => "uniform",
    }
}

pub(super) fn csv(mut frame: DataFrame) -> Result<String> {
    let mut out = Vec::new();
    CsvWriter::new(&mut out).finish(&mut frame)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests;
