//! Rows of files, chosen by conditions: the same as files that have no others.

use std::fs::{self, File};

use burn_did::audit::ChosenRows;
use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use burn_did::options::{Bootstrap, RowCondition};
use burn_did::{AttGt, Data, DataFiles, GroupTimeResult, Npiv, Result};
use polars::prelude::*;

const CONDITIONS: [&str; 3] = ["period != 4", "state == b,c", "x < 1"];

/// A panel with a state and a constant covariate by unit, of which some are missing.
fn panel() -> DataFrame {
    let mut df = Simulation::builder().units(400).covariates(1).seed(7).build().frame();
    let ids: Vec<i64> = df.column("id").unwrap().i64().unwrap().into_no_null_iter().collect();
    let state = |id: &i64| match id % 7 {
        0 => None,
        1 | 2 => Some("a"),
        3 | 4 => Some("b"),
        _ => Some("c"),
    };
    let states: Vec<Option<&str>> = ids.iter().map(state).collect();
    df.with_column(Column::new("state".into(), states)).unwrap();
    df.rename("x1", "x".into()).unwrap();
    df
}

fn conditions() -> impl Iterator<Item = RowCondition> {
    CONDITIONS.iter().map(|text| text.parse().unwrap())
}

/// The rows of the panel that the conditions choose.
fn by_hand(df: &DataFrame) -> DataFrame {
    let time = df.column("period").unwrap().cast(&DataType::Float64).unwrap();
    let (time, state) = (time.f64().unwrap(), df.column("state").unwrap().str().unwrap());
    let x = df.column("x").unwrap().f64().unwrap();
    let rows = 0..df.height();
    let chosen: BooleanChunked = rows
        .map(|row| {
            let in_state = state.get(row).is_some_and(|state| state == "b" || state == "c");
            Some(time.get(row) != Some(4.0) && in_state && x.get(row).is_some_and(|x| x < 1.0))
        })
        .collect();
    df.filter(&chosen).unwrap()
}

fn written(df: &DataFrame, folder: &std::path::Path, name: &str) -> String {
    let path = folder.join(name);
    let file = File::create(&path).unwrap();
    let mut df = df.clone();
    if name.ends_with("csv") {
        CsvWriter::new(file).finish(&mut df).unwrap();
    } else {
        let groups = ParquetWriter::new(file).with_row_group_size(Some(100));
        groups.finish(&mut df).unwrap();
    }
    path.display().to_string()
}

fn fit<'a>(data: impl Into<Data<'a>>) -> Result<GroupTimeResult> {
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    config.covariates("~ x").build().fit(data)
}

fn chosen(fit: &GroupTimeResult) -> &ChosenRows {
    fit.audit.files.chosen.as_ref().expect("there are conditions")
}

#[test]
fn a_fit_of_chosen_rows_is_that_of_files_without_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let all = panel();
    let kept = by_hand(&all);
    assert!(kept.height() > 300 && kept.height() < all.height() / 2);
    let expected = fit(&kept).unwrap();
    for name in ["panel.csv", "panel.parquet"] {
        let path = written(&all, folder.path(), name);
        for files in [DataFiles::new(&path), DataFiles::new(&path).in_pieces()] {
            let fit = fit(files.rows(conditions())).unwrap();
            assert_eq!(fit.cells, expected.cells, "{name}");
            assert_eq!(fit.audit.rows_in, kept.height());
            let counted = chosen(&fit);
            assert_eq!((counted.rows, counted.chosen), (all.height(), kept.height()), "{name}");
            let left_out: usize = counted.left_out.iter().map(|left_out| left_out.rows).sum();
            assert_eq!(left_out, all.height() - kept.height());
            assert!(counted.left_out[1].missing > 0 && counted.left_out[0].missing == 0);
            let shown = fit.to_string();
            let words = format!("Rows chosen: {} of {}", kept.height(), all.height());
            assert!(shown.contains(&words), "{shown}");
            assert!(shown.contains("`state == b,c` leaves out"), "{shown}");
        }
    }
}

