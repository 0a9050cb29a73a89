//! The fourteen estimators of two periods.

use burn_did::backend::Cpu;
use burn_did::{Drdid, DrdidResult, options::DrdidMethod};
use polars::prelude::DataFrame;

use super::{COVARIATES, columns, subject};
use crate::laws::subject::{Case, Numbers, Reported};
use crate::support::panels::{staggered, two_periods};

subject!(Drdid<Cpu>, config, own {
    Change::Covariates(formula) => {
        config.covariates = formula.to_owned();
        true
    },
    Change::Resampling(resampling) => {
        config.resampling = resampling;
        true
    },
});

impl From<DrdidResult> for Numbers {
    fn from(fit: DrdidResult) -> Self {
        let effect = Reported {
            status: Some(fit.status.clone()),
            n: vec![fit.n_treated, fit.n_control],
            ..Reported::new("effect", &fit.estimate).effect(true)
        };
        let draws = fit.draws.iter().flatten().copied().map(Some).collect();
        Self {
            estimates: vec![effect],
            rest: vec![draws, vec![Some(fit.critical_value)]],
            influence: fit.influence,
            group_time: None,
        }
    }
}

fn pairs(units: i64) -> DataFrame {
    two_periods(&staggered(units))
}

pub fn cases() -> Vec<Case> {
    use DrdidMethod::{
        DoublyRobust, DoublyRobustImproved, Ipw, IpwHorvitzThompson, OutcomeRegression, Twfe,
    };
    let mut cases = Vec::new();
    for (covariates, weights) in [(None, None), (Some(COVARIATES), Some("w"))] {
        let mut push = |method, sections: bool, locally_efficient: bool| {
            let config = Drdid::<Cpu>::builder()
                .outcome("y")
                .unit("id")
                .time("t")
                .treatment("d")
                .maybe_covariates(covariates)
                .maybe_weights(weights)
                .method(method)
                .repeated_cross_sections(sections)
                .locally_efficient(locally_efficient)
                .build();
            let layout = if sections { "sections" } else { "panel" };
            let name = format!("{method:?}, {layout}, {locally_efficient}, {covariates:?}");
            cases.push(Case {
                covariates: columns(covariates),
                weights,
                times: &["t"],
                codes: &["d"],
                rows_are_units: sections,
                // The regression of two periods has no effects of units.
                effects_cancel: !sections && ![IpwHorvitzThompson, Twfe].contains(&method),
                is_normalised: method != IpwHorvitzThompson,
                // As in R `DRDID`, the improved estimators of sections leave out what vanishes in large samples, and weighting
                // without normalisation takes their mean weight as known.
                has_derivatives: !sections
                    || ![DoublyRobustImproved, IpwHorvitzThompson].contains(&method),
                ..Case::new(name, config, 240, pairs)
            });
        };
        for method in
            [DoublyRobustImproved, DoublyRobust, OutcomeRegression, Ipw, IpwHorvitzThompson, Twfe]
        {
            push(method, false, true);
            push(method, true, true);
            if [DoublyRobustImproved, DoublyRobust].contains(&method) {
                push(method, true, false);
            }
        }
    }
    cases
}
