//! Every golden case of R `triplediff` and of ModernDiD, and the oracle's.

use burn_did::backend::Cpu;
use burn_did::{GroupTimeResult, options::Precision};

use crate::support::compare::Report;
use crate::support::ddd::{Case, DATASETS, Dataset, Numbers};
use crate::support::departures::Departure;
use crate::support::frames::golden_data;
use crate::support::tolerance::{Tolerance, oracle, reference};

/// One cell, and the differences in differences that it is made of.
fn compare_two_periods(
    report: &mut Report,
    dataset: &Dataset,
    case: &Case,
    fit: &GroupTimeResult,
    tolerance: &Tolerance,
) {
    let Some(Numbers::One(att)) = case.att else { panic!("{}: one att", case.id) };
    let [cell] = fit.cells.as_slice() else { panic!("{}: one cell", case.id) };
    report.close(&case.id, "att", cell.estimate.estimate, att, tolerance.att);
    let drawn = dataset.departures(case).contains(&Departure::DddClusters);
    if let (Some(Numbers::One(se)), false) = (&case.se, drawn) {
        report.close(&case.id, "se", cell.estimate.se, *se, tolerance.se);
    }
    if let Some(want) = &case.comparisons {
        let got = fit.comparisons.as_ref().expect("triple differences")[0];
        for (got, want) in [
            (got.treated_ineligible, want.treated_ineligible),
            (got.untreated_eligible, want.untreated_eligible),
            (got.untreated_ineligible, want.untreated_ineligible),
        ] {
            report.close(&case.id, "comparison", Some(got), want, tolerance.att);
        }
    }
}

fn compare(dataset: &Dataset, case: &Case, tolerance: &Tolerance, report: &mut Report) {
    let data = golden_data(case.data.as_deref().unwrap_or(&dataset.dataset));
    let mut fit = dataset.fit::<Cpu>(case, &data, Precision::F64);
    if matches!(case.att, Some(Numbers::One(_))) {
        return compare_two_periods(report, dataset, case, &fit, tolerance);
    }
    // The references have no rows for what they skip.
    fit.cells.retain(|c| c.status.is_estimated());
    report.compare(&case.id, &fit, &dataset.expected(case), tolerance);
}

#[test]
fn golden_cases() {
    let reports = DATASETS.map(|name| {
        let (dataset, mut report) = (Dataset::load(name), Report::new(name));
        for case in &dataset.cases {
            let tolerance = reference(name, &dataset.departures(case));
            let tolerance = Tolerance { wald: f64::INFINITY, ..tolerance };
            compare(&dataset, case, &tolerance, &mut report);
        }
        report
    });
    Report::finish_all(reports);
}

#[test]
fn oracle_cases() {
    let (dataset, mut report) = (Dataset::load("oracle"), Report::new("oracle"));
    let tolerance = Tolerance { wald: f64::INFINITY, ..oracle() };
    for case in &dataset.cases {
        compare(&dataset, case, &tolerance, &mut report);
    }
    report.finish();
}

#[test]
fn every_case_is_tested() {
    let golden = DATASETS.map(|name| Dataset::load(name).cases.len());
    assert_eq!(golden, [12, 6, 37, 24, 24, 37, 24, 24, 2]);
    assert_eq!(Dataset::load("oracle").cases.len(), 103);
}
