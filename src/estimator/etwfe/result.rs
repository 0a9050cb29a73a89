//! Result of [`Etwfe`](crate::Etwfe).

use serde::{Deserialize, Serialize};

use super::options::{EtwfeAbsorb, EtwfeScale};
use crate::base::error::DidWarning;
use crate::base::options::{Band, ControlGroup};
use crate::engine::source::Influence;
use crate::estimator::aggregate::{AggregatedRow, EventStudy, Provenance, RegressionProvenance};
use crate::estimator::analysed::analysed;
use crate::estimator::fixed_effects::{Family, RegressionResult};
use crate::read::columns::ReadAsMissing;
use crate::result::fit_notes::FitNotes;
use crate::result::inference::Estimate;
use crate::result::sample::{RowsRead, SampleColumns};

/// Options of a fit, and the rows that it had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EtwfeSettings {
    /// Outcome, period column, weights column, and what a period is.
    #[serde(flatten)]
    pub columns: SampleColumns,
    /// Unit column.
    pub unit: Option<String>,
    /// Group column.
    pub group: String,
    /// Covariates.
    pub covariates: Vec<String>,
    /// What effects may differ by.
    pub moderator: Option<String>,
    /// Comparison rows.
    pub control_group: ControlGroup,
    /// Model of the regression.
    pub family: Family,
    /// What effects are differences of.
    #[serde(default)]
    pub scale: EtwfeScale,
    /// Which effects were projected out.
    pub absorb: EtwfeAbsorb,
    /// Whether averages are over rows without their weights.
    pub unweighted_averages: bool,
    /// Whether averages have values although they depend on which of the collinear slopes are left out.
    #[serde(default)]
    pub undetermined: bool,
    /// Whether the variance of what is averaged over is in standard errors.
    pub random_shares: bool,
    /// Files and rows that were read.
    #[serde(flatten)]
    pub read: RowsRead,
    /// What was read as missing.
    pub read_as_missing: Vec<ReadAsMissing>,
}

/// An average of effects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EtwfeEffect {
    /// First treated period, of effects by cohort.
    pub group: Option<f64>,
    /// Period, of effects by period.
    pub time: Option<f64>,
    /// Time since the first treated period, of effects by event time.
    pub event_time: Option<f64>,
    /// The average, in units of the outcome, with its uncertainty.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Rows that are averaged over.
    pub n_rows: usize,
    /// Whether the effect is 0 by construction.
    pub reference: bool,
    /// Whether there is no value because it depends on which of the collinear slopes are left out.
    #[serde(default)]
    pub undetermined: bool,
    /// Of a cohort in a period, which rows that its effect needs were all left out as separated; none if some of each were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separated: Option<SeparatedRows>,
}

/// Rows that are left out where a model that is not linear fits their outcomes exactly, by no finite coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SeparatedRows {
    /// The untreated rows of the cohort or of the period, so that nothing says what it would be without treatment.
    Untreated,
    /// The rows of the cohort in the period.
    Own,
}

/// Averages over the rows of one level of the moderator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EtwfeLevel {
    /// The level, as it is printed.
    pub level: String,
    /// The average over its treated rows.
    pub overall: Estimate,
    /// How many these are.
    pub n_treated: usize,
    /// The average less that of the first level; `None` of the first.
    #[doc(alias = "hypothesis")]
    pub difference: Option<Estimate>,
    /// Averages by time since treatment.
    pub by_event_time: Vec<EtwfeEffect>,
    /// Covariance of these, `[event times][event times]`; 0 at the reference.
    pub vcov: Vec<Vec<f64>>,
    /// Averages by cohort.
    pub by_group: Vec<EtwfeEffect>,
    /// Averages by period.
    pub by_period: Vec<EtwfeEffect>,
}

/// Extended two-way fixed effects: a regression, and averages of its effects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct EtwfeResult {
    /// How the fit was made.
    pub settings: EtwfeSettings,
    /// One minus the confidence level.
    pub alpha: f64,
    /// The average over all treated rows.
    #[doc(alias = "simple")]
    pub overall: Estimate,
    /// Averages by time since treatment, before it only against the never treated.
    pub by_event_time: Vec<EtwfeEffect>,
    /// Covariance of these, `[event times][event times]`; 0 at the reference.
    pub vcov: Vec<Vec<f64>>,
    /// Averages over the treated rows of cohorts.
    pub by_group: Vec<EtwfeEffect>,
    /// Averages over the treated rows of periods.
    pub by_period: Vec<EtwfeEffect>,
    /// Averages by level of the moderator, if it has at most 20; a level without treated rows has none.
    #[serde(default)]
    #[doc(alias = "by_xvar")]
    pub by_level: Vec<EtwfeLevel>,
    /// Effects of cohorts in periods.
    pub cells: Vec<EtwfeEffect>,
    /// Rows of the regression that are treated.
    pub n_treated: usize,
    /// The regression.
    pub regression: RegressionResult,
    /// What else should be known of the sample.
    pub warnings: Vec<DidWarning>,
    /// Influence of the clusters on the averages by event time, if kept: its `units` are the clusters, its `names` the event times.
    #[serde(skip)]
    pub influence: Option<Influence>,
}

impl EtwfeResult {
    /// Effects by event time with their covariance. Before treatment there are some only against the never treated.
    pub fn event_study(&self) -> EventStudy {
        self.study(&self.by_event_time, &self.vcov, self.overall)
    }

    /// As [`event_study`](Self::event_study), of the rows of a level of the moderator; `None` for another level.
    #[must_use]
    pub fn event_study_of(&self, level: &str) -> Option<EventStudy> {
        let own = self.by_level.iter().find(|own| own.level == level)?;
        Some(self.study(&own.by_event_time, &own.vcov, own.overall))
    }

    fn study(
        &self,
        by_event_time: &[EtwfeEffect],
        vcov: &[Vec<f64>],
        overall: Estimate,
    ) -> EventStudy {
        let row = |effect: &EtwfeEffect| AggregatedRow {
            at: effect.event_time.unwrap_or_default(),
            estimate: effect.estimate,
            reference: effect.reference,
        };
        let regression = &self.regression;
        EventStudy {
            rows: by_event_time.iter().map(row).collect(),
            vcov: vcov.to_vec(),
            overall: Some(overall).filter(|overall| overall.estimate.is_some()),
            band: Band::Pointwise,
            alpha: self.alpha,
            left_out: None,
            provenance: Provenance::Regression(RegressionProvenance {
                formula: regression.settings.formula.clone(),
                outcome: self.settings.columns.outcome.clone(),
                vcov: regression.settings.vcov.label(),
                weights: self.settings.columns.weights.clone(),
                n: regression.n,
                n_singletons: regression.n_singletons,
                column: None,
                frequency: self.settings.columns.frequency,
                of_untreated: false,
            }),
            fit_notes: FitNotes::new(
                &self.settings.read.files,
                self.warnings.iter().chain(&regression.warnings),
                self.settings.columns.frequency,
            ),
            universal: None,
        }
    }
}

analysed!(EtwfeResult);
