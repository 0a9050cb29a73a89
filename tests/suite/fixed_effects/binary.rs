//! Logit and probit regressions: R fixest's `feglm`, Newton's method with every dummy written out, separation, and what they must be
//! invariant to.

use burn_did::backend::Cpu;
use burn_did::{
    DidError, DidWarning, FixedEffects, RegressionResult, Result,
    options::Precision,
    regression::{Family, Vcov, etable},
};
use polars::prelude::*;
use serde::Deserialize;
use statrs::function::erf::erfc;

use super::golden::{Case, compare, fit_on};
use super::properties::near;
use crate::support::dataset::Dataset;
use crate::support::frames::{floats, golden_data, golden_json, permutation, rows, with};

#[derive(Debug, Deserialize)]
struct BinaryCase {
    #[serde(flatten)]
    case: Case,
    family: Family,
    /// Log-likelihood, and pseudo R².
    quality: Option<[f64; 4]>,
    /// Probabilities of the first rows.
    predicted: Vec<Option<f64>>,
}

/// The counts as in `feglm.R`: whether they exceed one, as a share, and by cells of firms and years.
fn counts() -> DataFrame {
    let data = golden_data("fepois");
    let of = |column: &str, f: &dyn Fn(f64) -> f64| -> Vec<f64> {
        floats(&data, column).into_iter().map(f).collect()
    };
    let any = of("y", &|y| f64::from(u8::from(y > 1.0)));
    let share = of("y", &|y| y / (y + 3.0));
    let years = of("year", &|year| year % 4.0);
    let cell = floats(&data, "firm").iter().zip(years).map(|(f, y)| 10.0 * f + y).collect();
    with(&with(&with(&data, "any", any), "share", share), "cell", cell)
}

/// The data and the cases, each with its family.
pub(crate) fn golden() -> (DataFrame, Vec<(Case, Family)>) {
    let golden: Dataset<BinaryCase> = golden_json("feglm.json");
    (counts(), golden.cases.into_iter().map(|case| (case.case, case.family)).collect())
}

#[test]
fn cases_of_fixest() {
    let golden: Dataset<BinaryCase> = golden_json("feglm.json");
    let data = counts();
    assert_eq!(golden.cases.len(), 20);
    for BinaryCase { case, family, quality, predicted } in &golden.cases {
        let fit = fit_on::<Cpu>(case, &data, *family, Precision::F64);
        compare(case, &fit, 1e-8, 1e-7);
        if let Some([log_likelihood, r2, bic, squared_correlation]) = quality {
            near(fit.log_likelihood.unwrap(), *log_likelihood, 1e-11);
            near(fit.r2.unwrap(), *r2, 1e-9);
            near(fit.bic.unwrap(), *bic, 1e-11);
            near(fit.squared_correlation.unwrap(), *squared_correlation, 1e-8);
        }
        let config = FixedEffects::<Cpu>::builder().formula(&*case.formula).family(*family);
        let config = config.maybe_weights(case.weights.clone()).keep_fixed_effects(true).build();
        let probabilities = config.fit(&data).unwrap().predict(&data).unwrap();
        for (got, expected) in probabilities.iter().zip(predicted) {
            assert_eq!(got.is_some(), expected.is_some(), "{}", case.id);
            near(got.unwrap_or(1.0), expected.unwrap_or(1.0), 1e-7);
        }
    }
}

/// A number between 0 and 1 that looks random.
fn noise(row: usize, stream: f64) -> f64 {
    let angle = (row as f64 + 1.0) * 12.9898 + stream * 78.233;
    (43_758.545_3 * angle.sin()).rem_euclid(1.0)
}

