//! Numbers of R `pretrends`, laws and simulations.

use statrs::function::erf::erfc;

use super::*;
use crate::base::error::DidError;
use crate::base::random::standard_normals;
use crate::base::solve::{multiply, semidefinite_factor};
use crate::estimator::aggregate::EventStudy;
use crate::estimator::honest::EventCoefficients;
use crate::result::inference::pointwise;

/// He and Wang (2017), figure 2C: `HeAndWangResults` of R `pretrends`.
fn he_and_wang() -> EventStudy {
    let text = include_str!("../../../tests/golden/pretrends.json");
    EventStudy::from_json(text).expect("an event study")
}

fn analysed(study: &EventStudy, options: Pretrends) -> PretrendsResult {
    study.pretrends(options).expect("an analysis")
}

fn close(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} against {expected}");
}

/// R integrates by a randomised lattice with an error of up to 0.001.
#[test]
fn numbers_of_the_r_package_agree() {
    let study = he_and_wang();
    let slope = 0.052_058_71;
    let quadratic: Vec<f64> =
        study.event_times().iter().map(|t| 0.024 * (t + 1.0).powi(2)).collect();
    let options = Pretrends::new().target_power([0.5]).slope(slope).violations(quadratic);
    let result = analysed(&study, options);
    let [half, linear, quadratic] = &result.alternatives[..] else { panic!("three violations") };
    close(half.slope.expect("a slope"), slope, 1e-5);
    close(half.power, 0.5, 1e-8);
    close(linear.power, 0.499_977_6, 1e-4);
    close(linear.bayes_factor, 0.569_01, 2e-4);
    close(linear.likelihood_ratio, 0.105_762_7, 1e-7);
    close(quadratic.power, 0.662_428_2, 2e-5);
    close(quadratic.bayes_factor, 0.384_151_6, 3e-5);
    close(quadratic.likelihood_ratio, 0.433_263_5, 1e-7);
    let expected = [
        (-4.0, -0.156_176_13, -0.092_307_64),
        (-3.0, -0.104_117_42, -0.055_552_85),
        (-2.0, -0.052_058_71, -0.027_909_50),
        (-1.0, 0.0, 0.0),
        (0.0, 0.052_058_71, 0.064_901_84),
        (1.0, 0.104_117_42, 0.120_846_94),
        (2.0, 0.156_176_13, 0.169_464_98),
        (3.0, 0.208_234_84, 0.224_538_27),
    ];
    for (row, (at, violation, after)) in linear.rows.iter().zip(expected) {
        assert_eq!(row.event_time, at);
        close(row.violation, violation, 1e-8);
        close(row.after_passing.expect("an expectation"), after, 1e-5);
    }
    assert!(result.passed);
}

/// With one coefficient before the reference everything has a closed form, and the joint test is the individual one.
#[test]
fn one_period_has_closed_forms() {
    let (se, rho) = (0.2_f64, 0.5);
    let covariance = vec![vec![se * se, rho * se * 0.3], vec![rho * se * 0.3, 0.09]];
    let study = EventStudy::new(vec![0.1, 1.0], covariance, 1, 1).expect("an event study");
    let cdf = |x: f64| 0.5 * erfc(-x / std::f64::consts::SQRT_2);
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let z = pointwise(0.05);
    let options = Pretrends::new().critical(z).target_power([0.5, 0.9]).slope(0.3);
    let individual = analysed(&study, options.clone());
    let joint = analysed(&study, options.joint());
    for result in [&individual, &joint] {
        close(result.size, 0.05, 1e-9);
        let linear = &result.alternatives[2];
        let mean = -0.3 / se;
        let passing = cdf(z - mean) - cdf(-z - mean);
        close(linear.power, 1.0 - passing, 1e-9);
        let shift = (density(-z - mean) - density(z - mean)) / passing;
        close(linear.rows[0].after_passing.expect("a mean"), -0.3 + se * shift, 1e-9);
        close(linear.rows[2].after_passing.expect("a mean"), 0.3 + rho * 0.3 * shift, 1e-9);
        for (alternative, power) in result.alternatives.iter().zip([0.5, 0.9]) {
            let mean = alternative.slope.expect("a slope") / se;
            close(cdf(mean - z) + cdf(-mean - z), power, 1e-8);
        }
    }
}

