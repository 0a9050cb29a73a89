//! Results as data frames: one row an estimate, or one row about the fit.

use polars::prelude::{Column, CsvWriter, DataFrame, SerWriter, df};

use crate::base::calendar::Frequency;
use crate::base::error::Result;
use crate::base::options::{Band, Multiplier, SharesOf};
use crate::result::estimates::Overlap;
use crate::result::inference::Estimate;

use super::foot;
use crate::result::settings::Settings;

pub(crate) fn estimates<'a>(rows: impl Iterator<Item = &'a Estimate>) -> Result<DataFrame> {
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
pub(crate) fn overlaps(of: impl Iterator<Item = Option<Overlap>>) -> Result<DataFrame> {
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
pub(crate) fn coefficients<'a>(rows: impl Iterator<Item = &'a Estimate>) -> Result<DataFrame> {
    let mut frame = estimates(rows)?;
    frame.rename("att", "estimate".into())?;
    Ok(frame)
}

impl Settings {
    /// A column of periods or groups: numbers, or text if they are dates.
    pub(crate) fn periods(&self, name: &str, periods: impl Iterator<Item = Option<f64>>) -> Column {
        if self.frequency.is_none() {
            return Column::new(name.into(), periods.collect::<Vec<_>>());
        }
        let text = |period: Option<f64>| period.map(|period| self.period(period));
        Column::new(name.into(), periods.map(text).collect::<Vec<_>>())
    }
}

pub(crate) fn settings(s: &Settings) -> Result<DataFrame> {
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

pub(crate) fn band(band: Band) -> &'static str {
    match band {
        Band::Pointwise => "pointwise",
        Band::Uniform => "uniform",
    }
}

pub(crate) fn csv(mut frame: DataFrame) -> Result<String> {
    let mut out = Vec::new();
    CsvWriter::new(&mut out).finish(&mut frame)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
