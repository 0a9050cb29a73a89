//! Regressions with fixed effects, and Sun and Abraham's event study.

use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use burn_did::{
    FixedEffects, SunAbraham,
    regression::{Family, Ssc, Vcov},
};
use polars::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::coverage::{Draw, check};
use crate::support::but;

const WORKERS: usize = 80;
const YEARS: usize = 6;
const FIRMS: usize = 12;

/// The errors of a regression.
#[derive(Clone, Copy)]
enum Errors {
    /// Of one variance.
    Equal,
    /// With a variance that grows with the regressor's distance from its mean.
    Hetero,
    /// With a part that a worker has, which comes and goes with the regressor's own.
    Clustered,
    /// Counts with the mean that the regression has.
    Counts,
}

/// Slopes of the two regressors.
const SLOPES: [f64; 2] = [0.7, -0.4];

/// Workers who change firms; regressors are correlated with the effects of both.
fn sample(seed: u64, errors: Errors) -> DataFrame {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut normal = || {
        let (u, v): (f64, f64) = (1.0 - random.random::<f64>(), random.random());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let firms: Vec<f64> = (0..FIRMS).map(|_| 0.5 * normal()).collect();
    let years: Vec<f64> = (0..YEARS).map(|_| 0.3 * normal()).collect();
    let (mut worker, mut firm, mut year) = (Vec::new(), Vec::new(), Vec::new());
    let (mut x1, mut x2, mut y) = (Vec::new(), Vec::new(), Vec::new());
    for w in 0..WORKERS {
        let effect = 0.5 * normal();
        let (mut own, mut shock) = (normal(), normal());
        let mut at = w % FIRMS;
        for (t, of_year) in years.iter().enumerate() {
            if normal() > 0.8 {
                at = (at + 1 + (w + t) % 5) % FIRMS;
            }
            // Both persist, so that what a cluster's rows have in common is not projected out.
            own = 0.6 * own + 0.8 * normal();
            shock = 0.6 * shock + 0.8 * normal();
            let a = own + 0.5 * effect + firms[at];
            let b = normal() + of_year;
            let fit = SLOPES[0] * a + SLOPES[1] * b + effect + firms[at] + of_year;
            let value = match errors {
                Errors::Equal => fit + normal(),
                Errors::Hetero => fit + (0.3 + 0.7 * own.abs()) * normal(),
                Errors::Clustered => fit + shock + 0.5 * normal(),
                Errors::Counts => counted((1.0 + 0.5 * fit).exp(), &mut normal),
            };
            worker.push(w as i64);
            firm.push(at as i64);
            year.push(t as i64);
            x1.push(a);
            x2.push(b);
            y.push(value);
        }
    }
    df!("worker" => worker, "firm" => firm, "year" => year, "x1" => x1, "x2" => x2, "y" => y)
        .unwrap()
}

/// A Poisson count: how many exponential waits fit into its mean.
fn counted(mean: f64, normal: &mut impl FnMut() -> f64) -> f64 {
    let mut wait = || 0.5 * (normal().powi(2) + normal().powi(2));
    let (mut count, mut time) = (0.0, wait());
    while time < mean {
        count += 1.0;
        time += wait();
    }
    count
}

fn regressions(name: &str, errors: Errors, vcov: Vcov, ssc: Ssc) {
    let family = if matches!(errors, Errors::Counts) { Family::Poisson } else { Family::Gaussian };
    let config = FixedEffects::<Cpu>::builder().formula("y ~ x1 + x2 | worker + firm + year");
    let config = config.vcov(vcov).ssc(ssc).family(family).build();
    let slopes = match errors {
        Errors::Counts => SLOPES.map(|slope| 0.5 * slope),
        _ => SLOPES,
    };
    check(name, |seed| {
        let fit = config.fit(sample(seed, errors)).unwrap();
        let pairs = fit.coefficients.iter().zip(slopes);
        pairs
            .map(|(c, truth)| Draw { parameter: c.name.clone(), truth, estimate: c.as_estimate() })
            .collect()
    });
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn errors_of_one_variance() {
    regressions("three factors, iid", Errors::Equal, Vcov::Iid, Ssc::default());
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn errors_of_any_variance() {
    regressions("three factors, hetero", Errors::Hetero, Vcov::Hetero, Ssc::default());
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn errors_of_clusters() {
    let workers = Vcov::cluster(["worker"]);
    regressions("three factors, clustered", Errors::Clustered, workers, Ssc::default());
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn counts() {
    regressions("three factors, Poisson, hetero", Errors::Counts, Vcov::Hetero, Ssc::default());
    // The information estimates no variance from residuals, whose degrees of freedom the correction would count.
    let plain = Ssc::default().k_adj(false);
    regressions("three factors, Poisson, information", Errors::Counts, Vcov::Iid, plain);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn sun_and_abraham() {
    let simulation = Simulation::builder().units(200).selection(0.0).trend(0.0);
    let simulation = simulation.heterogeneity(0.5).build();
    let config = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("period");
    let config = config.group("group").build();
    check("Sun and Abraham", |seed| {
        let simulation = but(simulation.clone(), |s| s.seed = seed);
        let data = simulation.frame();
        let groups: Vec<i64> = data
            .column("group")
            .unwrap()
            .cast(&DataType::Int64)
            .unwrap()
            .i64()
            .unwrap()
            .into_no_null_iter()
            .collect();
        let periods = i64::from(simulation.periods);
        // Shares are those of the sample, and taken as known.
        let truth = |at: i64| {
            let (mut sum, mut rows) = (0.0, 0.0);
            for g in groups.iter().filter(|g| **g > 0 && (1..=periods).contains(&(**g + at))) {
                sum += simulation.truth(*g, *g + at);
                rows += 1.0;
            }
            sum / rows
        };
        let study = config.fit(&data).unwrap().event_study;
        let estimated = study.rows.iter().filter(|row| !row.reference);
        estimated
            .map(|row| Draw {
                parameter: format!("event time {}", row.at),
                truth: truth(row.at as i64),
                estimate: row.estimate,
            })
            .collect()
    });
}
