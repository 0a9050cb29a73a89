//! What is refused or left out, and in which words.

use burn_did::options::ControlGroup;
use burn_did::{DidError, DidWarning};

use super::etwfe;
use crate::by_unit::textbook;
use crate::support::but;
use crate::support::frames::{filter, floats, map, with};

#[test]
fn rows_without_anything_to_compare_with_are_refused() {
    let df = textbook();
    let none = with(&df, "g", vec![0.0; df.height()]);
    assert!(matches!(etwfe().fit(&none), Err(DidError::NoValidGroups { .. })));
    let treated = filter(&df, "g", |g| g > 0.0);
    let never = but(etwfe(), |c| c.control_group = ControlGroup::NeverTreated);
    assert!(matches!(never.fit(&treated), Err(DidError::NoNeverTreated)));
    let one = with(&df, "g", vec![3.0; df.height()]);
    assert!(matches!(etwfe().fit(&one), Err(DidError::NoNeverTreated)));
    // The last cohort takes their place, without its treated periods.
    let fit = etwfe().fit(&treated).unwrap();
    assert!(fit.warnings.contains(&DidWarning::LastCohortAsControl { group: 6.0 }));
    let cut = map(&filter(&treated, "t", |t| t < 6.0), "g", |g| if g == 6.0 { 0.0 } else { g });
    let expected = etwfe().fit(&cut).unwrap();
    let [a, b] = [&fit, &expected].map(|fit| fit.overall.estimate.unwrap());
    assert!((a - b).abs() < 1e-10);
}

#[test]
fn columns_and_options_out_of_place_are_named() {
    let df = textbook();
    let twice = but(etwfe(), |c| {
        c.covariates = vec!["x".into()];
        c.moderator = Some("x".into());
    });
    assert!(matches!(twice.fit(&df), Err(DidError::Config { option: "moderator", .. })));
    let lost = but(etwfe(), |c| c.outcome = "yy".into());
    assert!(matches!(lost.fit(&df), Err(DidError::ColumnNotFound { .. })));
    let text: Vec<String> = floats(&df, "x").iter().map(|x| format!("about {x:.0}")).collect();
    let worded = but(etwfe(), |c| c.covariates = vec!["word".into()]);
    assert!(worded.fit(with(&df, "word", text)).is_err());
    let empty = but(etwfe(), |c| c.weights = Some("w".into()));
    let none = with(&df, "w", vec![0.0; df.height()]);
    assert!(empty.fit(&none).unwrap_err().to_string().contains("weight"));
    assert!(etwfe().fit(with(&df, "t", vec![1.0; df.height()])).is_err());
}

#[test]
fn what_is_left_out_is_said() {
    let df = textbook();
    let already = map(&df, "g", |g| if g == 3.0 { 1.0 } else { g });
    let fit = etwfe().fit(&already).unwrap();
    assert!(fit.warnings.contains(&DidWarning::AlreadyTreatedRows { rows: 90 }));
    let mut y = floats(&df, "y");
    y[4] = f64::NAN;
    let fit = etwfe().fit(with(&df, "y", y)).unwrap();
    assert!(fit.warnings.contains(&DidWarning::DroppedRows { rows: 1 }));
    // A covariate that does not change follows from the effects of units.
    let fit = but(etwfe(), |c| c.covariates = vec!["x".into()]).fit(&df).unwrap();
    assert!(fit.regression.dropped.contains(&"x".to_owned()), "{:?}", fit.regression.dropped);
    assert!(fit.to_string().contains("cohort 3 in 4") || !fit.regression.dropped.is_empty());
}
