//! Covariances that are robust to heteroskedasticity, at the limits of double precision: rows in units that differ by many orders of
//! magnitude, and variances that are zero.

use burn_did::backend::Cpu;
use burn_did::{
    DidWarning, FixedEffects, RegressionResult,
    regression::{Family, Vcov},
};
use polars::prelude::*;

use super::properties::near;
use crate::support::splitmix::SplitMix64;

fn fit(data: &DataFrame, formula: &str, family: Family, vcov: Vcov) -> RegressionResult {
    let config = FixedEffects::<Cpu>::builder().formula(formula).family(family).vcov(vcov);
    config.build().fit(data).unwrap_or_else(|e| panic!("{formula}: {e}"))
}

fn se(fit: &RegressionResult, name: &str) -> Option<f64> {
    fit.coefficient(name).unwrap().se
}

fn has_no_variance(fit: &RegressionResult, name: &str) -> bool {
    let is_of = |w: &DidWarning| matches!(w, DidWarning::NoVariance { columns } if columns.contains(&name.to_owned()));
    fit.warnings.iter().any(is_of)
}

/// Outcomes of two groups, as in two currencies; the slope of the first is the coefficient of `x`.
fn two_units(unit: f64) -> DataFrame {
    let mut random = SplitMix64(5);
    let n = 200;
    let group: Vec<i64> = (0..n).map(|row| row % 2).collect();
    let x: Vec<f64> = group.iter().map(|_| random.bell()).collect();
    let y = |(x, group): (&f64, &i64)| {
        (1.0 + 0.3 * x + random.bell()) * if *group == 1 { unit } else { 1.0 }
    };
    let y: Vec<f64> = x.iter().zip(&group).map(y).collect();
    df!("y" => y, "x" => x, "g" => group, "row" => (0..n).collect::<Vec<i64>>()).unwrap()
}

#[test]
fn what_one_group_decides_does_not_depend_on_the_unit_of_another() {
    for vcov in [Vcov::Hetero, Vcov::Hc2, Vcov::Hc3, Vcov::cluster(["row"])] {
        for formula in ["y ~ x + i(g, x, ref = 0) | g", "y ~ x + i(g, x, ref = 0) + i(g, ref = 0)"]
        {
            let of = |unit: f64| {
                se(&fit(&two_units(unit), formula, Family::Gaussian, vcov.clone()), "x").unwrap()
            };
            let one = of(1.0);
            for unit in [1e-8, 1e5, 1e8, 1e9] {
                near(of(unit), one, 1e-6);
            }
        }
    }
}

#[test]
fn robust_standard_errors_are_those_of_clusters_of_one_row() {
    let data = two_units(30.0);
    for formula in ["y ~ x + i(g, x, ref = 0) | g", "y ~ x + i(g)"] {
        let of = |vcov| fit(&data, formula, Family::Gaussian, vcov);
        let [rows, clusters] = [Vcov::Hetero, Vcov::cluster(["row"])].map(of);
        for (a, b) in rows.vcov.concat().iter().zip(clusters.vcov.concat()) {
            near(*a, b, 1e-12);
        }
    }
}

/// Pairs of which one has a treated row, which its coefficient fits exactly.
fn pairs(seed: u64) -> DataFrame {
    let mut random = SplitMix64(seed);
    let mut of = |f: &dyn Fn(f64) -> f64| (0..24).map(|_| f(random.uniform())).collect::<Vec<_>>();
    let y = of(&|u| 5.0 + 2.0 * u);
    let count = of(&|u| 1.0 + (9.0 * u).floor());
    let share = of(&|u| 0.1 + 0.8 * u);
    let treated: Vec<f64> = (0..24).map(|row| f64::from(u8::from(row == 1))).collect();
    let unit: Vec<i64> = (0..24).map(|row| row / 2).collect();
    let half: Vec<i64> = (0..24).map(|row| row / 12).collect();
    df!("y" => y, "count" => count, "share" => share, "d" => treated, "unit" => unit, "half" => half)
        .unwrap()
}

