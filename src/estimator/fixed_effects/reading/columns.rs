//! Which columns a regression needs.

use crate::base::calendar::Frequency;
use crate::base::error::Result;
use crate::read::columns::{Wanted, not_found};
use crate::read::formula::{Interaction, RegressionFormula};

/// Columns that event times are formed of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CohortColumns {
    pub cohort: String,
    pub time: String,
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

    /// Columns that are numbers, or regressors, and what they are for.
    fn valued(&self) -> impl Iterator<Item = (String, &'static str)> {
        let outcome = self.formula.outcome.variables().into_iter().filter(|_| self.with_outcome);
        let outcome = outcome.map(|name| (name, "outcome"));
        let weights = self.weights.clone().into_iter().map(|name| (name, "weights"));
        let regressors = self.formula.regressors.variables().into_iter();
        let cohorts = self.cohorts.iter();
        let cohorts = cohorts.flat_map(|c| [(c.cohort.clone(), "group"), (c.time.clone(), "time")]);
        let regressors = regressors.map(|name| (name, "regressor"));
        outcome.chain(weights).chain(regressors).chain(cohorts)
    }

    /// Columns of which only the levels count.
    fn labels(&self) -> impl Iterator<Item = (String, &'static str)> {
        let factors = self.formula.absorb.iter().flat_map(Interaction::columns);
        let clusters = self.clusters.iter().flat_map(Interaction::columns);
        let factors = factors.map(|name| (name.clone(), "fixed effect"));
        factors.chain(clusters.map(|name| (name.clone(), "cluster")))
    }
}

impl Wanted for RegressionColumns {
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.valued().chain(self.labels()).map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn find_in(&self, names: &[&str]) -> Result<()> {
        let mut needed = self.valued().chain(self.labels());
        match needed.find(|(name, _)| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, role)) => Err(not_found(&name, role, names.iter().copied())),
        }
    }

    fn is_label(&self, name: &str) -> bool {
        self.labels().any(|(label, _)| label == name)
            && !self.valued().any(|(valued, _)| valued == name)
    }
}
