use polars::prelude::{DataFrame, DataType};

use crate::estimator::group_time::report::fixtures;

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
        "att",
        "se",
        "ci_lower",
        "ci_upper",
        "p_value",
        "statistic",
        "status",
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
    assert_eq!((nulls(&frame, "att"), nulls(&frame, "se")), (3, 4));
    assert_eq!((nulls(&frame, "p_value"), nulls(&frame, "statistic")), (4, 4));
    let status = frame.column("status").expect("status").str().expect("strings");
    assert_eq!((status.get(0), status.get(2)), (Some("reference"), Some("no_controls")));
    assert_eq!(frame.column("att").expect("att").dtype(), &DataType::Float64);
}

#[test]
fn aggregates_end_with_the_overall_effect() {
    let frame = fixtures::dynamic_universal().to_dataframe().expect("a frame");
    assert_eq!(frame.shape(), (9, 12));
    assert_eq!((nulls(&frame, "at"), nulls(&frame, "se")), (1, 1));
    let term = frame.column("term").expect("term").str().expect("strings");
    assert_eq!((term.get(0), term.get(8)), (Some("ATT(-4)"), Some("overall")));
    let att = frame.column("att").expect("att").f64().expect("numbers");
    assert_eq!(att.get(8), fixtures::dynamic_universal().overall.att);
    assert_eq!(fixtures::simple().to_dataframe().expect("a frame").height(), 1);
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
    let expected = "\
group,time,att,se,ci_lower,ci_upper,p_value,statistic,status,n_treated,n_control,\
largest_score_treated,largest_score_control,trimmed,trimmed_share,effective_control,effective_control_sampling
2004.0,2003.0,0.0,,,,,,reference,20,309,,,,,,
2004.0,2007.0,,,,,,,no_treated_weight,20,309,,,,,,
";
    assert_eq!(csv, expected);
    let csv = fixtures::group().to_csv().expect("text");
    assert!(csv.starts_with(
        "type,term,at,att,se,ci_lower,ci_upper,p_value,statistic,event_time,left_out,note\ngroup,ATT(2004),2004.0,"
    ));
    assert!(csv.contains("\ngroup,overall,,-0.0328195972,"));
}

#[test]
fn a_method_is_named_where_there_is_a_choice() {
    let mut cells = fixtures::uniform();
    cells.settings.method = None;
    let frame = cells.glance().expect("a frame");
    let method = frame.column("method").expect("method").str().expect("strings");
    assert_eq!(method.get(0), Some("User-Supplied"));
    cells.settings.dose = Some("dose".into());
    assert_eq!(nulls(&cells.glance().expect("a frame"), "method"), 1);
}
