//! Triple differences.

use burn_did::backend::Cpu;
use burn_did::data::TripleSimulation;
use burn_did::{Aggregation, ControlGroup, Ddd, EstimationMethod, GroupTimeResult};

use crate::coverage::{Draw, Spread, check};

#[derive(Clone, Copy)]
struct Options {
    method: EstimationMethod,
    control_group: ControlGroup,
}

fn options(method: EstimationMethod) -> Options {
    Options { method, control_group: ControlGroup::NeverTreated }
}

fn fit(simulation: &TripleSimulation, options: Options) -> GroupTimeResult {
    let covariates: Vec<String> = (1..=simulation.covariates).map(|j| format!("x{j}")).collect();
    Ddd::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .eligible("eligible")
        .covariates(format!("~ {}", covariates.join(" + ")))
        .maybe_weights(simulation.weights.then_some("weight"))
        .maybe_cluster((simulation.clusters > 0).then_some("cluster"))
        .method(options.method)
        .control_group(options.control_group)
        .repeated_cross_sections(simulation.repeated_cross_sections)
        .build()
        .fit(&simulation.frame(), &Default::default())
        .unwrap()
}

fn run(name: &str, simulation: &TripleSimulation, options: Options) -> Vec<Spread> {
    check(name, |seed| {
        let simulation = TripleSimulation { seed, ..simulation.clone() };
        let fit = fit(&simulation, options);
        let truth = |g: f64, t: f64| simulation.truth(g as i64, t as i64);
        let cell = |c: &burn_did::GroupTimeCell| Draw {
            parameter: format!("ATT({}, {})", c.group, c.time),
            truth: truth(c.group, c.time),
            estimate: c.estimate,
        };
        let mut draws: Vec<Draw> = fit.cells.iter().map(cell).collect();
        // Without heterogeneity, an effect depends on the event time alone.
        let events = fit.aggregate(Aggregation::dynamic()).unwrap();
        let first = simulation.cohorts[0] as f64;
        draws.extend(events.rows.iter().map(|row| Draw {
            parameter: format!("event time {}", row.at),
            truth: if row.at < 0.0 { 0.0 } else { truth(first, first + row.at) },
            estimate: row.estimate,
        }));
        draws
    })
}

fn two_periods() -> TripleSimulation {
    TripleSimulation::builder().units(1_500).covariates(4).build()
}

const METHODS: [EstimationMethod; 3] =
    [EstimationMethod::DoublyRobust, EstimationMethod::Ipw, EstimationMethod::OutcomeRegression];

#[test]
#[ignore = "2,000 replications, minutes"]
fn panel_of_two_periods() {
    for method in METHODS {
        run(&format!("two periods, {method:?}"), &two_periods(), options(method));
    }
    let wrong = TripleSimulation { outcome_model_correct: false, ..two_periods() };
    let method = EstimationMethod::DoublyRobust;
    run("two periods, dr, outcome model wrong", &wrong, options(method));
    let wrong = TripleSimulation { propensity_model_correct: false, ..two_periods() };
    run("two periods, dr, propensity model wrong", &wrong, options(method));
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn repeated_cross_sections_of_two_periods() {
    let simulation =
        TripleSimulation { repeated_cross_sections: true, weights: true, ..two_periods() };
    for method in METHODS {
        let name = format!("two periods, repeated cross sections, weights, {method:?}");
        run(&name, &simulation, options(method));
    }
}

fn staggered() -> TripleSimulation {
    TripleSimulation::builder().units(2_000).periods(5).cohorts([3, 4, 5]).covariates(2).build()
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn staggered_never_treated() {
    run("staggered, never treated, dr", &staggered(), options(EstimationMethod::DoublyRobust));
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn staggered_clusters() {
    let simulation = TripleSimulation { clusters: 250, ..staggered() };
    let method = EstimationMethod::OutcomeRegression;
    run("staggered, never treated, reg, 250 clusters", &simulation, options(method));
}

/// Cells that combine several comparison cohorts while others are no longer comparable: their standard errors match the
/// estimates' spread. The references' do not: they divide by all units instead of those of the cell.
#[test]
#[ignore = "2,000 replications, minutes"]
fn staggered_not_yet_treated() {
    let method = EstimationMethod::DoublyRobust;
    let options = Options { method, control_group: ControlGroup::NotYetTreated };
    let spreads = run("staggered, not yet treated, dr", &staggered(), options);
    for Spread { parameter, sd, se } in spreads {
        assert!((se / sd - 1.0).abs() < 0.08, "{parameter}: standard error {se}, spread {sd}");
    }
}
