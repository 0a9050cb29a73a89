//! What a result keeps for predictions.

use serde::{Deserialize, Serialize};

use super::RegressionText;
use crate::read::columns::MissingValues;
use crate::read::formula::{Cells, Interaction, Kinds, Present};

/// What predictions need besides coefficients and effects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Predictor {
    /// The regressors as they were read; none if predictions cannot be formed.
    pub regressors: Option<RegressorFormula>,
    pub absorb: Vec<Interaction>,
    /// Words for missing values.
    pub missing: MissingValues,
}

/// The regressors' formula, and what the sample showed of its atoms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RegressorFormula {
    /// The regression's formula, or the parts that the builder was given.
    pub source: RegressionText,
    pub kinds: Kinds,
    #[serde(flatten)]
    pub levels: SampleLevels,
    /// Positions in the design of the coefficients' columns.
    pub columns: Vec<usize>,
}

/// Levels that occur in the sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SampleLevels {
    pub present: Present,
    #[serde(default)]
    pub cells: Cells,
}
