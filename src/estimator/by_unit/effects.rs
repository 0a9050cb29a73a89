//! Effects by event time with their covariance.

use serde::{Deserialize, Serialize};

use super::sample::PanelSample;
use crate::base::counted::counted;
use crate::base::error::DidWarning;
use crate::base::options::Band;
use crate::estimator::aggregate::{
    AggregatedRow, EventStudy, Provenance, RegressionProvenance, reference_row,
};
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_ascending, ensure_finite};
use crate::result::fit_notes::FitNotes;
use crate::result::inference::Estimate;
use crate::result::saved::check::check_estimate;

/// An effect by event time, with the rows of its regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EventEffect {
    /// Periods since the first treated one, which is 0.
    #[doc(alias = "horizon")]
    pub event_time: i64,
    /// Effect, in units of the outcome, and its uncertainty; the interval is of the t law with the clusters less one degrees of freedom.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Whether there is an estimate, or why not.
    pub status: CellStatus,
    /// Why there is an estimate without a standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Rows of the regression.
    pub n_rows: usize,
    /// Those of treated units.
    pub n_treated: usize,
    /// Clusters of the regression.
    pub n_clusters: usize,
}

/// What the regression is, in words.
pub(in crate::estimator) struct RegressionWords<'a> {
    pub formula: String,
    pub sample: &'a PanelSample,
    pub n_clusters: usize,
    pub alpha: f64,
    pub warnings: &'a [DidWarning],
}

impl EventEffect {
    /// The effect at the event time that all others are compared with.
    pub(in crate::estimator) fn reference(event_time: i64) -> Self {
        Self {
            event_time,
            estimate: reference_row(event_time as f64).estimate,
            status: CellStatus::Reference,
            unknown: None,
            n_rows: 0,
            n_treated: 0,
            n_clusters: 0,
        }
    }

    /// Short code: `ok`, `reference`, `no_standard_error`, or why there is no estimate.
    pub(in crate::estimator) fn code(&self) -> &'static str {
        match &self.status {
            CellStatus::Estimated if self.estimate.se.is_none() => "no_standard_error",
            status => status.code(),
        }
    }

    /// Why there is no estimate, or no standard error.
    pub(in crate::estimator) fn reason(&self) -> Option<String> {
        match self.status.is_estimated() {
            true => self.unknown.clone(),
            false => Some(self.status.to_string()),
        }
    }
}

/// The variance of a combination of targets.
pub(in crate::estimator) fn combined(covariance: &[f64], k: usize, weights: &[f64]) -> f64 {
    let pairs = (0..k).flat_map(|a| (0..k).map(move |b| (a, b)));
    pairs.map(|(a, b)| weights[a] * weights[b] * covariance[a * k + b]).sum()
}

/// The effects as an event study.
pub(in crate::estimator) fn event_study(
    effects: &[EventEffect],
    vcov: &[Vec<f64>],
    overall: Option<Estimate>,
    words: &RegressionWords<'_>,
) -> EventStudy {
    let row = |effect: &EventEffect| AggregatedRow {
        at: effect.event_time as f64,
        estimate: effect.estimate,
        reference: effect.status == CellStatus::Reference,
    };
    let (cluster, clusters) = (words.sample.clustered_by(), words.n_clusters);
    EventStudy {
        rows: effects.iter().map(row).collect(),
        vcov: vcov.to_vec(),
        overall: overall.filter(|overall| overall.estimate.is_some()),
        band: Band::Pointwise,
        alpha: words.alpha,
        left_out: None,
        provenance: Provenance::Regression(RegressionProvenance {
            formula: words.formula.clone(),
            outcome: words.sample.columns.outcome.clone(),
            vcov: format!("clustered by {cluster} ({})", counted(clusters, "cluster", "clusters")),
            weights: words.sample.columns.weights.clone(),
            n: words.sample.n_used(),
            n_singletons: 0,
            column: None,
            frequency: words.sample.columns.frequency,
            of_untreated: false,
        }),
        fit_notes: FitNotes::new(
            &words.sample.read.files,
            words.warnings,
            words.sample.columns.frequency,
        ),
        universal: None,
    }
}

/// What holds of effects and their covariance.
pub(in crate::estimator) fn checked(effects: &[EventEffect], vcov: &[Vec<f64>]) -> Checked {
    let at: Vec<f64> = effects.iter().map(|effect| effect.event_time as f64).collect();
    ensure_ascending("effects", &at)?;
    for (index, effect) in effects.iter().enumerate() {
        check_estimate(&format!("effects[{index}]"), &effect.estimate, &effect.status, true)?;
    }
    let k = effects.len();
    ensure(vcov.len() == k && vcov.iter().all(|row| row.len() == k), "vcov", || {
        format!("is not a matrix of {k} rows and columns")
    })?;
    ensure_finite("vcov", vcov.iter().flatten())
}
