//! Result of a joint study.

use serde::{Deserialize, Serialize};

use super::StudyEstimator;
use crate::base::error::{DidError, DidWarning, Message};
use crate::base::options::{Band, ControlGroup};
use crate::estimator::aggregate::{AggregatedRow, EventStudy};
use crate::read::columns::ReadAsMissing;
use crate::read::files::FilesRead;
use crate::result::inference::{Estimate, Wald};
use crate::result::sample::SampleColumns;

/// What was read and asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JointStudySettings {
    /// Outcome, period column, weights column, and what a period is.
    #[serde(flatten)]
    pub columns: SampleColumns,
    /// Unit column.
    pub unit: String,
    /// Group column.
    pub group: String,
    /// Covariates.
    pub covariates: String,
    /// Cluster column; none if the units are the clusters.
    pub cluster: Option<String>,
    /// Comparison units, where an estimator has the choice.
    pub control_group: ControlGroup,
    /// Periods before treatment in which units may already react.
    #[serde(default)]
    pub anticipation: u32,
    /// Smallest event time that was asked for.
    pub min_e: Option<f64>,
    /// Largest event time that was asked for.
    pub max_e: Option<f64>,
    /// Files read; none if the data were in memory.
    pub files: FilesRead,
    /// What was read as missing.
    pub read_as_missing: Vec<ReadAsMissing>,
    /// Rows read.
    pub n_rows: usize,
    /// Clusters in the data.
    pub n_clusters: usize,
}

/// Several estimators of one sample, with their joint covariance. Carries no unit data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct JointStudyResult {
    /// What was read and asked for.
    pub settings: JointStudySettings,
    /// The estimators, in the order in which they were asked for.
    pub estimators: Vec<EstimatorOfStudy>,
    /// Event times that the averages are over: those from 0 on at which every estimator has an effect, but for estimators that have less than
    /// half as many as the one with the most; these have no average.
    pub event_times: Vec<f64>,
    /// Covariance of all effects of all estimators, in the order of [`estimators`](Self::estimators) and of the rows of their event
    /// studies; 0 at references and where there is no standard error.
    pub vcov: Vec<Vec<f64>>,
    /// Every pair of estimators that ran: how far apart they are, and whether that is more than chance.
    pub agreement: Vec<Agreement>,
    /// What effects' standard errors are multiplied by in the band; the normal quantile if intervals are pointwise.
    pub critical_value: f64,
    /// What intervals are.
    pub band: Band,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Warnings about the study; those of an estimator stand with it.
    pub warnings: Vec<DidWarning>,
}

/// What became of an estimator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EstimatorOfStudy {
    /// The estimator.
    pub estimator: StudyEstimator,
    /// Its effects by event time; none if it could not estimate.
    pub event_study: Option<EventStudy>,
    /// The average of its effects over the common [event times](JointStudyResult::event_times), each of which counts alike; without an
    /// estimate if it has not all of them.
    pub average: Estimate,
    /// Why it could not estimate.
    pub failure: Option<EstimatorFailure>,
    /// Warnings of its fit.
    pub warnings: Vec<Message>,
}

/// The error of an estimator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EstimatorFailure {
    /// Code of the error, as [`DidError::code`](crate::DidError::code) gives it.
    pub code: String,
    /// What it says.
    pub message: String,
}

/// Two estimators compared on the event times from 0 on that both have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Agreement {
    /// One estimator.
    pub first: StudyEstimator,
    /// The other.
    pub second: StudyEstimator,
    /// The event times.
    pub event_times: Vec<f64>,
    /// Average of the first less that of the second, each event time counting alike, with the standard error of the difference.
    pub difference: Estimate,
    /// Test that the effects are the same at all these event times: the Hausman test, with a covariance that is right under heterogeneity
    /// and clusters, and the law of Hotelling's T². None if the covariance of the differences is singular, or at no event time both have an
    /// effect with a standard error.
    pub wald: Option<Wald>,
    /// Whether both are the same estimates here, up to rounding.
    pub same: bool,
}

impl EstimatorFailure {
    pub(in crate::study) fn of(error: &DidError) -> Self {
        Self { code: error.code().to_owned(), message: error.to_string() }
    }

    /// As warnings are shown.
    pub(in crate::study) fn as_message(&self) -> Message {
        Message { code: Some(self.code.clone().into()), text: self.message.clone() }
    }
}

impl JointStudyResult {
    /// The effects of an estimator, for sensitivity analyses and pictures; `None` if it was not asked for or could not estimate.
    #[must_use]
    pub fn event_study(&self, estimator: StudyEstimator) -> Option<&EventStudy> {
        self.estimators.iter().find(|of| of.estimator == estimator)?.event_study.as_ref()
    }

    /// The estimators that ran, with their effects.
    pub(super) fn ran(&self) -> impl Iterator<Item = (&EstimatorOfStudy, &EventStudy)> {
        self.estimators.iter().filter_map(|of| Some((of, of.event_study.as_ref()?)))
    }

    /// All effects.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&EstimatorOfStudy, &AggregatedRow)> {
        self.ran().flat_map(|(of, study)| study.rows.iter().map(move |row| (of, row)))
    }
}
