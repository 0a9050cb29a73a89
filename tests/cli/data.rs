//! Data files on the command line: missing values, paths and dialects.

use std::fs;

use crate::run::*;

/// mpdta with a column changed row by row.
fn mpdta_with(
    folder: &std::path::Path,
    column: &str,
    change: impl Fn(usize, &str) -> String,
) -> String {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let position = header.split(',').position(|n| n.trim_matches('"') == column).unwrap();
    let mut out = header.to_owned();
    for (row, line) in lines.enumerate() {
        let fields = line
            .split(',')
            .enumerate()
            .map(|(i, field)| if i == position { change(row, field) } else { field.to_owned() });
        out += &format!("\n{}", fields.collect::<Vec<_>>().join(","));
    }
    let path = folder.join("data[1].csv");
    fs::write(&path, out).unwrap();
    fs::write(folder.join("data1.csv"), "another,file\n1,2\n").unwrap();
    path.display().to_string()
}

fn arguments<'a>(path: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["--xformla", "~ lpop", "--allow-unbalanced-panel", "--format", "json", "--quiet"];
    [&["att-gt", path][..], &COLUMNS, &fixed, more].concat()
}

#[test]
fn missing_values_are_counted_by_column_and_word() {
    let folder = tempfile::tempdir().unwrap();
    let gap = |word: &'static str| {
        move |row: usize, field: &str| {
            if row.is_multiple_of(50) { word.into() } else { field.to_owned() }
        }
    };
    let path = mpdta_with(folder.path(), "lpop", gap(""));
    let expected = parsed(&arguments(&path, &[]));
    assert_eq!(expected["result"]["audit"]["rows_missing"], serde_json::json!([["lpop", 50]]));
    for word in ["NA", ".", "NaN", "null", "N/A"] {
        let path = mpdta_with(folder.path(), "lpop", gap(word));
        let document = parsed(&arguments(&path, &[]));
        assert_eq!(document["cells"], expected["cells"], "{word}");
        let counted = serde_json::json!([
            {"column": "lpop", "token": word, "values": 50, "never_treated": false, "beside_code": false}
        ]);
        assert_eq!(document["result"]["audit"]["read_as_missing"], counted);
        assert_eq!(document["result"]["audit"]["files"]["paths"], serde_json::json!([path]));
    }
    let path = mpdta_with(folder.path(), "lpop", gap("-99"));
    let document = parsed(&arguments(&path, &["--na", "NA,-99"]));
    assert_eq!(document["cells"], expected["cells"]);
    let document = parsed(&arguments(&path, &[]));
    assert_ne!(document["cells"], expected["cells"]);
    let path = mpdta_with(folder.path(), "lpop", gap("?"));
    let message = failure(1, &arguments(&path, &[]));
    assert!(message.contains("`lpop`") && message.contains("`?`") && message.contains("--na"));
    let table: Vec<&str> = arguments(&path, &["--na", "?"]);
    let table: Vec<&str> =
        table.into_iter().map(|a| if a == "json" { "table" } else { a }).collect();
    assert!(stdout(&table).contains("Read as missing in lpop: `?` (50)"));
}

#[test]
fn directories_and_dialects() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    assert!(failure(1, &arguments(&path, &[])).contains("no CSV, parquet or Stata files"));
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let expected = parsed(&arguments(MPDTA, &[]));
    let file = folder.path().join("semicolons.csv");
    fs::write(
        &file,
        text.replace(',', ";").replace('.', ",").replace("first,treat", "first.treat"),
    )
    .unwrap();
    let found = parsed(&arguments(&file.display().to_string(), &[]));
    assert_eq!(found["cells"], expected["cells"]);
    let zipped = folder.path().join("a.csv.bz2").display().to_string();
    fs::write(&zipped, "").unwrap();
    assert!(failure(1, &arguments(&zipped, &[])).contains("decompress"));
    fs::remove_file(&zipped).unwrap();
    let file = folder.path().join("none*.csv").display().to_string();
    assert!(failure(1, &arguments(&file, &[])).contains("no such file"));
}

