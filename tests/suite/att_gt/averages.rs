//! Influence values of averages: derivatives of the averages in the log weights, whose products are the covariances.

use std::collections::BTreeMap;

use burn_did::options::{BasePeriod, ControlGroup};
use burn_did::{Aggregated, Aggregation};
use polars::prelude::DataFrame;

use crate::support::frames::{floats, with};
use crate::support::spec::Spec;
use crate::support::splitmix;

const KINDS: [fn() -> Aggregation; 4] =
    [Aggregation::simple, Aggregation::dynamic, Aggregation::group, Aggregation::calendar];

fn panel() -> DataFrame {
    splitmix::panel(21, 240, [3, 4, 6, 0])
}

fn keeping(spec: Spec) -> Spec {
    Spec { keep_influence: true, ..spec }
}

fn specs() -> Vec<Spec> {
    let weighted = Spec::default().weights("w").covariates("~ x1");
    [
        Spec::default(),
        Spec { control_group: ControlGroup::NotYetTreated, ..weighted.clone() },
        Spec { base_period: BasePeriod::Universal, anticipation: 1, ..weighted },
        Spec { unit: None, repeated_cross_sections: true, ..Spec::default().weights("wt") },
        Spec::default().cluster("cl"),
    ]
    .map(keeping)
    .into()
}

/// Sums of a column by cluster, or the column.
fn by_cluster(column: &[f64], clusters: Option<&[f64]>) -> Vec<f64> {
    let Some(clusters) = clusters else { return column.to_vec() };
    let mut sums = BTreeMap::new();
    for (value, cluster) in column.iter().zip(clusters) {
        *sums.entry(*cluster as i64).or_insert(0.0) += value;
    }
    sums.into_values().collect()
}

#[test]
fn their_products_are_the_covariances() {
    let frame = panel();
    for (at, spec) in specs().into_iter().enumerate() {
        let fit = spec.fit(&frame);
        // Six rows a unit, in the order of units.
        let all = floats(&frame, "cl");
        let clusters: Vec<f64> = all.iter().step_by(6).copied().collect();
        let clusters = spec.cluster.as_ref().map(|_| clusters.as_slice());
        for kind in KINDS {
            let averages = fit.aggregate(kind()).unwrap();
            let Aggregated { overall, rows, vcov, influence, .. } = &averages;
            let influence = influence.as_ref().expect("influence values");
            let names = rows.iter().map(|row| row.at.to_string());
            let names: Vec<String> = std::iter::once("overall".to_owned()).chain(names).collect();
            assert_eq!(influence.names, names);
            assert_eq!(influence.units, fit.influence.as_ref().unwrap().units);
            let n = influence.units.len() as f64;
            let sums: Vec<Vec<f64>> =
                influence.columns.iter().map(|column| by_cluster(column, clusters)).collect();
            let product = |a: usize, b: usize| {
                sums[a].iter().zip(&sums[b]).map(|(a, b)| a * b).sum::<f64>() / (n * n)
            };
            let se = overall.se.unwrap();
            let near = |got: f64, want: f64, unit: f64| (got - want).abs() <= 1e-10 * unit;
            assert!(near(product(0, 0), se * se, se * se), "{at}: {kind:?}");
            for (a, row) in vcov.iter().enumerate() {
                for (b, want) in row.iter().enumerate() {
                    let unit = (vcov[a][a] * vcov[b][b]).sqrt();
                    assert!(near(product(a + 1, b + 1), *want, unit), "{at}: {a} and {b}");
                }
            }
        }
    }
}

#[test]
fn they_are_derivatives_in_the_log_weights() {
    const STEP: f64 = 1e-4;
    let frame = panel();
    let spec = keeping(Spec::default().weights("w").covariates("~ x1"));
    let fit = spec.fit(&frame);
    let (ids, weights) = (floats(&frame, "id"), floats(&frame, "w"));
    for kind in KINDS {
        let averages = fit.aggregate(kind()).unwrap();
        let influence = averages.influence.unwrap();
        let n = influence.units.len() as f64;
        for (at, unit) in influence.units.iter().enumerate().step_by(29) {
            let unit: f64 = unit.parse().unwrap();
            let moved = |factor: f64| {
                let moved = |(id, w): (&f64, &f64)| if *id == unit { w * factor } else { *w };
                let moved: Vec<f64> = ids.iter().zip(&weights).map(moved).collect();
                let averages = spec.fit(&with(&frame, "w", moved)).aggregate(kind()).unwrap();
                let rows = averages.rows.iter().map(|row| row.estimate.estimate);
                std::iter::once(averages.overall.estimate).chain(rows).collect::<Vec<_>>()
            };
            let pairs = moved(1.0 + STEP).into_iter().zip(moved(1.0 - STEP));
            for ((up, down), column) in pairs.zip(&influence.columns) {
                let derivative = (up.unwrap() - down.unwrap()) / (2.0 * STEP);
                let largest = column.iter().fold(0.0f64, |m, v| m.max(v.abs())) / n;
                let value = column[at] / n;
                assert!((value - derivative).abs() <= 1e-5 * largest, "{value} {derivative}");
            }
        }
    }
}

#[test]
fn a_fit_that_does_not_keep_its_own_has_none() {
    let fit = Spec::default().fit(&panel());
    assert!(fit.influence_of_shares.is_none());
    assert!(fit.aggregate(Aggregation::group()).unwrap().influence.is_none());
}
