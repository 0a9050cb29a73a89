//! Stacked difference-in-differences.

use burn_did::stacks::StackEffects;
use burn_did::{Stacked, StackedResult};

use super::{covariances, in_order, subject_in_pieces, with_gaps};
use crate::laws::subject::{Case, Change, Numbers, Reported};
use crate::support::but;
use crate::support::panels::staggered;

subject_in_pieces!(Stacked, config, {
    Change::Cluster(column) => config.cluster = column.map(str::to_owned),
    Change::KeepInfluence => config.keep_influence = true,
    Change::MemoryBudget(bytes) => config.memory_budget = bytes,
    Change::Weights(column) => config.weights = Some(column.to_owned()),
});

impl From<StackedResult> for Numbers {
    fn from(fit: StackedResult) -> Self {
        let own = fit.effects.iter().map(|effect| Reported {
            status: Some(effect.status.clone()),
            n: vec![effect.n_rows, effect.n_treated],
            ..Reported::new(format!("event time {}", effect.event_time), &effect.estimate)
                .at(effect.event_time as f64)
        });
        let estimates = own.chain([Reported::new("average", &fit.overall).effect(true)]).collect();
        let rest = covariances(&fit.vcov);
        let names = fit.effects.iter().map(|effect| format!("effect({})", effect.event_time));
        let influence = in_order(fit.influence.clone(), names.collect());
        Self { estimates, rest, influence, group_time: None }
    }
}

pub fn cases() -> Vec<Case> {
    let plain = Stacked::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .pre_window(2)
        .post_window(1)
        .build();
    let covariates = |c: &mut Stacked| c.covariates = vec!["x1".into(), "x2t".into()];
    let weights = |c: &mut Stacked| {
        c.weights = Some("wt".into());
        c.cluster = Some("cl".into());
    };
    let configurations = [
        ("plain", plain.clone()),
        ("weighted, clustered", but(plain.clone(), weights)),
        ("covariates", but(plain.clone(), covariates)),
        (
            "covariates, effects by sub-experiment, weighted, clustered",
            but(but(but(plain, covariates), weights), |c| c.effects = StackEffects::SubExperiment),
        ),
    ];
    let case = |(name, config): (&str, Stacked)| Case {
        covariates: if config.covariates.is_empty() { &[] } else { &["x1", "x2t"] },
        weights: config.weights.as_ref().map(|_| "wt"),
        labels: if config.cluster.is_some() { &["id", "cl"] } else { &["id"] },
        counts_rows: true,
        // Effects of event times are not those of periods.
        effects_cancel: false,
        // The controls' weights are taken as known.
        has_derivatives: false,
        ..Case::new(name, config, 300, if name == "plain" { staggered } else { with_gaps })
    };
    configurations.map(case).into()
}
