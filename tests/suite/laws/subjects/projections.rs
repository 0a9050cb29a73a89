//! Local projections.

use burn_did::projections::{EventEffect, ProjectionBase, ProjectionMethod};
use burn_did::{LocalProjections, LocalProjectionsResult};

use super::{covariances, in_order, subject_in_pieces, with_gaps};
use crate::laws::subject::{Case, Change, Numbers, Reported};
use crate::support::but;
use crate::support::panels::staggered;

subject_in_pieces!(LocalProjections, config, {
    Change::Cluster(column) => config.cluster = column.map(str::to_owned),
    Change::KeepInfluence => config.keep_influence = true,
    Change::MemoryBudget(bytes) => config.memory_budget = bytes,
    Change::Weights(column) => config.weights = Some(column.to_owned()),
});

impl From<LocalProjectionsResult> for Numbers {
    fn from(fit: LocalProjectionsResult) -> Self {
        let all = fit.effects.iter().chain([&fit.pooled]).chain(&fit.pooled_before);
        let estimates = all.map(|effect| Reported {
            status: Some(effect.status.clone()),
            n: vec![effect.n_rows, effect.n_treated],
            ..Reported::new(format!("event time {}", effect.event_time), &effect.estimate)
                .at(effect.event_time as f64)
        });
        let rest = covariances(&fit.vcov);
        let at = |effect: &EventEffect| format!("effect({})", effect.event_time);
        let pooled = ["pooled", "pooled_before"].map(str::to_owned);
        let names = fit.effects.iter().map(at).chain(pooled).collect();
        let influence = in_order(fit.influence.clone(), names);
        Self { estimates: estimates.collect(), rest, influence, group_time: None }
    }
}

pub fn cases() -> Vec<Case> {
    let plain = LocalProjections::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .pre_window(2)
        .post_window(2)
        .build();
    let covariates = |c: &mut LocalProjections| c.covariates = vec!["x1".into(), "x2t".into()];
    let weights = |c: &mut LocalProjections| {
        c.weights = Some("wt".into());
        c.cluster = Some("cl".into());
    };
    let reweighted = |c: &mut LocalProjections| c.method = ProjectionMethod::Reweighted;
    let adjusted = |c: &mut LocalProjections| c.method = ProjectionMethod::Adjusted;
    let configurations = [
        ("plain", plain.clone()),
        ("reweighted, weighted, clustered", but(but(plain.clone(), reweighted), weights)),
        ("covariates", but(plain.clone(), covariates)),
        (
            "covariates, adjusted, weighted, clustered",
            but(but(but(plain.clone(), adjusted), covariates), weights),
        ),
        (
            "covariates, reweighted, lags, means of two",
            but(but(but(plain.clone(), reweighted), covariates), |c| {
                c.outcome_lags = 1;
                c.base = ProjectionBase::Mean(2);
            }),
        ),
        ("the same units", but(plain, |c| c.no_composition_changes = true)),
    ];
    let case = |(name, config): (&str, LocalProjections)| Case {
        covariates: if config.covariates.is_empty() { &[] } else { &["x1", "x2t"] },
        weights: config.weights.as_ref().map(|_| "wt"),
        labels: if config.cluster.is_some() { &["id", "cl"] } else { &["id"] },
        counts_rows: true,
        keeps_gaps: true,
        // They have the correction for small samples, and weights of controls are taken as known.
        has_derivatives: false,
        ..Case::new(name, config, 300, if name == "plain" { staggered } else { with_gaps })
    };
    configurations.map(case).into()
}
