//! Continuous treatments: what fits must be invariant to.

use burn_did::backend::Cpu;
use burn_did::data::DoseSimulation;
use burn_did::{
    ContDid, ContDidResult, Estimate,
    doses::{DoseGrid, DoseMethod, DoseTarget},
    options::{Band, Bootstrap, Resampling},
};
use polars::prelude::*;

use super::{config, estimates, fit, simulation};
use crate::support::but;
use crate::support::frames::{floats, permutation, rows, with};

#[track_caller]
fn assert_identical(what: &str, a: &ContDidResult, b: &ContDidResult) {
    assert_eq!((&a.dose, &a.overall, &a.knots), (&b.dose, &b.overall, &b.knots), "{what}");
    assert_eq!((&a.level.cells, &a.slope.cells), (&b.level.cells, &b.slope.cells), "{what}");
}

fn designs() -> Vec<(&'static str, ContDid<Cpu>, DataFrame)> {
    let panel = simulation(700).frame();
    let two = but(simulation(700), |s| {
        s.periods = 2;
        s.groups = 1;
    })
    .frame();
    vec![
        ("plain", config(), panel.clone()),
        (
            "knots, weights, clusters, draws",
            but(config(), |c| {
                c.knots = 3;
                c.weights = Some("weight".into());
                c.cluster = Some("cluster".into());
                c.bootstrap = Some(Bootstrap::draws(200));
            }),
            panel.clone(),
        ),
        (
            "draws of clusters",
            but(config(), |c| {
                c.knots = 1;
                c.weights = Some("weight".into());
                c.cluster = Some("cluster".into());
                c.bootstrap = Some(Bootstrap::draws(30).seed(5));
                c.resampling = Resampling::Empirical;
            }),
            panel.clone(),
        ),
        (
            "draws of units",
            but(config(), |c| {
                c.bootstrap = Some(Bootstrap::draws(20));
                c.resampling = Resampling::Empirical;
            }),
            panel.clone(),
        ),
        (
            "quantiles",
            but(config(), |c| c.grid = DoseGrid::Quantiles { first: 0.1, last: 0.9, count: 9 }),
            panel,
        ),
        (
            "cck",
            but(config(), |c| {
                c.method = DoseMethod::Cck;
                c.weights = Some("weight".into());
            }),
            two.clone(),
        ),
        (
            "cck, clusters",
            but(config(), |c| {
                c.method = DoseMethod::Cck;
                c.weights = Some("weight".into());
                c.cluster = Some("cluster".into());
            }),
            two,
        ),
    ]
}

/// Each unit is in a cluster of its own, twice.
#[test]
fn chosen_dimensions_of_clusters_of_twins_are_those_of_units() {
    let two = DoseSimulation::builder().units(400).periods(2).groups(1).seed(1).build().frame();
    let (ids, n) = (floats(&two, "id"), two.height());
    let twins = with(&two.vstack(&two).unwrap(), "pair", [ids.clone(), ids.clone()].concat());
    let own: Vec<f64> = (0..2 * n).map(|i| ids[i % n] + if i < n { 0.0 } else { 1e4 }).collect();
    let twins = with(&twins, "id", own);
    for noise in [true, false] {
        let cck = but(config(), |c| (c.method, c.comparison_noise) = (DoseMethod::Cck, noise));
        let units = fit(&cck, &two);
        let clustered = but(cck, |c| c.cluster = Some("pair".into()));
        let clusters = fit(&clustered, &twins);
        let same = |a: Estimate, b: Estimate| {
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-3 * a.abs().max(1e-3);
            assert!(close(a.estimate.unwrap(), b.estimate.unwrap()), "{a:?} {b:?}");
            assert!(close(a.se.unwrap(), b.se.unwrap()), "{a:?} {b:?}");
        };
        same(units.overall.att, clusters.overall.att);
        same(units.overall.acrt, clusters.overall.acrt);
        for (a, b) in units.dose.rows.iter().zip(&clusters.dose.rows) {
            same(a.att, b.att);
            same(a.acrt, b.acrt);
        }
        assert_eq!(clusters.level.settings.n_clusters, Some(400));
    }
}

