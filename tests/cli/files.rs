//! Files that are damaged, that have no room, and that are read and written at once.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use burn_did::data::Simulation;
use polars::prelude::*;

use crate::run::*;

/// Runs the command in a shell that has set limits before.
fn limited(limits: &str, args: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    shell.current_dir(root()).arg("-c").arg(format!("{limits}; exec \"$0\" \"$@\""));
    shell.arg(env!("CARGO_BIN_EXE_burn-did")).args(args).output().unwrap()
}

/// The message of a run that must fail with this code.
fn message(done: &Output, code: i32) -> String {
    let message = text(&done.stderr).to_owned();
    assert_eq!(done.status.code(), Some(code), "{message}");
    assert!(message.starts_with("error: "), "{message}");
    message
}

fn at(directory: &tempfile::TempDir, name: &str) -> String {
    directory.path().join(name).display().to_string()
}

/// Files of 52 kB whose footers declare 2^40 and 2^62 rows.
#[test]
fn declared_rows_that_there_are_not_are_an_error() {
    let panel = ["--yname", "y", "--tname", "time", "--idname", "id"];
    for (name, declared) in [("decl1", "1099511627776"), ("decl2", "4611686018427387904")] {
        let file = root().join(format!("tests/cli/damaged/{name}.parquet")).display().to_string();
        let att_gt = [&["att-gt", &file], &panel[..], &["--gname", "group"]].concat();
        let rows = [&att_gt[..], &["--repeated-cross-sections"]].concat();
        let switching = [&["did-multiplegt", &file], &panel[..], &["--dname", "group"]].concat();
        for args in [
            &att_gt[..],
            &[&att_gt[..], &["--memory-budget", "50MiB"]].concat(),
            &rows,
            &switching,
            &["feols", &file, "y ~ group | id + time"],
            &["npiv", &file, "--yname", "y", "--xname", "group", "--wname", "id"],
        ] {
            let message = failure(1, args);
            for word in [name, declared, "values and its pages have 1600", "damaged"] {
                assert!(message.contains(word), "{args:?}: {message}");
            }
        }
    }
}

#[test]
fn what_is_read_is_not_written_to() {
    let directory = tempfile::tempdir().unwrap();
    let csv = at(&directory, "in.csv");
    fs::copy(root().join(MPDTA), &csv).unwrap();
    let before = fs::read(&csv).unwrap();
    let fit = [&["att-gt", &*csv], &COLUMNS[..]].concat();
    let mut names = Vec::new();
    #[cfg(unix)]
    for (name, symbolic) in [("link.json", true), ("hard.svg", false), ("soft.svg", true)] {
        let link = at(&directory, name);
        match symbolic {
            true => std::os::unix::fs::symlink(&csv, &link).unwrap(),
            false => fs::hard_link(&csv, &link).unwrap(),
        }
        names.push(link);
    }
    for name in &names {
        let option = if name.ends_with(".svg") { "--plot" } else { "--save" };
        let message = failure(2, &[&fit[..], &[option, name]].concat());
        assert!(message.contains("is to be written, and is"), "{message}");
        assert!(message.contains("hint: name another file"), "{message}");
    }
    // Results have names of their own kind.
    let message = failure(2, &[&fit[..], &["--save", &csv]].concat());
    assert!(message.contains("is to be a JSON document"), "{message}");
    // A file of a directory, too.
    let all = at(&directory, "*.csv");
    let message = failure(2, &[&["att-gt", &*all], &COLUMNS[..], &["--save", &csv]].concat());
    assert!(message.contains("in.csv"), "{message}");
    let demean = ["demean", &*csv, "--columns", "lemp", "--absorb", "year", "--out", &csv];
    failure(2, &demean);
    assert_eq!(fs::read(&csv).unwrap(), before);
    let saved = at(&directory, "fit.json");
    stdout(&[&fit[..], &["--save", &saved]].concat());
    failure(2, &["honest", &saved, "--save", &saved]);
    // Over an older result.
    stdout(&[&fit[..], &["--save", &saved]].concat());
}

