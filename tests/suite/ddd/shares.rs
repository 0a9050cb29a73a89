//! Whose units the shares of groups count in averages of triple differences: 15 % of one group and 85 % of the other are eligible,
//! with effects of 1 and 5.

use burn_did::backend::Cpu;
use burn_did::{
    Aggregated, Aggregation, Ddd, GroupTimeResult,
    options::{Bootstrap, EstimationMethod, SharesOf},
};
use polars::prelude::DataFrame;

use crate::support::but;
use crate::support::frames::{floats, golden_data, with};

fn estimator() -> Ddd<Cpu> {
    let config = Ddd::builder().outcome("y").unit("id").time("t").group("g").eligible("q");
    config.method(EstimationMethod::OutcomeRegression).build()
}

fn fit(estimator: &Ddd<Cpu>, df: &DataFrame) -> GroupTimeResult {
    estimator.fit(df).unwrap()
}

fn all() -> [Aggregation; 4] {
    [Aggregation::simple(), Aggregation::group(), Aggregation::dynamic(), Aggregation::calendar()]
}

fn overall(aggregated: &Aggregated) -> (f64, f64) {
    (aggregated.overall.estimate.unwrap(), aggregated.overall.se.unwrap())
}

/// Shares of eligible units give the mean effect over treated units.
#[test]
fn averages_are_over_treated_units() {
    let data = golden_data("ddd_shares");
    let eligible = fit(&estimator(), &data);
    let [t, g, q] = ["t", "g", "q"].map(|name| floats(&data, name));
    // Every post-treatment cell as often as it has treated rows.
    let count = |group: f64, time: f64| {
        let rows = t.iter().zip(&g).zip(&q);
        rows.filter(|((t, g), q)| **t == time && **g == group && **q == 1.0).count() as f64
    };
    let cells = eligible.cells.iter().filter(|c| c.group <= c.time);
    let (total, sum) = cells.fold((0.0, 0.0), |(total, sum), c| {
        let treated = count(c.group, c.time);
        (total + treated, sum + treated * c.estimate.estimate.unwrap())
    });
    let simple = eligible.aggregate(Aggregation::simple()).unwrap();
    assert!((overall(&simple).0 - sum / total).abs() < 1e-12);
    let everybody = fit(&but(estimator(), |e| e.shares_of = SharesOf::All), &data);
    assert_eq!(everybody.cells, eligible.cells);
    let simple = everybody.aggregate(Aggregation::simple()).unwrap();
    assert!((overall(&simple).0 - sum / total).abs() > 1.0);
}

/// How many units are not eligible is of no account, unless shares count all units.
#[test]
fn weights_of_ineligible_units_do_not_move_shares() {
    let data = golden_data("ddd_shares");
    let (g, q) = (floats(&data, "g"), floats(&data, "q"));
    let weights = |heavy: f64| {
        let weight = |(g, q): (&f64, &f64)| if *g == 4.0 && *q == 0.0 { heavy } else { 1.0 };
        with(&data, "w", g.iter().zip(&q).map(weight).collect::<Vec<f64>>())
    };
    let averages = |shares_of: SharesOf, heavy: f64| {
        let weighted = but(estimator(), |e| {
            e.weights = Some("w".into());
            e.shares_of = shares_of;
        });
        let fit = fit(&weighted, &weights(heavy));
        all().map(|aggregation| overall(&fit.aggregate(aggregation).unwrap()).0)
    };
    let far =
        |a: [f64; 4], b: [f64; 4]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let eligible = |heavy| averages(SharesOf::Eligible, heavy);
    assert!(far(eligible(1.0), eligible(20.0)) < 1e-12);
    let everybody = |heavy| averages(SharesOf::All, heavy);
    assert!(far(everybody(1.0), everybody(20.0)) > 0.1);
}

/// Draws have the sampling error of the shares, with clusters and without.
#[test]
fn bootstrap_draws_have_the_error_of_the_shares() {
    let data = golden_data("ddd_shares");
    let clusters: Vec<f64> = floats(&data, "id").iter().map(|id| id % 97.0).collect();
    let data = with(&data, "cl", clusters);
    for cluster in [None, Some("cl".to_owned())] {
        let analytic = but(estimator(), |e| e.cluster = cluster);
        let drawn = but(analytic.clone(), |e| e.bootstrap = Some(Bootstrap::draws(4_000).seed(1)));
        let (analytic, drawn) = (fit(&analytic, &data), fit(&drawn, &data));
        for aggregation in all() {
            let (att, se) = overall(&analytic.aggregate(aggregation).unwrap());
            let (same, spread) = overall(&drawn.aggregate(aggregation).unwrap());
            assert_eq!(att, same);
            assert!((spread / se - 1.0).abs() < 0.08, "{aggregation:?}: {spread} and {se}");
        }
    }
}

/// Files keep the shares of their fit.
#[test]
fn saved_results_keep_their_shares() {
    let data = golden_data("ddd_shares");
    for shares_of in [SharesOf::Eligible, SharesOf::All] {
        let fit = fit(&but(estimator(), |e| e.shares_of = shares_of), &data);
        let text = serde_json::to_string(&fit).unwrap();
        let loaded: GroupTimeResult = serde_json::from_str(&text).unwrap();
        assert_eq!(loaded, fit);
        for aggregation in all() {
            let [a, b] = [&fit, &loaded].map(|fit| fit.aggregate(aggregation).unwrap());
            assert_eq!((a.overall, a.rows, a.vcov), (b.overall, b.rows, b.vcov));
        }
    }
    let eligible = fit(&estimator(), &data).to_string();
    assert!(eligible.contains("Group Shares: Eligible Units"), "{eligible}");
}
