//! The table of cases: every estimator, layout and method, with and without covariates, weights and clusters.

use burn_did::backend::Cpu;
use burn_did::{
    AttGt, BasePeriod, ControlGroup, Ddd, Drdid, DrdidMethod, EstimationMethod, FixWeights,
    UnbalancedPanel,
};
use polars::prelude::DataFrame;

use super::case::{Case, Estimator};
use crate::support::but;
use crate::support::frames::{filter, floats, with};
use crate::support::splitmix;

pub const METHODS: [EstimationMethod; 3] =
    [EstimationMethod::DoublyRobust, EstimationMethod::Ipw, EstimationMethod::OutcomeRegression];

pub const TWO_PERIODS: [DrdidMethod; 6] = [
    DrdidMethod::DoublyRobustImproved,
    DrdidMethod::DoublyRobust,
    DrdidMethod::OutcomeRegression,
    DrdidMethod::Ipw,
    DrdidMethod::IpwHorvitzThompson,
    DrdidMethod::Twfe,
];

/// The covariates of the cases that have any.
pub const COVARIATES: &str = "~ x1 + x2t";

/// Six periods, cohorts 0, 3, 4 and 6, and the columns of [`splitmix::panel`], eligibility `q` of half of the units, and
/// `pair`, which is the unit.
pub fn panel(units: i64) -> DataFrame {
    let df = splitmix::panel(23, units, [3, 4, 6, 0]);
    let ids = floats(&df, "id");
    let eligible = |id: &f64| (splitmix::SplitMix64(*id as u64).next_u64() >> 40) % 2;
    let q: Vec<i64> = ids.iter().map(|id| eligible(id) as i64).collect();
    let pair: Vec<i64> = ids.iter().map(|id| *id as i64).collect();
    with(&with(&df, "q", q), "pair", pair)
}

/// The rows of periods 3 and 4, and the treatment `d` of cohort 4 against the units without treatment by then.
pub fn two_periods(df: &DataFrame) -> DataFrame {
    let df = filter(df, "t", |t| (3.0..=4.0).contains(&t));
    let df = filter(&df, "g", |g| g != 3.0);
    let d: Vec<i64> = floats(&df, "g").iter().map(|g| i64::from(*g == 4.0)).collect();
    with(&df, "d", d)
}

/// Options that go together in a case of group-time effects.
#[derive(Clone, Copy)]
struct Options {
    name: &'static str,
    covariates: &'static str,
    weights: Option<&'static str>,
    cluster: Option<&'static str>,
    control_group: ControlGroup,
    base_period: BasePeriod,
}

const OPTIONS: [Options; 4] = [
    Options {
        name: "plain",
        covariates: "~ 1",
        weights: None,
        cluster: None,
        control_group: ControlGroup::NeverTreated,
        base_period: BasePeriod::Varying,
    },
    Options {
        name: "weighted, clustered, not yet treated, universal",
        covariates: "~ 1",
        weights: Some("w"),
        cluster: Some("cl"),
        control_group: ControlGroup::NotYetTreated,
        base_period: BasePeriod::Universal,
    },
    Options {
        name: "covariates, not yet treated",
        covariates: COVARIATES,
        weights: None,
        cluster: None,
        control_group: ControlGroup::NotYetTreated,
        base_period: BasePeriod::Varying,
    },
    Options {
        name: "covariates, weighted, clustered, universal",
        covariates: COVARIATES,
        weights: Some("wt"),
        cluster: Some("cl"),
        control_group: ControlGroup::NeverTreated,
        base_period: BasePeriod::Universal,
    },
];

/// Every case.
pub fn all() -> Vec<Case> {
    [att_gt(), drdid(), ddd()].concat()
}

