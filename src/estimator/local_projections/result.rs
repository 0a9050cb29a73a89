//! Result of [`LocalProjections`](crate::LocalProjections).

use serde::{Deserialize, Serialize};

use super::options::ProjectionMethod;
use crate::base::error::DidWarning;
use crate::base::options::{ControlGroup, ProjectionBase};
use crate::engine::source::Influence;
use crate::estimator::aggregate::EventStudy;
use crate::estimator::analysed::analysed;
use crate::estimator::by_unit::{EventEffect, PanelSample, RegressionWords, event_study};
use crate::result::sample::SampleColumns;

/// Options of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectionSettings {
    /// Periods before treatment, counted from it.
    pub pre_window: u32,
    /// Last event time.
    pub post_window: u32,
    /// How periods are averaged, and what covariates do.
    pub method: ProjectionMethod,
    /// Comparison units.
    pub control_group: ControlGroup,
    /// What outcomes are compared with.
    pub base: ProjectionBase,
    /// Whether all horizons have the same units.
    pub no_composition_changes: bool,
    /// Lagged changes of the outcome among the covariates.
    pub outcome_lags: u32,
    /// Periods after which effects are stable, if treatment may end.
    pub stable_periods: Option<u32>,
    /// Whether event times count observed periods.
    pub rank_periods: bool,
}

/// Effects by event time, by local projections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct LocalProjectionsResult {
    /// What was read.
    pub sample: PanelSample,
    /// How the fit was made.
    pub settings: ProjectionSettings,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Effects by event time, with the base at -1 if outcomes are compared with it.
    pub effects: Vec<EventEffect>,
    /// Covariance of the effects, `[effects][effects]`; 0 at the base and where there is no estimate.
    pub vcov: Vec<Vec<f64>>,
    /// The effect on the mean outcome from the first treated period to the last event time.
    pub pooled: EventEffect,
    /// The same of the periods before treatment, from the second on.
    pub pooled_before: Option<EventEffect>,
    /// Clusters; units without a cluster column.
    pub n_clusters: usize,
    /// What else should be known.
    pub warnings: Vec<DidWarning>,
    /// Influence values of effects and pooled effects by unit, if they were kept: where units are the clusters, a standard error is the root of their sum of
    /// squares over their number.
    #[serde(skip)]
    pub influence: Option<Influence>,
}

impl LocalProjectionsResult {
    /// The effects with their covariance, and the pooled effect as their average.
    pub fn event_study(&self) -> EventStudy {
        let words = RegressionWords {
            formula: self.formula(),
            sample: &self.sample,
            n_clusters: self.n_clusters,
            alpha: self.alpha,
            warnings: &self.warnings,
        };
        event_study(&self.effects, &self.vcov, Some(self.pooled.estimate), &words)
    }

    /// The regressions in words.
    pub(super) fn formula(&self) -> String {
        let SampleColumns { outcome, time, .. } = &self.sample.columns;
        let treated = self.sample.treatment.as_deref().unwrap_or("treated");
        let base = match self.settings.base {
            ProjectionBase::Last => "[-1]".to_owned(),
            ProjectionBase::Mean(periods) => format!("[mean of -{periods} to -1]"),
            ProjectionBase::AllBefore => "[mean before]".to_owned(),
        };
        let lags = (self.settings.outcome_lags > 0).then(|| "lagged changes".to_owned());
        let regressors: Vec<String> = std::iter::once(format!("start of {treated}"))
            .chain(self.sample.covariates.iter().cloned())
            .chain(lags)
            .collect();
        format!("{outcome}[h] - {outcome}{base} ~ {} | {time}", regressors.join(" + "))
    }
}

analysed!(LocalProjectionsResult);
