//! Tools for panels on the command line.

use std::fs;
use std::path::Path;

use polars::prelude::{ParquetReader, SerReader};

use crate::run::*;

const ROWS: &str = "id,t,y,state,d\n\
    a,2001,1,x,0\na,2002,2,x,0\na,2003,4,x,1\n\
    b,2001,5,z,0\nb,2003,7,z,0\n\
    c,2001,3,w,0\nc,2002,8,w,1\nc,2003,9,w,1\n";

/// A folder with a file of rows.
fn folder(rows: &str) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (data, out) = (at("data.csv"), at("out.csv"));
    fs::write(&data, rows).unwrap();
    (folder, data, out)
}

fn panel<'a>(tool: &'a str, data: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["panel", tool, data, "--out", out, "--idname", "id", "--tname", "t"];
    fixed.into_iter().chain(more.iter().copied()).collect()
}

#[test]
fn every_tool_writes_and_reports() {
    let (_folder, data, out) = folder(ROWS);
    let written = |tool: &str, more: &[&str]| {
        let report = stdout(&panel(tool, &data, &out, more));
        let line = format!("{}: rows 8 to ", tool.replace('-', "_"));
        assert!(report.starts_with(&line), "{report}");
        let text = fs::read_to_string(&out).unwrap();
        (report, text.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let (report, lines) =
        written("first-treated", &["--dname", "d", "--never-as-zero", "--name", "g"]);
    assert!(report.contains("Units never treated: 1"), "{report}");
    assert_eq!(
        (lines[0].as_str(), lines[1].as_str(), lines[4].as_str()),
        ("id,t,y,state,d,g", "a,2001,1,x,0,2003", "b,2001,5,z,0,0")
    );
    let (_, lines) = written("balance", &[]);
    assert_eq!(lines.len(), 7);
    let (_, lines) = written("balance", &["--rule", "periods"]);
    assert_eq!(lines[3..5], ["b,2001,5,z,0", "b,2003,7,z,0"]);
    let (report, lines) = written("fill-gaps", &["--carry-constant"]);
    assert!(report.contains("Rows added: 1") && lines[5] == "b,2002,,z,", "{lines:?}");
    let (_, lines) = written("deduplicate", &["--keep", "mean"]);
    assert_eq!(lines.len(), 9);
    let (_, lines) = written("lag", &["--columns", "y,state", "--periods", "-1"]);
    assert_eq!(
        (lines[0].as_str(), lines[4].as_str()),
        ("id,t,y,state,d,y_lead1,state_lead1", "b,2001,5,z,0,,")
    );
    let (report, lines) = written("difference", &["--columns", "y"]);
    assert!(report.contains("rows after a gap: 1") && lines[2] == "a,2002,2,x,0,1.0", "{lines:?}");
    let (_, lines) = written("long-difference", &["--columns", "y", "--base", "2002"]);
    assert_eq!(
        lines[1..5],
        ["a,2001,1,x,0,-1.0", "a,2002,2,x,0,0.0", "a,2003,4,x,1,2.0", "b,2001,5,z,0,"]
    );
    let (_, lines) = written("to-wide", &["--columns", "y,d"]);
    assert_eq!(
        lines[..2],
        ["id,state,y_2001,y_2002,y_2003,d_2001,d_2002,d_2003", "a,x,1,2,4,0,0,1"]
    );
    let wide = out.replace("out.csv", "wide.csv");
    fs::copy(&out, &wide).unwrap();
    let report = parsed(&[
        "panel",
        "to-long",
        &wide,
        "--columns",
        "y,d",
        "--tname",
        "t",
        "--out",
        &out,
        "--format",
        "json",
    ]);
    assert_eq!((&report["tool"], &report["rows_out"]), (&"to_long".into(), &8.into()));
    assert_eq!(fs::read_to_string(&out).unwrap().lines().next(), Some("id,state,t,y,d"));
}

/// Conditions compare the numbers of columns that a tool only carries, and the other columns stay as they are written.
#[test]
fn rows_are_chosen_by_numbers_of_carried_columns() {
    let rows = "id,t,y,x,w\n1,1,1,4.5,1.50\n1,2,2,5.5,1.50\n2,1,3,6.25,2.50\n";
    let (_folder, data, out) = folder(rows);
    for (condition, kept) in [
        ("x > 5", ["1,2,2,5.5,1.50", "2,1,3,6.25,2.50"]),
        ("w == 1.50", ["1,1,1,4.5,1.5", "1,2,2,5.5,1.5"]),
    ] {
        stdout(&panel("lag", &data, &out, &["--columns", "y", "--rows", condition]));
        let written = fs::read_to_string(&out).unwrap();
        let carried = written.lines().skip(1).filter_map(|line| line.rsplit_once(','));
        assert_eq!(carried.map(|(line, _)| line).collect::<Vec<_>>(), kept, "{condition}");
    }
}

/// `8001` is not equal to the text `08001`.
#[test]
fn conditions_on_identifiers_have_their_leading_zeros() {
    let (_folder, data, out) = folder("id,t,y\n08001,1,1\n08001,2,2\n10001,1,3\n");
    let with = |condition| panel("lag", &data, &out, &["--columns", "y", "--rows", condition]);
    let message = failure(2, &with("id != 8001"));
    assert!(message.contains("leading zeros") && message.contains("has `08001`"), "{message}");
    stdout(&with("id != 08001"));
    assert_eq!(fs::read_to_string(&out).unwrap(), "id,t,y,y_lag1\n10001,1,3,\n");
}

#[test]
fn a_study_from_a_treatment_to_group_time_effects() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').map(|n| n.trim_matches('"')).collect();
    let place = |name: &str| header.iter().position(|n| *n == name).unwrap();
    let (year, group) = (place("year"), place("first.treat"));
    let mut rows = format!("{},d\n", header.join(","));
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<f64>().unwrap();
        let treated = number(group) > 0.0 && number(year) >= number(group);
        rows += &format!("{line},{}\n", u8::from(treated));
    }
    fs::write(at("d.csv"), rows).unwrap();
    let keys = ["--idname", "countyreal", "--tname", "year"];
    let (data, out) = (at("d.csv"), at("g.parquet"));
    let tool =
        [&["panel", "first-treated", &data, "--dname", "d", "--out", &out][..], &keys].concat();
    assert!(stdout(&tool).contains("Units treated: 191"));
    let fit = |data: &str, group: &str| {
        let fixed = ["att-gt", data, "--yname", "lemp", "--gname", group, "--format", "csv"];
        stdout(&[&fixed[..], &keys].concat())
    };
    assert_eq!(fit(&out, "first_treated"), fit(MPDTA, "first.treat"));
}