/// Draws of the estimates under a violation: of those that pass, the mean is what is expected.
#[test]
fn simulated_estimates_that_pass_have_the_expected_mean() {
    const DRAWS: u32 = 40_000;
    let study = he_and_wang();
    let sigma = study.covariance();
    let n = sigma.len();
    let flat: Vec<f64> = sigma.concat();
    let (root, rank) = semidefinite_factor(&flat, n);
    for options in [Pretrends::new(), Pretrends::new().joint()] {
        let result = analysed(&study, options.clone().target_power([0.5]));
        let alternative = &result.alternatives[0];
        let rows: Vec<&PretrendsRow> =
            alternative.rows.iter().filter(|row| row.event_time != -1.0).collect();
        let mut sums = vec![(0.0, 0.0); n];
        let mut passed = 0.0;
        let mut normals = vec![0.0; rank];
        for draw in 0..DRAWS {
            standard_normals(20_22, draw, &mut normals);
            let noise = multiply(&root, &normals);
            let drawn: Vec<f64> = rows.iter().zip(noise).map(|(r, e)| r.violation + e).collect();
            let own = EventStudy::new(drawn.clone(), sigma.clone(), 3, 4).expect("a study");
            let own = EventCoefficients::of(&own).expect("coefficients");
            let law = law::TestLaw::new(&own, &options).expect("a law");
            if law.is_passed() {
                passed += 1.0;
                sums.iter_mut().zip(&drawn).for_each(|(s, b)| *s = (s.0 + b, s.1 + b * b));
            }
        }
        let power = 1.0 - passed / f64::from(DRAWS);
        close(power, alternative.power, 4.0 * (0.25 / f64::from(DRAWS)).sqrt());
        for (row, (sum, squares)) in rows.iter().zip(&sums) {
            let mean = sum / passed;
            let error = ((squares / passed - mean * mean) / passed).sqrt();
            close(mean, row.after_passing.expect("an expectation"), 4.0 * error);
        }
    }
}

/// Another unit of the outcome scales slopes and expectations, and no probability.
#[test]
fn units_do_not_matter() {
    let study = he_and_wang();
    let scale = 1_000.0;
    let covariance: Vec<Vec<f64>> = study
        .covariance()
        .iter()
        .map(|row| row.iter().map(|v| scale * scale * v).collect())
        .collect();
    let values = study.coefficients().iter().map(|b| scale * b).collect();
    let scaled = EventStudy::new(values, covariance, 3, 4).expect("an event study");
    for options in [Pretrends::new(), Pretrends::new().joint()] {
        let (a, b) = (analysed(&study, options.clone()), analysed(&scaled, options));
        close(a.size, b.size, 1e-9);
        for (a, b) in a.alternatives.iter().zip(&b.alternatives) {
            close(scale * a.slope.expect("a slope"), b.slope.expect("a slope"), 1e-5);
            close(a.power, b.power, 1e-8);
            close(a.likelihood_ratio, b.likelihood_ratio, 1e-6);
            for (a, b) in a.rows.iter().zip(&b.rows) {
                let [a, b] = [a, b].map(|row| row.after_passing.expect("an expectation"));
                close(scale * a, b, 1e-4);
            }
        }
        let [a, b] = [a, b].map(|result| result.equivalence.maximum.smallest_threshold);
        close(scale * a, b, 1e-9);
    }
}

#[test]
fn power_grows_with_the_violation_and_mirrors() {
    let study = he_and_wang();
    let slopes = [-0.1, -0.02, 0.0, 0.02, 0.1];
    let options = slopes.iter().fold(Pretrends::new().target_power([]), |o, s| o.slope(*s));
    for options in [options.clone(), options.joint()] {
        let result = analysed(&study, options);
        let power: Vec<f64> = result.alternatives.iter().map(|of| of.power).collect();
        assert!(power[2] < power[3] && power[3] < power[4], "{power:?}");
        close(power[0], power[4], 1e-9);
        close(power[2], result.size, 1e-12);
        close(result.alternatives[2].bayes_factor, 1.0, 1e-12);
        let after = |of: usize, row: usize| result.alternatives[of].rows[row].after_passing;
        for row in 0..8 {
            close(after(1, row).expect("a mean"), -after(3, row).expect("a mean"), 1e-9);
        }
    }
}

#[test]
fn many_periods_are_integrated_with_the_error_that_is_stated() {
    let pre = 12;
    let n = pre + 1;
    let covariance = (0..n).map(|i| (0..n).map(|j| if i == j { 0.02 } else { 0.01 }).collect());
    let study = EventStudy::new(vec![0.01; n], covariance.collect(), pre, 1).expect("a study");
    let result = analysed(&study, Pretrends::new().critical(3.0).target_power([0.5]));
    let alternative = &result.alternatives[0];
    assert!(alternative.error < 1e-3, "{}", alternative.error);
    close(alternative.power, 0.5, 2e-3);
}

