//! Extended two-way fixed effects.

use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use burn_did::options::ControlGroup;
use burn_did::{Estimate, Etwfe};

use crate::coverage::{Draw, check, truth};
use crate::support::but;

fn run(name: &str, simulation: &Simulation, config: &Etwfe<Cpu>) {
    check(name, |seed| {
        let simulation = but(simulation.clone(), |s| s.seed = seed);
        let frame = simulation.frame();
        let fit = config.fit(&frame).unwrap();
        let draw = |parameter: String, at: Option<f64>, estimate: Estimate| {
            let truth = match at {
                Some(at) if at < 0.0 => 0.0,
                at => truth(&simulation, &frame, at),
            };
            Draw { parameter, truth, estimate }
        };
        let own = fit.by_event_time.iter().filter(|effect| effect.estimate.se.is_some());
        let effects = own.map(|effect| {
            let name = format!("event time {}", effect.event_time.unwrap_or_default());
            draw(name, effect.event_time, effect.estimate)
        });
        effects.chain([draw("overall".to_owned(), None, fit.overall)]).collect()
    });
}

fn simulation() -> Simulation {
    let config = Simulation::builder().units(500).periods(6).cohorts(vec![3, 5]).covariates(0);
    config.heterogeneity(0.5).build()
}

fn config() -> Etwfe<Cpu> {
    Etwfe::<Cpu>::builder().outcome("y").unit("id").time("period").group("group").build()
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn not_yet_treated() {
    run("ETWFE, not yet treated", &simulation(), &config());
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn never_treated_clustered_and_weighted() {
    let simulation = but(simulation(), |s| {
        (s.clusters, s.cluster_sd, s.weights) = (100, 0.3, true);
    });
    let config = Etwfe::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let config = config.control_group(ControlGroup::NeverTreated).weights("weight");
    let config = config.vcov(burn_did::regression::Vcov::cluster(["cluster"])).build();
    run("ETWFE, never treated, clustered, weighted", &simulation, &config);
}