#[test]
fn mistakes_have_a_remedy() {
    let (_folder, data, out) = folder("id,t,y,d\n1,1,1,0\n1,1,2,1\n2,1,0,1\n2,2,0,0\n");
    let message = failure(1, &panel("balance", &data, &out, &[]));
    assert!(
        message.contains("burn-did panel deduplicate") && !message.contains("hint"),
        "{message}"
    );
    let message = failure(1, &panel("deduplicate", &data, &out, &[]));
    assert!(message.contains("`d` in 1, `y` in 1") && message.contains("--keep"), "{message}");
    stdout(&panel("deduplicate", &data, &out, &["--keep", "first"]));
    let first = out.replace("out.csv", "first.csv");
    fs::copy(&out, &first).unwrap();
    let message = failure(1, &panel("first-treated", &first, &out, &["--dname", "d"]));
    assert!(
        message.contains("unit 2 in period 2") && message.contains("--keep-first"),
        "{message}"
    );
    let message = failure(2, &panel("balance", &data, &data, &[]));
    assert!(message.contains("is what is read"), "{message}");
    let message = failure(2, &panel("balance", &data, "panel.txt", &[]));
    assert!(message.contains(".parquet or .csv") && !Path::new("panel.txt").exists(), "{message}");
    let message =
        failure(2, &panel("long-difference", &data, &out, &["--columns", "y", "--base", "first"]));
    assert!(message.contains("`first`"), "{message}");
    failure(2, &panel("long-difference", &data, &out, &["--columns", "y"]));
    failure(2, &panel("lag", &data, &out, &["--columns", "y", "--periods", "0"]));
    let message = failure(1, &panel("lag", &data, &out, &["--columns", "yy"]));
    assert!(message.contains("`yy`"), "{message}");
    let message = failure(2, &["panel", "to-long", &data, "--columns", "z", "--out", &out]);
    assert!(message.contains("`z_2003`"), "{message}");
}

