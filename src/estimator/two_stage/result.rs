//! Result of [`TwoStage`](crate::TwoStage).

use serde::{Deserialize, Serialize};

use crate::audit::Influence;
use crate::estimator::aggregate::EventStudy;
use crate::estimator::analysed::analysed;
use crate::estimator::first_stage::{
    StageEffects, StageReport, StageTerm, event_study, stage_result,
};
use crate::report::estimates::Variable;
use crate::result::inference::Estimate;

/// Effects by two stages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct TwoStageResult {
    /// The coefficients of the second stages with their covariance, and how they were estimated.
    pub effects: StageEffects,
    /// The second stage as a formula, if there was one.
    pub second_stage: Option<String>,
    /// Influence values by cluster, one column for each coefficient with a standard error, if they were kept.
    #[serde(skip)]
    pub influence: Option<Influence>,
}

impl TwoStageResult {
    /// The coefficient of the treatment: the average effect on all treated rows that have a first stage.
    #[must_use]
    pub fn overall(&self) -> Option<&Estimate> {
        self.effects.get(&StageTerm::Overall).map(|effect| &effect.estimate)
    }

    /// The coefficients of event times. Those before treatment are means of what the first stage leaves of untreated outcomes, and
    /// are compared with nothing: a reference takes the indicator of its event time away and moves no other coefficient.
    ///
    /// Sensitivity analyses and tests of pre-trends take all coefficients less that of the last period before treatment, in which all
    /// have one base; without such a period there are none. A warning says that these are of different kinds before and after treatment
    /// ([`DidWarning::JumpAtTreatment`](crate::DidWarning)).
    pub fn event_study(&self) -> EventStudy {
        event_study(&self.effects, self.errors())
    }
}

impl StageReport for TwoStageResult {
    const TITLE: &'static str = "Two-Stage Estimator";
    const NAME: &'static str = "two_stage";

    fn effects(&self) -> &StageEffects {
        &self.effects
    }

    fn errors(&self) -> &'static str {
        "of both stages (GMM)"
    }

    fn own_notes(&self) -> Vec<String> {
        let before = "Before treatment: means of what the first stage leaves of untreated outcomes";
        let formula = self.second_stage.as_ref().map(|text| format!("Second stage: {text}"));
        formula.into_iter().chain([before.to_owned()]).collect()
    }

    fn own_facts(&self) -> Vec<Variable> {
        vec![Variable::fact("second_stage", self.second_stage.clone())]
    }
}

stage_result!(TwoStageResult);
analysed!(TwoStageResult);
