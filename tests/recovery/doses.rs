//! Continuous treatments: curves, slopes, averages and event studies; bands; the method whose dimension the data choose.

use burn_did::backend::Cpu;
use burn_did::data::DoseSimulation;
use burn_did::{
    ContDid, ContDidResult, Estimate,
    doses::{DoseGrid, DoseMethod, DoseTarget},
    options::{Band, Bootstrap, CohortShares, Resampling},
};

use crate::coverage::{Draw, REPLICATIONS, Spread, check};
use crate::support::but;

const DOSES: [f64; 5] = [0.15, 0.35, 0.6, 0.85, 1.05];

fn fit(simulation: &DoseSimulation, change: impl FnOnce(&mut ContDid<Cpu>)) -> ContDidResult {
    let mut config = ContDid::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .dose("dose")
        .degree(2)
        .knots(1)
        .grid(DoseGrid::Values(DOSES.to_vec()))
        .maybe_weights(simulation.weights.then_some("weight"))
        .maybe_cluster((simulation.clusters > 0).then_some("cluster"))
        .build();
    change(&mut config);
    config.fit(simulation.frame()).unwrap()
}

fn draw(parameter: String, truth: f64, estimate: Estimate) -> Draw {
    Draw { parameter, truth, estimate }
}

fn draws(simulation: &DoseSimulation, fit: &ContDidResult) -> Vec<Draw> {
    let mut out = vec![
        draw("ATT".into(), simulation.overall_att(), fit.overall.att),
        draw("ACRT".into(), simulation.overall_acrt(), fit.overall.acrt),
    ];
    for row in &fit.dose.rows {
        out.push(draw(format!("ATT({})", row.dose), simulation.att(row.dose), row.att));
        out.push(draw(format!("ACRT({})", row.dose), simulation.acrt(row.dose), row.acrt));
    }
    for target in [DoseTarget::Level, DoseTarget::Slope] {
        let unit = simulation.overall_att() / simulation.att(1.0);
        let slope = simulation.overall_acrt() / simulation.att(1.0);
        for row in fit.event_study(target).unwrap().rows {
            let at_one = simulation.effect(1.0, row.at);
            let truth = match target {
                _ if row.at < 0.0 => 0.0,
                DoseTarget::Level => unit * at_one,
                DoseTarget::Slope => slope * at_one,
                other => unimplemented!("{other}"),
            };
            out.push(draw(format!("{} at {}", target.parameter(), row.at), truth, row.estimate));
        }
    }
    out
}

fn run(name: &str, simulation: &DoseSimulation, change: impl Fn(&mut ContDid<Cpu>) + Sync + Send) {
    let spreads = check(name, |seed| {
        let simulation = but(simulation.clone(), |s| s.seed = seed);
        draws(&simulation, &fit(&simulation, &change))
    });
    // Two standard errors of a spread.
    let chance = 2.0 / (2.0 * REPLICATIONS as f64).sqrt();
    for Spread { parameter, sd, se } in spreads {
        let off = (se / sd - 1.0).abs();
        assert!(off < 0.05 + chance, "{parameter}: standard error {se}, spread {sd}");
    }
}

/// Whether a band covers the whole curve, as an estimate of how far it is from doing so.
fn covered(rows: &[(f64, Estimate)]) -> Estimate {
    let covers = |(low, high): (f64, f64), truth: f64| low <= truth && truth <= high;
    let inside =
        rows.iter().all(|(truth, e)| e.interval().is_some_and(|ends| covers(ends, *truth)));
    Estimate::new(Some(if inside { 0.0 } else { 1.0 }), Some(0.4), 1.0)
}

fn bands(simulation: &DoseSimulation, fit: &ContDidResult) -> Vec<Draw> {
    let rows = &fit.dose.rows;
    let att: Vec<_> = rows.iter().map(|r| (simulation.att(r.dose), r.att)).collect();
    let acrt: Vec<_> = rows.iter().map(|r| (simulation.acrt(r.dose), r.acrt)).collect();
    vec![
        draw("band of ATT(d)".into(), 0.0, covered(&att)),
        draw("band of ACRT(d)".into(), 0.0, covered(&acrt)),
    ]
}

