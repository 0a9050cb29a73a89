//! The cases against other packages.

use burn_did::options::{ControlGroup, DrdidMethod, Multiplier, Resampling};

use super::common::case::{Case, Estimator, Ids, Order};

/// Group-time effects with rows in natural order, then with shuffled rows (`s` at the end of the name), and with other orders and
/// ids; small data, fitted many times; two periods; triple differences.
pub fn all() -> Vec<Case> {
    let ordered = group_time();
    let shuffled = ordered.clone().into_iter().filter(|case| !ours_alone(case)).map(|case| Case {
        name: format!("{}s", case.name),
        shuffled: true,
        ..case
    });
    let shuffled: Vec<Case> = shuffled.collect();
    let others = ordered.iter().filter(|case| ["p1", "p3"].contains(&&*case.name)).flat_map(others);
    let others: Vec<Case> = others.collect();
    let group_time = ordered.into_iter().chain(shuffled).chain(others);
    group_time.chain(small()).chain(two_periods()).chain(triple()).collect()
}

/// A case with rows by period and by group, and with ids that are texts and categories.
fn others(case: &Case) -> Vec<Case> {
    let named = |suffix: &str| Case { name: format!("{}{suffix}", case.name), ..case.clone() };
    vec![
        Case { order: Order::Periods, ..named("-periods") },
        Case { order: Order::Groups, ..named("-groups") },
        Case { ids: Ids::Texts, ..named("-text") },
        Case { ids: Ids::Texts, order: Order::Periods, ..named("-text-periods") },
        Case { ids: Ids::Texts, shuffled: true, ..named("s-text") },
        Case { ids: Ids::Categories, ..named("-categories") },
        Case { ids: Ids::Categories, shuffled: true, ..named("s-categories") },
    ]
}

/// Whether no peer has the option, or is asked for the type of ids.
pub fn ours_alone(case: &Case) -> bool {
    case.draws > 0 && case.law == Multiplier::Gaussian || case.ids != Ids::Integers
}

/// This crate from Python.
pub const WHEEL: &str = "burn-did (Python)";

/// Whether a peer is asked: diff-diff's triple differences take minutes, and csdid has neither these nor two periods.
pub fn has(peer: &str, case: &Case) -> bool {
    case.estimator == Estimator::AttGt || ["moderndid", WHEEL].contains(&peer)
}

fn group_time() -> Vec<Case> {
    let short = Case {
        name: "p1".into(),
        estimator: Estimator::AttGt,
        units: 1_000_000,
        periods: 5,
        cohorts: vec![3, 4, 5],
        never_treated: 0.4,
        covariates: 0,
        panel: true,
        control_group: ControlGroup::NeverTreated,
        draws: 0,
        law: Multiplier::Mammen,
        shuffled: false,
        order: Order::Units,
        ids: Ids::Integers,
        repeats: 1,
    };
    let long = Case {
        units: 200_000,
        periods: 10,
        cohorts: (3..=10).collect(),
        covariates: 5,
        ..short.clone()
    };
    vec![
        short.clone(),
        Case { name: "p2".into(), draws: 1_000, ..short.clone() },
        Case { name: "p2g".into(), draws: 1_000, law: Multiplier::Gaussian, ..short.clone() },
        Case { name: "p3".into(), control_group: ControlGroup::NotYetTreated, ..long.clone() },
        Case { name: "p4".into(), draws: 1_000, ..long.clone() },
        Case {
            name: "p5".into(),
            units: 200_000,
            panel: false,
            covariates: 5,
            draws: 1_000,
            ..short
        },
        Case { name: "p6".into(), covariates: 20, ..long },
    ]
}

/// As in simulations, and where every industry is a sample of its own.
fn small() -> Vec<Case> {
    let analytic = Case { units: 500, covariates: 1, repeats: 100, ..group_time()[0].clone() };
    vec![
        Case { name: "m1".into(), ..analytic.clone() },
        Case { name: "m2".into(), draws: 1_000, repeats: 20, ..analytic },
    ]
}

fn two_periods() -> Vec<Case> {
    let improved = Case::two_periods("d1");
    let traditional = Estimator::Drdid(DrdidMethod::DoublyRobust, Resampling::Multiplier);
    vec![
        improved.clone(),
        Case { name: "d2".into(), estimator: traditional, ..improved.clone() },
        Case { name: "d3".into(), draws: 500, ..improved.clone() },
        // Peers estimate anew for each draw: fewer units.
        Case {
            name: "d4".into(),
            estimator: Estimator::Drdid(DrdidMethod::default(), Resampling::Weighted),
            units: 20_000,
            draws: 500,
            ..improved
        },
    ]
}

fn triple() -> Vec<Case> {
    let never = Case::triple("t1");
    let not_yet = ControlGroup::NotYetTreated;
    vec![never.clone(), Case { name: "t2".into(), control_group: not_yet, ..never }]
}
