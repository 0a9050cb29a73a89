//! Local projections.

use burn_did::LocalProjections;
use burn_did::data::Simulation;
use burn_did::options::ControlGroup;
use burn_did::projections::ProjectionMethod;

use crate::coverage::{Draw, check, truth};
use crate::support::but;

/// Effects differ by cohort and event time. Weighted by treated units, they average to the truth.
fn run(name: &str, simulation: &Simulation, config: &LocalProjections) {
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

fn config() -> LocalProjections {
    LocalProjections::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .pre_window(2)
        .post_window(1)
        .method(ProjectionMethod::Reweighted)
        .build()
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn reweighted() {
    run("reweighted", &simulation(), &config());
    let never = but(config(), |c| c.control_group = ControlGroup::NeverTreated);
    run("reweighted, never treated", &simulation(), &never);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn adjusted_for_covariates() {
    let simulation = but(simulation(), |s| s.covariates = 2);
    let adjusted = but(config(), |c| {
        c.method = ProjectionMethod::Adjusted;
        c.covariates = vec!["x1".into(), "x2".into()];
    });
    run("regression adjustment", &simulation, &adjusted);
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
