//! Regressors of few values, and of one that many observations have: what the data do not determine has no estimate.

use burn_did::sieve::{NpivRow, SieveBasis, SieveGrid, SieveKnots};
use burn_did::{DidWarning, Npiv, NpivResult};
use polars::prelude::*;

use crate::support::but;
use crate::support::frames::map;
use crate::support::splitmix::SplitMix64;

/// 400 observations of a regressor of 12 values.
fn twelve_values() -> DataFrame {
    let mut random = SplitMix64(3);
    let x: Vec<f64> = (0..400).map(|_| (12.0 * random.uniform()).floor() / 11.0).collect();
    let y: Vec<f64> = x.iter().map(|x| (3.0 * x).sin() + 0.5 * random.bell()).collect();
    df!("x" => x, "y" => y).unwrap()
}

fn config() -> Npiv {
    let points = [0.0, 3.0 / 11.0, 0.5, 1.0].map(|x| vec![x]);
    let config = Npiv::builder().outcome("y").regressors(["x"]);
    config.grid(SieveGrid::Points(points.into())).build()
}

fn is_collinear(fit: &NpivResult) -> bool {
    fit.warnings.iter().any(|w| matches!(w, DidWarning::CollinearSieve { .. }))
}

#[track_caller]
fn near(a: Option<f64>, b: Option<f64>, shift: f64) {
    match (a, b) {
        (Some(a), Some(b)) => assert!((b - a - shift).abs() < 1e-8, "{a}, {b}, {shift}"),
        (a, b) => assert_eq!(a, b),
    }
}

/// A constant added to the outcome moves the curve by it and nothing else, and dimensions have at most as many functions as there are
/// values.
#[test]
fn curves_of_few_values_move_with_the_outcome() {
    let df = twelve_values();
    for knots in [SieveKnots::Uniform, SieveKnots::Quantiles] {
        for damping in [true, false] {
            let config = but(config(), |c| (c.knots, c.damping) = (knots, damping));
            let (one, other) =
                (config.fit(&df).unwrap(), config.fit(map(&df, "y", |y| y + 100.0)).unwrap());
            assert_eq!(one.x_segments, other.x_segments, "{knots}, {damping}");
            for (a, b) in one.rows.iter().zip(&other.rows) {
                near(a.h.estimate, b.h.estimate, 100.0);
                near(a.h.se, b.h.se, 0.0);
                near(a.derivative.estimate, b.derivative.estimate, 0.0);
                near(a.derivative.se, b.derivative.se, 0.0);
            }
            let compared = &one.choice.as_ref().unwrap().compared;
            if damping {
                assert!(compared.iter().all(|(x, _)| x + 3 <= 12), "{knots}: {compared:?}");
                assert!(one.coefficients.len() <= 12 && !is_collinear(&one));
                assert!(one.rows.iter().all(|r| r.h.se.is_some() && r.derivative.se.is_some()));
                let error = (one.rows[2].h.estimate.unwrap() - 1.5f64.sin()).abs();
                assert!(error < 0.2, "{knots}: {error}");
            }
        }
    }
}

