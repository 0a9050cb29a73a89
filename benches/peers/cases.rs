//! The cases against other packages.

use burn_did::options::{ControlGroup, DrdidMethod, Multiplier, Resampling};

use super::common::case::{Case, Estimator, Ids, Order};
use super::common::contestant::WHEEL;

/// Group-time effects with rows in natural order, then with shuffled rows (`s` at the end of the name), and with other orders and
/// ids; small data, fitted many times; a case published elsewhere; two periods; triple differences; event studies by regressions.
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
    let group_time = group_time.chain(small()).chain([published()]);
    group_time.chain(two_periods()).chain(triple()).chain(event_studies()).collect()
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

/// Whether no peer has the option, or is asked for the type of ids, or is on the machine.
pub fn ours_alone(case: &Case) -> bool {
    case.draws > 0 && case.law == Multiplier::Gaussian
        || case.ids != Ids::Integers
        || case.published.is_some()
        || case.estimator == Estimator::JointStudy
}

/// Whether peers may take minutes, so that they run once.
pub fn is_long(case: &Case) -> bool {
    case.estimator.of_event_times().is_some() && case.units >= 1_000_000
}

/// Packages of R, and the scripts that run them.
pub const OF_R: [(&str, &str); 5] = [
    ("did", "peers/did.R"),
    ("didimputation", "peers/event_studies.R"),
    ("did2s", "peers/event_studies.R"),
    ("etwfe", "peers/event_studies.R"),
    ("fixest", "peers/event_studies.R"),
];

/// Whether a peer has the estimator and is asked: diff-diff's triple differences take minutes.
pub fn has(peer: &str, case: &Case) -> bool {
    let peers: &[&str] = match case.estimator {
        Estimator::AttGt => &["diff-diff", "moderndid", "csdid", "did", WHEEL],
        Estimator::Drdid(..) | Estimator::Ddd => &["moderndid", WHEEL],
        Estimator::Imputation => &["diff-diff", "didimputation"],
        Estimator::TwoStage => &["diff-diff", "pyfixest", "did2s"],
        Estimator::Etwfe => &["diff-diff", "moderndid", "etwfe"],
        Estimator::SunAbraham => &["diff-diff", "pyfixest", "fixest"],
        Estimator::Stacked => &["diff-diff"],
        Estimator::LocalProjections => &["diff-diff", "pyfixest"],
        // These have benches of their own.
        Estimator::ContDid(_)
        | Estimator::DidMultiplegt(..)
        | Estimator::Feols
        | Estimator::Fepois
        | Estimator::JointStudy => &[],
    };
    peers.contains(&peer)
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
        published: None,
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
        Case { name: "m0".into(), covariates: 0, ..analytic.clone() },
        Case { name: "m1".into(), ..analytic.clone() },
        Case { name: "m2".into(), draws: 1_000, repeats: 20, ..analytic },
    ]
}

/// A bootstrap on a card. Nothing is said there of cohorts and covariates.
fn published() -> Case {
    let figure = "published for didgpu 0.1 (R, CUDA): 9 s on an RTX PRO Blackwell, 210 s by R alone, 60,000 cells of units and \
                  periods, doubly robust, 500 draws";
    Case {
        name: "g1".into(),
        units: 5_000,
        periods: 12,
        cohorts: (4..=11).collect(),
        covariates: 1,
        draws: 500,
        published: Some(figure.into()),
        ..group_time()[0].clone()
    }
}

/// Effects by event time of a hundred thousand units, and of a million.
fn event_studies() -> Vec<Case> {
    let named = [
        ("e-imputation", Estimator::Imputation),
        ("e-two-stage", Estimator::TwoStage),
        ("e-etwfe", Estimator::Etwfe),
        ("e-sun-abraham", Estimator::SunAbraham),
        ("e-stacked", Estimator::Stacked),
        ("e-lpdid", Estimator::LocalProjections),
        ("e-joint", Estimator::JointStudy),
    ];
    let case = |name: String, estimator, units| Case {
        name,
        estimator,
        units,
        periods: 10,
        // All have three periods before treatment and two after the first treated one.
        cohorts: (4..=8).collect(),
        control_group: ControlGroup::NotYetTreated,
        ..group_time()[0].clone()
    };
    let short = named.map(|(name, estimator)| case(name.into(), estimator, 100_000));
    let long = named.map(|(name, estimator)| case(format!("{name}-1m"), estimator, 1_000_000));
    // Of more units, the peers' second stages do not end in the time or in the memory.
    let few = case("e-two-stage-10k".into(), Estimator::TwoStage, 10_000);
    short.into_iter().chain([few]).chain(long).collect()
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
