//! Diagnostics of two-way fixed effects.

use burn_did::twfe::{TwfeCells, TwfeRegression};
use burn_did::{Bacon, BaconResult, TwfeWeights, TwfeWeightsResult};

use super::{subject_in_pieces, with_gaps};
use crate::laws::report::Within;
use crate::laws::subject::{Case, Change, Numbers, Reported};
use crate::support::but;
use crate::support::panels::staggered;

/// Cells of pieces are added up piece by piece.
const ROUNDING: Within = Within::Errors(1e-12);

subject_in_pieces!(Bacon, config, {
    Change::Cluster(column) => config.cluster = column.map(str::to_owned),
    Change::MemoryBudget(bytes) => config.memory_budget = bytes,
});

impl From<BaconResult> for Numbers {
    fn from(fit: BaconResult) -> Self {
        let pairs = fit.comparisons.iter().map(|of| Reported {
            n: vec![of.n_treated, of.n_control],
            ..Reported::of_numbers("comparison", Some(of.estimate), None).effect(true)
        });
        let estimates =
            pairs.chain([Reported::new("coefficient", &fit.coefficient).effect(true)]).collect();
        let weights = fit.comparisons.iter().map(|of| Some(of.weight));
        let rest = vec![weights.chain(fit.sums.iter().map(|of| Some(of.weight))).collect()];
        Self { estimates, rest, influence: None, group_time: None }
    }
}

subject_in_pieces!(TwfeWeights, config, {
    Change::MemoryBudget(bytes) => config.memory_budget = bytes,
    Change::Weights(column) => config.weights = Some(column.to_owned()),
});

impl From<TwfeWeightsResult> for Numbers {
    fn from(fit: TwfeWeightsResult) -> Self {
        let coefficient =
            Reported::of_numbers("coefficient", Some(fit.coefficient), None).effect(true);
        let deviations = [fit.sd_zero_average, fit.sd_opposite_sign];
        let weights = fit.rows.iter().map(|row| Some(row.weight));
        let shares = fit.rows.iter().map(|row| Some(row.share));
        let rest = vec![weights.collect(), shares.collect(), deviations.into()];
        Self { estimates: vec![coefficient], rest, influence: None, group_time: None }
    }
}

pub fn cases() -> Vec<Case> {
    let plain = Bacon::builder().outcome("y").unit("id").time("t").group("g").build();
    let bacon = [
        ("Bacon", plain.clone()),
        ("Bacon, clustered", but(plain, |c| c.cluster = Some("cl".into()))),
    ];
    let plain = TwfeWeights::builder().outcome("y").unit("id").time("t").group("g").build();
    let covariates = |c: &mut TwfeWeights| c.covariates = vec!["x1".into(), "x2t".into()];
    let weights = |c: &mut TwfeWeights| c.weights = Some("w".into());
    let changes = |c: &mut TwfeWeights| c.regression = TwfeRegression::FdTr;
    let units = |c: &mut TwfeWeights| c.cells = TwfeCells::Unit;
    let weighting = [
        ("weights", plain.clone()),
        ("weights, covariates, weighted", but(but(plain.clone(), covariates), weights)),
        ("weights of changes, covariates", but(but(plain.clone(), changes), covariates)),
        ("weights of units, weighted", but(but(plain, units), weights)),
    ];
    let bacon = bacon.map(|(name, config)| Case {
        labels: if config.cluster.is_some() { &["id", "cl"] } else { &["id"] },
        counts_rows: true,
        in_pieces: ROUNDING,
        ..Case::new(name, config, 160, staggered)
    });
    let weighting = weighting.map(|(name, config)| Case {
        covariates: if config.covariates.is_empty() { &[] } else { &["x1", "x2t"] },
        weights: config.weights.as_ref().map(|_| "w"),
        // A cohort's units are not the same in all periods.
        effects_cancel: name == "weights" || config.cells == TwfeCells::Unit,
        counts_rows: true,
        in_pieces: ROUNDING,
        ..Case::new(
            name,
            config.clone(),
            160,
            if name == "weights" { staggered } else { with_gaps },
        )
    });
    bacon.into_iter().chain(weighting).collect()
}
