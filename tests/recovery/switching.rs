//! Treatments that switch.

use burn_did::DidMultiplegt;
use burn_did::data::SwitchingSimulation;

use crate::coverage::{Draw, check_conservative};
use crate::support::but;

fn config() -> DidMultiplegt {
    DidMultiplegt::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .treatment("d")
        .effects(3)
        .placebos(2)
        .build()
}

/// Truth: the same comparison of effects themselves, of which controls and earlier periods have none. Standard errors are
/// conservative where effects differ within cohorts, as those of later horizons do.
fn run(name: &str, simulation: &SwitchingSimulation, config: &DidMultiplegt) {
    check_conservative(name, |seed| {
        let data = but(simulation.clone(), |s| s.seed = seed).frame();
        let fit = config.fit(&data).unwrap();
        let truth = but(config.clone(), |c| {
            c.outcome = "effect".into();
            c.covariates = "~ 1".into();
            c.bootstrap = None;
        });
        let truth = truth.fit(&data).unwrap();
        let pairs = fit.effects.iter().zip(&truth.effects);
        let pairs = pairs.chain(fit.placebos.iter().zip(&truth.placebos));
        let pairs = pairs.chain(fit.average.iter().zip(&truth.average));
        pairs
            .map(|(found, truth)| Draw {
                parameter: format!("horizon {}", found.horizon),
                truth: truth.estimate.estimate.unwrap(),
                estimate: found.estimate,
            })
            .collect()
    });
}

fn simulation() -> SwitchingSimulation {
    SwitchingSimulation::builder().groups(400).build()
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn doses_on_and_off() {
    run("doses, on and off", &simulation(), &config());
    run("normalized", &simulation(), &but(config(), |c| c.normalized = true));
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn missing_treatments() {
    let simulation = but(simulation(), |s| s.missing = 0.08);
    run("missing treatments", &simulation, &config());
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn with_controls() {
    let config = but(config(), |c| c.covariates = "~ x".into());
    run("controls", &simulation(), &config);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn by_cluster() {
    let simulation = but(simulation(), |s| {
        s.groups_per_cluster = 4;
        s.groups = 800;
    });
    let config = but(config(), |c| c.cluster = Some("cluster".into()));
    run("clusters", &simulation, &config);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn linear_trends() {
    let config = but(config(), |c| {
        c.linear_trends = true;
        c.effects = 2;
        c.placebos = 1;
    });
    run("linear trends", &simulation(), &config);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn polynomial_in_the_first_treatment() {
    let config = but(config(), |c| c.continuous = 1);
    run("continuous", &simulation(), &config);
}