/// Group-time effects of a balanced panel, stacked periods, an unbalanced panel and repeated cross sections.
pub fn att_gt() -> Vec<Case> {
    let whole = panel(160);
    let gaps = filter(&whole, "keep", |keep| keep > 0.0);
    let mut cases = Vec::new();
    for options in OPTIONS {
        for method in METHODS {
            let base = AttGt::<Cpu>::builder()
                .outcome("y")
                .unit("id")
                .time("t")
                .group("g")
                .covariates(options.covariates)
                .maybe_weights(options.weights.map(str::to_owned))
                .maybe_cluster(options.cluster.map(str::to_owned))
                .control_group(options.control_group)
                .base_period(options.base_period)
                .method(method)
                .build();
            let mut push = |layout: &str, frame: &DataFrame, estimator| {
                let name = format!("att_gt {method:?}, {layout}, {}", options.name);
                let (estimator, frame) = (Estimator::AttGt(estimator), frame.clone());
                cases.push(Case { name, estimator, frame });
            };
            push("panel", &whole, base.clone());
            push("unbalanced", &gaps, but(base.clone(), |e| e.allow_unbalanced_panel = true));
            push("sections", &whole, but(base.clone(), |e| e.repeated_cross_sections = true));
            let stacked = but(base, |e| e.fix_weights = Some(FixWeights::Varying));
            push("stacked", &whole, stacked);
        }
    }
    cases
}

/// The fourteen estimators of two periods.
pub fn drdid() -> Vec<Case> {
    let df = two_periods(&panel(240));
    let robust = [DrdidMethod::DoublyRobustImproved, DrdidMethod::DoublyRobust];
    let mut cases = Vec::new();
    for (covariates, weights) in [("~ 1", None), (COVARIATES, Some("w"))] {
        let mut push = |method, sections: bool, locally_efficient: bool| {
            let estimator = Drdid::<Cpu>::builder()
                .outcome("y")
                .unit("id")
                .time("t")
                .treatment("d")
                .covariates(covariates)
                .maybe_weights(weights.map(str::to_owned))
                .method(method)
                .repeated_cross_sections(sections)
                .locally_efficient(locally_efficient)
                .build();
            let layout = if sections { "sections" } else { "panel" };
            let name = format!("drdid {method:?}, {layout}, {locally_efficient}, {covariates}");
            cases.push(Case { name, estimator: Estimator::Drdid(estimator), frame: df.clone() });
        };
        for method in TWO_PERIODS {
            push(method, false, true);
            push(method, true, true);
            if robust.contains(&method) {
                push(method, true, false);
            }
        }
    }
    cases
}

/// Triple differences of a panel, repeated cross sections, unbalanced panels and two periods.
pub fn ddd() -> Vec<Case> {
    let whole = panel(400);
    let gaps = filter(&whole, "keep", |keep| keep > 0.0);
    let pair = filter(&whole, "t", |t| (3.0..=4.0).contains(&t));
    let pair = filter(&pair, "g", |g| g == 4.0 || g == 0.0);
    let mut cases = Vec::new();
    for options in [OPTIONS[0], OPTIONS[1], OPTIONS[2]] {
        for method in METHODS {
            let base = Ddd::<Cpu>::builder()
                .outcome("y")
                .unit("id")
                .time("t")
                .group("g")
                .eligible("q")
                .covariates(options.covariates)
                .maybe_weights(options.weights.map(str::to_owned))
                .maybe_cluster(options.cluster.map(str::to_owned))
                .control_group(options.control_group)
                .base_period(options.base_period)
                .method(method)
                .build();
            let mut push = |layout: &str, frame: &DataFrame, estimator| {
                let name = format!("ddd {method:?}, {layout}, {}", options.name);
                let (estimator, frame) = (Estimator::Ddd(estimator), frame.clone());
                cases.push(Case { name, estimator, frame });
            };
            push("panel", &whole, base.clone());
            push("sections", &whole, but(base.clone(), |e| e.repeated_cross_sections = true));
            for (name, how) in [("pairs", UnbalancedPanel::Pairs), ("rows", UnbalancedPanel::Rows)]
            {
                push(name, &gaps, but(base.clone(), |e| e.unbalanced = how));
            }
            push("two periods", &pair, base);
        }
    }
    cases
}
