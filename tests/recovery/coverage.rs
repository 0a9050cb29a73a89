//! Bias and coverage over many simulated samples.

use burn_did::Estimate;
use burn_did::data::Simulation;
use polars::prelude::DataFrame;

use crate::support::frames::floats;
use crate::support::threads::of_all;

pub const REPLICATIONS: u64 = 2_000;

/// Four binomial standard deviations around 95 % at 2,000 replications.
const COVERAGE: std::ops::RangeInclusive<f64> = 0.93..=0.97;

/// The same where standard errors are too large by design.
const CONSERVATIVE: std::ops::RangeInclusive<f64> = 0.93..=1.0;

/// Monte-Carlo standard errors that a bias may have, over all parameters of a design.
const BIAS: f64 = 4.5;

/// What one replication says about one parameter.
pub struct Draw {
    pub parameter: String,
    pub truth: f64,
    pub estimate: Estimate,
}

/// Mean of the true effects of the treated rows of a sample at an event time, or at all: the shares of cohorts are those of the sample.
pub fn truth(simulation: &Simulation, frame: &DataFrame, at: Option<f64>) -> f64 {
    let [groups, times] = ["group", "period"].map(|name| floats(frame, name));
    let weights = match simulation.weights {
        true => floats(frame, "weight"),
        false => vec![1.0; groups.len()],
    };
    let (mut sum, mut total) = (0.0, 0.0);
    for ((group, time), weight) in groups.iter().zip(&times).zip(&weights) {
        let is_meant = *group > 0.0 && time >= group;
        if is_meant && at.is_none_or(|at| time - group == at) {
            sum += weight * simulation.truth(*group as i64, *time as i64);
            total += weight;
        }
    }
    sum / total
}

/// Spread and mean standard error of one parameter's estimates.
pub struct Spread {
    pub parameter: String,
    pub sd: f64,
    pub se: f64,
}

/// Prints bias and coverage by parameter; asserts the coverage, and that bias is within its Monte-Carlo error and a
/// twentieth of a standard error.
pub fn check(name: &str, replicate: impl Fn(u64) -> Vec<Draw> + Sync + Send) -> Vec<Spread> {
    within(name, &COVERAGE, replicate)
}

/// As [`check`], of intervals that may cover more often than they claim.
pub fn check_conservative(
    name: &str,
    replicate: impl Fn(u64) -> Vec<Draw> + Sync + Send,
) -> Vec<Spread> {
    within(name, &CONSERVATIVE, replicate)
}

fn within(
    name: &str,
    allowed: &std::ops::RangeInclusive<f64>,
    replicate: impl Fn(u64) -> Vec<Draw> + Sync + Send,
) -> Vec<Spread> {
    let seeds: Vec<u64> = (0..REPLICATIONS).collect();
    let replications: Vec<Vec<Draw>> = of_all(&seeds, replicate);
    let mut failures = Vec::new();
    let mut spreads = Vec::new();
    println!(
        "{name}\n{:18} {:>8} {:>9} {:>9} {:>9} {:>9}",
        "", "truth", "bias", "sd", "se", "coverage"
    );
    for p in 0..replications[0].len() {
        let draws: Vec<&Draw> = replications.iter().map(|draws| &draws[p]).collect();
        let n = draws.len() as f64;
        let mean = |f: &dyn Fn(&Draw) -> f64| draws.iter().map(|d| f(d)).sum::<f64>() / n;
        let error = |d: &Draw| d.estimate.estimate.unwrap() - d.truth;
        let bias = mean(&error);
        let sd = mean(&|d| (error(d) - bias).powi(2)).sqrt();
        let se = mean(&|d| d.estimate.se.unwrap());
        let coverage = mean(&|d| {
            let (lower, upper) = d.estimate.interval().unwrap();
            let inside = lower <= d.truth && d.truth <= upper;
            f64::from(u8::from(inside))
        });
        let (parameter, truth) = (&draws[0].parameter, draws[0].truth);
        println!(
            "{parameter:18} {truth:8.3} {bias:9.4} {sd:9.4} {se:9.4} {:8.1} %",
            100.0 * coverage
        );
        if !allowed.contains(&coverage) {
            failures.push(format!("{parameter}: coverage {coverage}"));
        }
        if bias.abs() > BIAS * sd / n.sqrt() + 0.05 * sd {
            failures.push(format!("{parameter}: bias {bias}"));
        }
        spreads.push(Spread { parameter: parameter.clone(), sd, se });
    }
    assert!(failures.is_empty(), "{name}: {failures:?}");
    spreads
}
