//! Effects of treatments that switch on and off.

use burn_did::{Data, DidMultiplegt, DidMultiplegtResult, Result, options::Bootstrap};
use polars::prelude::DataFrame;

use crate::laws::subject::{Case, Change, Numbers, Reported, Subject, Treated};
use crate::support::but;
use crate::support::frames::{floats, with};
use crate::support::panels::staggered;

impl Subject for DidMultiplegt {
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        Ok(self.fit(data)?.into())
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Bootstrap(bootstrap) => self.bootstrap = Some(bootstrap),
            Change::Cluster(column) => self.cluster = column.map(str::to_owned),
            Change::Covariates(formula) => self.covariates = formula.to_owned(),
            Change::Weights(column) => self.weights = Some(column.to_owned()),
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

impl From<DidMultiplegtResult> for Numbers {
    fn from(fit: DidMultiplegtResult) -> Self {
        let all = fit.effects.iter().chain(&fit.placebos).chain(&fit.average);
        let estimates = all.map(|effect| Reported {
            n: vec![effect.n_obs, effect.n_switchers],
            // The average is per unit of the treatment.
            per: (fit.normalized || effect.horizon == 0).then_some("d"),
            // Those that are normalised are per unit and period of treatment.
            of_treated: (!fit.normalized).then(|| f64::from(u8::from(effect.horizon >= 0))),
            ..Reported::new(format!("effect {}", effect.horizon), &effect.estimate)
        });
        let tests = [fit.tests.effects, fit.tests.placebos, fit.tests.equal];
        let mut rest = vec![tests.iter().map(|test| test.map(|t| t.stat)).collect()];
        rest.extend(fit.vcov.iter().cloned());
        Self { estimates: estimates.collect(), rest, influence: None, group_time: None }
    }
}

/// A panel with a treatment that rises, and falls again for every third unit.
fn switching(units: i64) -> DataFrame {
    let df = staggered(units);
    let [ids, groups, times] = ["id", "g", "t"].map(|column| floats(&df, column));
    let treatment = (0..df.height()).map(|row| {
        let (id, group, time) = (ids[row] as i64, groups[row], times[row]);
        let base = 2.0 * f64::from(u8::from(id % 2 == 0));
        let on = group > 0.0 && time >= group;
        if on { if id % 3 == 0 { base - 1.0 } else { base + 1.0 } } else { base }
    });
    with(&df, "d", treatment.collect::<Vec<f64>>())
}

pub fn cases() -> Vec<Case> {
    let plain = DidMultiplegt::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .treatment("d")
        .effects(2)
        .placebos(1)
        .build();
    let weighted = but(plain.clone(), |c| c.weights = Some("w".into()));
    let configurations = [
        ("plain", plain.clone()),
        (
            "covariates, clustered",
            but(plain.clone(), |c| {
                c.covariates = "~ x2t".into();
                c.cluster = Some("cl".into());
            }),
        ),
        ("weighted, linear trends", but(weighted.clone(), |c| c.linear_trends = true)),
        ("normalized", but(plain.clone(), |c| c.normalized = true)),
        (
            "trends of halves",
            but(weighted, |c| {
                c.trends_nonparam = vec!["q".into()];
                c.less_conservative_se = true;
            }),
        ),
        ("draws", but(plain, |c| c.bootstrap = Some(Bootstrap::draws(12).seed(3)))),
    ];
    let case = |(name, config): (&str, DidMultiplegt)| Case {
        covariates: if config.covariates == "~ x2t" { &["x2t"] } else { &[] },
        doses: &["d"],
        treated: Treated::Switching,
        weights: config.weights.as_ref().map(|_| "w"),
        labels: if config.cluster.is_some() { &["id", "cl"] } else { &["id"] },
        times: &["t"],
        rows_are_unique: false,
        has_draws: config.bootstrap.is_some(),
        counts_rows: config.covariates != "~ 1" || config.less_conservative_se,
        ..Case::new(name, config, 400, switching)
    };
    configurations.map(case).into()
}