/// 35 functions of 12 values: the curve is determined at these, its slope nowhere.
#[test]
fn what_is_not_determined_has_no_estimate_and_a_reason() {
    let df = twelve_values();
    let config = but(config(), |c| c.x_segments = Some(32));
    let fit = config.fit(&df).unwrap();
    assert!(is_collinear(&fit), "{:?}", fit.warnings);
    let has = |of: fn(&NpivRow) -> Option<f64>| -> Vec<bool> {
        fit.rows.iter().map(|row| of(row).is_some()).collect()
    };
    let observed = [true, true, false, true];
    assert_eq!(has(|row| row.h.estimate), observed);
    assert_eq!(has(|row| row.h.se), observed);
    assert_eq!(
        (has(|row| row.h.band_upper), has(|row| row.derivative.se)),
        (observed.into(), vec![false; 4])
    );
    assert_eq!(has(|row| row.derivative.estimate), [false; 4]);
    // At a value of the regressor it is the mean of the outcomes there.
    let (x, y) = (df.column("x").unwrap().f64().unwrap(), df.column("y").unwrap().f64().unwrap());
    let there: Vec<f64> =
        x.iter().zip(y.iter()).filter(|(x, _)| *x == Some(1.0)).filter_map(|(_, y)| y).collect();
    let mean = there.iter().sum::<f64>() / there.len() as f64;
    near(fit.rows[3].h.estimate, Some(mean), 0.0);
    let frame = fit.to_dataframe().unwrap();
    let status = frame.column("status").unwrap().str().unwrap();
    let expected = ["ok", "ok", "not_determined", "ok"];
    assert!(status.iter().take(4).eq(expected.map(Some)), "{status:?}");
    let reason = frame.column("reason").unwrap().str().unwrap();
    assert!(reason.get(2).is_some_and(|why| why.contains("do not determine")), "{reason:?}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    fit.save(&path).unwrap();
    assert_eq!(NpivResult::load(&path).unwrap(), fit);
    assert!(fit.to_string().contains("12 of the 35 functions"), "{fit}");
}

/// Half the observations have one value: quantiles that coincide there are one knot.
#[test]
fn quantiles_that_coincide_are_one_knot() {
    let mut random = SplitMix64(5);
    let x: Vec<f64> = (0..600)
        .map(|_| if random.uniform() < 0.5 { 1.0 } else { 2.0 * random.uniform() })
        .collect();
    let y: Vec<f64> = x.iter().map(|x| (4.0 * x).sin() + 0.5 * random.bell()).collect();
    let df = df!("x" => x, "y" => y).unwrap();
    let points = [0.999, 1.0, 1.001].map(|x| vec![x]);
    let config = but(config(), |c| {
        c.knots = SieveKnots::Quantiles;
        c.grid = SieveGrid::Points(points.into());
        c.x_segments = Some(16);
    });
    let fit = config.fit(&df).unwrap();
    let knots = &fit.breakpoints[0];
    assert!(knots.windows(2).all(|pair| pair[1] - pair[0] > 1e-4), "{knots:?}");
    let distinct = knots.len() - 1;
    assert!((6..=11).contains(&distinct) && fit.coefficients.len() == distinct + 3);
    let said = DidWarning::CoincidentKnots { column: "x".into(), segments: 16, distinct };
    assert!(fit.warnings.contains(&said), "{:?}", fit.warnings);
    // The curve does not jump at the value.
    for row in &fit.rows {
        let (h, slope) = (row.h.estimate.unwrap(), row.derivative.estimate.unwrap());
        assert!((h - 4.0f64.sin()).abs() < 0.15 && slope.abs() < 15.0, "{row:?}");
    }
    let chosen = but(config, |c| c.x_segments = None).fit(&df).unwrap();
    let compared = chosen.choice.as_ref().unwrap().compared.len();
    assert!(compared > 3 && !is_collinear(&chosen), "{compared}");
}

/// A variable of zeros and ones beside another leaves the choice of that one's segments to the data: the curves are those of each half.
#[test]
fn zeros_and_ones_do_not_end_the_comparison_of_dimensions() {
    let mut random = SplitMix64(7);
    let x: Vec<f64> = (0..800).map(|_| random.uniform()).collect();
    let z: Vec<f64> = (0..800).map(|_| (2.0 * random.uniform()).floor()).collect();
    let both = x.iter().zip(&z);
    let y: Vec<f64> = both.map(|(x, z)| (12.0 * x).sin() + z + 0.4 * random.bell()).collect();
    let df = df!("x" => x, "z" => z, "y" => y).unwrap();
    let points = [[0.3, 0.0], [0.3, 1.0], [0.3, 0.5], [0.7, 1.0]].map(Vec::from);
    let config = but(config(), |c| {
        c.regressors = vec!["x".into(), "z".into()];
        c.basis = SieveBasis::Additive;
        c.grid = SieveGrid::Points(points.clone().into());
    });
    let fit = config.fit(&df).unwrap();
    assert!(fit.choice.as_ref().unwrap().compared.len() > 2 && fit.x_segments > 1, "{fit}");
    for (row, point) in fit.rows.iter().zip(&points) {
        let Some(h) = row.h.estimate else {
            assert_eq!(point[1], 0.5);
            continue;
        };
        assert!((h - (12.0 * point[0]).sin() - point[1]).abs() < 0.2, "{row:?}");
        assert!(row.derivative.se.is_some());
    }
    let other = config.fit(map(&df, "y", |y| y - 50.0)).unwrap();
    assert_eq!(other.x_segments, fit.x_segments);
    near(fit.rows[1].h.estimate, other.rows[1].h.estimate, -50.0);
}
