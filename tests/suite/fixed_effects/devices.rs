//! Regressions with fixed effects whose iteration runs on a device, in either precision: all golden cases, Sun and Abraham's event
//! study, and what the result says of the device.

use std::collections::HashSet;

use burn::backend::NdArray;
use burn_did::backend::{Cpu, DidBackend};
use burn_did::{
    Demean, FixedEffects, RegressionResult, SunAbraham, data,
    options::Precision,
    regression::{Family, Vcov},
};

use super::binary;
use super::golden::{Case, compare, fit_on};
use crate::support::dataset::Dataset;
use crate::support::frames::{golden_data, golden_json};

/// The device's numbers against the host's.
fn agree(fit: &RegressionResult, host: &RegressionResult, coef: f64, id: &str) {
    assert_eq!(fit.coefficients.len(), host.coefficients.len(), "{id}");
    for (a, b) in fit.coefficients.iter().zip(&host.coefficients) {
        let off = |a: f64, b: f64| (a - b).abs() / b.abs();
        assert!(
            off(a.estimate, b.estimate) < coef,
            "{id}, {}: {} {}",
            a.name,
            a.estimate,
            b.estimate
        );
        let (a, b) = (a.se.expect("an error"), b.se.expect("an error"));
        assert!(off(a, b) < 1e-6, "{id}: {a} {b}");
    }
}

/// Every golden regression, hard designs and regressions by maximum likelihood included: with the first of its covariances, as devices have
/// no part in these.
pub(crate) fn golden_cases<B: DidBackend>(precision: Precision) {
    let linear = ["fe_easy_a", "fe_hard_a", "fe3_a"];
    let files = linear.map(|name| (format!("feols_{name}.json"), Family::Gaussian));
    let mut on_device = 0;
    let files = files.into_iter().chain([("fepois.json".to_owned(), Family::Poisson)]);
    let of_file = |(file, family): (String, Family)| {
        let golden: Dataset<Case> = golden_json(&file);
        let data = golden_data(&golden.dataset);
        let cases: Vec<_> = golden.cases.into_iter().map(|case| (case, family)).collect();
        (data, cases)
    };
    for (data, cases) in files.map(of_file).chain([binary::golden()]) {
        let regression = |(case, _): &(Case, Family)| (case.formula.clone(), case.weights.clone());
        let mut seen = HashSet::new();
        for (case, family) in cases.iter().filter(|case| seen.insert(regression(case))) {
            let fit = fit_on::<B>(case, &data, *family, precision);
            let host = fit_on::<Cpu>(case, &data, *family, Precision::F64);
            let coef = if *family == Family::Gaussian { 1e-8 } else { 1e-7 };
            compare(case, &fit, coef, 1e-6);
            agree(&fit, &host, coef, &case.id);
            let Some(solver) = &fit.solver else { continue };
            assert!(!solver.device.contains("then"), "{}: {}", case.id, solver.device);
            if solver.solver == "cg" {
                on_device += 1;
                assert_ne!(solver.device, "host", "{}", case.id);
                assert!(solver.columns.iter().any(|c| c.passes > 0), "{}", case.id);
            }
        }
    }
    assert!(on_device > 3, "{on_device} cases had a device iterate");
}

/// Cohorts by event times, and columns demeaned for their own sake.
pub(crate) fn event_studies_and_columns<B: DidBackend>(precision: Precision) {
    let panel = data::mpdta();
    let study = |estimates: burn_did::SunAbrahamResult| -> Vec<(f64, f64)> {
        let rows = &estimates.event_study.rows;
        rows.iter()
            .map(|r| (r.estimate.estimate.unwrap_or(0.0), r.estimate.se.unwrap_or(0.0)))
            .collect()
    };
    let of = SunAbraham::<B>::builder().outcome("lemp").unit("countyreal").time("year");
    let own = of.group("first.treat").precision(precision).build().fit(&panel);
    let of = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let host = of.group("first.treat").build().fit(&panel);
    for (a, b) in study(own.expect("a fit")).iter().zip(study(host.expect("a fit"))) {
        assert!((a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-8, "{a:?} {b:?}");
    }
    let golden: Dataset<Case> = golden_json("feols_fe_hard_a.json");
    let rows = golden_data(&golden.dataset);
    let factors = ["worker", "firm"];
    let own =
        Demean::<B>::builder().columns(["y", "x1"]).absorb(factors).precision(precision).build();
    let own = own.fit(&rows).expect("demeaned");
    let host = Demean::<Cpu>::builder().columns(["y", "x1"]).absorb(factors).build();
    let host = host.fit(&rows).expect("demeaned");
    assert_ne!(own.solver.device, "host");
    for (a, b) in own.residuals.iter().flatten().zip(host.residuals.iter().flatten()) {
        let near = a.zip(*b).is_none_or(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near && a.is_some() == b.is_some(), "{a:?} {b:?}");
    }
}

/// What a fit on a hard network asks of a device.
#[cfg(feature = "vulkan")]
pub(crate) fn work<B: DidBackend>(precision: Precision) -> Option<burn_did::backend::DeviceWork> {
    let config = FixedEffects::<B>::builder().formula("y ~ x1 + x2 | worker + firm");
    let config = config.precision(precision).build();
    let fit = config.fit(golden_data("fe_hard_a")).expect("a fit");
    fit.timings.device
}

/// Saved and printed results name the device.
#[test]
fn results_say_where_they_were_found() {
    let config = |formula: &str| FixedEffects::<NdArray<f32>>::builder().formula(formula).build();
    let panel = golden_data("fe_hard_a");
    let fit = config("y ~ x1 | worker + firm").fit(&panel).expect("a fit");
    assert!(fit.to_string().contains("Solver: cg on ndarray"), "{fit}");
    let saved = std::env::temp_dir().join(format!("burn-did-device-{}.json", std::process::id()));
    fit.save(&saved).expect("saved");
    let again = RegressionResult::load(&saved).expect("loaded");
    std::fs::remove_file(&saved).expect("removed");
    assert_eq!(again.solver, fit.solver);
    let one = config("y ~ x1 | firm").fit(&panel).expect("a fit");
    assert_eq!(one.solver.expect("fixed effects").device, "host");
    let vcov = Vcov::cluster(["firm"]);
    let host = FixedEffects::<Cpu>::builder().formula("y ~ x1 | worker + firm").vcov(vcov).build();
    let host = host.fit(&panel).expect("a fit");
    assert_eq!(host.solver.expect("fixed effects").device, "host");
}

#[test]
fn golden_cases_by_tensor_operations() {
    golden_cases::<NdArray<f32>>(Precision::F64);
}

#[test]
fn golden_cases_by_tensor_operations_in_single_precision() {
    golden_cases::<NdArray<f32>>(Precision::F32);
}

#[test]
fn event_studies_and_columns_by_tensor_operations() {
    for precision in [Precision::F64, Precision::F32] {
        event_studies_and_columns::<NdArray<f32>>(precision);
    }
}
