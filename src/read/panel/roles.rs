//! What the columns of the data are for.

use serde::{Deserialize, Serialize};

use crate::base::calendar::Frequency;
use crate::base::error::Result;
use crate::read::columns::{Wanted, not_found};
use crate::read::formula::Formula;

/// Which column plays which role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Roles {
    pub outcome: String,
    pub unit: Option<String>,
    pub time: String,
    pub group: String,
    pub treatment: Treatment,
    /// Eligibility, in triple differences.
    pub eligible: Option<String>,
    /// The dose of a continuous treatment, which is also the only covariate.
    pub dose: Option<String>,
    pub weights: Option<String>,
    pub cluster: Option<String>,
    pub covariates: Formula,
    /// Columns whose values say which units are compared with each other.
    #[serde(default)]
    pub trends: Vec<String>,
    /// Columns of numbers that effects may be functions of.
    #[serde(default)]
    pub traits: Vec<String>,
    /// Periods of the dates in the time column, and in that of first treated periods.
    pub frequency: Option<Frequency>,
}

/// What the group column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Treatment {
    /// The first treated period; 0, +inf or null if never treated.
    FirstPeriod,
    /// 1 for treated units and 0 for the others.
    Indicator,
    /// How much the unit is treated: the group is the first period in which that is more than 0.
    Dose,
}

impl Wanted for Roles {
    fn names(&self) -> Vec<String> {
        let optional = [&self.unit, &self.eligible, &self.weights, &self.cluster];
        let mut names: Vec<String> = [&self.outcome, &self.time, &self.group]
            .into_iter()
            .chain(optional.into_iter().flatten())
            .cloned()
            .chain(self.covariates.variables())
            .chain(self.trends.iter().chain(&self.traits).cloned())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn find_in(&self, names: &[&str]) -> Result<()> {
        let optional = [
            (&self.dose, "dose"),
            (&self.eligible, "eligibility"),
            (&self.weights, "weights"),
            (&self.unit, "unit"),
            (&self.cluster, "cluster"),
        ];
        let covariates = self.covariates.variables();
        let needed = [
            (&self.outcome, "outcome"),
            (&self.time, "time"),
            (&self.group, self.treatment.role()),
        ];
        let mut needed = needed
            .into_iter()
            .chain(optional.into_iter().filter_map(|(name, role)| Some((name.as_ref()?, role))))
            .chain(covariates.iter().map(|name| (name, "covariate")))
            .chain(self.trends.iter().map(|name| (name, "trend group")))
            .chain(self.traits.iter().map(|name| (name, "heterogeneity")));
        match needed.find(|(name, _)| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, role)) => Err(not_found(name, role, names.iter().copied())),
        }
    }

    fn is_label(&self, name: &str) -> bool {
        let is = |role: &Option<String>| role.as_deref() == Some(name);
        let numbers = [&self.outcome, &self.time, &self.group];
        let is_trend = self.trends.iter().any(|n| n == name);
        (is(&self.unit) || is(&self.cluster) || is_trend)
            && !numbers.into_iter().any(|n| n == name)
            && !(is(&self.eligible) || is(&self.weights))
            && !self.covariates.variables().iter().chain(&self.traits).any(|n| n == name)
    }
}

impl Treatment {
    /// What the column is for.
    pub fn role(self) -> &'static str {
        match self {
            Self::FirstPeriod => "group",
            Self::Indicator => "treatment",
            Self::Dose => "dose",
        }
    }
}
