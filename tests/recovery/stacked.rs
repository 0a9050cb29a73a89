//! Stacked difference-in-differences.

use burn_did::Stacked;
use burn_did::data::Simulation;

use crate::coverage::{Draw, check, truth};
use crate::support::but;

/// Effects differ by event time, so that averages over the treated have a truth.
fn run(name: &str, simulation: &Simulation, config: &Stacked) {
    check(name, |seed| {
        let simulation = but(simulation.clone(), |s| s.seed = seed);
        let frame = simulation.frame();
        let fit = config.fit(&frame).unwrap();
        let own = fit.effects.iter().filter(|effect| effect.estimate.se.is_some());
        own.map(|effect| Draw {
            parameter: format!("event time {}", effect.event_time),
            truth: match effect.event_time {
                at if at < 0 => 0.0,
                at => truth(&simulation, &frame, Some(at as f64)),
            },
            estimate: effect.estimate,
        })
        .collect()
    });
}

fn simulation() -> Simulation {
    let config = Simulation::builder().units(600).periods(6).cohorts(vec![3, 4]).covariates(0);
    config.heterogeneity(0.5).build()
}

fn config() -> Stacked {
    Stacked::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .pre_window(2)
        .post_window(2)
        .build()
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn corrective_weights() {
    run("corrective weights", &simulation(), &config());
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn clusters_and_weights() {
    let simulation = but(simulation(), |s| {
        s.clusters = 100;
        s.cluster_sd = 0.3;
        s.weights = true;
    });
    let clustered = but(config(), |c| {
        c.cluster = Some("cluster".into());
        c.weights = Some("weight".into());
    });
    run("clusters and weights", &simulation, &clustered);
}
