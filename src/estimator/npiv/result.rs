//! What a fit of a function by sieves gives.

use serde::{Deserialize, Serialize};

use crate::base::error::DidWarning;
use crate::read::files::FilesRead;
use crate::result::inference::Estimate;

/// The function at one point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NpivRow {
    /// The regressors.
    pub x: Vec<f64>,
    /// Value, with its uniform band.
    pub h: Estimate,
    /// Derivative, with its uniform band.
    pub derivative: Estimate,
}

/// How the data chose the dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NpivChoice {
    /// Segments of regressors and instruments that were compared.
    pub compared: Vec<(usize, usize)>,
    /// Segments of the regressors that Lepski's method accepted, before truncation.
    pub accepted: usize,
    /// Critical value of the comparisons.
    pub theta: f64,
}

/// A function estimated by sieves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct NpivResult {
    /// One row a point.
    pub rows: Vec<NpivRow>,
    /// Critical value of the uniform band of the function.
    pub critical_value: f64,
    /// Critical value of the uniform band of the derivative.
    pub critical_value_derivative: f64,
    /// Coefficients of the sieve.
    pub coefficients: Vec<f64>,
    /// Breakpoints of each regressor.
    pub breakpoints: Vec<Vec<f64>>,
    /// Segments of each regressor.
    pub x_segments: usize,
    /// Segments of each instrument.
    pub w_segments: usize,
    /// How the data chose these, if they did.
    pub choice: Option<NpivChoice>,
    /// Observations.
    pub n: usize,
    /// Files and rows read; none if the data were in memory.
    #[serde(default)]
    pub files: FilesRead,
    /// Rows left out for a missing or infinite value.
    pub rows_missing: usize,
    /// Warnings about the sample, the estimates and the options.
    pub warnings: Vec<DidWarning>,
    /// How the fit was made; `config` in results that were saved before.
    #[serde(alias = "config")]
    pub settings: NpivSettings,
}

/// How a fit was made, for the foot of its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NpivSettings {
    /// Outcome.
    pub outcome: String,
    /// Regressors.
    pub regressors: Vec<String>,
    /// Instruments; empty if the regressors are.
    pub instruments: Vec<String>,
    /// Degree of the regressors' splines.
    pub degree: usize,
    /// Degree of the instruments' splines, that of the regressors' without instruments; none in results that were saved before.
    #[serde(default)]
    pub w_degree: Option<usize>,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Draws of the bootstrap, and their seed.
    pub draws: (usize, u64),
}