/// Regressors, two factors, weights, an outcome of 0 and 1, a share, and an outcome that `steep` nearly decides.
fn simulated() -> DataFrame {
    let n = 480;
    let of = |f: &dyn Fn(usize) -> f64| (0..n).map(f).collect::<Vec<f64>>();
    let x1 = |i: usize| 4.0 * noise(i, 1.0) - 2.0;
    let x2 = |i: usize| noise(i, 2.0) + 0.3 * x1(i);
    let f = |i: usize| i % 9;
    let g = |i: usize| (i / 9 + (6.0 * noise(i, 9.0)) as usize) % 6;
    let steep = |i: usize| if i % 60 == 7 { 4.0 * x1(i).signum() } else { x1(i) };
    let logistic = |u: f64| (u / (1.0 - u)).ln();
    let index = |i: usize| 0.8 * x1(i) - 0.5 * x2(i) + 0.2 * f(i) as f64 - 0.15 * g(i) as f64 - 0.2;
    let is = |truth: bool| f64::from(u8::from(truth));
    df!(
        "x1" => of(&x1), "x2" => of(&x2), "steep" => of(&steep),
        "f" => (0..n).map(|i| f(i) as i64).collect::<Vec<_>>(),
        "g" => (0..n).map(|i| g(i) as i64).collect::<Vec<_>>(),
        "w" => of(&|i| 0.25 + 2.0 * noise(i, 3.0)),
        "y" => of(&|i| is(index(i) + logistic(noise(i, 4.0)) > 0.0)),
        "share" => of(&|i| 1.0 / (1.0 + (-index(i) - logistic(noise(i, 5.0))).exp())),
        "sharp" => of(&|i| is(2.0 * steep(i) + 0.6 * logistic(noise(i, 6.0)) > 0.0)),
    )
    .unwrap()
}

/// A dense regression: estimates and standard errors of the first `k` columns, and the largest linear predictor.
struct Dense {
    b: Vec<f64>,
    hetero: Vec<f64>,
    deviance: f64,
    largest: f64,
}

/// Solves `a x = b` with the largest pivot first.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|i, j| a[*i][column].abs().total_cmp(&a[*j][column].abs()));
        a.swap(column, pivot.unwrap());
        b.swap(column, pivot.unwrap());
        for row in 0..n {
            if row != column {
                let factor = a[row][column] / a[column][column];
                let above = a[column].clone();
                a[row].iter_mut().zip(&above).for_each(|(x, y)| *x -= factor * y);
                b[row] -= factor * b[column];
            }
        }
    }
    (0..n).map(|row| b[row] / a[row][row]).collect()
}

/// `Σ weight x x'`.
fn gram(x: &[Vec<f64>], weight: &[f64]) -> Vec<Vec<f64>> {
    let entry = |a: &Vec<f64>, b: &Vec<f64>| -> f64 {
        a.iter().zip(b).zip(weight).map(|((a, b), w)| w * a * b).sum()
    };
    x.iter().map(|a| x.iter().map(|b| entry(a, b)).collect()).collect()
}

