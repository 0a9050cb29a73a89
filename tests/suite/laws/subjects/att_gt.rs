//! Group-time effects of a balanced panel, stacked periods, an unbalanced panel and repeated cross sections.

use burn_did::backend::Cpu;
use burn_did::{AttGt, options::FixWeights};

use super::{METHODS, OPTIONS, columns, subject, with_gaps};
use crate::laws::subject::{Case, Comparison, CovariateRows};
use crate::support::but;
use crate::support::panels::staggered;

subject!(AttGt<Cpu>, config, own {
    Change::Covariates(formula) => {
        config.covariates = formula.to_owned();
        true
    },
    Change::Anticipation(periods) => {
        config.anticipation = periods;
        true
    },
});

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for options in OPTIONS {
        for method in METHODS {
            let base = AttGt::<Cpu>::builder()
                .outcome("y")
                .unit("id")
                .time("t")
                .group("g")
                .maybe_covariates(options.covariates)
                .maybe_weights(options.weights)
                .maybe_cluster(options.cluster)
                .control_group(options.control_group)
                .base_period(options.base_period)
                .method(method)
                .build();
            let mut push = |layout: &str, config: AttGt<Cpu>, frame_of| {
                let name = format!("{method:?}, {layout}, {}", options.name);
                let covariates =
                    if layout == "panel" { CovariateRows::Earlier } else { CovariateRows::Own };
                cases.push(Case {
                    covariates: columns(options.covariates),
                    weights: options.weights,
                    labels: if options.cluster.is_some() { &["id", "cl"] } else { &["id"] },
                    rows_are_units: config.repeated_cross_sections,
                    effects_cancel: layout == "panel",
                    comparison: Some(Comparison {
                        is_triple: false,
                        base_period: options.base_period,
                        control_group: options.control_group,
                        covariates,
                    }),
                    ..Case::new(name, config, 160, frame_of)
                });
            };
            push("panel", base.clone(), staggered);
            push("unbalanced", but(base.clone(), |e| e.allow_unbalanced_panel = true), with_gaps);
            push("sections", but(base.clone(), |e| e.repeated_cross_sections = true), staggered);
            let stacked = but(base, |e| e.fix_weights = Some(FixWeights::Varying));
            push("stacked", stacked, staggered);
        }
    }
    cases
}
