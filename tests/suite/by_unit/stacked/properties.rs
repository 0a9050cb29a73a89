//! What does not change the numbers, and influence values.

use burn_did::stacks::{StackEffects, StackWeights};
use burn_did::{Data, Estimate, Stacked, StackedResult};
use polars::prelude::*;

use super::{at, numbers, stacked};
use crate::by_unit::{are_derivatives, near, random, textbook};
use crate::support::but;
use crate::support::frames::{floats, map, permutation, rows, with};

fn configurations() -> Vec<Stacked> {
    let plain = stacked(2, 1);
    let covariates = |c: &mut Stacked| {
        c.covariates = vec!["x".into(), "z".into()];
        c.weights = Some("w".into());
    };
    vec![
        plain.clone(),
        but(plain.clone(), covariates),
        but(but(plain.clone(), covariates), |c| c.effects = StackEffects::SubExperiment),
        but(but(plain, covariates), |c| c.stack_weights = StackWeights::Unweighted),
    ]
}

#[track_caller]
fn same(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).for_each(|(a, b)| near(*a, *b, tolerance));
}

/// Seeds of designs that have a sub-experiment.
const SEEDS: [u64; 3] = [1, 4, 5];

#[test]
fn neither_order_nor_threads_nor_pieces_change_a_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("panel.parquet");
    for seed in SEEDS {
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
    let twice = pair.vstack(&map(&rows(&pair, &odd), "id", |id| id + 1000.0)).unwrap();
    for config in configurations() {
        let clustered = but(config, |c| c.cluster = Some("pair".into()));
        let expected = but(clustered.clone(), |c| c.weights = None).fit(&twice).unwrap();
        let weighted = but(clustered.clone(), |c| c.weights = Some("w2".into()));
        let fit = weighted.fit(with(&pair, "w2", weights.clone())).unwrap();
        for (a, b) in fit.effects.iter().zip(&expected.effects) {
            near(a.estimate.estimate.unwrap(), b.estimate.estimate.unwrap(), 1e-9);
        }
        let none: Vec<f64> = ids.iter().map(|id| f64::from(u8::from(id % 3.0 > 0.0))).collect();
        let kept: Vec<usize> = (0..ids.len()).filter(|i| none[*i] > 0.0).collect();
        let fit = weighted.fit(with(&pair, "w2", none)).unwrap();
        let alone = but(clustered, |c| c.weights = None).fit(rows(&pair, &kept)).unwrap();
        same(&numbers(&fit), &numbers(&alone), 1e-9);
    }
}

/// Without corrective weights, which regressions take as given, influence values are the derivatives of the estimates in the log weights.
#[test]
fn influence_values_are_derivatives() {
    const STEP: f64 = 1e-4;
    let mut compared = 0;
    for seed in SEEDS {
        let df = random(seed);
        for effects in [StackEffects::Pooled, StackEffects::SubExperiment] {
            let config = but(stacked(2, 1), |c| {
                c.covariates = vec!["x".into(), "z".into()];
                c.weights = Some("w".into());
                c.stack_weights = StackWeights::Unweighted;
                c.effects = effects;
                c.keep_influence = true;
            });
            let fit = config.fit(&df).unwrap();
            let influence = fit.influence.as_ref().unwrap();
            let n = influence.units.len() as f64;
            let (ids, old) = (floats(&df, "id"), floats(&df, "w"));
            let all = |fit: &StackedResult| -> Vec<[f64; 2]> {
                let own = fit.effects.iter().filter(|of| of.event_time != -1);
                let both = |e: &Estimate| [e.estimate, e.se].map(Option::unwrap);
                own.map(|effect| both(&effect.estimate)).collect()
            };
            let mut pairs = vec![Vec::new(); influence.columns.len()];
            for (row, unit) in influence.units.iter().enumerate().step_by(4) {
                let unit: f64 = unit.parse().unwrap();
                let moved = |factor: f64| {
                    let pairs = ids.iter().zip(&old);
                    let new = pairs.map(|(id, w)| if *id == unit { w * factor } else { *w });
                    all(&config.fit(with(&df, "w", new.collect::<Vec<f64>>())).unwrap())
                };
                let (up, down) = (moved(1.0 + STEP), moved(1.0 - STEP));
                for (j, pairs) in pairs.iter_mut().enumerate() {
                    let derivative = (up[j][0] - down[j][0]) / (2.0 * STEP);
                    pairs.push((influence.columns[j][row] / n, derivative));
                }
            }
            for (j, [_, se]) in all(&fit).into_iter().enumerate() {
                are_derivatives(&influence.names[j], &pairs[j]);
                let squares: f64 = influence.columns[j].iter().map(|v| v * v).sum();
                near(squares.sqrt() / n, se, 1e-10);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 18);
}

/// Event times whose rows do not have a weight do not change with it, however large it is.
#[test]
fn a_large_weight_changes_its_own_event_time_alone() {
    let df = textbook();
    let columns = ["g", "t"].map(|name| floats(&df, name));
    let heavy = (0..df.height()).find(|row| (columns[0][*row], columns[1][*row]) == (3.0, 4.0));
    let config = but(stacked(2, 1), |c| c.weights = Some("w".into()));
    let fit = |size: f64, effects: StackEffects| {
        let mut w = floats(&df, "w");
        w[heavy.unwrap()] = size;
        but(config.clone(), |c| c.effects = effects).fit(with(&df, "w", w)).unwrap()
    };
    let effect = |fit: &StackedResult, event_time: i64| {
        let (estimate, se) = at(fit, event_time);
        [estimate.unwrap(), se.unwrap()]
    };
    let plain = fit(1.0, StackEffects::Pooled);
    let limit = fit(1e6, StackEffects::Pooled);
    let own = fit(1e8, StackEffects::SubExperiment);
    for size in [1e3, 1e9, 1e10, 1e12, 1e14] {
        let pooled = fit(size, StackEffects::Pooled);
        for event_time in [-2, 0] {
            for (a, b) in effect(&pooled, event_time).iter().zip(effect(&plain, event_time)) {
                near(*a, b, 1e-9);
            }
        }
        if size > 1e6 {
            near(effect(&pooled, 1)[0], effect(&limit, 1)[0], 1e-4);
            near(pooled.overall.estimate.unwrap(), limit.overall.estimate.unwrap(), 1e-4);
            let by_sub = fit(size, StackEffects::SubExperiment);
            for event_time in [-2, 0, 1] {
                near(effect(&by_sub, event_time)[0], effect(&own, event_time)[0], 1e-4);
            }
        }
    }
}
