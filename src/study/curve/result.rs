//! Result of a study under many specifications.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use crate::base::error::{DidWarning, Message};
use crate::base::options::Band;
use crate::result::inference::Estimate;
use crate::study::joint::{EstimatorFailure, JointStudySettings, Specification};

/// A study under all combinations of choices, with the joint covariance of their effects. Carries no unit data.
///
/// The effect of a specification is the average over the event times from 0 on at which every specification has an effect; each event time
/// counts alike. Those that have less than half as many as the one with the most have none, and say so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct SpecificationCurve {
    /// What was read, and the study's own options: those of the main specification, unless values were given.
    pub settings: JointStudySettings,
    /// What was varied, the estimators first.
    pub varied: Vec<VariedChoice>,
    /// Combinations of values. Those that are the same for an estimator that does not have a choice are one specification.
    pub n_combinations: usize,
    /// All specifications, in the order of the values, the main one first.
    pub specifications: Vec<SpecificationOfCurve>,
    /// Position of the specification that differences are from: the first that ran.
    pub main: usize,
    /// Event times that the averages are over.
    pub event_times: Vec<f64>,
    /// Covariance of the effects, `[specifications][specifications]`; 0 where there is no standard error.
    pub vcov: Vec<Vec<f64>>,
    /// All specifications together; none if no effect has a standard error.
    pub tests: Option<CurveTests>,
    /// What standard errors are multiplied by in the band; the normal quantile if intervals are pointwise.
    pub critical_value: f64,
    /// What intervals are.
    pub band: Band,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Warnings about all specifications.
    pub warnings: Vec<DidWarning>,
}

/// A choice, and the values that it had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VariedChoice {
    /// The choice, such as `control_group`.
    pub choice: String,
    /// Its values in words.
    pub values: Vec<String>,
}

impl VariedChoice {
    pub(super) fn new<T: Display>(choice: &str, values: &[T]) -> Self {
        let values = values.iter().map(T::to_string).collect();
        Self { choice: choice.to_owned(), values }
    }
}

/// What became of a specification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SpecificationOfCurve {
    /// The specification.
    pub specification: Specification,
    /// The average of its effects.
    pub estimate: Estimate,
    /// Its effect less that of the main specification, with the standard error of the difference.
    pub difference: Estimate,
    /// Whether it is the estimate of the main specification, up to rounding.
    pub same: bool,
    /// Rows in the estimates.
    pub n_rows: Option<usize>,
    /// Clusters that contribute to the estimates; units, if the units are the clusters.
    pub n_clusters: Option<usize>,
    /// Why it could not be estimated.
    pub failure: Option<EstimatorFailure>,
    /// Warnings of its fit.
    pub warnings: Vec<Message>,
}

/// Tests of all specifications together (as those of Simonsohn, Simmons and Nelson 2020), by draws from the joint law of the estimates that
/// the covariance gives, if no specification had an effect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CurveTests {
    /// Specifications with a standard error, which the tests are about.
    pub n: usize,
    /// Draws.
    pub draws: usize,
    /// Median of the effects.
    pub median: f64,
    /// Share of draws whose median is as far from 0.
    pub median_p_value: f64,
    /// Specifications whose pointwise interval is above 0, or those whose interval is below 0 if these are more.
    pub n_significant: usize,
    /// Share of draws with as many.
    pub n_significant_p_value: f64,
    /// Sum of the t statistics over the root of their number (Stouffer).
    pub combined: f64,
    /// Share of draws in which it is as far from 0.
    pub combined_p_value: f64,
    /// Largest absolute t statistic.
    pub largest: f64,
    /// Share of draws in which it is as large.
    pub largest_p_value: f64,
    /// Largest absolute t statistic of a difference from the main specification; none if all are the same estimate.
    pub difference: Option<f64>,
    /// Share of draws in which it is as large, if all specifications estimate the same effect.
    pub difference_p_value: Option<f64>,
}