#[test]
fn folders_that_are_missing_are_named_before_the_fit() {
    let directory = tempfile::tempdir().unwrap();
    let (folder, file) = (at(&directory, "none"), at(&directory, "none/x.svg"));
    let saved = at(&directory, "none/x.json");
    // What is read is missing, too, which a fit would find.
    let fit = [&["att-gt", "none.csv"], &COLUMNS[..]].concat();
    for args in [
        [&fit[..], &["--save", &saved]].concat(),
        [&fit[..], &["--plot", &file]].concat(),
        vec!["demean", "none.csv", "--columns", "lemp", "--absorb", "year", "--out", &file],
        vec!["compare", "none.json", "--plot", &file],
        vec!["simulate", "att-gt", "--out", &file],
    ] {
        let message = failure(1, &args);
        let file = if args.contains(&&*saved) { &saved } else { &file };
        let problem = format!("{file}: writing it: there is no folder {folder}; make it first");
        assert!(message.contains(&problem), "{args:?}: {message}");
    }
}

#[test]
fn files_with_the_name_of_another_format_say_what_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let (csv, parquet) = (at(&directory, "in.csv"), at(&directory, "in.parquet"));
    fs::copy(root().join(MPDTA), &parquet).unwrap();
    let fit = |data: &str| failure(1, &[&["att-gt", data], &COLUMNS[..]].concat());
    let message = fit(&parquet);
    assert!(message.contains("in.parquet: it begins like a text"), "{message}");
    assert!(message.contains("name it .csv"), "{message}");
    constant(Path::new(&csv), 10, 1);
    let message = fit(&csv);
    assert!(
        message.contains("in.csv: it begins like a parquet file; name it .parquet"),
        "{message}"
    );
    let message = fit("-");
    assert!(message.contains("not from standard input"), "{message}");
}

/// The limit on the size of files stands for a disk that is full.
#[cfg(target_os = "linux")]
#[test]
fn without_space_the_old_result_stays() {
    let directory = tempfile::tempdir().unwrap();
    let limits = "trap '' XFSZ; ulimit -f 4";
    let fit = [&["att-gt", MPDTA], &COLUMNS[..]].concat();
    let saved = at(&directory, "fit.json");
    stdout(&[&fit[..], &["--save", &saved]].concat());
    let before = fs::read(&saved).unwrap();
    let (picture, out) = (at(&directory, "plot.svg"), at(&directory, "d.parquet"));
    let pixels = at(&directory, "plot.png");
    fs::write(&picture, "old").unwrap();
    let demean = ["demean", MPDTA, "--columns", "lemp", "--absorb", "year", "--out", &out];
    for (file, args) in [
        ("fit.json", [&fit[..], &["--save", &saved]].concat()),
        ("plot.svg", [&fit[..], &["--plot", &picture]].concat()),
        ("plot.png", [&fit[..], &["--plot", &pixels]].concat()),
        ("d.parquet", demean.to_vec()),
    ] {
        let done = limited(limits, &args);
        let message = message(&done, 1);
        assert!(message.contains(&format!("{file}: writing it: ")), "{message}");
        assert!(!message.contains("rror("), "{message}");
    }
    assert_eq!(fs::read(&saved).unwrap(), before);
    assert_eq!(fs::read_to_string(&picture).unwrap(), "old");
    let mut left: Vec<_> =
        fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["fit.json", "plot.svg"]);
}

