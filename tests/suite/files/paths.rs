//! What a path stands for: the same files for every way of reading them.

use std::path::{Path, PathBuf};

use burn_did::backend::Cpu;
use burn_did::{AttGt, Data, DidError, GroupTimeResult};
use polars::prelude::*;

use crate::support::but;
use crate::support::frames::map;
use crate::support::splitmix;

fn panel(seed: u64) -> DataFrame {
    splitmix::panel(seed, 240, [3, 4, 6, 0])
}

fn config() -> AttGt<Cpu> {
    AttGt::builder().outcome("y").unit("id").time("t").group("g").covariates("~ x1").build()
}

fn write(folder: &Path, name: &str, df: &DataFrame) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    if name.ends_with("csv") {
        CsvWriter::new(file).finish(&mut df.clone()).unwrap();
    } else {
        ParquetWriter::new(file).finish(&mut df.clone()).unwrap();
    }
    path
}

/// Fits of the path: as a whole, and by pieces where it can be.
fn fits(path: &Path) -> Vec<Result<GroupTimeResult, DidError>> {
    let small = || but(config(), |c| c.memory_budget = Some(10_000));
    let mut fits = vec![config().fit(path)];
    fits.push(small().fit(path));
    fits.push(config().fit(Data::in_pieces(path)));
    fits.push(small().fit(Data::in_pieces(path)));
    fits
}

#[track_caller]
fn assert_reads(path: &Path, expected: &GroupTimeResult, files: &[&Path]) {
    for fit in fits(path) {
        let fit = fit.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(fit.cells, expected.cells, "{}", path.display());
        assert_eq!(fit.audit.files.number, files.len());
        assert!(fit.audit.files.paths.iter().map(Path::new).eq(files.iter().copied()));
    }
}

#[track_caller]
fn assert_fails(path: &Path, words: &[&str]) {
    for fit in fits(path) {
        let error = fit.unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
}

#[test]
fn a_path_that_exists_is_not_a_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (one, other) = (panel(1), panel(2));
    let (first, second) = (config().fit(&one).unwrap(), config().fit(&other).unwrap());
    for kind in ["csv", "parquet"] {
        for (literal, matched) in
            [("data[1]", "data1"), ("a*b", "axb"), ("q?", "qq"), ("d[1]/x", "d1/x")]
        {
            let literal = write(folder, &format!("{literal}.{kind}"), &one);
            let matched = write(folder, &format!("{matched}.{kind}"), &other);
            assert_reads(&literal, &first, &[&literal]);
            assert_reads(&matched, &second, &[&matched]);
        }
        // Nothing has this name.
        let pattern = folder.join(format!("data[0-9].{kind}"));
        assert_reads(&pattern, &second, &[&folder.join(format!("data1.{kind}"))]);
        assert_fails(&folder.join(format!("data[7-9].{kind}")), &["no such file", "[7-9]"]);
        std::fs::remove_dir_all(folder.join("d[1]")).unwrap();
        std::fs::remove_dir_all(folder.join("d1")).unwrap();
    }
}

#[test]
fn directories_and_patterns_are_read_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let df = panel(3);
    let expected = config().fit(&df).unwrap();
    let half = df.height() as i64 / 2;
    let (early, late) = (df.slice(0, half as usize), df.slice(half, usize::MAX));
    // Columns in another order are the same columns.
    let late = late.select(["y", "x1", "g", "t", "id"]).unwrap();
    for kind in ["csv", "parquet"] {
        let parts = folder.path().join(format!("{kind}[1]"));
        let a = write(&parts, &format!("1.{kind}"), &early);
        let b = write(&parts, &format!("more/2.{kind}"), &late);
        for hidden in ["_SUCCESS", ".1.crc", "more/.2.crc", "readme.txt"] {
            std::fs::write(parts.join(hidden), "x").unwrap();
        }
        write(&parts, &format!("_temporary/3.{kind}"), &df);
        write(&parts, &format!(".4.{kind}"), &df);
        assert_reads(&parts, &expected, &[&a, &b]);
        assert_reads(&parts.join("*"), &expected, &[&a, &b]);
        assert_reads(&parts.join(format!("**/*.{kind}")), &expected, &[&a, &b]);
        let shown = config().fit(parts.as_path()).unwrap().to_string();
        assert!(shown.contains("Files: 2, ") && shown.contains(&format!("1.{kind}")), "{shown}");
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let df = panel(4);
    std::fs::create_dir(folder.join("none")).unwrap();
    std::fs::write(folder.join("none/readme.txt"), "").unwrap();
    assert_fails(&folder.join("none"), &["none", "no CSV, parquet or Stata files"]);
    assert_fails(&folder.join("none/x.parquet"), &["no such file"]);
    write(folder, "both/a.parquet", &df);
    write(folder, "both/b.csv", &df);
    assert_fails(&folder.join("both"), &["keep one format"]);
    let error = config().fit(folder.join("both/x.csv.bz2").as_path());
    assert!(matches!(error, Err(DidError::Io { .. })));
    std::fs::write(folder.join("both/x.csv.bz2"), "").unwrap();
    let error = config().fit(folder.join("both/x.csv.bz2").as_path());
    assert!(error.unwrap_err().to_string().contains("decompress"));
}

#[test]
fn partitions_of_a_directory_are_not_columns() {
    let folder = tempfile::tempdir().unwrap();
    let df = panel(5);
    for t in 1..=6 {
        let part = crate::support::frames::filter(&df, "t", |v| v == f64::from(t));
        write(folder.path(), &format!("hive/t={t}/part.parquet"), &part.drop("t").unwrap());
        write(folder.path(), &format!("kept/t={t}/part.parquet"), &part);
    }
    assert_fails(&folder.path().join("hive"), &["`t` (time)", "t=1", "directory"]);
    let expected = config().fit(&df).unwrap();
    for fit in fits(&folder.path().join("kept")) {
        assert_eq!(fit.unwrap().cells, expected.cells);
    }
}

#[test]
fn files_without_a_column_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let df = panel(6);
    for kind in ["csv", "parquet"] {
        write(folder.path(), &format!("{kind}/1.{kind}"), &df);
        let renamed = map(&df, "x2t", |v| v).drop("x1").unwrap();
        write(folder.path(), &format!("{kind}/2.{kind}"), &renamed);
        let words = [&*format!("2.{kind}"), "column `x1` (covariate) is not in the data", "`x2t`"];
        assert_fails(&folder.path().join(kind), &words);
    }
}
