//! Mean outcomes by cohort.

use burn_did::explore::CohortMeans;
use burn_did::{Data, DidError, SavedResult, data, explore::Explore};

use super::{explore, panel, parquet, shuffled};

fn mean(means: &CohortMeans, group: Option<f64>, time: f64) -> (f64, Option<f64>, Option<f64>) {
    let row = means.rows.iter().find(|row| row.group == group && row.time == time).unwrap();
    (row.mean.estimate.unwrap(), row.mean.se, row.change)
}

#[test]
fn means_are_those_of_the_rows() {
    let means = explore().means(panel()).unwrap();
    let se = (0.5f64 / 2.0).sqrt();
    assert_eq!(mean(&means, Some(3.0), 1.0), (1.5, Some(se), Some(-1.0)));
    assert_eq!(mean(&means, Some(3.0), 2.0), (2.5, None, Some(0.0)));
    assert_eq!(mean(&means, Some(2.0), 3.0), (6.0, None, Some(5.0)));
    assert_eq!(mean(&means, None, 3.0), (1.5, None, Some(1.0)));
    assert_eq!(means.rows.len(), 12);
}

#[test]
fn weights_count() {
    let mut look = explore();
    look.weights = Some("w".into());
    let means = look.means(panel()).unwrap();
    let (estimate, se, _) = mean(&means, Some(3.0), 1.0);
    // 2 with weight 2 and 1 with weight 1.
    let expected = 5.0 / 3.0_f64;
    let squares = 4.0 * (2.0 - expected).powi(2) + (1.0 - expected).powi(2);
    assert!((estimate - expected).abs() < 1e-15);
    assert!((se.unwrap() - (2.0 * squares).sqrt() / 3.0).abs() < 1e-15);
}

#[test]
fn far_outcomes_keep_their_digits() {
    let mut far = panel();
    far.apply("y", |y| y.as_materialized_series() + 1e9).unwrap();
    let (near, far) = (explore().means(panel()).unwrap(), explore().means(&far).unwrap());
    for (a, b) in near.rows.iter().zip(&far.rows) {
        assert!((a.mean.estimate.unwrap() + 1e9 - b.mean.estimate.unwrap()).abs() < 1e-6);
        assert_eq!(a.mean.se.is_some(), b.mean.se.is_some());
        if let (Some(a), Some(b)) = (a.mean.se, b.mean.se) {
            assert!((a - b).abs() < 1e-6 * a);
        }
    }
}

#[test]
fn order_and_pieces_change_nothing() {
    let whole = explore().means(panel()).unwrap();
    assert_eq!(explore().means(shuffled(&panel())).unwrap(), whole);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("panel.parquet");
    parquet(&shuffled(&panel()), &path, 4);
    let mut look = explore();
    look.memory_budget = Some(64);
    let pieces = look.means(Data::in_pieces(&path)).unwrap();
    assert_eq!(pieces.rows, whole.rows);
}

#[test]
fn they_are_shown_saved_and_drawn() {
    let look =
        Explore::builder().unit("countyreal").time("year").group("first.treat").outcome("lemp");
    let means = look.build().means(data::mpdta()).unwrap();
    assert_eq!(means.rows.len(), 4 * 5);
    let shown = means.to_string();
    assert!(shown.contains("First treated in 2004") && shown.contains("Never treated"), "{shown}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("means.json");
    means.save(&path).unwrap();
    let SavedResult::CohortMeans(loaded) = SavedResult::load(&path).unwrap() else {
        panic!("another kind")
    };
    assert_eq!(*loaded, means);
    means.plot(folder.path().join("means.png")).unwrap();
}

#[test]
fn an_outcome_and_a_level_are_needed() {
    let mut look = explore();
    look.alpha = 1.5;
    assert!(matches!(look.means(panel()), Err(DidError::Config { option: "alpha", .. })));
    look.outcome = None;
    look.alpha = 0.05;
    assert!(matches!(look.means(panel()), Err(DidError::Config { option: "outcome", .. })));
}
