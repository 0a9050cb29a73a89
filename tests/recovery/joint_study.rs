//! Several estimators of one sample: their joint covariance against a bootstrap of clusters, and the size of the tests that two agree.

use std::collections::BTreeMap;

use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use burn_did::{JointStudy, JointStudyResult};
use polars::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::coverage::REPLICATIONS;
use crate::support::but;
use crate::support::frames::{floats, with};
use crate::support::threads::of_all;

/// Units in clusters that adopt together and share shocks.
fn simulation(clusters: usize, heterogeneity: f64) -> Simulation {
    let config = Simulation::builder().units(4 * clusters).periods(6).cohorts([3, 4, 5]);
    let config = config.covariates(0).clusters(clusters).cluster_sd(0.5);
    config.heterogeneity(heterogeneity).build()
}

/// All estimators, at event times that all cohorts have, so that all average the same effects.
fn study() -> JointStudy<Cpu> {
    let config = JointStudy::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    config.cluster("cluster").min_e(-2.0).max_e(1.0).build()
}

fn seeds() -> Vec<u64> {
    (0..REPLICATIONS).collect()
}

/// The averages of all estimators, then all effects.
fn numbers(study: &JointStudyResult) -> Vec<f64> {
    let averages = study.estimators.iter().map(|of| of.average.estimate.unwrap());
    let rows = study.estimators.iter().flat_map(|of| &of.event_study.as_ref().unwrap().rows);
    averages.chain(rows.map(|row| row.estimate.estimate.unwrap_or(0.0))).collect()
}

/// Positions of the rows of each cluster.
fn rows_by_cluster(frame: &DataFrame) -> Vec<Vec<IdxSize>> {
    let mut rows: BTreeMap<u64, Vec<IdxSize>> = BTreeMap::new();
    for (row, cluster) in (0..).zip(floats(frame, "cluster")) {
        rows.entry(cluster as u64).or_default().push(row);
    }
    rows.into_values().collect()
}

/// As many clusters, drawn with replacement; one that is drawn twice is two clusters.
fn resampled(frame: &DataFrame, clusters: &[Vec<IdxSize>], seed: u64) -> DataFrame {
    let mut random = SmallRng::seed_from_u64(seed);
    let (mut rows, mut drawn) = (Vec::new(), Vec::new());
    for draw in 0..clusters.len() {
        let of = &clusters[(random.random::<f64>() * clusters.len() as f64) as usize];
        rows.extend(of);
        drawn.extend(std::iter::repeat_n(draw as f64, of.len()));
    }
    let taken = frame.take(&IdxCa::from_vec("rows".into(), rows)).unwrap();
    let ids = floats(&taken, "id").iter().zip(&drawn).map(|(id, draw)| 1e4 * draw + id).collect();
    with(&with(&taken, "id", ids), "cluster", drawn)
}

