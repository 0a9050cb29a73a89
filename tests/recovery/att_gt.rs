//! Group-time effects.

use std::collections::BTreeMap;

use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use burn_did::{
    Aggregation, AttGt,
    options::{ControlGroup, EstimationMethod},
};

use crate::coverage::{Draw, check};
use crate::support::but;
use crate::support::spec::Spec;

fn replicate(simulation: &Simulation, spec: &Spec) -> Vec<Draw> {
    let fit = spec.fit(&simulation.frame());
    let mut draws: Vec<Draw> = fit
        .cells
        .iter()
        .map(|cell| Draw {
            parameter: format!("ATT({}, {})", cell.group, cell.time),
            truth: simulation.truth(cell.group as i64, cell.time as i64),
            estimate: cell.estimate,
        })
        .collect();
    let events = fit.aggregate(Aggregation::dynamic()).unwrap();
    let truth: BTreeMap<i64, f64> = simulation.event_study().into_iter().collect();
    draws.extend(events.rows.iter().map(|row| Draw {
        parameter: format!("event time {}", row.at),
        truth: truth[&(row.at as i64)],
        estimate: row.estimate,
    }));
    let post: Vec<f64> = truth.range(0..).map(|(_, effect)| *effect).collect();
    draws.push(Draw {
        parameter: "overall".into(),
        truth: post.iter().sum::<f64>() / post.len() as f64,
        estimate: events.overall,
    });
    draws
}

fn run(name: &str, simulation: &Simulation, spec: &Spec) {
    check(name, |seed| replicate(&but(simulation.clone(), |s| s.seed = seed), spec));
}

fn simulation() -> Simulation {
    Simulation::builder()
        .units(1_000)
        .periods(5)
        .cohorts(vec![3, 4])
        .covariates(2)
        .heterogeneity(0.5)
        .build()
}

fn spec(method: EstimationMethod) -> Spec {
    Spec { method, ..Spec::simulated().covariates("~ x1 + x2") }
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn doubly_robust() {
    run("dr, panel", &simulation(), &spec(EstimationMethod::DoublyRobust));
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn inverse_probability_weighting() {
    run("ipw, panel", &simulation(), &spec(EstimationMethod::Ipw));
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn outcome_regression() {
    let spec = Spec {
        control_group: ControlGroup::NotYetTreated,
        ..spec(EstimationMethod::OutcomeRegression)
    };
    run("reg, panel, not yet treated", &simulation(), &spec);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn repeated_cross_sections() {
    let simulation = but(simulation(), |s| {
        s.repeated_cross_sections = true;
        s.weights = true;
    });
    let spec = Spec {
        repeated_cross_sections: true,
        ..spec(EstimationMethod::DoublyRobust).weights("weight")
    };
    run("dr, repeated cross sections, weights", &simulation, &spec);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn unbalanced_panel() {
    let simulation = but(simulation(), |s| s.attrition = 0.15);
    let spec = Spec { allow_unbalanced_panel: true, ..spec(EstimationMethod::DoublyRobust) };
    run("dr, unbalanced panel", &simulation, &spec);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn clusters() {
    let simulation = but(simulation(), |s| {
        s.clusters = 200;
        s.cluster_sd = 0.3;
    });
    let spec = spec(EstimationMethod::OutcomeRegression).cluster("cluster");
    run("reg, 200 clusters that adopt together", &simulation, &spec);
}

/// Resident memory in KiB, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?.trim().split(' ').next()?.parse().ok()
}

#[test]
#[ignore = "a thousand fits; run by name and alone"]
fn a_thousand_fits_need_no_more_memory_than_a_hundred() {
    let df = burn_did::data::mpdta();
    let fit = AttGt::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates("~ lpop")
        .build();
    let mut after_a_hundred = None;
    for i in 0..1_000 {
        let _ = fit.fit(&df).unwrap();
        if i == 99 {
            after_a_hundred = resident();
        }
    }
    let (Some(before), Some(after)) = (after_a_hundred, resident()) else { return };
    println!("{before} KiB after 100 fits, {after} KiB after 1,000");
    assert!(after < before + 2_048, "{before} KiB grew to {after} KiB");
}
