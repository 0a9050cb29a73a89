//! Which columns a regression needs.

use crate::base::calendar::Frequency;
use crate::read::columns::{Kind, Wanted};
use crate::read::formula::{Interaction, RegressionFormula};

/// Columns that event times are formed of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CohortColumns {
    pub cohort: String,
    pub time: String,
    /// A column that is read as a factor.
    pub unit: String,
    pub frequency: Option<Frequency>,
}

/// The columns of a regression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegressionColumns {
    pub formula: RegressionFormula,
    pub weights: Option<String>,
    pub clusters: Vec<Interaction>,
    /// First treated periods and periods, for event times.
    pub cohorts: Option<CohortColumns>,
    /// Whether the outcome is read: not for predictions.
    pub with_outcome: bool,
}

impl RegressionColumns {
    /// What predictions need.
    pub fn predictors(formula: RegressionFormula) -> Self {
        Self { formula, weights: None, clusters: Vec::new(), cohorts: None, with_outcome: false }
    }

    /// The columns that are read, and what they are for.
    pub fn wanted(&self) -> Wanted {
        let outcome = match self.with_outcome {
            true => self.formula.outcome.variables(),
            false => Vec::new(),
        };
        let cohorts = self.cohorts.iter();
        let factors = self.formula.absorb.iter().flat_map(Interaction::columns);
        let clusters = self.clusters.iter().flat_map(Interaction::columns);
        Wanted::default()
            .and("outcome", Kind::Value, &outcome)
            .and("weights", Kind::Value, &self.weights)
            .and("regressor", Kind::Value, &self.formula.regressors.variables())
            .and("group", Kind::Value, cohorts.clone().map(|columns| &columns.cohort))
            .and("time", Kind::Value, cohorts.map(|columns| &columns.time))
            .and("fixed effect", Kind::Label, factors)
            .and("cluster", Kind::Label, clusters)
    }
}
