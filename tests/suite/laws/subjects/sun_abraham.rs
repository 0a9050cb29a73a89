//! The event studies of Sun and Abraham.

use burn_did::backend::Cpu;
use burn_did::{Data, Result, SunAbraham, SunAbrahamResult, regression::Vcov};

use super::fixed_effects::uncorrected;
use crate::laws::subject::{Case, Change, Numbers, Reported, Subject};
use crate::support::panels::staggered;

impl Subject for SunAbraham<Cpu> {
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        Ok(self.fit(data)?.into())
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Cluster(Some(column)) => self.vcov = Some(Vcov::cluster([column])),
            Change::KeepInfluence => self.keep_influence = true,
            Change::Covariates(formula) => self.covariates = formula.to_owned(),
            Change::Step(step) => self.reference = vec![-step],
            Change::Weights(column) => self.weights = Some(column.to_owned()),
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

impl From<SunAbrahamResult> for Numbers {
    fn from(fit: SunAbrahamResult) -> Self {
        let study = &fit.event_study;
        let rows = study.rows.iter().map(|row| (row.at, row.estimate));
        let rows = rows.chain(study.overall.map(|overall| (0.0, overall)));
        let named = |(at, estimate)| Reported::new("event time", &estimate).at(at);
        let estimates = rows.map(named).collect();
        let rest = Self::from(fit.regression).rest;
        Self { estimates, rest, influence: fit.influence, group_time: None }
    }
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, covariates, weights) in [
        ("plain", None, None),
        ("covariates", Some("~ x2t"), None),
        ("covariates, weighted", Some("~ x2t"), Some("w")),
    ] {
        let config = SunAbraham::<Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .group("g")
            .maybe_covariates(covariates)
            .maybe_weights(weights)
            .ssc(uncorrected())
            .build();
        cases.push(Case {
            covariates: if covariates.is_some() { &["x2t"] } else { &[] },
            weights,
            rows_are_unique: false,
            // The cohorts' shares are taken as known.
            has_derivatives: false,
            ..Case::new(name, config, 160, staggered)
        });
    }
    cases
}
