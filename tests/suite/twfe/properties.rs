//! What does not change the numbers, and numbers that are known.

use burn_did::twfe::{ComparisonKind, TwfeCells, TwfeRegression};
use burn_did::{BaconResult, Data, TwfeWeightsResult};
use polars::prelude::*;

use super::{bacon, near, random, weights};
use crate::support::frames::{floats, map, rows, with};

/// Numbers of a decomposition.
fn decomposed(fit: &BaconResult) -> Vec<f64> {
    let own = [fit.coefficient.estimate, fit.coefficient.se].map(Option::unwrap);
    let of = fit.comparisons.iter().flat_map(|of| [of.estimate, of.weight]);
    own.into_iter().chain(of).collect()
}

/// Numbers of weights.
fn weighed(fit: &TwfeWeightsResult) -> Vec<f64> {
    let deviations = [fit.sd_zero_average, fit.sd_opposite_sign].map(|sd| sd.unwrap_or(0.0));
    let of = fit.rows.iter().flat_map(|row| [row.weight, row.share]);
    [fit.coefficient].into_iter().chain(deviations).chain(of).collect()
}

#[track_caller]
fn same(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).for_each(|(a, b)| near(*a, *b, tolerance));
}

/// The rows in another order.
fn shuffled(df: &DataFrame) -> DataFrame {
    let n = df.height();
    let order: Vec<usize> = (0..n).rev().map(|row| row / 2 + (row % 2) * n.div_ceil(2)).collect();
    rows(df, &order)
}

/// However far apart units are, and if controls tell nothing of pairs in which no treatment changes.
#[test]
fn with_controls_levels_of_units_change_nothing() {
    let mut pairs = 0;
    for seed in 1..=12 {
        let df = random(seed).frame();
        let mut config = bacon();
        config.covariates = vec!["x".into()];
        let Ok(fit) = config.fit(&df) else { continue };
        let y: Vec<f64> =
            floats(&df, "y").iter().zip(floats(&df, "id")).map(|(y, id)| y + 1e7 * id).collect();
        let far = config.fit(with(&df, "y", y)).unwrap();
        same(&decomposed(&far)[..2], &decomposed(&fit)[..2], 1e-5);
        let is_apart = |fit: &BaconResult| {
            fit.comparisons.iter().any(|of| of.kind == ComparisonKind::AlwaysVsNever)
        };
        pairs += usize::from(is_apart(&fit));
        // A control that does not vary within units drops out.
        let steady: Vec<f64> = floats(&df, "id").iter().map(|id| id.sin()).collect();
        config.covariates = vec!["s".into()];
        let fit = config.fit(with(&df, "s", steady)).unwrap();
        assert!(!is_apart(&fit) && fit.comparisons.iter().all(|of| of.estimate.abs() < 100.0));
    }
    assert!(pairs > 0);
}

#[test]
fn order_labels_and_pieces_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("panel.parquet");
    for seed in 1..=4 {
        let df = random(seed).frame();
        let unbalanced = random(seed).unbalanced();
        let relabelled = map(&df, "id", |id| 1000.0 - 7.0 * id);
        let file = std::fs::File::create(&path).unwrap();
        let mut grouped = relabelled.clone();
        ParquetWriter::new(file).with_row_group_size(Some(7)).finish(&mut grouped).unwrap();
        let mut config = bacon();
        config.cluster = Some("cl".into());
        let whole = decomposed(&config.fit(&df).unwrap());
        same(&decomposed(&config.fit(shuffled(&df)).unwrap()), &whole, 1e-13);
        same(&decomposed(&config.fit(relabelled).unwrap()), &whole, 1e-13);
        config.memory_budget = Some(64);
        same(&decomposed(&config.fit(Data::in_pieces(&path)).unwrap()), &whole, 1e-13);

        let mut file = std::fs::File::create(&path).unwrap();
        let writer = ParquetWriter::new(&mut file).with_row_group_size(Some(5));
        writer.finish(&mut unbalanced.clone()).unwrap();
        for regression in [TwfeRegression::FeTr, TwfeRegression::FdTr] {
            for cells in [TwfeCells::Cohort, TwfeCells::Unit] {
                let mut config = weights();
                (config.regression, config.cells) = (regression, cells);
                config.weights = Some("w".into());
                config.covariates = vec!["x".into()];
                let whole = weighed(&config.fit(&unbalanced).unwrap());
                same(&weighed(&config.fit(shuffled(&unbalanced)).unwrap()), &whole, 1e-9);
                config.memory_budget = Some(64);
                let pieces = config.fit(Data::in_pieces(&path)).unwrap();
                same(&weighed(&pieces), &whole, 1e-9);
            }
        }
    }
}

