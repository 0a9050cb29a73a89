//! Why cells have no estimate, or an estimate and no standard error.

use burn_did::{
    Aggregation, DidWarning,
    group_time::{CellStatus, GroupTimeCell, RegressionUnits},
    options::{Band, EstimationMethod, FixWeights},
};
use polars::prelude::DataFrame;

use crate::support::frames::{floats, rows, with};
use crate::support::spec::Spec;
use crate::support::splitmix;

fn panel() -> DataFrame {
    splitmix::panel(11, 120, [3, 4, 6, 0])
}

/// A factor whose level `c` occurs in group 6 alone: where the rows of a cell lack it, its column is zero.
fn with_factor(df: &DataFrame) -> DataFrame {
    let (id, group) = (floats(df, "id"), floats(df, "g"));
    let level = |(id, group): (&f64, &f64)| {
        let levels = if *group == 6.0 { 3 } else { 2 };
        ["a", "b", "c"][*id as usize % levels]
    };
    with(df, "f", id.iter().zip(&group).map(level).collect::<Vec<&str>>())
}

#[test]
fn a_level_that_a_cell_lacks_is_named() {
    let df = with_factor(&panel());
    for formula in ["~ f", "~ f + x1", "~ x1 + f"] {
        for repeated_cross_sections in [false, true] {
            for method in [EstimationMethod::DoublyRobust, EstimationMethod::OutcomeRegression] {
                let spec = Spec { method, repeated_cross_sections, ..Spec::default() };
                let fit = spec.covariates(formula).fit(&df);
                // Treated units of group 6 have the level, which no comparison unit has.
                for cell in fit.cells.iter().filter(|cell| cell.group != 6.0) {
                    let CellStatus::SingularDesign { columns, among, .. } = &cell.status else {
                        panic!("{formula}: {:?}", cell.status)
                    };
                    assert_eq!(columns, &["fc"], "{formula}: {}", cell.status);
                    assert_eq!(*among, RegressionUnits::Comparison);
                }
            }
        }
    }
}

#[test]
fn a_singular_regression_of_treated_rows_says_so() {
    let df = panel();
    let (id, group) = (floats(&df, "id"), floats(&df, "g"));
    let mut treated: Vec<f64> =
        id.iter().zip(&group).filter(|(_, g)| **g == 3.0).map(|(id, _)| *id).collect();
    treated.dedup();
    let kept = |row: &usize| group[*row] == 0.0 || treated[..2].contains(&id[*row]);
    let df = rows(&df, &(0..df.height()).filter(kept).collect::<Vec<_>>());
    let spec = Spec { repeated_cross_sections: true, ..Spec::default() };
    let fit = spec.covariates("~ x1 + x2t").fit(&df);
    // Two treated units may also be told apart by their covariates.
    let singular = |cell: &&GroupTimeCell| !matches!(cell.status, CellStatus::Overlap { .. });
    assert!(fit.cells.iter().any(|cell| singular(&cell)));
    for cell in fit.cells.iter().filter(singular) {
        let of_treated = matches!(
            cell.status,
            CellStatus::SingularDesign { among: RegressionUnits::Treated, .. }
        );
        let said = cell.status.to_string();
        assert!(of_treated && said.contains("among the treated units"), "{said}");
    }
}

#[test]
fn clusters_that_are_whole_cohorts_are_the_reason() {
    let df = panel();
    let clustered = with(&df, "state", floats(&df, "g"));
    let fit = Spec::default().cluster("state").fit(&clustered);
    assert!(fit.cells.iter().all(|cell| cell.estimate.se.is_none()));
    let estimates = fit.cells.len();
    let expected = DidWarning::ClustersSumToZero { estimates };
    assert!(fit.warnings.contains(&expected), "{:?}", fit.warnings);
    let unvarying = |w: &DidWarning| matches!(w, DidWarning::UnvaryingChanges { .. });
    assert!(!fit.warnings.iter().any(unvarying), "{:?}", fit.warnings);
    // Without clusters it is the outcome.
    let constant = with(&df, "y", vec![0.1; df.height()]);
    let fit = Spec::default().fit(&constant);
    let expected = DidWarning::UnvaryingChanges { estimates };
    assert!(fit.warnings.contains(&expected), "{:?}", fit.warnings);
}

#[test]
fn a_band_of_one_needs_a_standard_error() {
    let df = panel();
    let (time, group) = (floats(&df, "t"), floats(&df, "g"));
    let kept = |row: &usize| matches!(time[*row], 2.0 | 3.0) && matches!(group[*row], 0.0 | 3.0);
    let two = rows(&df, &(0..df.height()).filter(kept).collect::<Vec<_>>());
    let constant = with(&two, "y", vec![0.1; two.height()]);
    for (df, said) in [(&two, true), (&constant, false)] {
        let fit = Spec { band: Band::Uniform, ..Spec::default() }.fit(df);
        assert_eq!(fit.cells.len(), 1);
        assert_eq!(fit.cells[0].estimate.se.is_some(), said);
        let warned = fit.warnings.contains(&DidWarning::BandOfOne);
        assert_eq!(warned, said, "{:?}", fit.warnings);
    }
}

/// The units of group 3 have a weight of 0 in the first period, which shares are of, and of 1 later: what only they have is in the tables
/// without an estimate.
#[test]
fn groups_without_a_share_are_named() {
    let df = panel();
    let (group, time) = (floats(&df, "g"), floats(&df, "t"));
    let weight = |(g, t): (&f64, &f64)| if *g == 3.0 && *t == 1.0 { 0.0 } else { 1.0 };
    let weights: Vec<f64> = group.iter().zip(&time).map(weight).collect();
    let fix_weights = Some(FixWeights::BasePeriod);
    let spec = Spec { weights: Some("u".into()), fix_weights, ..Spec::default() };
    let fit = spec.fit(&with(&df, "u", weights));
    assert!(
        fit.cells
            .iter()
            .filter(|c| c.group == 3.0 && c.time >= 3.0)
            .all(|c| c.estimate.se.is_some())
    );
    let of = |aggregation| fit.aggregate(aggregation).unwrap();
    for (aggregation, rows) in [
        (Aggregation::simple(), vec![]),
        (Aggregation::group(), vec![]),
        // Group 4 is the next, and treated for three periods.
        (Aggregation::dynamic(), vec![3.0]),
        (Aggregation::calendar(), vec![3.0]),
    ] {
        let average = of(aggregation);
        let without = average.without_share.as_ref().expect("group 3 has no share");
        assert_eq!((&without.groups, &without.rows), (&vec![3.0], &rows), "{aggregation:?}");
        let named = |w: &&DidWarning| matches!(w, DidWarning::GroupsWithoutShare { .. });
        let said = average.warnings.iter().find(named).expect("a warning").to_string();
        assert!(said.contains("group 3 "), "{said}");
        let text = average.to_string();
        assert!(text.contains("group 3 have no weight"), "{text}");
        let frame = average.to_dataframe().unwrap();
        let status = frame.column("status").unwrap().str().unwrap();
        let empty = status.iter().filter(|status| *status == Some("no_estimate")).count();
        assert_eq!(empty, rows.len(), "{aggregation:?}: {frame}");
    }
    let study = of(Aggregation::dynamic()).event_study().unwrap();
    assert!(study.to_string().contains("no estimate at event time 3"), "{study}");
    // Without the weights all groups count.
    let plain = Spec::default().fit(&df).aggregate(Aggregation::dynamic()).unwrap();
    assert_eq!(plain.without_share, None);
}