#[test]
#[ignore = "2,000 fits of all estimators, minutes"]
fn the_joint_covariance_is_that_of_a_bootstrap_of_clusters() {
    let frame = but(simulation(400, 0.0), |s| s.seed = 11).frame();
    let (config, clusters) = (study(), rows_by_cluster(&frame));
    let own = config.fit(&frame).unwrap();
    let estimators = own.estimators.len();
    let draw = |seed: u64| numbers(&config.fit(resampled(&frame, &clusters, seed)).unwrap());
    let draws: Vec<Vec<f64>> = of_all(&seeds(), draw);
    let n = draws.len() as f64;
    let mean = |i: usize| draws.iter().map(|draw| draw[i]).sum::<f64>() / n;
    let means: Vec<f64> = (0..draws[0].len()).map(mean).collect();
    let covariance = |i: usize, j: usize| {
        let product = |draw: &Vec<f64>| (draw[i] - means[i]) * (draw[j] - means[j]);
        draws.iter().map(product).sum::<f64>() / (n - 1.0)
    };
    println!(
        "standard errors of averages by the joint covariance, and over those of the bootstrap"
    );
    let mut worst = 0.0_f64;
    for (index, of) in own.estimators.iter().enumerate() {
        let (se, drawn) = (of.average.se.unwrap(), covariance(index, index).sqrt());
        println!("{:44} {se:.5} {:.3}", of.estimator.name(), se / drawn);
        worst = worst.max((se / drawn - 1.0).abs());
    }
    println!("standard errors of differences of averages, and over those of the bootstrap");
    let mut differences = own.agreement.iter();
    for i in 0..estimators {
        for j in i + 1..estimators {
            let pair = differences.next().unwrap();
            let Some(se) = pair.difference.se else {
                println!("{:20} {:20}   the same", pair.first.name(), pair.second.name());
                continue;
            };
            let drawn = (covariance(i, i) + covariance(j, j) - 2.0 * covariance(i, j)).sqrt();
            let ratio = se / drawn;
            println!("{:20} {:20} {se:.5} {ratio:.3}", pair.first.name(), pair.second.name());
            worst = worst.max((ratio - 1.0).abs());
        }
    }
    let (mut largest, mut sum, mut count) = (0.0_f64, 0.0, 0.0);
    for (i, row) in own.vcov.iter().enumerate() {
        for (j, v) in row.iter().enumerate() {
            let size = (own.vcov[i][i] * own.vcov[j][j]).sqrt();
            if size > 0.0 {
                let off = (v - covariance(estimators + i, estimators + j)).abs() / size;
                (largest, sum, count) = (largest.max(off), sum + off, count + 1.0);
            }
        }
    }
    println!("{count} entries of the covariance of all effects over both standard errors:");
    println!("off by {:.4} on average, {largest:.4} at most", sum / count);
    // A variance of 2,000 draws is known to 3 %; cohorts of some 80 clusters add about as much, and stacks are nearly Sun and Abraham.
    assert!(worst < 0.15, "{worst}");
    assert!(sum / count < 0.05 && largest < 0.12, "{} {largest}", sum / count);
}

/// Shares of samples in which the test of each pair rejects at 5 %: of all effects, and of the average.
fn sizes(name: &str, heterogeneity: f64) {
    let (config, simulation) = (study(), simulation(150, heterogeneity));
    let one = |seed: u64| {
        let fit = config.fit(but(simulation.clone(), |s| s.seed = seed).frame()).unwrap();
        let rejects = |p: Option<f64>| p.map(|p| f64::from(u8::from(p < 0.05)));
        let pairs = fit.agreement.iter();
        let pairs = pairs.map(|pair| {
            let names = (pair.first.name(), pair.second.name());
            let test = rejects(pair.wald.map(|wald| wald.p_value));
            (names, test, rejects(pair.difference.p_value))
        });
        pairs.collect::<Vec<_>>()
    };
    let samples: Vec<_> = of_all(&seeds(), one);
    println!("{name}: rejections at 5 %, of all effects and of the average");
    let mut failures = Vec::new();
    for pair in 0..samples[0].len() {
        let share = |of: &dyn Fn(usize) -> Option<f64>| {
            let known: Vec<f64> = (0..samples.len()).filter_map(of).collect();
            (known.iter().sum::<f64>() / known.len() as f64, known.len())
        };
        let (test, n) = share(&|sample| samples[sample][pair].1);
        let (average, _) = share(&|sample| samples[sample][pair].2);
        let (first, second) = samples[0][pair].0;
        println!("{first:20} {second:20} {:5.1} % {:5.1} %  ({n})", 100.0 * test, 100.0 * average);
        if test > 0.09 || average > 0.09 {
            failures.push(format!("{first}, {second}: {test} {average}"));
        }
    }
    assert!(failures.is_empty(), "{name}: {failures:?}");
}

#[test]
#[ignore = "2,000 fits of all estimators, minutes"]
fn tests_of_agreement_have_their_size_where_effects_are_alike() {
    sizes("effects of one size", 0.0);
}

#[test]
#[ignore = "2,000 fits of all estimators, minutes"]
fn tests_of_agreement_have_their_size_where_cohorts_differ() {
    sizes("effects that differ by cohort", 0.5);
}