#[test]
fn levels_and_scales_of_the_outcome_do_what_they_should() {
    let df = random(6).frame();
    let moved = map(&df, "y", |y| 3.0 * y + 1e6);
    let (before, after) = (bacon().fit(&df).unwrap(), bacon().fit(&moved).unwrap());
    for (a, b) in before.comparisons.iter().zip(&after.comparisons) {
        near(3.0 * a.estimate, b.estimate, 1e-8);
        near(a.weight, b.weight, 1e-14);
    }
    near(3.0 * before.coefficient.se.unwrap(), after.coefficient.se.unwrap(), 1e-8);
    for cells in [TwfeCells::Cohort, TwfeCells::Unit] {
        let mut config = weights();
        config.cells = cells;
        let (before, after) = (config.fit(&df).unwrap(), config.fit(&moved).unwrap());
        near(3.0 * before.coefficient, after.coefficient, 1e-7);
        assert_eq!(before.rows, after.rows);
    }
}

#[test]
fn a_weight_of_two_is_two_rows() {
    let df = random(7).frame();
    let two = with(&df, "w", floats(&df, "id").iter().map(|id| 1.0 + id % 2.0).collect::<Vec<_>>());
    let odd: Vec<usize> = (0..df.height()).filter(|i| floats(&df, "id")[*i] % 2.0 == 1.0).collect();
    let copies = map(&rows(&df, &odd), "id", |id| id + 1000.0);
    let twice = df.vstack(&copies).unwrap();
    let mut config = weights();
    let unweighted = weighed(&config.fit(&twice).unwrap());
    config.weights = Some("w".into());
    same(&weighed(&config.fit(&two).unwrap()), &unweighted, 1e-10);
}

#[test]
fn groups_between_periods_or_after_the_last_are_those_of_the_next() {
    let df = random(8).frame();
    let last = floats(&df, "t").into_iter().fold(0.0, f64::max);
    let other = map(&df, "g", |g| if g == 0.0 { last + 3.0 } else { g - 0.5 });
    let (a, b) = (bacon().fit(&df).unwrap(), bacon().fit(&other).unwrap());
    assert_eq!(a.comparisons, b.comparisons);
    assert_eq!(a.coefficient, b.coefficient);
}

/// A balanced panel of six periods with 30 units that are never treated and 15 in each of the cohorts 3 to 6.
fn textbook() -> DataFrame {
    let group = |u: i64| if u < 30 { 0 } else { 3 + (u - 30) / 15 };
    let cells: Vec<(i64, i64)> = (0..90).flat_map(|u| (1..=6).map(move |t| (u, t))).collect();
    let column = |of: &dyn Fn(i64, i64) -> f64| -> Vec<f64> {
        cells.iter().map(|(u, t)| of(*u, *t)).collect()
    };
    df!(
        "id" => column(&|u, _| u as f64),
        "t" => column(&|_, t| t as f64),
        "g" => column(&|u, _| group(u) as f64),
        "y" => column(&|u, t| ((13 * u + 7 * t * t) % 11) as f64),
    )
    .unwrap()
}

