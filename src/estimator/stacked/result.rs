//! Result of [`Stacked`](crate::Stacked).

use serde::{Deserialize, Serialize};

use super::options::{StackEffects, StackWeights};
use crate::base::error::DidWarning;
use crate::base::options::ControlGroup;
use crate::engine::source::Influence;
use crate::estimator::aggregate::EventStudy;
use crate::estimator::analysed::analysed;
use crate::estimator::by_unit::{EventEffect, PanelSample, RegressionWords, event_study};
use crate::result::inference::Estimate;

/// Options of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StackSettings {
    /// Periods of the window before treatment.
    pub pre_window: u32,
    /// Last event time of the window.
    pub post_window: u32,
    /// Comparison units.
    pub control_group: ControlGroup,
    /// How controls are weighted.
    pub stack_weights: StackWeights,
    /// The effects of the regression.
    pub effects: StackEffects,
    /// Whether copies of a unit are taken as independent.
    pub independent_copies: bool,
    /// Whether event times count observed periods.
    pub rank_periods: bool,
}

/// The treated of a cohort and their controls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubExperiment {
    /// First treated period.
    pub cohort: f64,
    /// Rows of the treated.
    pub n_treated: usize,
    /// Rows of the controls.
    pub n_control: usize,
    /// What controls are weighted by, at each event time of the window.
    pub control_weights: Vec<f64>,
}

/// Effects by event time, from a stack of sub-experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct StackedResult {
    /// What was read.
    pub sample: PanelSample,
    /// How the fit was made.
    pub settings: StackSettings,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Effects by event time, with the base at -1; rows are those of the event time.
    pub effects: Vec<EventEffect>,
    /// Covariance of the effects, `[effects][effects]`; 0 at the base and where there is no estimate.
    pub vcov: Vec<Vec<f64>>,
    /// The mean of the effects from event time 0 on; nothing if one of them has no estimate.
    #[doc(alias = "att")]
    pub overall: Estimate,
    /// The sub-experiments.
    pub sub_experiments: Vec<SubExperiment>,
    /// Rows of the stack, in which a row of a control is as often as it serves.
    pub n_stacked: usize,
    /// Clusters; units, or copies of units, without a cluster column.
    pub n_clusters: usize,
    /// What else should be known.
    pub warnings: Vec<DidWarning>,
    /// Influence values of the effects but for the base by unit, if they were kept: where units are the clusters, a standard error is the root of their sum of
    /// squares over their number.
    #[serde(skip)]
    pub influence: Option<Influence>,
}

impl StackedResult {
    /// The effects with their covariance.
    pub fn event_study(&self) -> EventStudy {
        let words = RegressionWords {
            formula: self.formula(),
            sample: &self.sample,
            n_clusters: self.n_clusters,
            alpha: self.alpha,
            warnings: &self.warnings,
        };
        event_study(&self.effects, &self.vcov, Some(self.overall), &words)
    }

    /// The regression in words.
    fn formula(&self) -> String {
        let regressors: Vec<String> = std::iter::once("treated by event time".to_owned())
            .chain(self.sample.covariates.iter().cloned())
            .collect();
        let effects = match self.settings.effects {
            StackEffects::Pooled => "treated + event time",
            StackEffects::SubExperiment => "treated^stack + event time^stack",
        };
        format!("{} ~ {} | {effects}", self.sample.columns.outcome, regressors.join(" + "))
    }
}

analysed!(StackedResult);
