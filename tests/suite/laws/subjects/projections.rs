//! Local projections.

use std::path::Path;

use burn_did::projections::{ProjectionBase, ProjectionMethod};
use burn_did::{Data, LocalProjections, LocalProjectionsResult, Result};

use super::with_gaps;
use crate::laws::subject::{Case, Change, Numbers, Reported, Subject};
use crate::support::but;
use crate::support::panels::staggered;

impl Subject for LocalProjections {
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        Ok(self.fit(data)?.into())
    }

    fn fit_pieces(&self, path: &Path) -> Option<Result<Numbers>> {
        Some(self.fit(Data::in_pieces(path)).map(Into::into))
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Cluster(column) => self.cluster = column.map(str::to_owned),
            Change::MemoryBudget(bytes) => self.memory_budget = bytes,
            Change::Weights(column) => self.weights = Some(column.to_owned()),
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

impl From<LocalProjectionsResult> for Numbers {
    fn from(fit: LocalProjectionsResult) -> Self {
        let all = fit.effects.iter().chain([&fit.pooled]).chain(&fit.pooled_before);
        let estimates = all.map(|effect| Reported {
            status: Some(effect.status.clone()),
            n: vec![effect.n_rows, effect.n_treated],
            ..Reported::new(format!("event time {}", effect.event_time), &effect.estimate)
        });
        let rest = fit.vcov.iter().map(|row| row.iter().copied().map(Some).collect()).collect();
        Self { estimates: estimates.collect(), rest, influence: None, group_time: None }
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
        ..Case::new(name, config, 300, if name == "plain" { staggered } else { with_gaps })
    };
    configurations.map(case).into()
}