/// Newton's method on regressors and dummies, written from the likelihood: logarithms of both tails and their derivatives.
fn dense(
    data: &DataFrame,
    family: Family,
    y: &str,
    x: &[&str],
    absorb: &[&str],
    w: Option<&str>,
) -> Dense {
    let y = floats(data, y);
    let n = y.len();
    let w = w.map_or(vec![1.0; n], |w| floats(data, w));
    let mut columns: Vec<Vec<f64>> = x.iter().map(|name| floats(data, name)).collect();
    columns.push(vec![1.0; n]);
    for factor in absorb {
        let codes = floats(data, factor);
        let mut levels = codes.clone();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        for level in &levels[1..] {
            columns.push(codes.iter().map(|c| f64::from(u8::from(c == level))).collect());
        }
    }
    let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
    // The probability of one, and the log-likelihood's first and second derivative.
    let tail = |t: f64| 0.5 * erfc(-t / 2f64.sqrt());
    let probability = |t: f64| match family {
        Family::Logit => 1.0 / (1.0 + (-t).exp()),
        _ => tail(t),
    };
    let derivatives = |y: f64, t: f64| match family {
        Family::Logit => {
            let (one, zero) = (1.0 / (1.0 + (-t).exp()), 1.0 / (1.0 + t.exp()));
            (y * zero - (1.0 - y) * one, -one * zero)
        }
        _ => {
            let (one, zero) = (density(t) / tail(t), density(t) / tail(-t));
            let second = -y * one * (t + one) - (1.0 - y) * zero * (zero - t);
            (y * one - (1.0 - y) * zero, second)
        }
    };
    let mut b = vec![0.0; columns.len()];
    let index = |b: &[f64]| -> Vec<f64> {
        (0..n).map(|i| columns.iter().zip(b).map(|(x, b)| x[i] * b).sum()).collect()
    };
    for _ in 0..100 {
        let eta = index(&b);
        let both: Vec<(f64, f64)> = y.iter().zip(&eta).map(|(y, t)| derivatives(*y, *t)).collect();
        let weight: Vec<f64> = both.iter().zip(&w).map(|((_, s), w)| -s * w).collect();
        let score: Vec<f64> = columns
            .iter()
            .map(|x| x.iter().zip(&both).zip(&w).map(|((x, (d, _)), w)| x * d * w).sum())
            .collect();
        let step = solve(gram(&columns, &weight), score);
        b.iter_mut().zip(&step).for_each(|(b, s)| *b += s);
        if step.iter().all(|s| s.abs() < 1e-13) {
            break;
        }
    }
    let eta = index(&b);
    let expected: Vec<f64> = eta
        .iter()
        .zip(&w)
        .map(|(t, w)| match family {
            Family::Logit => w * probability(*t) * probability(-*t),
            _ => w * density(*t).powi(2) / (tail(*t) * tail(-*t)),
        })
        .collect();
    let squares: Vec<f64> = (0..n).map(|i| (w[i] * derivatives(y[i], eta[i]).0).powi(2)).collect();
    let (bread, meat) = (gram(&columns, &expected), gram(&columns, &squares));
    let parameters = columns.len();
    let hetero = (0..x.len()).map(|j| {
        let mut unit = vec![0.0; parameters];
        unit[j] = 1.0;
        let row = solve(bread.clone(), unit);
        let variance: f64 = (0..parameters)
            .flat_map(|a| (0..parameters).map(move |c| (a, c)))
            .map(|(a, c)| row[a] * meat[a][c] * row[c])
            .sum();
        (variance * n as f64 / (n - parameters) as f64).sqrt()
    });
    let log = |share: f64, p: f64| if share > 0.0 { share * (p / share).ln() } else { 0.0 };
    let deviance = (0..n).map(|i| {
        let (one, zero) = (probability(eta[i]), probability(-eta[i]));
        -2.0 * w[i] * (log(y[i], one) + log(1.0 - y[i], zero))
    });
    Dense {
        hetero: hetero.collect(),
        deviance: deviance.sum(),
        largest: eta.iter().fold(0.0, |a: f64, t| a.max(t.abs())),
        b,
    }
}

fn fit(
    data: &DataFrame,
    formula: &str,
    family: Family,
    weights: Option<&str>,
) -> Result<RegressionResult> {
    let config = FixedEffects::<Cpu>::builder().formula(formula).family(family);
    let config = config.maybe_weights(weights.map(str::to_owned)).vcov(Vcov::Hetero);
    config.keep_residuals(true).keep_fixed_effects(true).build().fit(data)
}

const BOTH: [Family; 2] = [Family::Logit, Family::Probit];

#[test]
fn newtons_method_with_dummies_agrees() {
    let data = simulated();
    let mut largest: f64 = 0.0;
    for family in BOTH {
        for (y, x, absorb, weights) in [
            ("y", &["x1", "x2"][..], &[][..], None),
            ("y", &["x1", "x2"], &[], Some("w")),
            ("y", &["x1", "x2"], &["f"], None),
            ("y", &["x1", "x2"], &["f", "g"], None),
            ("y", &["x1", "x2"], &["f", "g"], Some("w")),
            ("share", &["x1", "x2"], &[], None),
            ("share", &["x1", "x2"], &["f", "g"], Some("w")),
            ("sharp", &["steep"], &[], None),
            ("sharp", &["steep", "x2"], &["f"], Some("w")),
            ("sharp", &["steep"], &["f", "g"], None),
        ] {
            let mut formula = format!("{y} ~ {}", x.join(" + "));
            if !absorb.is_empty() {
                formula.push_str(&format!(" | {}", absorb.join(" + ")));
            }
            let what = format!("{family} {formula} {weights:?}");
            let got =
                fit(&data, &formula, family, weights).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(got.warnings.is_empty(), "{what}: {:?}", got.warnings);
            let expected = dense(&data, family, y, x, absorb, weights);
            largest = largest.max(expected.largest);
            for (j, name) in x.iter().enumerate() {
                let coefficient = got.coefficient(name).unwrap();
                let off = |a: f64, b: f64| (a - b).abs() / b.abs();
                let (b, se) = (coefficient.estimate, coefficient.se.unwrap());
                assert!(off(b, expected.b[j]) < 1e-8, "{what} {name}: {b} {}", expected.b[j]);
                assert!(off(se, expected.hetero[j]) < 1e-7, "{what}: {se} {}", expected.hetero[j]);
            }
            near(got.rss, expected.deviance, 1e-10);
            let observed = floats(&data, y);
            let fitted = got.predict(&data).unwrap();
            for ((y, residual), fitted) in
                observed.iter().zip(got.residuals.as_ref().unwrap()).zip(fitted)
            {
                assert!((fitted.unwrap() + residual.unwrap() - y).abs() < 1e-7, "{what}");
            }
        }
    }
    assert!(largest > 8.0, "{largest}");
}

