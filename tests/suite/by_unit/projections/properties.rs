//! What does not change the numbers, and influence values.

use burn_did::projections::{ProjectionBase, ProjectionMethod};
use burn_did::{Data, Estimate, LocalProjections};
use polars::prelude::*;

use super::{numbers, projections};
use crate::by_unit::{are_derivatives, near, random};
use crate::support::but;
use crate::support::frames::{floats, map, permutation, rows, with};

fn configurations() -> Vec<LocalProjections> {
    let plain = projections(2, 2);
    let covariates = |c: &mut LocalProjections| {
        c.covariates = vec!["x".into(), "z".into()];
        c.weights = Some("w".into());
    };
    let of = |method: ProjectionMethod| but(plain.clone(), |c| c.method = method);
    vec![
        plain.clone(),
        but(of(ProjectionMethod::Reweighted), covariates),
        but(of(ProjectionMethod::Adjusted), covariates),
        but(plain.clone(), |c| {
            covariates(c);
            c.outcome_lags = 1;
            c.base = ProjectionBase::Mean(2);
        }),
        but(plain.clone(), |c| {
            (c.group, c.treatment, c.stable_periods) = (None, Some("s".into()), Some(1));
        }),
    ]
}

#[track_caller]
fn same(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).for_each(|(a, b)| near(*a, *b, tolerance));
}

#[test]
fn neither_order_nor_threads_nor_pieces_change_a_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("panel.parquet");
    for seed in 1..=3 {
        let df = random(seed);
        let file = std::fs::File::create(&path).unwrap();
        let writer = ParquetWriter::new(file).with_row_group_size(Some(11));
        writer.finish(&mut df.clone()).unwrap();
        for config in configurations() {
            let whole = numbers(&config.fit(&df).unwrap());
            let mixed = rows(&df, &permutation(df.height(), seed));
            assert_eq!(numbers(&config.fit(&mixed).unwrap()), whole);
            let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            assert_eq!(one.install(|| numbers(&config.fit(&df).unwrap())), whole);
            let config = but(config, |c| c.memory_budget = Some(64));
            let pieces = numbers(&config.fit(Data::in_pieces(&path)).unwrap());
            same(&pieces, &whole, 1e-10);
        }
    }
}

#[test]
fn tiles_of_many_units_do_not_depend_on_threads_or_order() {
    let df = random(2);
    let copies: Vec<DataFrame> =
        (0..400).map(|i| map(&df, "id", |id| id + 100.0 * f64::from(i))).collect();
    let mut many = copies[0].clone();
    for copy in &copies[1..] {
        many = many.vstack(copy).unwrap();
    }
    many.rechunk_mut();
    let y: Vec<f64> =
        floats(&many, "y").iter().zip(0..).map(|(y, i)| y + f64::from(i).sin()).collect();
    let many = with(&many, "y", y);
    let config = &configurations()[1];
    let whole = numbers(&config.fit(&many).unwrap());
    let mixed = rows(&many, &permutation(many.height(), 4));
    assert_eq!(numbers(&config.fit(&mixed).unwrap()), whole);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("panel.parquet");
    let writer = ParquetWriter::new(std::fs::File::create(&path).unwrap());
    writer.with_row_group_size(Some(50_001)).finish(&mut many.clone()).unwrap();
    let config = but(config.clone(), |c| c.memory_budget = Some(1 << 20));
    same(&numbers(&config.fit(Data::in_pieces(&path)).unwrap()), &whole, 1e-10);
}

#[test]
fn scales_origins_and_the_scale_of_weights_do_what_they_should() {
    let df = random(4);
    for config in configurations() {
        let plain = numbers(&config.fit(&df).unwrap());
        let moved = numbers(&config.fit(map(&df, "y", |y| 4.0 * y + 1024.0)).unwrap());
        let effects = plain.len() - config.fit(&df).unwrap().vcov.len().pow(2);
        for (i, (a, b)) in plain.iter().zip(&moved).enumerate() {
            near(a * if i < effects { 4.0 } else { 16.0 }, *b, 1e-8);
        }
        let covariate = map(&df, "x", |x| 1e6 - 1e3 * x);
        same(&numbers(&config.fit(covariate).unwrap()), &plain, 1e-7);
        let weights = map(&df, "w", |w| 1e-7 * w);
        same(&numbers(&config.fit(weights).unwrap()), &plain, 1e-9);
    }
}

