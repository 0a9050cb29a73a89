//! The grid of ModernDiD's published GPU benchmark: no covariates, three cohorts, 30 % never treated, analytic standard
//! errors and 500 draws; with its 5 periods, and with 10. Before it, a comparison of two periods and triple differences.

use burn_did::options::{ControlGroup, Multiplier};

use super::common::case::{Case, Estimator, Ids, Order};

/// The cases: two periods and triple differences, then the grid by periods, inference and units; its last is the largest.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![Case::two_periods("gd"), Case::triple("gt")];
    for (periods, cohorts) in [(5, vec![2, 3, 5]), (10, vec![2, 6, 10])] {
        for draws in [0, 500] {
            for units in [10_000, 50_000, 100_000, 500_000, 1_000_000] {
                let kind = if draws > 0 { "b" } else { "a" };
                cases.push(Case {
                    name: format!("g{periods}{kind}-{}k", units / 1_000),
                    estimator: Estimator::AttGt,
                    units,
                    periods,
                    cohorts: cohorts.clone(),
                    never_treated: 0.3,
                    covariates: 0,
                    panel: true,
                    control_group: ControlGroup::NeverTreated,
                    draws,
                    law: Multiplier::Mammen,
                    shuffled: false,
                    order: Order::Units,
                    ids: Ids::Integers,
                    repeats: 1,
                    published: None,
                });
            }
        }
    }
    cases
}