#[test]
fn a_variance_of_zero_has_no_standard_error() {
    for seed in 0..40 {
        let data = pairs(seed);
        for (outcome, family) in [
            ("y", Family::Gaussian),
            ("count", Family::Poisson),
            ("share", Family::Logit),
            ("share", Family::Probit),
        ] {
            let formula = format!("{outcome} ~ d | unit");
            for vcov in [Vcov::Hetero, Vcov::cluster(["unit"]), Vcov::cluster(["half"])] {
                let fit = fit(&data, &formula, family, vcov.clone());
                assert_eq!(se(&fit, "d"), None, "{family}, {vcov:?}, {seed}");
                assert!(has_no_variance(&fit, "d"), "{family}, {vcov:?}, {seed}");
            }
            let iid = fit(&data, &formula, family, Vcov::Iid);
            assert!(se(&iid, "d").is_some() && !has_no_variance(&iid, "d"));
        }
    }
}

/// Four rows of two levels each, apart from the others.
#[test]
fn rows_that_several_factors_fit_have_no_variance_either() {
    for seed in 0..20 {
        let mut random = SplitMix64(seed);
        let cells = (0..48).filter(|_| random.uniform() < 0.8).map(|cell| (cell % 8, cell / 8));
        let cells: Vec<(i64, i64)> = cells.collect();
        let apart = [(100, 100), (100, 101), (101, 100), (101, 101)];
        let rows: Vec<(i64, i64)> = cells.into_iter().chain(apart).collect();
        let y: Vec<f64> = rows.iter().map(|_| 1.0 + (9.0 * random.uniform()).floor()).collect();
        let treated: Vec<f64> =
            rows.iter().map(|at| f64::from(u8::from(*at == (101, 101)))).collect();
        let [a, b]: [Vec<i64>; 2] =
            [rows.iter().map(|at| at.0).collect(), rows.iter().map(|at| at.1).collect()];
        let data = df!("y" => y, "d" => treated, "a" => a, "b" => b).unwrap();
        for family in [Family::Gaussian, Family::Poisson] {
            for vcov in [Vcov::Hetero, Vcov::cluster(["a"]), Vcov::cluster(["a", "b"])] {
                let fit = fit(&data, "y ~ d | a + b", family, vcov.clone());
                assert_eq!(se(&fit, "d"), None, "{family}, {vcov:?}, {seed}");
                assert!(has_no_variance(&fit, "d"), "{family}, {vcov:?}, {seed}");
            }
        }
    }
}

/// A coefficient that is known nearly, but not exactly, has a standard error in the unit of what is not known.
#[test]
fn small_variances_are_not_taken_for_none() {
    for noise in [1e-2, 1e-5, 1e-8, 1e-10] {
        let mut random = SplitMix64(9);
        let group: Vec<i64> = (0..80).map(|row| row % 2).collect();
        let x: Vec<f64> = group.iter().map(|_| random.bell()).collect();
        let errors: Vec<f64> = group.iter().map(|_| random.bell()).collect();
        let y = |row: usize| x[row] * 0.8 + errors[row] * if group[row] == 0 { noise } else { 1.0 };
        let y: Vec<f64> = (0..80).map(y).collect();
        let data = df!("y" => y, "x" => x, "g" => group).unwrap();
        for vcov in [Vcov::Hetero, Vcov::Hc3] {
            let both = fit(&data, "y ~ x + i(g, x, ref = 0) | g", Family::Gaussian, vcov.clone());
            let rows = data.column("g").unwrap().i64().unwrap().equal(0);
            let alone = fit(&data.filter(&rows).unwrap(), "y ~ x", Family::Gaussian, vcov.clone());
            // HC3 has a correction of its own.
            let small = |rows: f64, parameters: f64| match vcov {
                Vcov::Hetero => (rows / (rows - parameters)).sqrt(),
                _ => 1.0,
            };
            let corrected = se(&alone, "x").unwrap() / small(40.0, 2.0) * small(80.0, 4.0);
            if vcov == Vcov::Hetero {
                near(se(&both, "x").unwrap(), corrected, 1e-5);
            }
            assert!(se(&both, "x").unwrap() > 0.01 * noise);
        }
    }
}
