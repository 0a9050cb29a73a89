use crate::estimator::group_time::report::fixtures;
use crate::report::PlotRow;

#[test]
fn pointwise_interval_lies_inside_the_uniform_band() {
    let rows = fixtures::dynamic_uniform().plot_data();
    assert_eq!(rows.len(), 7);
    assert_eq!(rows.iter().filter(|r| r.post).count(), 4);
    for row in &rows {
        assert!(row.ci_lower > row.band_lower && row.ci_upper < row.band_upper);
    }
    let (lower, upper) = (rows[3].ci_lower, rows[3].ci_upper);
    let half = fixtures::POINTWISE * 0.011_795_445_9;
    assert!((upper.unwrap_or(0.0) - lower.unwrap_or(0.0) - 2.0 * half).abs() < 1e-12);
}

#[test]
fn reference_has_no_interval() {
    let rows = fixtures::dynamic_universal().plot_data();
    let reference: Vec<_> = rows.iter().filter(|r| r.reference).collect();
    assert_eq!(reference.len(), 1);
    assert!(!reference[0].post && reference[0].ci_lower.is_none());
    assert_eq!((reference[0].at, reference[0].estimate), (-1.0, 0.0));
}

#[test]
fn failed_cells_are_left_out() {
    let rows = fixtures::failed().plot_data();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|r| r.facet == Some(2004.0)));
    assert!(fixtures::simple().plot_data().is_empty());
}

#[test]
fn survives_json() {
    let rows = fixtures::universal().plot_data();
    let json = serde_json::to_string(&rows).expect("plain numbers");
    assert_eq!(serde_json::from_str::<Vec<PlotRow>>(&json).expect("own output").len(), 15);
}
