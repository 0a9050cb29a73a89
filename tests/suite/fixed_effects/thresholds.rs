//! Regressions at their thresholds: references of `i()`, covariances that are nearly or not positive, and Poisson regressions of any
//! scale. Expected numbers are those of R fixest 0.12.2.

use burn_did::backend::Cpu;
use burn_did::{
    DidWarning, FixedEffects, RegressionResult, SunAbraham,
    regression::{Family, Solver, Vcov},
};
use polars::prelude::*;

use crate::support::frames::golden_path;

fn near(what: &str, got: f64, expected: f64, allowed: f64) {
    assert!((got / expected - 1.0).abs() <= allowed, "{what}: {got} is not {expected}");
}

fn fit(
    file: &str,
    formula: &str,
    vcov: Vcov,
    family: Family,
    weights: Option<&str>,
) -> RegressionResult {
    let config = FixedEffects::<Cpu>::builder()
        .formula(formula)
        .vcov(vcov)
        .family(family)
        .maybe_weights(weights)
        .build();
    let path = golden_path("regressions").join(file);
    config.fit(path.as_path()).unwrap_or_else(|e| panic!("{formula}: {e}"))
}

fn linear(file: &str, formula: &str, vcov: Vcov) -> RegressionResult {
    fit(file, formula, vcov, Family::Gaussian, None)
}

fn poisson(file: &str, formula: &str, vcov: Vcov, weights: Option<&str>) -> RegressionResult {
    fit(file, formula, vcov, Family::Poisson, weights)
}

#[test]
fn references_of_indicators_are_those_of_fixest() {
    for (formula, rss, columns, name, estimate) in [
        ("y ~ i(g, x) + i(g) | f", 707.112, 7, "g::1:x", 0.6619),
        ("y ~ x + i(g, keep = c(1, 2)) | f", 785.779, 3, "g::1", -2.0209),
        ("y ~ x + i(g, keep = 1:2) | f", 785.779, 3, "g::2", -1.4053),
        ("y ~ x + i(h, keep = 'a') | f", 399.765, 2, "h::a", -4.1308),
        ("y ~ i(g, i.h) | f", 448.433, 11, "g::1:h::b", f64::NAN),
        ("y ~ i(g, h) | f", 448.433, 11, "g::1:h::b", f64::NAN),
        ("y ~ i(g, i.h, ref2 = 'b') | f", 483.592, 8, "g::1:h::a", f64::NAN),
        ("y ~ i(h, i.g, keep = 'a') | f", 602.619, 4, "h::a:g::1", f64::NAN),
        ("y ~ 0 + x + i(g, ref = 1) + h", 289.137, 7, "ha", -0.0104),
    ] {
        let fit = linear("i_terms.csv", formula, Vcov::Iid);
        near(formula, fit.rss, rss, 2e-6);
        assert_eq!(fit.coefficients.len(), columns, "{formula}: {:?}", fit.dropped);
        assert!(fit.dropped.is_empty(), "{formula}: {:?}", fit.dropped);
        let found = fit.coefficient(name).unwrap_or_else(|| panic!("{formula}: no {name}"));
        assert!(estimate.is_nan() || (found.estimate - estimate).abs() < 6e-5, "{formula}");
    }
}

#[test]
fn indicators_without_a_level_are_said_to_be_left_out() {
    let fit = linear("i_terms.csv", "y ~ x + i(h, ref = c('a', 'b', 'c')) | f", Vcov::Iid);
    assert_eq!(fit.dropped, ["h"]);
    assert!(fit.warnings.iter().any(|w| matches!(w, DidWarning::CollinearRegressors { .. })));
}

