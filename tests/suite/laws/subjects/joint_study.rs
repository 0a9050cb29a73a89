//! Several estimators of one sample.

use burn_did::backend::Cpu;
use burn_did::{Data, DidError, JointStudy, JointStudyResult, Result};
use burn_did::{joint_study::StudyEstimator, options::Words};

use super::{COVARIATES, covariances, with_gaps};
use crate::laws::subject::{Case, Change, Numbers, Reported, Subject};
use crate::support::panels::staggered;

impl Subject for JointStudy<Cpu> {
    /// An estimator that has no estimates is an error here: each can estimate what it is given.
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        let study = self.fit(data)?;
        match study.estimators.iter().find_map(|of| of.failure.as_ref()) {
            Some(failure) => Err(DidError::Panel { problem: failure.message.clone() }),
            None => Ok(study.into()),
        }
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Cluster(column) => self.cluster = column.map(str::to_owned),
            Change::Weights(column) => self.weights = Some(column.to_owned()),
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

impl From<JointStudyResult> for Numbers {
    fn from(study: JointStudyResult) -> Self {
        let effects = study.estimators.iter().flat_map(|of| {
            let rows = of.event_study.iter().flat_map(|study| &study.rows);
            let effect = |at: f64| format!("{} at {at}", of.estimator);
            rows.map(move |row| Reported::new(effect(row.at), &row.estimate).at(row.at))
        });
        let estimates = effects.collect();
        let mut rest = covariances(&study.vcov);
        let averages = study.estimators.iter().map(|of| of.average);
        let differences = study.agreement.iter().map(|pair| pair.difference);
        rest.extend(averages.chain(differences).map(|of| vec![of.estimate, of.se, of.ci_lower]));
        rest.extend(study.agreement.iter().map(|pair| vec![pair.wald.map(|wald| wald.stat)]));
        Self { estimates, rest, influence: None, group_time: None }
    }
}

pub fn cases() -> Vec<Case> {
    let all = StudyEstimator::WORDS.iter().map(|entry| entry.value);
    // Each takes a weight of its own in each period, but for the estimator of treatments that switch.
    let with_weights: Vec<StudyEstimator> =
        all.filter(|of| *of != StudyEstimator::DidMultiplegt).collect();
    let mut cases = Vec::new();
    for (name, covariates, weights, cluster, gaps) in [
        ("plain", None, None, None, false),
        ("weighted, clustered, unbalanced", None, Some("w"), Some("cl"), true),
        ("covariates", Some(COVARIATES), None, None, false),
    ] {
        let config = JointStudy::<Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .group("g")
            .maybe_covariates(covariates)
            .maybe_weights(weights)
            .maybe_cluster(cluster)
            .maybe_estimators(weights.map(|_| with_weights.clone()))
            .build();
        // Their scales are limited, as those of `AttGt` are: the laws of covariates are for each estimator alone.
        cases.push(Case {
            weights,
            labels: if cluster.is_some() { &["id", "cl"] } else { &["id"] },
            counts_rows: true,
            effects_cancel: false,
            ..Case::new(name, config, 160, if gaps { with_gaps } else { staggered })
        });
    }
    cases
}
