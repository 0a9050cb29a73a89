//! Rows that levels of several factors separate together: at the end they weigh next to nothing, and an iterated projection need not move
//! them.

use std::fs::File;

use burn_did::backend::Cpu;
use burn_did::{
    DidWarning, FixedEffects,
    regression::{Family, Solver},
};
use polars::prelude::*;

use super::properties::near;
use crate::support::splitmix::SplitMix64;

/// A fifth of the outcomes, which depend on nothing, is one; levels of three factors.
fn few_rows_of_three_factors(seed: u64) -> DataFrame {
    let mut random = SplitMix64(seed);
    let n = 60 + (random.uniform() * 200.0) as usize;
    let [f, g, h] = [(); 3].map(|()| {
        let levels = 3.0 + random.uniform() * (n as f64 / 5.0 - 3.0);
        (0..n).map(|_| (random.uniform() * levels) as i64).collect::<Vec<_>>()
    });
    let x: Vec<f64> = (0..n).map(|_| random.bell()).collect();
    let y: Vec<f64> = (0..n).map(|_| (random.uniform() * 1.25).floor()).collect();
    df!("y" => y, "x" => x, "f" => f, "g" => g, "h" => h).unwrap()
}

#[test]
fn what_is_separated_does_not_depend_on_the_solver() {
    let mut separated = 0;
    let families = [Family::Logit, Family::Probit, Family::Poisson];
    let seeds = [12, 24, 26, 30, 31, 39];
    for (seed, family) in seeds.into_iter().flat_map(|s| families.map(|family| (s, family))) {
        let data = few_rows_of_three_factors(seed);
        let [auto, lsmr] = [Solver::Auto, Solver::Lsmr].map(|solver| {
            let config = FixedEffects::<Cpu>::builder().formula("y ~ x | f + g + h");
            config.family(family).solver(solver).build().fit(&data)
        });
        let Ok(auto) = auto else { continue };
        let is_separated = |warning: &DidWarning| matches!(warning, DidWarning::Separated { .. });
        separated += usize::from(auto.warnings.iter().any(is_separated));
        let lsmr = lsmr.unwrap();
        assert_eq!(lsmr.n, auto.n, "{family}, seed {seed}");
        for (other, coefficient) in lsmr.coefficients.iter().zip(&auto.coefficients) {
            near(other.estimate, coefficient.estimate, 1e-5);
            assert_eq!(other.se.is_some(), coefficient.se.is_some());
            if let (Some(other), Some(se)) = (other.se, coefficient.se) {
                near(other, se, 1e-5);
            }
        }
    }
    assert!(separated >= 8, "{separated}");
}

/// Data of a design in one of the files of cases.
fn design(file: &str, design: i64) -> DataFrame {
    let path = format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let data = CsvReader::new(File::open(path).unwrap()).finish().unwrap();
    let designs = data.column("design").unwrap().i64().unwrap().clone();
    data.filter(&designs.equal(design)).unwrap()
}

/// How many rows are left is the answer of a linear program, of whether a combination of regressors and levels is zero in all other rows and
/// on the side of their outcomes in these. Conjugate gradients with the default tolerance had moved them too little to be looked for.
#[test]
fn what_levels_separate_is_what_a_linear_program_finds() {
    let expected = [
        (833, Family::Poisson, 45),
        (718, Family::Probit, 129),
        (385, Family::Probit, 80),
        (634, Family::Probit, 56),
    ];
    for (number, family, n) in expected {
        let data = design("separated_levels.csv", number);
        for solver in [Solver::Auto, Solver::Cg, Solver::Lsmr] {
            let config = FixedEffects::<Cpu>::builder().formula("y ~ x + z | a + b + c");
            let fit = config.family(family).solver(solver).build().fit(&data).unwrap();
            assert_eq!(fit.n, n, "design {number}, {solver:?}");
            assert!(!fit.warnings.contains(&DidWarning::SeparationUnknown), "design {number}");
        }
    }
}

/// As above, of designs in which alternating projections find the separated rows in 513 to 194,554 steps; where the search ended before,
/// coefficients had finite values that have none.
#[test]
fn a_search_for_separated_rows_comes_to_an_end() {
    let expected = [
        (15_583, Family::Logit, "y ~ x0 + i(g, x0) | f0 + f1 + f2", 40),
        (6194, Family::Probit, "y ~ x0 + x1 + x2 | f0 + f1", 80),
        (2447, Family::Probit, "y ~ x0 + x1 + x2 + i(g) | f0 + f1 + f2", 122),
        (5054, Family::Probit, "y ~ x0 + x1 + i(g, x0) | f0 + f1 + f2", 25),
        (13_898, Family::Probit, "y ~ x0 + x1 | f0 + f1 + f2", 54),
    ];
    for (number, family, formula, n) in expected {
        let data = design("separated_searched.csv", number);
        for solver in [Solver::Auto, Solver::Cg, Solver::Lsmr] {
            let config = FixedEffects::<Cpu>::builder().formula(formula).weights("w");
            let fit = config.family(family).solver(solver).build().fit(&data).unwrap();
            assert_eq!(fit.n, n, "design {number}, {solver:?}");
            assert!(!fit.warnings.contains(&DidWarning::SeparationUnknown), "design {number}");
        }
    }
}