#[test]
fn equivalence_tests_follow_from_coefficients_and_covariance() {
    let study = he_and_wang();
    let result = analysed(&study, Pretrends::new().threshold(0.25));
    let tests = &result.equivalence;
    let largest = tests.periods.iter().map(|p| p.smallest_threshold).fold(0.0, f64::max);
    assert_eq!(tests.maximum.smallest_threshold, largest);
    close(tests.maximum.estimate, 0.066_703_148, 1e-9);
    assert!(tests.maximum.p_value.is_some_and(|p| p < 0.05), "{tests:?}");
    for (of, threshold) in
        [tests.maximum, tests.mean].map(|t| t.smallest_threshold).into_iter().enumerate()
    {
        let at = analysed(&study, Pretrends::new().threshold(threshold)).equivalence;
        close([at.maximum, at.mean][of].p_value.expect("a p-value"), 0.05, 1e-9);
    }
}

/// Far from zero, the estimates that pass are at the point of the ellipse that is nearest to the violation.
#[test]
fn violations_of_many_standard_errors_have_expectations_after_the_joint_test() {
    let covariance = |i: usize, j: usize| if i == j { 0.01 } else { 0.0 };
    let covariance = (0..3).map(|i| (0..3).map(|j| covariance(i, j)).collect()).collect();
    let study = EventStudy::new(vec![0.01, 0.02, 0.3], covariance, 2, 1).expect("an event study");
    let options = Pretrends::new().joint().target_power([]).slope(10.0).slope(1e3).slope(1e12);
    let result = analysed(&study, options);
    let radius = 0.1 * 5.991_464_5_f64.sqrt();
    for of in &result.alternatives[..2] {
        for (row, share) in of.rows.iter().zip([2.0, 1.0]) {
            let nearest = -radius * share / 5.0_f64.sqrt();
            close(row.after_passing.expect("an expectation"), nearest, 0.01 * radius);
        }
        assert!(of.power > 1.0 - 1e-12);
    }
    // Beyond what double precision can tell.
    assert!(result.alternatives[2].rows.iter().all(|row| row.after_passing.is_none()));
}

#[test]
fn what_cannot_be_analysed_is_refused() {
    let refused = |study: &EventStudy, options: Pretrends, words: &str| {
        let error = study.pretrends(options).expect_err("a refusal").to_string();
        assert!(error.contains(words), "{error}");
    };
    let study = he_and_wang();
    refused(&study, Pretrends::new().critical(0.0), "`critical`");
    refused(&study, Pretrends::new().alpha(1.0), "`alpha`");
    refused(&study, Pretrends::new().target_power([1.0]), "`power`");
    refused(&study, Pretrends::new().slope(f64::NAN), "`slopes`");
    refused(&study, Pretrends::new().threshold(-1.0), "`threshold`");
    refused(&study, Pretrends::new().violations([1.0]), "the event times are -4, -3, -2, 0");
    let mut two = study.clone();
    two.rows[0].reference = true;
    refused(&two, Pretrends::new(), "are both references");
    let mut none = study.clone();
    none.rows[3].reference = false;
    refused(&none, Pretrends::new(), "no event time is the base period");
    let mut missing = study.clone();
    missing.rows[0].estimate.se = None;
    refused(&missing, Pretrends::new(), "event time -4 has no standard error");
    let mut bare = study.clone();
    bare.vcov = Vec::new();
    refused(&bare, Pretrends::new(), "the covariance of 7 coefficients is 0 by");
    let mut late = study.clone();
    late.rows.drain(..3);
    late.vcov = study.vcov[3..].iter().map(|row| row[3..].to_vec()).collect();
    refused(&late, Pretrends::new(), "no period before the reference period");
    let singular = vec![vec![1.0, 1.0, 0.0], vec![1.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    let singular = EventStudy::new(vec![0.0; 3], singular, 2, 1).expect("an event study");
    refused(&singular, Pretrends::new(), "is singular");
    let constant = vec![vec![0.0, 0.0], vec![0.0, 1.0]];
    let constant = EventStudy::new(vec![0.0; 2], constant, 1, 1).expect("an event study");
    refused(&constant, Pretrends::new(), "has no variance");
    assert!(matches!(two.pretrends(Pretrends::new()), Err(DidError::EventStudy { .. })));
}

#[test]
fn a_power_below_the_size_is_no_slope_but_a_warning() {
    let study = he_and_wang();
    let result = analysed(&study, Pretrends::new().target_power([0.01, 0.5]));
    assert_eq!(result.alternatives.len(), 1);
    let words: Vec<&str> = result.warnings.iter().map(crate::DidWarning::code).collect();
    assert_eq!(words, ["power_below_size"]);
}
