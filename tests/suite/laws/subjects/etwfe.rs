//! Extended two-way fixed effects.

use burn_did::backend::Cpu;
use burn_did::extended::EtwfeEffect;
use burn_did::{
    Data, Etwfe, EtwfeResult, Result,
    options::ControlGroup,
    regression::{Family, Vcov},
};
use polars::prelude::DataFrame;

use super::fixed_effects::{counted, uncorrected};
use super::{covariances, with_gaps};
use crate::laws::subject::{Case, Change, Numbers, Reported, Subject};
use crate::support::but;
use crate::support::panels::staggered;

impl Subject for Etwfe<Cpu> {
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        Ok(self.fit(data)?.into())
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Cluster(Some(column)) => self.vcov = Some(Vcov::cluster([column])),
            // It has no part of the shares' variance.
            Change::KeepInfluence if self.random_shares => return false,
            Change::KeepInfluence => self.keep_influence = true,
            Change::Weights(column) => self.weights = Some(column.to_owned()),
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

impl From<EtwfeResult> for Numbers {
    fn from(fit: EtwfeResult) -> Self {
        let average = |of: &str, at: fn(&EtwfeEffect) -> Option<f64>, effects: &[EtwfeEffect]| {
            let one = |effect: &EtwfeEffect| {
                Reported::new(format!("{of} {:?}", at(effect)), &effect.estimate)
                    .at(effect.event_time.unwrap_or(0.0))
            };
            effects.iter().map(one).collect::<Vec<_>>()
        };
        let mut estimates = average("event time", |e| e.event_time, &fit.by_event_time);
        estimates.push(Reported::new("overall", &fit.overall).effect(true));
        estimates.extend(average("group", |e| e.group, &fit.by_group));
        estimates.extend(average("period", |e| e.time, &fit.by_period));
        estimates.extend(average("cell", |e| e.time, &fit.cells));
        let rest = covariances(&fit.vcov);
        Self { estimates, rest, influence: fit.influence, group_time: None }
    }
}

/// An estimator, what it is called, and the data that it is for.
type Configuration = (&'static str, Etwfe<Cpu>, fn(i64) -> DataFrame);

pub fn cases() -> Vec<Case> {
    let plain = Etwfe::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .ssc(uncorrected())
        .build();
    let never = |c: &mut Etwfe<Cpu>| c.control_group = ControlGroup::NeverTreated;
    let covariates = |c: &mut Etwfe<Cpu>| c.covariates = vec!["x1".into(), "x2t".into()];
    let weights = |c: &mut Etwfe<Cpu>| c.weights = Some("wt".into());
    let poisson = |c: &mut Etwfe<Cpu>| {
        c.outcome = "count".into();
        c.family = Family::Poisson;
    };
    let configurations: [Configuration; 4] = [
        ("plain", plain.clone(), staggered),
        (
            "never treated, weighted, clustered, unbalanced",
            but(but(but(plain.clone(), never), weights), |c| c.vcov = Some(Vcov::cluster(["cl"]))),
            with_gaps,
        ),
        ("covariates, weighted", but(but(plain.clone(), covariates), weights), staggered),
        ("Poisson, random shares", but(but(plain, poisson), |c| c.random_shares = true), counted),
    ];
    let case = |(name, config, frame_of): Configuration| Case {
        outcome: (config.family == Family::Gaussian).then_some("y"),
        covariates: if config.covariates.is_empty() { &[] } else { &["x1", "x2t"] },
        weights: config.weights.as_ref().map(|_| "wt"),
        labels: if config.vcov.is_some() { &["id", "cl"] } else { &["id"] },
        rows_are_unique: false,
        has_derivatives: false,
        // The variance of the shares is by unit.
        counts_rows: config.random_shares,
        ..Case::new(name, config, 160, frame_of)
    };
    configurations.map(case).into()
}
