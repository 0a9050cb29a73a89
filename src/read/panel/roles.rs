//! What the columns of the data are for.

use serde::{Deserialize, Serialize};

use crate::base::calendar::Frequency;
use crate::read::columns::{Kind, Wanted};
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

impl Roles {
    /// The columns that have a role.
    pub fn wanted(&self) -> Wanted {
        Wanted::default()
            .and("outcome", Kind::Value, [&self.outcome])
            .and("time", Kind::Value, [&self.time])
            .and(self.treatment.role(), Kind::Value, [&self.group])
            .and("dose", Kind::Value, &self.dose)
            .and("eligibility", Kind::Value, &self.eligible)
            .and("weights", Kind::Value, &self.weights)
            .and("unit", Kind::Label, &self.unit)
            .and("cluster", Kind::Label, &self.cluster)
            .and("covariate", Kind::Value, &self.covariates.variables())
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
