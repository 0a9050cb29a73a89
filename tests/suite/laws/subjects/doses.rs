//! Effects of continuous treatments: curves in a dose, by splines and by sieves.

use burn_did::backend::Cpu;
use burn_did::{
    ContDid, ContDidResult,
    doses::{DoseGrid, DoseMethod, DoseTarget},
    options::Resampling,
};
use polars::prelude::DataFrame;

use super::{cells, subject};
use crate::laws::subject::{Case, Numbers, Reported};
use crate::support::but;
use crate::support::frames::{filter, floats, with};
use crate::support::panels::staggered;
use crate::support::splitmix::SplitMix64;

subject!(ContDid<Cpu>, config, own {
    Change::WithoutUnit => false,
    Change::Resampling(_) | Change::Bootstrap(_)
        if config.method == DoseMethod::Cck || config.bootstrap.is_some() => false,
    Change::KeepInfluence if config.method == DoseMethod::Cck => false,
    Change::Resampling(resampling) => {
        config.resampling = resampling;
        true
    },
});

/// Estimates of slopes are per unit of the dose.
fn slope(reported: Reported) -> Reported {
    Reported { per: Some("dose"), ..reported }.effect(false)
}

impl From<ContDidResult> for Numbers {
    fn from(fit: ContDidResult) -> Self {
        let mut estimates: Vec<Reported> =
            cells(&fit.level).chain(cells(&fit.slope).map(slope)).collect();
        for row in &fit.dose.rows {
            estimates.push(Reported::new("effect at a dose", &row.att).effect(true));
            estimates.push(slope(Reported::new("slope at a dose", &row.acrt)));
        }
        estimates.push(Reported::new("average effect", &fit.overall.att).effect(true));
        estimates.push(slope(Reported::new("average slope", &fit.overall.acrt)));
        for target in [DoseTarget::Level, DoseTarget::Slope] {
            let Ok(study) = fit.event_study(target) else { continue };
            let rows = study.rows.iter().map(|row| (row.at, row.estimate));
            let rows =
                rows.chain(study.overall.map(|overall| (0.0, overall))).map(|(at, estimate)| {
                    Reported::new(format!("{target:?} by event time"), &estimate).at(at)
                });
            match target {
                DoseTarget::Level => estimates.extend(rows),
                DoseTarget::Slope => estimates.extend(rows.map(slope)),
                other => unimplemented!("{other}"),
            }
        }
        let doses = fit.dose.rows.iter().map(|row| Some(row.dose)).collect();
        let knots = fit.knots.interior.iter().copied().map(Some).collect();
        let critical = vec![Some(fit.dose.critical_att), Some(fit.dose.critical_acrt)];
        let mut rest = vec![doses, knots, critical];
        rest.extend(fit.level.vcov().unwrap());
        rest.extend(fit.slope.vcov().unwrap());
        // The last influence values are those of coefficients of splines.
        let cells = fit.level.cells.len() + fit.slope.cells.len();
        let influence = fit.influence.map(|kept| but(kept, |kept| kept.columns.truncate(cells)));
        Self { estimates, rest, influence, group_time: None }
    }
}

/// A panel whose units have a dose, which is 0 for the never treated.
fn dosed(units: i64) -> DataFrame {
    let df = staggered(units);
    let [ids, groups] = ["id", "g"].map(|column| floats(&df, column));
    let dose = |(id, group): (&f64, &f64)| {
        let drawn = SplitMix64(*id as u64 + 77).uniform();
        if *group > 0.0 { 0.1 + drawn } else { 0.0 }
    };
    let doses: Vec<f64> = ids.iter().zip(&groups).map(dose).collect();
    with(&df, "dose", doses)
}

/// Two periods and one cohort.
fn dosed_pairs(units: i64) -> DataFrame {
    let df = filter(&dosed(units), "t", |t| (3.0..=4.0).contains(&t));
    filter(&df, "g", |g| g == 4.0 || g == 0.0)
}

pub fn cases() -> Vec<Case> {
    let base = ContDid::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .dose("dose")
        .grid(DoseGrid::Even(9))
        .build();
    let weighted = but(base.clone(), |c| c.weights = Some("w".into()));
    let clustered = but(weighted.clone(), |c| (c.cluster, c.knots) = (Some("cl".into()), 1));
    let cck = but(base.clone(), |c| c.method = DoseMethod::Cck);
    let weighted_cck = but(cck.clone(), |c| c.weights = Some("w".into()));
    let mut cases = Vec::new();
    let mut push = |name: &str, config: ContDid<Cpu>, frame_of| {
        cases.push(Case {
            doses: &["dose"],
            weights: config.weights.as_ref().map(|_| "w"),
            labels: if config.cluster.is_some() { &["id", "cl"] } else { &["id"] },
            counts_units: config.knots > 0 || config.method == DoseMethod::Cck,
            has_draws: config.bootstrap.is_some(),
            ..Case::new(name, config, 400, frame_of)
        });
    };
    push("plain", base.clone(), dosed);
    push("weighted", weighted, dosed);
    push("knots, weighted, clustered", clustered.clone(), dosed);
    let empirical = |config: ContDid<Cpu>| {
        but(config, |c| {
            c.bootstrap = Some(burn_did::options::Bootstrap::draws(15).seed(5));
            c.resampling = Resampling::Empirical;
        })
    };
    push("draws of units", empirical(base), dosed);
    push("draws of clusters", empirical(clustered), dosed);
    push("sieve", cck, dosed_pairs);
    push(
        "sieve, weighted, clustered",
        but(weighted_cck, |c| c.cluster = Some("cl".into())),
        dosed_pairs,
    );
    cases
}