#[test]
fn weights_of_a_textbook_design_are_fractions() {
    let fit = bacon().fit(textbook()).unwrap();
    let expected = [
        (3.0, [Some(4.0), Some(5.0), Some(6.0), None], [0.02, 0.04, 0.06, 0.16]),
        (4.0, [Some(3.0), Some(5.0), Some(6.0), None], [0.03, 0.03, 0.06, 0.18]),
        (5.0, [Some(3.0), Some(4.0), Some(6.0), None], [0.04, 0.02, 0.04, 0.16]),
        (6.0, [Some(3.0), Some(4.0), Some(5.0), None], [0.03, 0.02, 0.01, 0.1]),
    ];
    let expected = expected.iter().flat_map(|(treated, controls, weights)| {
        controls.iter().zip(weights).map(move |(control, weight)| (*treated, *control, *weight))
    });
    for (of, (treated, control, weight)) in fit.comparisons.iter().zip(expected) {
        assert_eq!((of.treated, of.control), (treated, control));
        near(of.weight, weight, 1e-14);
    }
    let kinds: Vec<ComparisonKind> = fit.sums.iter().map(|of| of.kind).collect();
    assert_eq!(
        kinds,
        [
            ComparisonKind::TreatedVsNever,
            ComparisonKind::EarlierVsLater,
            ComparisonKind::LaterVsEarlier
        ]
    );
    near(fit.sums[0].weight, 0.6, 1e-14);

    let fit = weights().fit(textbook()).unwrap();
    let own: Vec<f64> = fit.rows.iter().map(|row| row.weight).collect();
    same(&own, &[0.16, 0.1, 0.04, -0.02, 0.16, 0.1, 0.04, 0.16, 0.1, 0.16], 1e-14);
    assert_eq!((fit.n_positive, fit.n_negative), (9, 1));
    near(fit.sum_negative, -0.02, 1e-14);
    // All shares are 0.1, so that weights over shares are ten times the weights: their deviation is 0.6.
    near(
        fit.sd_zero_average.unwrap(),
        fit.coefficient.abs() / (0.6 * (10.0f64 / 9.0).sqrt()),
        1e-12,
    );
    // P = 0.1, S = -0.02, T = 0.004 of the one negative weight.
    near(fit.sd_opposite_sign.unwrap(), fit.coefficient.abs() * 15.0, 1e-12);

    // Under effects that are stable in time a cohort has the sum of its weights.
    let mut config = weights();
    config.regression = TwfeRegression::FeS;
    let own: Vec<f64> = config.fit(textbook()).unwrap().rows.iter().map(|row| row.weight).collect();
    same(&own, &[0.28, 0.3, 0.26, 0.16], 1e-14);
}

/// Numbers to the last bit.
fn bits(numbers: Vec<f64>) -> Vec<u64> {
    numbers.into_iter().map(f64::to_bits).collect()
}

/// Sums by group and period are exact, so that pieces of any size, the order of rows, and labels change no bit.
#[test]
fn pieces_of_any_size_change_no_bit() {
    let folder = tempfile::tempdir().unwrap();
    let write = |df: &DataFrame, rows: usize| {
        let path = folder.path().join(format!("{rows}.parquet"));
        let file = std::fs::File::create(&path).unwrap();
        let writer = ParquetWriter::new(file).with_row_group_size(Some(rows));
        writer.finish(&mut df.clone()).unwrap();
        path
    };
    for seed in 1..=4 {
        // Shifted so that the first values of a piece are no median of all, and far from 0.
        let df = map(&random(seed).frame(), "y", |y| 1e5 + y.powi(3));
        let unbalanced = map(&random(seed).unbalanced(), "y", |y| 1e5 + y.powi(3));
        let mut decomposition = bacon();
        let mut regressions = Vec::new();
        for regression in [TwfeRegression::FeTr, TwfeRegression::FeS, TwfeRegression::FdTr] {
            let mut config = weights();
            config.regression = regression;
            config.weights = Some("w".into());
            config.covariates = vec!["x".into()];
            regressions.push(config);
        }
        for cluster in [None, Some("cl".to_owned())] {
            decomposition.cluster = cluster;
            decomposition.memory_budget = None;
            let whole = bits(decomposed(&decomposition.fit(&df).unwrap()));
            assert_eq!(bits(decomposed(&decomposition.fit(shuffled(&df)).unwrap())), whole);
            for rows in [3, 7, 100_000] {
                let path = write(&df, rows);
                decomposition.memory_budget = Some(64);
                let pieces = decomposition.fit(Data::in_pieces(&path)).unwrap();
                assert_eq!(bits(decomposed(&pieces)), whole, "{rows} rows");
            }
        }
        for mut config in regressions {
            config.memory_budget = None;
            let whole = bits(weighed(&config.fit(&unbalanced).unwrap()));
            assert_eq!(bits(weighed(&config.fit(shuffled(&unbalanced)).unwrap())), whole);
            for rows in [3, 7, 100_000] {
                let path = write(&unbalanced, rows);
                config.memory_budget = Some(64);
                let pieces = config.fit(Data::in_pieces(&path)).unwrap();
                assert_eq!(bits(weighed(&pieces)), whole, "{rows} rows");
            }
        }
    }
}