/// So many equal rows that they take little room in a file.
fn constant(path: &Path, rows: usize, groups: usize) {
    let column = |name: &str, value: i64| Column::new(name.into(), vec![value; rows]);
    let columns = [("id", 1), ("time", 2), ("group", 0), ("y", 3)];
    let df =
        DataFrame::new(rows, columns.map(|(name, value)| column(name, value)).to_vec()).unwrap();
    let file = File::create(path).unwrap();
    let writer = ParquetWriter::new(file).with_row_group_size(Some(rows));
    let mut writer = writer.batched(df.schema()).unwrap();
    (0..groups).for_each(|_| writer.write_batch(&df).unwrap());
    let _ = writer.finish().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn rows_without_room_are_refused_before_they_are_read() {
    let directory = tempfile::tempdir().unwrap();
    constant(&directory.path().join("many.parquet"), 4_000_000, 10);
    let file = at(&directory, "many.parquet");
    assert!(fs::metadata(&file).unwrap().len() < 4_000_000);
    let panel = ["--yname", "y", "--tname", "time", "--idname", "id"];
    for args in [
        &[&["did-multiplegt", &file], &panel[..], &["--dname", "group"]].concat()[..],
        &["feols", &file, "y ~ group | id + time"],
        &["npiv", &file, "--yname", "y", "--xname", "group", "--wname", "id"],
        &[&["att-gt", &file], &panel[..], &["--gname", "group", "--repeated-cross-sections"]]
            .concat(),
    ] {
        let message = message(&limited("ulimit -v 2500000", args), 1);
        assert!(message.contains("bytes") && message.contains("are available"), "{message}");
    }
}

/// They are no rows, and take no memory.
#[test]
fn empty_lines_are_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let csv = at(&directory, "empty.csv");
    fs::write(&csv, format!("\n\r\n{header}\n{}{rows}\n\n", "\n".repeat(20_000_000))).unwrap();
    let fit =
        |file: &str| parsed(&[&["att-gt", file], &COLUMNS[..], &["--format", "json"]].concat());
    let (here, there) = (fit(MPDTA), fit(&csv));
    for field in ["cells", "warnings"] {
        assert_eq!(here[field], there[field], "{field}");
    }
    if cfg!(target_os = "linux") {
        let args = [&["att-gt", &*csv], &COLUMNS[..]].concat();
        let done = limited("ulimit -v 2500000", &args);
        assert_eq!(done.status.code(), Some(0), "{}", crate::run::text(&done.stderr));
    }
}

/// Records that are handed on in several parts are those of one.
#[test]
fn long_files_are_read_as_short_ones() {
    let directory = tempfile::tempdir().unwrap();
    let mut df = Simulation::builder().units(2_000).periods(4).build().frame();
    let long = "x".repeat(24_000);
    let words: Vec<&str> =
        (0..df.height()).map(|row| if row % 2 == 0 { &*long } else { "a\n\n\"b\"," }).collect();
    df.with_column(Column::new("text".into(), words)).unwrap();
    let csv = at(&directory, "long.csv");
    CsvWriter::new(File::create(&csv).unwrap()).finish(&mut df).unwrap();
    assert!(fs::metadata(&csv).unwrap().len() > 80_000_000);
    let parquet = at(&directory, "long.parquet");
    let _ = ParquetWriter::new(File::create(&parquet).unwrap()).finish(&mut df).unwrap();
    let fit = |file: &str| {
        let columns = ["--yname", "y", "--tname", "period", "--idname", "id", "--gname", "group"];
        parsed(&[&["att-gt", file], &columns[..], &["--format", "json"]].concat())
    };
    assert_eq!(fit(&csv)["cells"], fit(&parquet)["cells"]);
}

#[test]
fn a_function_beyond_the_numbers_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let file = at(&directory, "large.csv");
    let row = |i: usize| {
        let y = if i == 70 { "1e308".to_owned() } else { (i % 7).to_string() };
        format!("{y},{},{}\n", i as f64 / 100.0, (i * 31 % 100) as f64 / 100.0)
    };
    let rows: String = (0..100).map(row).collect();
    fs::write(&file, format!("y,u,w\n{rows}")).unwrap();
    let args = ["npiv", &file, "--yname", "y", "--xname", "u", "--wname", "w", "--biters", "20"];
    for format in ["csv", "json"] {
        let message = failure(1, &[&args[..], &["--format", format]].concat());
        assert!(message.contains("larger unit"), "{message}");
    }
}
