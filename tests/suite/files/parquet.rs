//! Fits from parquet files equal fits from memory to the last bit, however the files are cut and ordered.

use std::path::{Path, PathBuf};

use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use burn_did::{
    AttGt, Data, DidError, GroupTimeResult, Progress,
    options::{Bootstrap, ControlGroup},
};
use polars::prelude::*;

/// A directory that is removed at the end of a test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("burn-did-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, df: &DataFrame, row_group: usize) -> PathBuf {
        let path = self.0.join(name);
        let file = std::fs::File::create(&path).unwrap();
        ParquetWriter::new(file)
            .with_row_group_size(Some(row_group))
            .finish(&mut df.clone())
            .unwrap();
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn panel(attrition: f64) -> DataFrame {
    let simulation = Simulation::builder()
        .units(9_000)
        .periods(5)
        .covariates(2)
        .weights(true)
        .clusters(60)
        .attrition(attrition)
        .build();
    let mut df = simulation.frame();
    let region = df
        .column("cluster")
        .unwrap()
        .cast(&DataType::String)
        .unwrap()
        .str()
        .unwrap()
        .apply_values(|c| format!("r{}", c.len() + usize::from(c.ends_with('7'))).into())
        .with_name("region".into());
    df.with_column(region.into_column()).unwrap();
    df
}

/// Rows in an order that is none.
fn shuffled(df: &DataFrame) -> DataFrame {
    let n = df.height() as u64;
    let mut rows: Vec<(u64, u32)> =
        (0..n).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20, i as u32)).collect();
    rows.sort_unstable();
    let rows: Vec<u32> = rows.into_iter().map(|(_, i)| i).collect();
    df.take(&IdxCa::from_vec("row".into(), rows)).unwrap()
}

fn estimator() -> AttGt<Cpu> {
    AttGt::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .covariates("~ x1 + x2 + region")
        .bootstrap(Bootstrap::draws(40))
        .build()
}

fn same(a: &GroupTimeResult, b: &GroupTimeResult) {
    assert_eq!(a.cells, b.cells);
    assert_eq!(a.critical_value.to_bits(), b.critical_value.to_bits());
    let mut audit = b.audit.clone();
    audit.files = a.audit.files.clone();
    assert_eq!(a.audit, audit);
    assert_eq!(a.warnings, b.warnings);
    assert_eq!(a.wald, b.wald);
    assert_eq!(a.influence, b.influence);
}

/// Fits the frame in memory and from files of several layouts, whole and within a budget.
fn check(name: &str, fit: &AttGt<Cpu>, df: &DataFrame) {
    let directory = Directory::new(name);
    let memory = fit.fit(df).unwrap();
    let rows = df.height();
    let whole = directory.write("whole.parquet", df, 3_001);
    let mixed = directory.write("mixed.parquet", &shuffled(df), 7_000);
    let parts = directory.0.join("parts");
    std::fs::create_dir_all(&parts).unwrap();
    for (i, start) in (0..rows).step_by(rows.div_ceil(3)).enumerate() {
        directory.write(
            &format!("parts/{i}.parquet"),
            &df.slice(start as i64, rows.div_ceil(3)),
            5_000,
        );
    }
    // The smallest budgets cut the files into small frames and put the strata in a file.
    for budget in [None, Some(40_000_000), Some(400_000)] {
        let mut fit = fit.clone();
        fit.memory_budget = budget;
        for path in [&whole, &mixed, &parts] {
            same(&memory, &fit.fit(Data::in_pieces(path)).unwrap());
        }
    }
}

#[test]
fn balanced_panels_are_the_same_from_files() {
    check("balanced", &estimator(), &panel(0.0));
}

#[test]
fn unbalanced_panels_are_the_same_from_files() {
    let mut fit = estimator();
    fit.allow_unbalanced_panel = true;
    fit.weights = Some("weight".into());
    fit.cluster = Some("cluster".into());
    check("unbalanced", &fit, &panel(0.1));
}

#[test]
fn incomplete_units_are_dropped_alike() {
    let mut fit = estimator();
    fit.weights = Some("weight".into());
    fit.control_group = ControlGroup::NotYetTreated;
    fit.keep_influence = true;
    check("dropped", &fit, &panel(0.02));
}

#[test]
fn string_units_are_the_same_from_files() {
    let mut df = panel(0.0);
    let id = df.column("id").unwrap().cast(&DataType::String).unwrap();
    df.with_column(id).unwrap();
    check("strings", &estimator(), &df);
}

#[test]
fn a_piece_without_weight_is_no_error() {
    let mut df = panel(0.0);
    let early = df.column("id").unwrap().i64().unwrap().iter().map(|id| id < Some(4_000));
    let w: Vec<f64> = early.map(|early| if early { 0.0 } else { 1.0 }).collect();
    df.with_column(Column::new("weight".into(), w)).unwrap();
    let mut fit = estimator();
    fit.weights = Some("weight".into());
    check("weightless", &fit, &df);
}

#[test]
fn progress_covers_reading_and_passes() {
    let directory = Directory::new("progress");
    let path = directory.write("data.parquet", &panel(0.0), 2_000);
    let stages = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = stages.clone();
    let mut fit = estimator();
    fit.memory_budget = Some(500_000);
    fit.progress = Some(Progress::new(move |e| {
        assert!(e.done <= e.total);
        heard.lock().unwrap().push(e.stage);
    }));
    let _ = fit.fit(Data::in_pieces(path)).unwrap();
    let stages = stages.lock().unwrap();
    for stage in ["reading", "arranging", "cross-products", "influence values"] {
        assert!(stages.contains(&stage), "{stage} in {stages:?}");
    }
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let directory = Directory::new("errors");
    let error = |path: &Path, fit: AttGt<Cpu>| fit.fit(Data::in_pieces(path)).unwrap_err();
    let missing = error(&directory.0.join("none.parquet"), estimator());
    assert!(matches!(&missing, DidError::Io { path, .. } if path.ends_with("none.parquet")));
    let path = directory.write("data.parquet", &panel(0.0), 2_000);
    let mut fit = estimator();
    fit.outcome = "z".into();
    let unknown = error(&path, fit);
    assert!(matches!(&unknown, DidError::ColumnNotFound { column, role: "outcome", available, .. }
        if column == "z" && available.contains("`region`")));
    let twice = panel(0.0).slice(0, 500);
    let path = directory.write("twice.parquet", &twice.vstack(&twice).unwrap(), 300);
    assert!(matches!(error(&path, estimator()), DidError::DuplicateRow { .. }));
}