#[test]
fn a_row_that_stands_twice_has_twice_the_weight_and_the_other_outcome_turns_signs() {
    let data = simulated();
    let n = data.height();
    let twice: Vec<usize> = (0..n).chain((0..n).filter(|i| i % 3 == 0)).collect();
    let weights: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 2.0 } else { 1.0 }).collect();
    let weighted = with(&data, "double", weights);
    let other = with(&data, "y", floats(&data, "y").iter().map(|y| 1.0 - y).collect::<Vec<_>>());
    let moved: Vec<f64> = floats(&data, "x1").iter().map(|x| 1e3 - 4.0 * x).collect();
    let moved = with(&data, "x1", moved);
    for family in BOTH {
        let formula = "y ~ x1 + x2 | f + g";
        let b = |fit: &RegressionResult| fit.coefficients[0].estimate;
        let repeated = fit(&rows(&data, &twice), formula, family, None).unwrap();
        near(b(&repeated), b(&fit(&weighted, formula, family, Some("double")).unwrap()), 1e-9);
        let plain = fit(&data, formula, family, None).unwrap();
        let turned = fit(&other, formula, family, None).unwrap();
        near(b(&plain), -b(&turned), 1e-9);
        near(plain.coefficients[0].se.unwrap(), turned.coefficients[0].se.unwrap(), 1e-9);
        near(plain.log_likelihood.unwrap(), turned.log_likelihood.unwrap(), 1e-12);
        near(b(&plain), -4.0 * b(&fit(&moved, formula, family, None).unwrap()), 1e-8);
        let shuffled = fit(&rows(&data, &permutation(n, 3)), formula, family, None).unwrap();
        assert_eq!(shuffled.coefficients, plain.coefficients);
    }
}

#[test]
fn levels_of_one_outcome_are_left_out_and_named() {
    let data = simulated();
    // Level 3 has ones only, and level 5 zeros only.
    let f = floats(&data, "f");
    let one = |(y, f): (f64, &f64)| match f {
        3.0 => 1.0,
        5.0 => 0.0,
        _ => y,
    };
    let y: Vec<f64> = floats(&data, "y").into_iter().zip(&f).map(one).collect();
    let data = with(&data, "y", y);
    let left: Vec<usize> = (0..f.len()).filter(|i| f[*i] != 3.0 && f[*i] != 5.0).collect();
    for family in BOTH {
        let found = fit(&data, "y ~ x1 + x2 | f + g", family, None).unwrap();
        let without = fit(&rows(&data, &left), "y ~ x1 + x2 | f + g", family, None).unwrap();
        assert_eq!(found.coefficients, without.coefficients);
        assert_eq!((found.n, found.audit.rows_separated), (left.len(), f.len() - left.len()));
        for (outcome, level) in [(0.0, "5"), (1.0, "3")] {
            let count = f.iter().filter(|f| f.to_string() == level).count();
            let expected = DidWarning::OneOutcome {
                factor: "f".into(),
                outcome,
                levels: vec![level.into()],
                rows: count,
            };
            assert!(found.warnings.contains(&expected), "{:?}", found.warnings);
            let said = format!(
                "left out 1 level of `f` with {count} rows, as every outcome there is {outcome}: {level}"
            );
            assert!(found.to_string().contains(&said), "{found}");
        }
    }
}

