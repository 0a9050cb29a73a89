//! Regressions with fixed effects, linear, Poisson, logit and probit.

use burn_did::backend::Cpu;
use burn_did::{
    Data, FixedEffects, RegressionResult, Result,
    regression::{Family, Ssc, Vcov},
};
use polars::prelude::DataFrame;

use super::{COLUMNS, covariances, in_order};
use crate::laws::subject::{Case, Change, Numbers, Reported, Subject};
use crate::support::frames::{floats, with};
use crate::support::panels::staggered;

impl Subject for FixedEffects<Cpu> {
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        Ok(self.fit(data)?.into())
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            // It is by cluster.
            Change::KeepInfluence => {
                (self.keep_influence, self.vcov) = (true, Vcov::cluster(["id"]));
            }
            Change::Cluster(Some(column)) => self.vcov = Vcov::cluster([column]),
            Change::Weights(column) => self.weights = Some(column.to_owned()),
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

impl From<RegressionResult> for Numbers {
    fn from(fit: RegressionResult) -> Self {
        // A constant depends on the origins of all columns.
        let slopes = fit.coefficients.iter().filter(|c| !c.name.contains("Intercept"));
        let estimates = slopes.map(|coefficient| Reported {
            per: COLUMNS.iter().copied().find(|column| *column == coefficient.name),
            ..Reported::of_numbers(&coefficient.name, Some(coefficient.estimate), coefficient.se)
        });
        let estimates: Vec<Reported> = estimates.collect();
        let names = estimates.iter().map(|of| of.name.clone()).collect();
        let influence = in_order(fit.influence.clone(), names);
        let mut rest = covariances(&fit.vcov);
        rest.push(fit.coefficients.iter().flat_map(|c| [Some(c.estimate), c.se]).collect());
        rest.push(vec![Some(fit.rss), Some(fit.df_t), Some(fit.df_k as f64)]);
        Self { estimates, rest, influence, group_time: None }
    }
}

/// A panel with counts, whether they exceed two, and outcomes that do not depend on `x1` alone.
pub fn counted(units: i64) -> DataFrame {
    let df = staggered(units);
    let counts: Vec<f64> =
        floats(&df, "y").iter().map(|y| (0.5 * y).exp().floor().min(40.0)).collect();
    let any: Vec<f64> = counts.iter().map(|count| f64::from(u8::from(*count > 2.0))).collect();
    with(&with(&df, "count", counts), "any", any)
}

/// Without the corrections for small samples, which depend on how many rows say the same.
pub fn uncorrected() -> Ssc {
    Ssc::default().k_adj(false).g_adj(false)
}

pub fn cases() -> Vec<Case> {
    let linear = [
        ("y ~ x1 + x2t | cl + t", Vcov::Hetero, Some("w"), ["x1", "x2t"].as_slice()),
        ("y ~ x1 + i(t) | cl", Vcov::cluster(["cl"]), None, &["x1"]),
        ("y ~ x1 + x2t", Vcov::cluster(["cl", "t"]), Some("wt"), &["x1", "x2t"]),
        ("y ~ x2t | cl^t", Vcov::Iid, None, &["x2t"]),
        ("y ~ x2t | id + t", Vcov::cluster(["id"]), Some("w"), &["x2t"]),
    ];
    let mut cases = Vec::new();
    let mut push =
        |formula: &str, vcov: Vcov, weights: Option<&'static str>, covariates, family| {
            let config = FixedEffects::<Cpu>::builder()
                .formula(formula)
                .vcov(vcov.clone())
                .ssc(uncorrected())
                .maybe_weights(weights)
                .family(family)
                .build();
            let labels: &[_] = match () {
                () if formula.contains("id") => &["id"],
                () if formula.contains("cl") || vcov == Vcov::cluster(["cl"]) => &["cl"],
                () => &[],
            };
            cases.push(Case {
                outcome: (family == Family::Gaussian).then_some("y"),
                covariates,
                weights,
                labels,
                // A probit has the expected information, as in R.
                has_derivatives: family != Family::Probit,
                times: &[],
                codes: if formula.contains("+ t") { &["t"] } else { &[] },
                rows_are_unique: false,
                effects_cancel: formula.ends_with("id + t"),
                ..Case::new(formula, config, 160, counted)
            });
        };
    for (formula, vcov, weights, covariates) in linear {
        push(formula, vcov, weights, covariates, Family::Gaussian);
    }
    push("count ~ x1 + x2t | cl + t", Vcov::Hetero, Some("w"), &["x1", "x2t"], Family::Poisson);
    push("any ~ x1 + x2t | t", Vcov::Hetero, Some("w"), &["x1", "x2t"], Family::Logit);
    push("any ~ x1 + x2t | t", Vcov::cluster(["cl"]), None, &["x1", "x2t"], Family::Probit);
    cases
}