#[test]
fn a_fit_of_two_factors_predicts_its_own_rows() {
    let config = FixedEffects::<Cpu>::builder().formula("y ~ x + i(g, i.h)").keep_residuals(true);
    let path = golden_path("regressions").join("i_terms.csv");
    let fit = config.build().fit(path.as_path()).unwrap();
    let saved = std::env::temp_dir().join(format!("burn-did-pairs-{}.json", std::process::id()));
    fit.save(&saved).unwrap();
    let loaded = RegressionResult::load(&saved).unwrap();
    std::fs::remove_file(saved).unwrap();
    let predicted = loaded.predict(path.as_path()).unwrap();
    let y: Vec<f64> = std::fs::read_to_string(&path).unwrap().lines().skip(1).map(first).collect();
    for ((y, predicted), residual) in y.iter().zip(&predicted).zip(fit.residuals.unwrap()) {
        assert!((y - predicted.unwrap() - residual.unwrap()).abs() < 1e-10);
    }
}

fn first(line: &str) -> f64 {
    line.split(',').next().unwrap().parse().unwrap()
}

fn is_repaired(fit: &RegressionResult) -> bool {
    fit.warnings.contains(&DidWarning::RepairedCovariance)
}

#[test]
fn a_covariance_without_a_negative_variance_stays_as_it_is() {
    let fit = linear("twoway.csv", "y ~ x", Vcov::cluster(["a", "b"]));
    near("x", fit.coefficient("x").unwrap().se.unwrap(), 0.705034, 2e-6);
    near("constant", fit.coefficient("(Intercept)").unwrap().se.unwrap(), 3.233159, 2e-7);
    assert!(!is_repaired(&fit), "{:?}", fit.warnings);
}

#[test]
fn clusters_of_one_factor_are_never_repaired() {
    let formula = "y ~ x0 + x0:C(g) + x2 + x1 | f0 + f1";
    let cluster = |factors: &[&str]| Vcov::cluster(factors.iter().copied());
    let of = |factors: &[&str]| {
        fit("oneway_repair.csv", formula, cluster(factors), Family::Gaussian, Some("w"))
    };
    assert!(!is_repaired(&of(&["cl0"])));
    // The coefficients are large, so that rounding leaves more of the outcome than of a usual one.
    assert!(of(&["cl0", "f1"]).warnings.contains(&DidWarning::ExactFit));

    let config = SunAbraham::<Cpu>::builder().outcome("y").unit("u").time("t").group("g");
    let config = config.vcov(Vcov::cluster(["cl"])).build();
    let path = golden_path("regressions").join("sun_degenerate.parquet");
    let fit = config.fit(path.as_path()).unwrap().regression;
    assert!(!is_repaired(&fit));
    assert_eq!(fit.coefficient("t::-2:cohort::3").unwrap().se, None);
    let without = |w: &DidWarning| matches!(w, DidWarning::NoVariance { columns } if columns.contains(&"t::-2:cohort::3".to_owned()));
    assert!(fit.warnings.iter().any(without), "{:?}", fit.warnings);
}

#[test]
fn more_coefficients_than_clusters_have_no_joint_test() {
    let fit = linear("f_singular.csv", "y ~ x0 + x1 + x2", Vcov::cluster(["cl0"]));
    assert_eq!(fit.f, None);
    assert!(fit.warnings.contains(&DidWarning::NoJointTest { coefficients: 3, rank: Some(2) }));
    let contrasts = ["x0", "x1", "x2"].map(|name| vec![(name, 1.0)]);
    assert!(fit.wald(&contrasts).is_err());
    assert!(fit.wald(&contrasts[..1]).is_ok());
}

#[test]
fn poisson_regressions_do_not_depend_on_the_unit_of_outcome_and_weights() {
    let of = |formula: &str, weights: Option<&str>| {
        poisson("pois_tiny.csv", formula, Vcov::Hetero, weights).coefficient("x").unwrap().clone()
    };
    let unit = of("y1 ~ x + z | f", None);
    near("x", unit.estimate, 0.765604, 1e-6);
    near("se of x", unit.se.unwrap(), 0.027099, 2e-5);
    for other in [of("y ~ x + z | f", None), of("y1 ~ x + z | f", Some("w"))] {
        near("x", other.estimate, unit.estimate, 1e-9);
        near("se of x", other.se.unwrap(), unit.se.unwrap(), 1e-9);
    }
}

