//! Two-period comparisons, in the designs of Sant'Anna and Zhao (2020).

use burn_did::backend::Cpu;
use burn_did::data::{Simulation, TwoPeriodSimulation};
use burn_did::{
    Drdid, DrdidResult,
    options::{Bootstrap, DrdidMethod, Resampling},
};
use polars::prelude::DataFrame;

use crate::coverage::{Draw, check};
use crate::support::but;
use crate::support::frames::{floats, with};

/// An estimator and its options.
#[derive(Clone, Copy)]
struct Estimator {
    method: DrdidMethod,
    efficient: bool,
    bootstrap: Option<(Resampling, usize)>,
}

impl Estimator {
    fn new(method: DrdidMethod) -> Self {
        Self { method, efficient: true, bootstrap: None }
    }

    fn fit(self, df: &DataFrame, simulation: &TwoPeriodSimulation, seed: u64) -> DrdidResult {
        let bootstrap = self.bootstrap.map(|(_, draws)| Bootstrap::draws(draws).seed(seed));
        Drdid::<Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("period")
            .treatment("treated")
            .covariates("~ x1 + x2 + x3 + x4")
            .maybe_weights(simulation.weights.then_some("weight"))
            .method(self.method)
            .locally_efficient(self.efficient)
            .repeated_cross_sections(simulation.repeated_cross_sections)
            .maybe_bootstrap(bootstrap)
            .maybe_resampling(self.bootstrap.map(|(resampling, _)| resampling))
            .build()
            .fit(df)
            .unwrap()
    }
}

fn run(name: &str, simulation: &TwoPeriodSimulation, estimators: &[Estimator]) {
    check(name, |seed| {
        let simulation = but(simulation.clone(), |s| s.seed = seed);
        let df = simulation.frame();
        let draw = |estimator: &Estimator| {
            let fit = estimator.fit(&df, &simulation, seed);
            Draw {
                parameter: fit.estimator_name(),
                truth: simulation.truth(),
                estimate: fit.estimate,
            }
        };
        estimators.iter().map(draw).collect()
    });
}

fn simulation(outcome: bool, propensity: bool) -> TwoPeriodSimulation {
    TwoPeriodSimulation::builder()
        .units(1_500)
        .outcome_model_correct(outcome)
        .propensity_model_correct(propensity)
        .build()
}

const ROBUST: [DrdidMethod; 2] = [DrdidMethod::DoublyRobustImproved, DrdidMethod::DoublyRobust];
const WEIGHTING: [DrdidMethod; 2] = [DrdidMethod::Ipw, DrdidMethod::IpwHorvitzThompson];

#[test]
#[ignore = "2,000 replications, minutes"]
fn panel() {
    let all = [&ROBUST[..], &WEIGHTING, &[DrdidMethod::OutcomeRegression]].concat();
    let all: Vec<Estimator> = all.into_iter().map(Estimator::new).collect();
    run("panel, both models right", &simulation(true, true), &all);
    let weighted = but(simulation(true, true), |s| s.weights = true);
    run("panel, both models right, weights", &weighted, &all);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn panel_with_one_model_wrong() {
    let robust = ROBUST.map(Estimator::new);
    let regression = Estimator::new(DrdidMethod::OutcomeRegression);
    let name = "panel, propensity model wrong";
    run(name, &simulation(true, false), &[&robust[..], &[regression]].concat());
    let weighting = WEIGHTING.map(Estimator::new);
    let name = "panel, outcome model wrong";
    run(name, &simulation(false, true), &[&robust[..], &weighting].concat());
}

fn sections(outcome: bool, propensity: bool) -> TwoPeriodSimulation {
    let units = 4_000;
    but(simulation(outcome, propensity), |s| {
        s.repeated_cross_sections = true;
        s.units = units;
    })
}

fn robust_sections() -> Vec<Estimator> {
    let plain = ROBUST.map(|m| Estimator { efficient: false, ..Estimator::new(m) });
    [ROBUST.map(Estimator::new), plain].concat()
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn repeated_cross_sections() {
    let more = [&WEIGHTING[..], &[DrdidMethod::OutcomeRegression]].concat();
    let all = [robust_sections(), more.into_iter().map(Estimator::new).collect()].concat();
    run("repeated cross sections, both models right", &sections(true, true), &all);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn repeated_cross_sections_with_one_model_wrong() {
    let name = "repeated cross sections, propensity model wrong";
    run(name, &sections(true, false), &robust_sections());
    let name = "repeated cross sections, outcome model wrong";
    run(name, &sections(false, true), &robust_sections());
}

#[test]
#[ignore = "2,000 replications of 199 draws, many minutes"]
fn bootstraps() {
    let bootstrap = |resampling| Estimator {
        bootstrap: Some((resampling, 199)),
        ..Estimator::new(DrdidMethod::DoublyRobust)
    };
    let both = [Resampling::Weighted, Resampling::Multiplier].map(bootstrap);
    let simulation = but(simulation(true, true), |s| s.units = 600);
    run("panel, bootstraps of 199 draws (weighted, multiplier)", &simulation, &both);
}

/// The regression with fixed effects, where trends do not depend on the covariates: rows drawn anew, and a panel clustered by
/// unit.
#[test]
#[ignore = "2,000 replications, minutes"]
fn two_way_fixed_effects() {
    for rows in [true, false] {
        let name = if rows { "twfe, repeated cross sections" } else { "twfe, panel by cluster" };
        check(name, |seed| {
            let simulation = Simulation::builder()
                .units(800)
                .periods(2)
                .cohorts([2])
                .trend(0.0)
                .repeated_cross_sections(rows)
                .seed(seed)
                .build();
            let df = simulation.frame();
            let treated: Vec<f64> = floats(&df, "group").iter().map(|g| g / 2.0).collect();
            let df = with(&with(&df, "treated", treated), "cluster", floats(&df, "id"));
            let fit = Drdid::<Cpu>::builder()
                .outcome("y")
                .unit("id")
                .time("period")
                .treatment("treated")
                .covariates("~ x1")
                .maybe_cluster((!rows).then_some("cluster"))
                .method(DrdidMethod::Twfe)
                .repeated_cross_sections(rows)
                .build()
                .fit(&df)
                .unwrap();
            let (parameter, truth) = (fit.estimator_name(), simulation.truth(2, 2));
            vec![Draw { parameter, truth, estimate: fit.estimate }]
        });
    }
}
