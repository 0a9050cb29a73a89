//! Result of [`Imputation`](crate::Imputation).

use serde::{Deserialize, Serialize};

use super::options::{AveragedBy, CellAverages};
use crate::audit::Influence;
use crate::estimator::aggregate::EventStudy;
use crate::estimator::analysed::analysed;
use crate::estimator::first_stage::{
    StageEffects, StageReport, StageTerm, event_study, stage_result,
};
use crate::report::estimates::Variable;
use crate::result::inference::Estimate;

/// Effects by imputation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct ImputationResult {
    /// The effects with their covariance, and how they were estimated.
    pub effects: StageEffects,
    /// Group of rows whose average effect was subtracted before deviations counted as noise in the standard errors.
    pub averaged_by: AveragedBy,
    /// How rows were weighted in those averages.
    pub cell_averages: CellAverages,
    /// Whether deviations of a cluster are from the average of the others.
    pub leave_out: bool,
    /// Influence values by cluster, one column for each effect with a standard error, if they were kept.
    #[serde(skip)]
    pub influence: Option<Influence>,
}

impl ImputationResult {
    /// The average effect on all treated rows that were imputed.
    #[must_use]
    pub fn overall(&self) -> Option<&Estimate> {
        self.effects.get(&StageTerm::Overall).map(|effect| &effect.estimate)
    }

    /// The effects by event time, with the coefficients of the periods before treatment.
    ///
    /// Sensitivity analyses and tests of pre-trends take the means of residuals and effects by event time less that of the last period
    /// before treatment, in which all have one base; without that period, or if no pre-trends were asked for, there are none. A warning
    /// says that these are of different kinds before and after treatment ([`DidWarning::JumpAtTreatment`](crate::DidWarning)).
    pub fn event_study(&self) -> EventStudy {
        event_study(&self.effects, self.errors())
    }
}

impl StageReport for ImputationResult {
    const TITLE: &'static str = "Imputation Estimator";
    const NAME: &'static str = "imputation";

    fn effects(&self) -> &StageEffects {
        &self.effects
    }

    fn errors(&self) -> &'static str {
        match self.leave_out {
            true => "conservative, with clusters left out of the averages that they deviate from",
            false => "conservative",
        }
    }

    fn own_notes(&self) -> Vec<String> {
        let by = match self.averaged_by {
            AveragedBy::GroupTime => "group and period",
            AveragedBy::Group => "group",
            AveragedBy::EventTime => "event time",
            AveragedBy::Time => "period",
            AveragedBy::All => "nothing",
        };
        let rule = match self.cell_averages {
            CellAverages::Cluster => "",
            CellAverages::Row => ", with rows weighted as in R didimputation",
        };
        let before = self
            .effects
            .rows
            .iter()
            .any(|effect| matches!(effect.term, StageTerm::EventTime(at) if at < 0.0));
        let pretrends = before.then(|| {
            "Before treatment: coefficients of a regression of untreated rows, relative to the untreated periods without a coefficient (as in Borusyak, Jaravel and Spiess)".into()
        });
        let averaged = format!("Effects averaged by {by} in the standard errors{rule}");
        std::iter::once(averaged).chain(pretrends).collect()
    }

    fn own_facts(&self) -> Vec<Variable> {
        vec![
            Variable::fact("averaged_by", self.averaged_by.to_string()),
            Variable::fact("cell_averages", self.cell_averages.to_string()),
            Variable::fact("leave_out", self.leave_out),
        ]
    }
}

stage_result!(ImputationResult);
analysed!(ImputationResult);