/// Share of the samples in which the bands cover.
fn coverage(
    name: &str,
    replications: u64,
    replicate: impl Fn(u64) -> Vec<Draw> + Sync + Send,
) -> Vec<f64> {
    use rayon::prelude::*;
    let all: Vec<Vec<Draw>> = (0..replications).into_par_iter().map(replicate).collect();
    (0..all[0].len())
        .map(|p| {
            let inside = all.iter().filter(|draws| {
                let (lower, upper) = draws[p].estimate.interval().unwrap();
                lower <= draws[p].truth && draws[p].truth <= upper
            });
            let share = inside.count() as f64 / replications as f64;
            println!("{name}, {}: {:.1} %", all[0][p].parameter, 100.0 * share);
            share
        })
        .collect()
}

fn staggered() -> DoseSimulation {
    DoseSimulation::builder().units(900).build()
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn curves_averages_and_event_studies() {
    run("doses", &staggered(), |_| {});
    run("doses, shares estimated", &staggered(), |c| c.shares = CohortShares::Estimated);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn weights() {
    let simulation = but(staggered(), |s| s.weights = true);
    run("doses, weights", &simulation, |_| {});
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn clusters() {
    let simulation = but(staggered(), |s| {
        s.units = 3_000;
        s.weights = true;
        s.clusters = 600;
    });
    run("doses, weights, 600 clusters", &simulation, |_| {});
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn units_drawn_with_replacement() {
    let drawn = |c: &mut ContDid<Cpu>| {
        c.bootstrap = Some(Bootstrap::draws(199));
        c.band = Some(Band::Pointwise);
        c.resampling = Resampling::Empirical;
        c.shares = CohortShares::Estimated;
    };
    run("doses, 199 draws of units", &staggered(), drawn);
    let simulation = but(staggered(), |s| {
        s.units = 1_500;
        s.weights = true;
        s.clusters = 300;
    });
    run("doses, weights, 199 draws of 300 clusters", &simulation, drawn);
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn uniform_bands() {
    let shares = coverage("uniform", 2_000, |seed| {
        let simulation = but(staggered(), |s| s.seed = seed);
        bands(&simulation, &fit(&simulation, |c| c.band = Some(Band::Uniform)))
    });
    assert!(shares.iter().all(|share| (0.92..=0.98).contains(share)), "{shares:?}");
}

/// Clusters have treated and comparison units, which share shocks. Errors are those of the dimension that was chosen: a few samples
/// choose a large one, so that the spread of slopes over all samples is not their mean error, and coverage is what counts.
#[test]
#[ignore = "1,000 replications, minutes"]
fn dimensions_that_the_data_choose_with_clusters() {
    let simulation = DoseSimulation::builder()
        .units(2_100)
        .periods(2)
        .groups(1)
        .clusters(300)
        .weights(true)
        .build();
    let name = "cck, weights, 300 clusters";
    let shares = |band| {
        coverage(name, 1_000, |seed| {
            let simulation = but(simulation.clone(), |s| s.seed = seed);
            let fit = fit(&simulation, |c| {
                c.method = DoseMethod::Cck;
                c.bootstrap = Some(Bootstrap::draws(999));
                c.band = Some(band);
            });
            match band {
                Band::Uniform => bands(&simulation, &fit),
                _ => draws(&simulation, &fit),
            }
        })
    };
    let pointwise = shares(Band::Pointwise);
    assert!(pointwise.iter().all(|share| (0.92..=0.98).contains(share)), "{pointwise:?}");
    let uniform = shares(Band::Uniform);
    assert!(uniform.iter().all(|share| *share > 0.93), "{uniform:?}");
}

/// Undersmoothed bands cover at least as often as they claim; pointwise intervals and averages as they claim where the curve is a
/// polynomial that all dimensions have.
#[test]
#[ignore = "1,000 replications, minutes"]
fn dimensions_that_the_data_choose() {
    let simulation = DoseSimulation::builder().units(700).periods(2).groups(1).build();
    let shares = coverage("cck", 1_000, |seed| {
        let simulation = but(simulation.clone(), |s| s.seed = seed);
        let fit = fit(&simulation, |c| {
            c.method = DoseMethod::Cck;
            c.band = Some(Band::Uniform);
        });
        let averages = [
            draw("ATT".into(), simulation.overall_att(), fit.overall.att),
            draw("ACRT".into(), simulation.overall_acrt(), fit.overall.acrt),
        ];
        bands(&simulation, &fit).into_iter().chain(averages).collect()
    });
    assert!(shares[0] > 0.93 && shares[1] > 0.93, "{shares:?}");
    assert!(shares[2..].iter().all(|share| (0.92..=0.98).contains(share)), "{shares:?}");
}
