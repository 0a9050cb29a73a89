//! Effects by a regression of untreated outcomes.

use burn_did::audit::Influence;
use burn_did::imputation::{PretrendTimes, StageEffects, StageTerm};
use burn_did::{Data, Imputation, Result, TwoStage};

use super::{COVARIATES, columns, covariances, with_gaps};
use crate::laws::subject::{Case, Change, Numbers, Reported, Subject};
use crate::support::panels::staggered;

impl Subject for Imputation {
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        let fit = self.fit(data)?;
        Ok(numbers(fit.effects, fit.influence))
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Cluster(column) => self.cluster = column.map(str::to_owned),
            Change::Covariates(formula) => self.covariates = formula.to_owned(),
            Change::KeepInfluence => self.keep_influence = true,
            Change::Weights(column) => self.weights = Some(column.to_owned()),
            // Event times that are asked for are not.
            Change::Step(_) => {}
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

impl Subject for TwoStage {
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        let fit = self.fit(data)?;
        Ok(numbers(fit.effects, fit.influence))
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Cluster(column) => self.cluster = column.map(str::to_owned),
            Change::Covariates(formula) => self.covariates = formula.to_owned(),
            Change::KeepInfluence => self.keep_influence = true,
            Change::Weights(column) => self.weights = Some(column.to_owned()),
            Change::Step(_) => {}
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

fn numbers(effects: StageEffects, influence: Option<Influence>) -> Numbers {
    let estimates = effects.rows.iter().map(|row| {
        let effect = Reported::new("effect", &row.estimate);
        match row.term {
            StageTerm::EventTime(at) => effect.at(at),
            StageTerm::Coefficient(_) => effect,
            _ => effect.effect(true),
        }
    });
    let rest = covariances(&effects.vcov);
    Numbers { estimates: estimates.collect(), rest, influence, group_time: None }
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, covariates, weights, cluster, gaps, pretrends) in [
        ("imputation", None, None, None, false, PretrendTimes::None),
        (
            "imputation, covariates, weighted, clustered",
            Some(COVARIATES),
            Some("wt"),
            Some("cl"),
            false,
            PretrendTimes::None,
        ),
        ("imputation, weighted, unbalanced", None, Some("w"), None, true, PretrendTimes::All),
    ] {
        let config = Imputation::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .group("g")
            .maybe_covariates(covariates)
            .maybe_weights(weights)
            .maybe_cluster(cluster)
            .groups(true)
            .pretrends(pretrends.clone())
            .build();
        cases.push(Case {
            covariates: columns(covariates),
            weights,
            labels: if cluster.is_some() { &["id", "cl"] } else { &["id"] },
            has_derivatives: false,
            counts_rows: pretrends != PretrendTimes::None,
            ..Case::new(name, config, 160, if gaps { with_gaps } else { staggered })
        });
    }
    for (name, covariates, weights, gaps, formula) in [
        ("two stages", None, None, false, None),
        ("two stages, covariates, weighted", Some(COVARIATES), Some("wt"), false, None),
        ("two stages, unbalanced, a formula", None, Some("w"), true, Some("~ x1 + wt")),
    ] {
        let config = TwoStage::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .group("g")
            .maybe_covariates(covariates)
            .maybe_weights(weights)
            .maybe_second_stage(formula.map(str::to_owned))
            .groups(true)
            .build();
        cases.push(Case {
            covariates: columns(covariates),
            weights,
            ..Case::new(name, config, 160, if gaps { with_gaps } else { staggered })
        });
    }
    cases
}