/// `1,234` may be a little more than one, or more than a thousand.
#[test]
fn commas_that_may_separate_thousands_are_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tabs.csv").display().to_string();
    let count = |row: usize| 1_000 + 37 * (row % 1_000);
    let text = |number: &dyn Fn(usize) -> String| {
        let text = fs::read_to_string(root().join(MPDTA)).unwrap();
        let mut lines = text.lines().map(|line| line.replace(',', "\t"));
        let header = format!("{}\tcount", lines.next().unwrap());
        let rows = lines.enumerate().map(|(row, line)| format!("{line}\t{}", number(row)));
        let lines: Vec<String> = std::iter::once(header).chain(rows).collect();
        lines.join("\n")
    };
    let with_comma = |row| format!("{},{:03}", count(row) / 1_000, count(row) % 1_000);
    fs::write(&path, text(&with_comma)).unwrap();
    let estimate = ["att-gt", &path, "--yname", "count", "--tname", "year"];
    let columns = ["--idname", "countyreal", "--gname", "first.treat", "--format", "json"];
    let asked = |more: &[&'static str]| [&estimate[..], &columns, &["--quiet"], more].concat();
    let message = failure(1, &asked(&[]));
    assert!(message.contains("`count`") && message.contains("--decimal"), "{message}");
    assert!(failure(2, &asked(&["--decimal", ";"])).contains("comma"));
    let commas = parsed(&asked(&["--decimal", ","]));
    // The command that `describe` ends with reads them so, too.
    let looked = ["describe", &path, "--yname", "count", "--tname", "year", "--decimal", ","];
    let shown = stdout(&[&looked[..], &columns[..4]].concat());
    assert!(shown.contains(&format!("burn-did att-gt {path} --decimal comma --yname")), "{shown}");
    fs::write(&path, text(&|row| format!("{}", count(row) as f64 / 1_000.0))).unwrap();
    let points = parsed(&asked(&[]));
    assert!(points["cells"][0]["estimate"].is_number());
    assert_eq!(commas["cells"], points["cells"]);
}

/// A file with semicolons, of which an unused column alone shows that commas separate decimals.
#[test]
fn points_that_may_separate_thousands_are_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("semicolons.csv").display().to_string();
    let write = |outcome: &dyn Fn(usize) -> String| {
        let mut text = "id;t;g;y;rate\n".to_owned();
        for row in 0..120 {
            let (id, t) = (row / 4, row % 4);
            let group = ["0", "2", "3"][id % 3];
            text += &format!("{id};{t};{group};{};0,{row}\n", outcome(row));
        }
        fs::write(&path, text).unwrap();
    };
    let asked = |more: &[&'static str]| {
        let columns = ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g"];
        let shown = ["--format", "json", "--quiet"];
        [&["att-gt", &path][..], &columns, &shown, more].concat()
    };
    let value = |row: usize| 1_000 + (37 * row) % 991;
    write(&|row| format!("{}.{:03}", value(row) / 1_000, value(row) % 1_000));
    for (more, says) in [
        (&[][..], "`y` has numbers as 1.234 between semicolons"),
        (
            &["--decimal", "comma"],
            "numbers of column `y` have points, and decimal commas were asked",
        ),
    ] {
        let message = failure(1, &asked(more));
        assert!(message.contains(says), "{message}");
    }
    let points = parsed(&asked(&["--decimal", "point"]));
    write(&|row| format!("{},{:03}", value(row) / 1_000, value(row) % 1_000));
    assert_eq!(parsed(&asked(&["--decimal", "comma"]))["cells"], points["cells"]);
    // Points that cannot separate thousands need no option.
    write(&|row| format!("0.{:03}", value(row)));
    assert!(parsed(&asked(&[]))["cells"][0]["estimate"].is_number());
}
