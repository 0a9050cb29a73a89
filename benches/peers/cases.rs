//! The cases against other packages.

use burn_did::{ControlGroup, Multiplier};

use super::common::case::Case;

/// All cases in natural order of the rows, then with shuffled rows (`s` at the end of the name).
pub fn all() -> Vec<Case> {
    let ordered = ordered();
    let shuffled = ordered.clone().into_iter().filter(|case| !ours_alone(case)).map(|case| Case {
        name: format!("{}s", case.name),
        shuffled: true,
        ..case
    });
    ordered.into_iter().chain(shuffled.collect::<Vec<_>>()).collect()
}

/// Whether no peer has the option.
pub fn ours_alone(case: &Case) -> bool {
    case.draws > 0 && case.law == Multiplier::Gaussian
}

fn ordered() -> Vec<Case> {
    let short = Case {
        name: "p1".into(),
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