#[test]
fn groups_follow_from_doses_that_begin_with_treatment() {
    let simulation = simulation(400);
    let constant = simulation.frame();
    let later = but(simulation, |s| s.dose_begins_with_treatment = true).frame();
    let expected = fit(&config(), &constant);
    assert_identical("group named", &expected, &fit(&config(), &later));
    let derived = fit(&but(config(), |c| c.group = None), &later);
    assert_identical("group derived", &expected, &derived);
    let shuffled = rows(&later, &permutation(later.height(), 1));
    assert_identical("shuffled", &expected, &fit(&but(config(), |c| c.group = None), &shuffled));
}

#[test]
fn any_number_may_stand_where_a_dose_does_not_matter() {
    let df = simulation(400).frame();
    let [group, period, dose] = ["group", "period", "dose"].map(|name| floats(&df, name));
    let treated = |row: usize| group[row] > 0.0 && group[row] <= period[row];
    let own = |row: usize| if treated(row) { dose[row] } else { -1.0 - row as f64 };
    let other = with(&df, "dose", (0..df.height()).map(own).collect::<Vec<f64>>());
    let (expected, found) = (fit(&config(), &df), fit(&config(), &other));
    assert_identical("negative doses of the untreated", &expected, &found);
    // Where groups follow from doses, each of these matters.
    let derived = but(config(), |c| c.group = None).fit(&other);
    let refused = derived.unwrap_err();
    assert!(matches!(refused, burn_did::DidError::Negative { role: "dose", .. }), "{refused}");
}

#[test]
fn single_precision_is_near() {
    let df = simulation(3_000).frame();
    let exact = fit(&config(), &df);
    let single = fit(&but(config(), |c| c.precision = burn_did::options::Precision::F32), &df);
    for (a, b) in estimates(&exact).iter().zip(&estimates(&single)) {
        assert!(
            (a.1 - b.1).abs() < 1e-3 * a.2 && (b.2 / a.2 - 1.0).abs() < 1e-3,
            "{}: {a:?} {b:?}",
            a.0
        );
    }
}

#[test]
fn later_doses_are_those_of_another_fit() {
    let df = simulation(500).frame();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("result.json");
    for (what, config, df) in designs().into_iter().chain([("few", config(), df)]) {
        let first = fit(&config, &df);
        first.save(&path).unwrap();
        let saved = ContDidResult::load(&path).unwrap();
        assert_eq!(saved, first, "{what}");
        let doses = [0.31, 0.77];
        let later = saved.at(&doses).unwrap();
        if config.method == DoseMethod::Parametric {
            let other = but(config, |c| c.grid = DoseGrid::Values(doses.to_vec()));
            let other = fit(&other, &df);
            // A uniform band has the critical value of the fit, which is over other doses.
            let pointwise = first.level.settings.inference.band(Band::Pointwise);
            let [ours, theirs] =
                [&saved, &other].map(|fit| fit.at_with(&doses, &pointwise).unwrap());
            assert_eq!(ours, theirs, "{what}");
            let bands = [first.dose.band_att, first.dose.band_acrt];
            let uniform = bands.contains(&Band::Uniform);
            assert!(uniform || later == other.dose, "{what}");
            assert_eq!(later.critical_att, first.dose.critical_att, "{what}");
            let one = saved.at(&doses[..1]).unwrap();
            assert_eq!(one.rows[0], later.rows[0], "{what}");
        }
        assert!(saved.at(&[]).is_err() && saved.at(&[f64::NAN]).is_err());
        assert_eq!(
            saved.event_study(DoseTarget::Slope).unwrap().rows,
            first.event_study(DoseTarget::Slope).unwrap().rows
        );
    }
    let text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in [("\"degree\":3", "\"degree\":2"), ("\"first\":0", "\"first\":1")] {
        assert!(text.contains(from));
        std::fs::write(&path, text.replacen(from, to, 9)).unwrap();
        let broken = ContDidResult::load(&path);
        assert!(broken.is_err(), "{to}: {broken:?}");
    }
}
