//! Triple differences of a panel, repeated cross sections, unbalanced panels and two periods.

use burn_did::backend::Cpu;
use burn_did::{
    Ddd,
    options::{ControlGroup, UnbalancedPanel},
};
use polars::prelude::DataFrame;

use super::{METHODS, OPTIONS, columns, subject, with_gaps};
use crate::laws::subject::{Case, Comparison, CovariateRows, Treated};
use crate::support::but;
use crate::support::frames::filter;
use crate::support::panels::staggered;

subject!(Ddd<Cpu>, config, own {
    Change::Covariates(formula) => {
        config.covariates = formula.to_owned();
        true
    },
});

fn two_periods(units: i64) -> DataFrame {
    let pair = filter(&staggered(units), "t", |t| (3.0..=4.0).contains(&t));
    filter(&pair, "g", |g| g == 4.0 || g == 0.0)
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for options in [OPTIONS[0], OPTIONS[1], OPTIONS[2]] {
        for method in METHODS {
            let base = Ddd::<Cpu>::builder()
                .outcome("y")
                .unit("id")
                .time("t")
                .group("g")
                .eligible("q")
                .maybe_covariates(options.covariates)
                .maybe_weights(options.weights)
                .maybe_cluster(options.cluster)
                .control_group(options.control_group)
                .base_period(options.base_period)
                .method(method)
                .build();
            let mut push = |layout: &str, config: Ddd<Cpu>, frame_of| {
                let name = format!("{method:?}, {layout}, {}", options.name);
                let own =
                    config.repeated_cross_sections || config.unbalanced == UnbalancedPanel::Rows;
                cases.push(Case {
                    covariates: columns(options.covariates),
                    weights: options.weights,
                    labels: if options.cluster.is_some() { &["id", "cl"] } else { &["id"] },
                    codes: &["q"],
                    rows_are_units: config.repeated_cross_sections,
                    treated: Treated::Eligible,
                    effects_cancel: !own,
                    // The weights of several comparison cohorts are taken as known.
                    has_derivatives: options.control_group == ControlGroup::NeverTreated,
                    comparison: Some(Comparison {
                        is_triple: true,
                        base_period: options.base_period,
                        control_group: options.control_group,
                        covariates: if own { CovariateRows::Own } else { CovariateRows::Base },
                    }),
                    ..Case::new(name, config, 400, frame_of)
                });
            };
            push("panel", base.clone(), staggered);
            push("sections", but(base.clone(), |e| e.repeated_cross_sections = true), staggered);
            for (name, how) in [
                ("pairs", UnbalancedPanel::Pairs),
                ("rows", UnbalancedPanel::Rows),
                ("dropped", UnbalancedPanel::Drop),
            ] {
                push(name, but(base.clone(), |e| e.unbalanced = how), with_gaps);
            }
            push("two periods", base, two_periods);
        }
    }
    cases
}