#[test]
fn columns_of_conditions_are_needed_for_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&panel(), folder.path(), "panel.csv");
    let only: RowCondition = "state is not missing".parse().unwrap();
    let fit = fit(DataFiles::new(&path).rows([only])).unwrap();
    assert!(fit.audit.rows_missing.iter().all(|(column, _)| column != "state"));
    assert!(fit.audit.read_as_missing.is_empty(), "{:?}", fit.audit.read_as_missing);
    let left_out = &chosen(&fit).left_out[0];
    assert_eq!((left_out.rows, left_out.missing), (left_out.rows, 0));
    assert!(left_out.rows > 0);
}

#[test]
fn an_error_about_a_row_numbers_it_among_all_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let mut text = String::from("id,period,group,y,x,use\n");
    for row in 0..40 {
        let group = if row == 33 { -2 } else { 3 * (row / 4 % 2) };
        text.push_str(&format!("{},{},{group},{row},0,{}\n", row / 4, row % 4 + 1, row % 4 != 0));
    }
    fs::write(&path, text).unwrap();
    for files in [DataFiles::new(&path), DataFiles::new(&path).in_pieces()] {
        let only: RowCondition = "use == TRUE".parse().unwrap();
        let error = fit(files.rows([only])).unwrap_err().to_string();
        assert!(error.contains("line 35 of"), "{error}");
    }
}

#[test]
fn mistakes_are_told_before_anything_is_estimated() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&panel(), folder.path(), "panel.parquet");
    for (condition, part) in [
        ("nowhere == 1", "column `nowhere` (condition on rows)"),
        ("state < 5", "`<` and `>` are for numbers and dates"),
        ("period > 2000", "conditions that some row meets, got `period > 2000`, of"),
    ] {
        for files in [DataFiles::new(&path), DataFiles::new(&path).in_pieces()] {
            let error = fit(files.rows([condition.parse().unwrap()])).unwrap_err().to_string();
            assert!(error.contains(part), "{condition}: {error}");
        }
    }
}

#[test]
fn a_function_by_sieves_says_its_rows_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&panel(), folder.path(), "panel.parquet");
    let config =
        Npiv::builder().outcome("y").regressors(["x"]).bootstrap(Bootstrap::draws(20)).build();
    let files = DataFiles::new(&path).rows(["period == 1".parse().unwrap()]);
    let fit = config.fit(files).unwrap();
    assert!(fit.to_string().contains("Rows chosen: 400 of"), "{fit}");
}

/// Dates that are held as text, as those of CSV files are, meet a condition by the period that it names.
#[test]
fn dates_in_text_are_compared_by_periods() {
    let folder = tempfile::tempdir().unwrap();
    let mut df = panel();
    let periods = df.column("period").unwrap().cast(&DataType::Int64).unwrap();
    let date = |(row, period): (usize, i64)| format!("2014-{:02}-{:02}", period, 1 + row % 28);
    let dates: Vec<String> =
        periods.i64().unwrap().into_no_null_iter().enumerate().map(date).collect();
    df.with_column(Column::new("date".into(), dates)).unwrap();
    let path = written(&df, folder.path(), "dates.csv");
    let fitted =
        |condition: &str| fit(DataFiles::new(&path).rows([condition.parse().unwrap()])).unwrap();
    for (by_date, by_period) in [
        ("date != 2014-04", "period != 4"),
        ("date == 2014-01,2014-02,2014-03", "period <= 3"),
        ("date == 2014", "period >= 1"),
    ] {
        let [a, b] = [by_date, by_period].map(fitted);
        assert_eq!(chosen(&a).chosen, chosen(&b).chosen, "{by_date}");
        assert_eq!(a.cells, b.cells, "{by_date}");
    }
}
