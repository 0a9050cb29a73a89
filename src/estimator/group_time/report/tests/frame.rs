use polars::prelude::{DataFrame, DataType};

use crate::estimator::group_time::report::fixtures;
use crate::result::settings::EstimatorSettings;

fn names(frame: &DataFrame) -> Vec<&str> {
    frame.get_column_names().iter().map(|n| n.as_str()).collect()
}

fn nulls(frame: &DataFrame, column: &str) -> usize {
    frame.column(column).expect("a column of this name").null_count()
}

#[test]
fn cells_are_rows() {
    let frame = fixtures::failed().to_dataframe().expect("a frame");
    let columns = [
        "group",
        "time",
        "estimate",
        "se",
        "ci_lower",
        "ci_upper",
        "p_value",
        "statistic",
        "status",
        "reason",
        "n_treated",
        "n_control",
        "largest_score_treated",
        "largest_score_control",
        "trimmed",
        "trimmed_share",
        "effective_control",
        "effective_control_sampling",
    ];
    assert_eq!(names(&frame), columns);
    assert_eq!(frame.height(), 5);
    assert_eq!((nulls(&frame, "trimmed"), nulls(&frame, "effective_control")), (5, 5));
    assert_eq!((nulls(&frame, "estimate"), nulls(&frame, "se")), (3, 4));
    assert_eq!((nulls(&frame, "p_value"), nulls(&frame, "statistic")), (4, 4));
    let status = frame.column("status").expect("status").str().expect("strings");
    assert_eq!((status.get(0), status.get(2)), (Some("reference"), Some("no_controls")));
    assert_eq!(frame.column("estimate").expect("estimate").dtype(), &DataType::Float64);
}

#[test]
fn aggregates_end_with_the_overall_effect() {
    let frame = fixtures::dynamic_universal().to_dataframe().expect("a frame");
    assert_eq!((frame.height(), nulls(&frame, "event_time"), nulls(&frame, "se")), (9, 1, 1));
    let table = frame.column("table").expect("table").str().expect("strings");
    assert_eq!((table.get(0), table.get(8)), (Some("rows"), Some("overall")));
    let status = frame.column("status").expect("status").str().expect("strings");
    assert_eq!(status.iter().flatten().filter(|status| *status == "reference").count(), 1);
    let estimates = frame.column("estimate").expect("estimate").f64().expect("numbers");
    assert_eq!(estimates.get(8), fixtures::dynamic_universal().overall.estimate);
    assert_eq!(fixtures::simple().to_dataframe().expect("a frame").height(), 1);
}

#[test]
fn bands_stand_beside_pointwise_intervals() {
    let (fit, frame) = (fixtures::uniform(), fixtures::uniform().to_dataframe());
    let frame = frame.expect("a frame");
    let first = |name: &str| frame.column(name).expect(name).f64().expect("numbers").get(0);
    assert_eq!(first("band_lower"), fit.cells[0].estimate.band_lower);
    let half = fixtures::POINTWISE * first("se").expect("a standard error");
    let lower = first("estimate").expect("an estimate") - half;
    assert!((first("ci_lower").expect("an end") - lower).abs() < 1e-12);
    let pointwise = fixtures::universal().to_dataframe().expect("a frame");
    assert!(pointwise.column("band_lower").is_err());
}

#[test]
fn glances_have_one_row() {
    let cells = fixtures::uniform().glance().expect("a frame");
    assert_eq!(cells.height(), 1);
    let p = cells.column("wald_p_value").expect("p").f64().expect("numbers").get(0);
    assert_eq!(p, Some(0.232_67));
    assert_eq!((nulls(&cells, "weights"), nulls(&cells, "bootstrap_draws")), (1, 0));
    let failed = fixtures::failed().glance().expect("a frame");
    let estimated = failed.column("n_estimated").expect("count").u64().expect("numbers").get(0);
    assert_eq!((estimated, nulls(&failed, "wald_stat")), (Some(2), 1));
    let group = fixtures::group().glance().expect("a frame");
    assert_eq!((group.height(), nulls(&group, "min_e"), nulls(&group, "overall_se")), (1, 1, 0));
}

#[test]
fn csv_leaves_fields_empty() {
    let mut result = fixtures::failed();
    result.cells.drain(1..4);
    let csv = result.to_csv().expect("text");
    let mut lines = csv.lines();
    let header = "group,time,estimate,se,ci_lower,ci_upper,p_value,statistic,status,reason,n_treated,n_control";
    assert!(lines.next().is_some_and(|line| line.starts_with(header)), "{csv}");
    assert_eq!(lines.next(), Some("2004,2003,0,,,,,,reference,,20,309,,,,,,"));
    let failed = lines.next().expect("a failed cell");
    assert!(failed.starts_with("2004,2007,,,,,,,no_treated_weight,"), "{failed}");
    let csv = fixtures::group().to_csv().expect("text");
    assert!(csv.starts_with(
        "table,type,group,estimate,se,ci_lower,ci_upper,band_lower,band_upper,p_value,statistic,status,left_out,note\nrows,group,2004,"
    ), "{csv}");
    assert!(csv.contains("\noverall,group,,-0.0328195972,"), "{csv}");
}

#[test]
fn a_method_is_named_where_there_is_a_choice() {
    let mut cells = fixtures::uniform();
    if let EstimatorSettings::AttGt { method, .. } = &mut cells.settings.estimator {
        *method = None;
    }
    let frame = cells.glance().expect("a frame");
    let method = frame.column("method").expect("method").str().expect("strings");
    assert_eq!(method.get(0), Some("User-Supplied"));
    cells.settings.estimator = fixtures::slopes();
    assert_eq!(nulls(&cells.glance().expect("a frame"), "method"), 1);
}