#[test]
fn a_weight_of_two_is_two_units_of_a_cluster_and_none_is_no_row() {
    let df = random(5);
    let pair = with(&df, "pair", floats(&df, "id"));
    let ids = floats(&pair, "id");
    let weights: Vec<f64> = ids.iter().map(|id| 1.0 + id % 2.0).collect();
    let odd: Vec<usize> = (0..ids.len()).filter(|i| ids[*i] % 2.0 == 1.0).collect();
    let copies = map(&rows(&pair, &odd), "id", |id| id + 1000.0);
    let twice = pair.vstack(&copies).unwrap();
    for config in configurations() {
        let clustered = but(config, |c| c.cluster = Some("pair".into()));
        let expected = but(clustered.clone(), |c| c.weights = None).fit(&twice).unwrap();
        let weighted = but(clustered.clone(), |c| c.weights = Some("w2".into()));
        let fit = weighted.fit(with(&pair, "w2", weights.clone())).unwrap();
        for (a, b) in fit.effects.iter().zip(&expected.effects) {
            let (a, b) = (a.estimate.estimate, b.estimate.estimate);
            assert_eq!(a.is_some(), b.is_some());
            near(a.unwrap_or(0.0), b.unwrap_or(0.0), 1e-9);
        }
        // Rows without a weight are left out.
        let none: Vec<f64> = ids.iter().map(|id| f64::from(u8::from(id % 3.0 > 0.0))).collect();
        let kept: Vec<usize> = (0..ids.len()).filter(|i| none[*i] > 0.0).collect();
        let fit = weighted.fit(with(&pair, "w2", none)).unwrap();
        let alone = but(clustered, |c| c.weights = None).fit(rows(&pair, &kept)).unwrap();
        same(&numbers(&fit), &numbers(&alone), 1e-9);
        assert_eq!(fit.sample.rows_without_weight, ids.len() - kept.len());
    }
}

/// Influence values are the derivatives of the estimates in the log weights of units, but for reweighted regressions, which take their
/// weights as given.
#[test]
fn influence_values_are_derivatives() {
    const STEP: f64 = 1e-4;
    let mut compared = 0;
    for seed in 1..=3 {
        let df = with(&random(seed), "one", vec![1.0; random(seed).height()]);
        let derived = |config: &LocalProjections| config.method != ProjectionMethod::Reweighted;
        for config in configurations().into_iter().filter(derived) {
            let weights = config.weights.clone().unwrap_or_else(|| "one".into());
            let config = but(config, |c| {
                c.weights = Some(weights.clone());
                c.keep_influence = true;
            });
            let fit = config.fit(&df).unwrap();
            let influence = fit.influence.as_ref().unwrap();
            let n = influence.units.len() as f64;
            let (ids, old) = (floats(&df, "id"), floats(&df, &weights));
            let all = |fit: &burn_did::LocalProjectionsResult| -> Vec<Estimate> {
                let own = fit.effects.iter().filter(|of| of.status.code() != "reference");
                let all = own.chain([&fit.pooled]).chain(&fit.pooled_before);
                all.map(|effect| effect.estimate).collect()
            };
            let mut pairs = vec![Vec::new(); influence.columns.len()];
            for (row, unit) in influence.units.iter().enumerate().step_by(4) {
                let unit: f64 = unit.parse().unwrap();
                let moved = |factor: f64| {
                    let pairs = ids.iter().zip(&old);
                    let new = pairs.map(|(id, w)| if *id == unit { w * factor } else { *w });
                    config.fit(with(&df, &weights, new.collect::<Vec<f64>>())).unwrap()
                };
                let (up, down) = (all(&moved(1.0 + STEP)), all(&moved(1.0 - STEP)));
                assert_eq!(up.len(), influence.columns.len());
                for (j, pairs) in pairs.iter_mut().enumerate() {
                    let derivative = (up[j].estimate.unwrap_or(0.0)
                        - down[j].estimate.unwrap_or(0.0))
                        / (2.0 * STEP);
                    pairs.push((influence.columns[j][row] / n, derivative));
                }
            }
            for (j, estimate) in all(&fit).iter().enumerate() {
                let Some(se) = estimate.se else { continue };
                are_derivatives(&influence.names[j], &pairs[j]);
                let squares: f64 = influence.columns[j].iter().map(|v| v * v).sum();
                near(squares.sqrt() / n, se, 1e-10);
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared}");
}
