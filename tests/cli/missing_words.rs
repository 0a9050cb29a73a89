//! Words that stand for a missing value in one column, and in all.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run::*;

/// mpdta with changes of -1, 0 and 1 as the outcome, and first treated periods in which `never` stands for never treated.
fn file(folder: &Path, never: &str, date: &str) -> String {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut out = "county,date,change,start\n".to_owned();
    for (row, line) in text.lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let [year, unit, _, _, group, ..] = fields[..] else { panic!("{line}") };
        let group = if group == "0" { never.to_owned() } else { format!("{group}{date}") };
        let change = (row * row + row / 7) % 3;
        out += &format!("{unit},{year}{date},{},{group}\n", change as i64 - 1);
    }
    let path = folder.join(format!("never{never}.csv"));
    fs::write(&path, out).unwrap();
    path.display().to_string()
}

fn asked<'a>(data: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let columns = ["--yname", "change", "--tname", "date", "--idname", "county"];
    [&["att-gt", data][..], &columns, &["--gname", "start"], more].concat()
}

fn cells(data: &str, more: &[&str]) -> Value {
    parsed(&asked(data, &[&["--format", "json"], more].concat()))["cells"].clone()
}

#[test]
fn a_code_of_never_treated_leaves_equal_outcomes() {
    let folder = tempfile::tempdir().unwrap();
    let zero = cells(&file(folder.path(), "0", ""), &[]);
    let data = file(folder.path(), "-1", "");
    let message = failure(1, &asked(&data, &[]));
    assert!(message.contains("`--na start=-1`"), "{message}");
    assert_eq!(cells(&data, &["--na", "start=-1"]), zero);
    assert_ne!(cells(&data, &["--na", "-1"]), zero);
    let parquet = folder.path().join("never.parquet").display().to_string();
    let keys = ["--idname", "county", "--tname", "date"];
    stdout(&[&["panel", "deduplicate", &data][..], &keys, &["--out", &parquet]].concat());
    assert_eq!(cells(&parquet, &["--na", "start=-1"]), zero);
    for data in [&data, &parquet] {
        let table = stdout(&asked(data, &["--na", "start=-1"]));
        assert!(
            table.contains("Never treated: 309 units (`start` is `-1` in 1545 rows)"),
            "{table}"
        );
        assert!(!table.contains("dropped"), "{table}");
    }
}

#[test]
fn zero_among_dates_is_never_treated_and_leaves_equal_outcomes() {
    let folder = tempfile::tempdir().unwrap();
    // Groups and periods are dates in one, and numbers in the other.
    let estimates = |cells: Value| -> Vec<(Value, Value)> {
        let cells = cells.as_array().expect("cells").clone();
        cells.iter().map(|cell| (cell["estimate"].clone(), cell["se"].clone())).collect()
    };
    let expected = estimates(cells(&file(folder.path(), "0", ""), &[]));
    for (never, na) in [("0", "NA"), ("", "NA"), ("none", "start=none"), ("-1", "start=-1")] {
        let data = file(folder.path(), never, "-01-01");
        let found = estimates(cells(&data, &["--frequency", "year", "--na", na]));
        assert_eq!(found, expected, "{never}");
    }
}

#[test]
fn words_of_one_column_leave_the_others_their_words() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        fs::read_to_string(root().join(MPDTA)).unwrap().replacen(",8.46146904264388,", ",NA,", 1);
    let path = folder.path().join("data.csv").display().to_string();
    fs::write(&path, &text).unwrap();
    let arguments = |na| [&["att-gt", &path][..], &COLUMNS, &["--na", na]].concat();
    let plain = stdout(&arguments("first.treat=-9"));
    assert!(plain.contains("Read as missing in lemp: `NA` (1)"), "{plain}");
    let message = failure(1, &arguments("first.treat=-9,-99"));
    assert!(message.contains("`lemp` (outcome) holds text, as `NA`"), "{message}");
    assert!(message.contains("name it by --na \"lemp=NA\""), "{message}");
    let named = stdout(&arguments("first.treat=-9,lemp=NA,-99"));
    assert!(named.contains("Read as missing in lemp: `NA` (1)"), "{named}");
}