#[test]
fn separation_is_found_and_its_columns_named() {
    let data = simulated();
    let n = data.height();
    let d: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 24 == 5))).collect();
    let cases = [0.0, 1.0].into_iter().flat_map(|y| BOTH.map(|family| (y, family)));
    for (outcome, family) in cases {
        // Where `d` is one, so are all outcomes, or none is.
        let of = |(y, d): (f64, &f64)| if *d == 1.0 { outcome } else { y };
        let y: Vec<f64> = floats(&data, "y").into_iter().zip(&d).map(of).collect();
        let data = with(&with(&data, "d", d.clone()), "y", y);
        let left: Vec<usize> = (0..n).filter(|i| d[*i] == 0.0).collect();
        for (formula, reduced) in
            [("y ~ x1 + d + x2", "y ~ x1 + x2"), ("y ~ x1 + d + x2 | f + g", "y ~ x1 + x2 | f + g")]
        {
            let found = fit(&data, formula, family, None).unwrap();
            assert_eq!(found.dropped, ["d"], "{family} {formula}");
            let said = DidWarning::Separated { rows: n - left.len(), columns: vec!["d".into()] };
            assert!(found.warnings.contains(&said), "{family}: {:?}", found.warnings);
            let without = fit(&rows(&data, &left), reduced, family, None).unwrap();
            assert_eq!(found.coefficients, without.coefficients);
        }
    }
}

#[test]
fn outcomes_that_regressors_decide_are_refused() {
    let data = simulated();
    let x1 = floats(&data, "x1");
    let x2 = floats(&data, "x2");
    let is = |truth: bool| f64::from(u8::from(truth));
    let by_one: Vec<f64> = x1.iter().map(|x| is(*x > 0.3)).collect();
    let by_both: Vec<f64> = x1.iter().zip(&x2).map(|(a, b)| is(*a > 2.0 * b - 0.5)).collect();
    let of_level: Vec<f64> =
        x1.iter().zip(floats(&data, "f")).map(|(x, f)| is(*x > 0.3 * f - 1.2)).collect();
    let data = with(&with(&data, "one", by_one), "both", by_both);
    let data = with(&data, "level", of_level);
    for family in BOTH {
        for (formula, names) in [
            ("one ~ x1 + x2", &["x1"][..]),
            ("one ~ x1 + x2 | f", &["x1"]),
            ("both ~ x1 + x2", &["x1", "x2"]),
            ("level ~ x1 | f", &["x1"]),
        ] {
            let error = fit(&data, formula, family, None).unwrap_err();
            assert!(
                matches!(&error, DidError::Separated { columns } if columns == names),
                "{family} {formula}: {error}"
            );
            assert!(error.to_string().contains("leave it out"), "{error}");
        }
    }
}

#[test]
fn outcomes_are_probabilities_of_both_sorts() {
    let data = simulated();
    let off = with(&data, "y", floats(&data, "y").iter().map(|y| 2.0 * y).collect::<Vec<_>>());
    let first = floats(&off, "y").iter().position(|y| *y > 1.0).unwrap();
    let ones = with(&data, "y", vec![1.0; data.height()]);
    for family in BOTH {
        let error = fit(&off, "y ~ x1", family, None).unwrap_err().to_string();
        let said = format!("column `y` (outcome) must be between 0 and 1; row {first} has 2");
        assert_eq!(error, said);
        let error = fit(&ones, "y ~ x1", family, None).unwrap_err().to_string();
        assert!(error.contains("not all 0, and not all 1"), "{error}");
        let error = fit(&ones, "y ~ x1 | f", family, None).unwrap_err();
        assert!(matches!(error, DidError::EmptySample { .. }), "{error}");
    }
}

#[test]
fn results_say_what_they_are() {
    let data = simulated();
    let [logit, probit] = BOTH.map(|family| fit(&data, "y ~ x1 + x2 | f", family, None).unwrap());
    let text = logit.to_string();
    for words in ["Logit Regression with Fixed Effects", "z value", "Pseudo R2", "Log-Likelihood"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(logit.sigma.is_none() && logit.irls.is_some_and(|steps| steps < 12));
    let table = etable(&[("logit", &logit), ("probit", &probit)]).to_string();
    assert!(table.contains("Pseudo R2") && !table.contains("Within R2"), "{table}");
    let saved = serde_json::to_string(&probit).unwrap();
    let again: RegressionResult = serde_json::from_str(&saved).unwrap();
    assert_eq!(again.predict(&data).unwrap(), probit.predict(&data).unwrap());
}
