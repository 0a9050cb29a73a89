//! Triple differences.

use burn_did::backend::Cpu;
use burn_did::data::TripleSimulation;
use burn_did::{
    Aggregation, Ddd, GroupTimeResult,
    options::{ControlGroup, EstimationMethod, SharesOf},
};
use polars::prelude::{DataFrame, df};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

use crate::coverage::{Draw, Spread, check};
use crate::support::but;

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
        .fit(simulation.frame())
        .unwrap()
}

fn run(name: &str, simulation: &TripleSimulation, options: Options) -> Vec<Spread> {
    check(name, |seed| {
        let simulation = but(simulation.clone(), |s| s.seed = seed);
        let fit = fit(&simulation, options);
        let truth = |g: f64, t: f64| simulation.truth(g as i64, t as i64);
        let cell = |c: &burn_did::group_time::GroupTimeCell| Draw {
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
    let wrong = but(two_periods(), |s| s.outcome_model_correct = false);
    let method = EstimationMethod::DoublyRobust;
    run("two periods, dr, outcome model wrong", &wrong, options(method));
    let wrong = but(two_periods(), |s| s.propensity_model_correct = false);
    run("two periods, dr, propensity model wrong", &wrong, options(method));
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn repeated_cross_sections_of_two_periods() {
    let simulation = but(two_periods(), |s| {
        s.repeated_cross_sections = true;
        s.weights = true;
    });
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
    let simulation = but(staggered(), |s| s.clusters = 250);
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

/// Groups of which a seventh, half and most of the units are eligible, with effects that differ as much. A share counts the eligible
/// units of a group: averages are the mean effect over treated units, and have the sampling error of the shares.
struct Eligibility {
    /// First treated period (0 if never), probability of the group, probability of eligibility in it, effect.
    groups: [(i64, f64, f64, f64); 4],
    units: usize,
    periods: i64,
    weighted: bool,
    repeated_cross_sections: bool,
}

impl Eligibility {
    fn frame(&self, seed: u64) -> DataFrame {
        let mut random = SmallRng::seed_from_u64(seed);
        let (mut id, mut t, mut g, mut q, mut y, mut w) =
            (vec![], vec![], vec![], vec![], vec![], vec![]);
        let rows = if self.repeated_cross_sections { self.periods } else { 1 };
        for unit in 0..self.units as i64 * rows {
            let mut uniform: f64 = random.random();
            let mut place = 0;
            while place + 1 < self.groups.len() && uniform >= self.groups[place].1 {
                uniform -= self.groups[place].1;
                place += 1;
            }
            let (group, _, probability, effect) = self.groups[place];
            let eligible = random.random::<f64>() < probability;
            let level: f64 = random.sample(StandardNormal);
            let weight = if self.weighted { random.random_range(0.5..2.0) } else { 1.0 };
            let periods = if self.repeated_cross_sections {
                unit % self.periods + 1..=unit % self.periods + 1
            } else {
                1..=self.periods
            };
            for period in periods {
                let treated = group > 0 && period >= group && eligible;
                let trend = 0.2 + 0.1 * place as f64 + if eligible { 0.3 } else { 0.0 };
                let noise: f64 = random.sample(StandardNormal);
                let outcome = level + trend * period as f64 + noise;
                id.push(unit);
                t.push(period);
                g.push(group);
                q.push(i64::from(eligible));
                y.push(outcome + if treated { effect } else { 0.0 });
                w.push(weight);
            }
        }
        df!("id" => id, "t" => t, "g" => g, "q" => q, "y" => y, "w" => w).unwrap()
    }

    /// Mean of the effects of groups that are treated for at least so many periods, each counted as often as `times` says.
    fn mean(&self, times: impl Fn(i64) -> i64) -> f64 {
        let treated = self.groups.iter().filter(|(g, ..)| *g > 0);
        let terms = treated.map(|(g, share, eligible, effect)| {
            let weight = share * eligible * times(*g) as f64;
            (weight, weight * effect)
        });
        let (total, sum) = terms.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
        sum / total
    }

    fn run(&self, name: &str) {
        check(name, |seed| {
            let fit = Ddd::<Cpu>::builder()
                .outcome("y")
                .maybe_unit((!self.repeated_cross_sections).then_some("id"))
                .time("t")
                .group("g")
                .eligible("q")
                .maybe_weights(self.weighted.then_some("w"))
                .method(EstimationMethod::OutcomeRegression)
                .shares_of(SharesOf::Eligible)
                .repeated_cross_sections(self.repeated_cross_sections)
                .build()
                .fit(self.frame(seed))
                .unwrap();
            let exposed = |g: i64| (self.periods - g + 1).max(0);
            let overall = |kind: Aggregation, parameter: &str, truth: f64| Draw {
                parameter: parameter.into(),
                truth,
                estimate: fit.aggregate(kind).unwrap().overall,
            };
            let mut draws = vec![
                overall(Aggregation::group(), "by group", self.mean(|_| 1)),
                overall(Aggregation::simple(), "simple", self.mean(exposed)),
            ];
            let events = fit.aggregate(Aggregation::dynamic()).unwrap();
            draws.extend(events.rows.iter().filter(|row| row.at >= 0.0).map(|row| Draw {
                parameter: format!("event time {}", row.at),
                truth: self.mean(|g| i64::from(exposed(g) as f64 > row.at)),
                estimate: row.estimate,
            }));
            draws
        });
    }
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn eligibility_that_differs_by_group() {
    let panel = Eligibility {
        groups: [
            (3, 0.25, 0.15, 1.0),
            (4, 0.2, 0.5, 3.0),
            (5, 0.2, 0.85, 5.0),
            (0, 0.35, 0.5, 0.0),
        ],
        units: 1_000,
        periods: 6,
        weighted: false,
        repeated_cross_sections: false,
    };
    panel.run("eligibility by group");
    Eligibility { weighted: true, ..panel }.run("eligibility by group, weights");
    Eligibility { weighted: true, repeated_cross_sections: true, ..panel }
        .run("eligibility by group, weights, repeated cross sections");
}