#[test]
fn poisson_regressions_of_large_counts_converge() {
    let fit = poisson("pois_large.csv", "y ~ x | f", Vcov::Iid, None);
    near("x", fit.coefficients[0].estimate, 0.299_999_882_779_698, 1e-9);
}

#[test]
fn poisson_regressions_without_a_constant_converge() {
    let config = FixedEffects::<Cpu>::builder().formula("y ~ 0 + x + z").family(Family::Poisson);
    let path = golden_path("regressions").join("pois_noint.csv");
    let fit = config.keep_residuals(true).build().fit(path.as_path()).unwrap();
    // fixest, which stops at a relative change of 1e-8: 7.934605 and -0.012708.
    near("x", fit.coefficients[0].estimate, 7.934605, 1e-5);
    // Residuals are orthogonal to the regressors.
    let text = std::fs::read_to_string(&path).unwrap();
    let rows =
        text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse::<f64>().unwrap());
    let residuals: Vec<f64> = fit.residuals.unwrap().into_iter().flatten().collect();
    let (mut score, mut size) = (0.0, 0.0);
    for (x, e) in rows.zip(residuals) {
        score += x * e;
        size += (x * e).abs();
    }
    assert!(score.abs() < 1e-8 * size, "{score} {size}");
}

#[test]
fn separated_rows_of_little_weight_are_left_out() {
    let fit = poisson("pois_sep_w.csv", "y ~ x + d", Vcov::Hetero, Some("w"));
    assert_eq!(fit.audit.rows_separated, 3);
    assert_eq!(fit.dropped, ["d"]);
}

#[test]
fn the_adjusted_pseudo_r2_counts_parameters_in_the_likelihood() {
    let fit = poisson("pois_tiny.csv", "y1 ~ x + z", Vcov::Iid, None);
    let (r2, log_likelihood) = (fit.r2.unwrap(), fit.log_likelihood.unwrap());
    let null = log_likelihood / (1.0 - r2);
    near("adjusted", fit.r2_adjusted.unwrap(), 1.0 - (log_likelihood - 2.0) / null, 1e-12);
}

#[test]
fn alternating_projections_end_for_what_fixed_effects_span() {
    let fit = |tolerance: f64| {
        let config = FixedEffects::<Cpu>::builder()
            .formula("y ~ x + I(2 * g + f) | g + f")
            .solver(Solver::Map)
            .fixef_tol(tolerance);
        let path = golden_path("regressions").join("i_terms.csv");
        config.build().fit(path.as_path()).unwrap()
    };
    for tolerance in [1e-4, 1e-8] {
        assert_eq!(fit(tolerance).dropped, ["I(2 * g + f)"], "{tolerance}");
    }
}

#[test]
fn messages_name_the_outcome_and_counts_do_not_depend_on_the_order_of_rows() {
    let nan = f64::NAN;
    let y = vec![1.0, 2.0, 0.5, 3.0, 1.0, 4.0];
    let (x, z) = (vec![nan, 1.0, 2.0, 0.0, 5.0, 3.0], vec![1.0, nan, 0.0, 2.0, nan, 1.0]);
    let of = |rows: &[usize]| {
        let pick = |values: &[f64]| rows.iter().map(|r| values[*r]).collect::<Vec<f64>>();
        let frame = df!("pay" => pick(&y), "x" => pick(&x), "z" => pick(&z)).unwrap();
        let config = FixedEffects::<Cpu>::builder().formula("pay ~ x + z").build();
        config.fit(&frame).unwrap().audit
    };
    assert_eq!(of(&[0, 1, 2, 3, 4, 5]), of(&[4, 1, 5, 3, 2, 0]));
    let large: Vec<f64> = y.iter().map(|y| y * 1e150).collect();
    let frame = df!("pay" => large, "x" => [1.0, 2.0, 0.0, 2.5, 1.5, 0.5]).unwrap();
    let config = FixedEffects::<Cpu>::builder().formula("pay ~ x").build();
    let error = config.fit(&frame).unwrap_err().to_string();
    assert!(error.starts_with("column `pay` reaches"), "{error}");
}