#[test]
fn dates_and_missing_values_are_read_as_elsewhere() {
    let (_folder, data, out) = folder("id,t,y\n1,2007-01-05,-99\n1,2007-02-10,3\n1,2007-04-01,5\n");
    let more = ["--columns", "y", "--frequency", "month", "--na", "-99"];
    let report = stdout(&panel("difference", &data, &out, &more));
    assert!(
        report.contains("One period is a month")
            && report.contains("Read as missing in y: `-99` (1)"),
        "{report}"
    );
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(text, "id,t,y,y_diff1\n1,2007-01-05,,\n1,2007-02-10,3,\n1,2007-04-01,5,\n");
}

#[test]
fn a_period_without_values_does_not_change_the_type_of_text() {
    let long = "id,t,s,y\n1,1,a,1\n1,2,,2\n2,1,b,3\n2,2,,4\n";
    let (_folder, data, out) = folder(long);
    stdout(&panel("to-wide", &data, &out, &["--columns", "s,y"]));
    let wide = out.replace("out.csv", "wide.csv");
    fs::copy(&out, &wide).unwrap();
    let columns = ["--columns", "s,y", "--tname", "t", "--keep-empty"];
    stdout(&[&["panel", "to-long", &wide, "--out", &out][..], &columns].concat());
    assert_eq!(fs::read_to_string(&out).unwrap(), long);
    // Text beside numbers stays an error.
    fs::write(&wide, "id,s_1,s_2,s_3\n1,a,,1\n2,b,,2\n").unwrap();
    let columns = ["--columns", "s", "--tname", "t"];
    let message = failure(1, &[&["panel", "to-long", &wide, "--out", &out][..], &columns].concat());
    assert!(message.contains("give them one type"), "{message}");
}

/// Codes with leading zeros are no numbers, and what is only carried is written as it was.
#[test]
fn identifiers_and_carried_columns_stay_as_they_are() {
    let rows =
        "id,t,zip,y,z\n01,1,08001,1.10,100000\n01,2,08001,+2,1.5\n1,1,8001,TRUE,1e5\n1,2,8001,,7\n";
    let (_folder, data, out) = folder(rows);
    for more in [&[][..], &["--memory-budget", "1"]] {
        let report = stdout(&panel("balance", &data, &out, more));
        assert!(report.contains("units 2 to 2"), "{report}");
        assert_eq!(fs::read_to_string(&out).unwrap(), rows);
    }
    let parquet = out.replace("out.csv", "out.parquet");
    stdout(&panel("balance", &data, &parquet, &[]));
    let frame = ParquetReader::new(fs::File::open(&parquet).unwrap()).finish().unwrap();
    let types = |name: &str| frame.column(name).unwrap().dtype().to_string();
    assert_eq!(["id", "t", "zip", "z"].map(types), ["str", "i64", "str", "f64"]);
    // Equal numbers are equal, however they are written.
    let rows = "id,t,zip,y\n01,1,08001,1.10\n01,1,08001,1.1\n";
    let (_folder, data, out) = folder(rows);
    let report = stdout(&panel("deduplicate", &data, &out, &[]));
    assert!(report.contains("rows 2 to 1"), "{report}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "id,t,zip,y\n01,1,08001,1.1\n");
}

/// Numbers with more digits than doubles have are numbers in the written file, too, and long integers keep their digits.
#[test]
fn columns_keep_their_types() {
    let long = "12345678901234567890123456789012345678901";
    let rows = format!(
        "id,t,y,z,key\na,1,0.10000000000000000555,9007199254740993,{long}\na,2,0.2,0.5,{long}\n"
    );
    let (_folder, data, out) = folder(&rows);
    let parquet = out.replace("out.csv", "out.parquet");
    stdout(&panel("lag", &data, &parquet, &["--columns", "y"]));
    let frame = ParquetReader::new(fs::File::open(&parquet).unwrap()).finish().unwrap();
    let types = |name: &str| frame.column(name).unwrap().dtype().to_string();
    assert_eq!(["y", "z", "key", "y_lag1"].map(types), ["f64", "f64", "str", "f64"]);
    let key = frame.column("key").unwrap().str().unwrap().get(0).unwrap().to_owned();
    assert_eq!(key, long);
}
