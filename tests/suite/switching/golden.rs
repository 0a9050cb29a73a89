//! Effects of treatments that switch: golden cases of R `DIDmultiplegtDYN`, and those of a second program.

use burn_did::{DidMultiplegt, DidWarning};

use crate::support::but;
use crate::support::frames::golden_path;
use crate::support::multiplegt::{Case, load};

/// What rounding may change.
const TOLERANCE: f64 = 1e-9;

fn check(case: &Case, file: &str, change: impl FnOnce(DidMultiplegt) -> DidMultiplegt) {
    let fit = change(case.estimator()).fit(golden_path(file).as_path()).unwrap();
    case.check(&fit, TOLERANCE);
}

#[test]
fn golden_cases_of_r() {
    let cases = load("multiplegt.json");
    assert_eq!(cases.len(), 21);
    for case in &cases {
        check(case, &format!("multiplegt_{}", case.data), |estimator| estimator);
    }
}

/// Missing rows, outcomes and treatments, weights of zero, several rows a cell, and combinations of options.
#[test]
fn cases_of_a_second_program() {
    let cases = load("multiplegt_oracle.json");
    assert_eq!(cases.len(), 71);
    for case in &cases {
        // It takes the variance of the controls' coefficients from the rows of each treatment of the first period.
        check(case, &format!("multiplegt_{}", case.data), |estimator| {
            but(estimator, |c| c.separate_control_variance = true)
        });
    }
}

/// With one treatment in the first period there is nothing to pool.
#[test]
fn the_variance_of_controls_differs_from_r_with_several_first_treatments_only() {
    let cases = load("multiplegt.json");
    let case = cases.iter().find(|case| case.has_controls()).unwrap();
    let fit = |separate_control_variance: bool, file: &std::path::Path| {
        let estimator =
            but(case.estimator(), |c| c.separate_control_variance = separate_control_variance);
        estimator.fit(file).unwrap()
    };
    let se = |separate: bool, file: &std::path::Path| {
        fit(separate, file).effects[0].estimate.se.unwrap()
    };
    let warns = |separate: bool, file: &std::path::Path| {
        fit(separate, file).warnings.contains(&DidWarning::ControlVariance)
    };
    let file = golden_path("multiplegt_mgt_a.csv");
    assert_eq!((warns(false, &file), warns(true, &file)), (true, false));
    let ratio = se(true, &file) / se(false, &file);
    assert!((ratio - 1.0).abs() > 1e-5 && (ratio - 1.0).abs() < 0.01, "{ratio}");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut untreated = std::collections::HashSet::new();
    for line in text.lines().skip(1) {
        let mut fields = line.split(',');
        let (id, t, d) = (fields.next().unwrap(), fields.next().unwrap(), fields.next().unwrap());
        if t == "1" && d.parse::<f64>().unwrap() == 0.0 {
            untreated.insert(id.to_owned());
        }
    }
    let keep = |line: &&str| untreated.contains(line.split(',').next().unwrap());
    let rows: Vec<&str> = text.lines().take(1).chain(text.lines().skip(1).filter(keep)).collect();
    let path = std::env::temp_dir().join(format!("burn-did-{}-untreated.csv", std::process::id()));
    std::fs::write(&path, rows.join("\n")).unwrap();
    assert_eq!(se(true, &path).to_bits(), se(false, &path).to_bits());
    assert!(!warns(false, &path));
    std::fs::remove_file(path).unwrap();
}
