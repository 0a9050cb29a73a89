//! Labels that are written nearly as others.

use std::fs;

use crate::run::*;

/// Units, years, log employment and groups of mpdta, whose units are written as `label` says of the unit and year.
fn write(path: &str, label: impl Fn(&str, &str) -> String) {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut written = "county,year,lemp,g\n".to_owned();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [year, unit, lemp, group] = [0, 1, 3, 4].map(|i| fields[i]);
        written += &format!("{},{year},{lemp},{group}\n", label(unit, year));
    }
    fs::write(path, written).unwrap();
}

#[test]
fn labels_that_look_alike_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alike.csv").display().to_string();
    let table = |command: &str| {
        let window = if command == "lpdid" { &["--window=-2,2"][..] } else { &[] };
        let columns = ["--yname", "lemp", "--tname", "year", "--idname", "county", "--gname", "g"];
        stdout(&[&[command, &path][..], &columns, window].concat())
    };
    let said = "column `county` has 2 labels that differ from another only by blanks at their ends";
    for (odd, example) in
        [("c8001 ", "such as `c8001` and `c8001 `"), ("C8001", "such as `C8001` and `c8001`")]
    {
        write(&path, |unit, year| match (unit, year) {
            ("8001", "2003") => odd.to_owned(),
            _ => format!("c{unit}"),
        });
        for command in ["att-gt", "sunab", "etwfe", "lpdid"] {
            let table = table(command);
            assert!(table.contains(example), "{command}: {table}");
            assert_eq!(table.matches(said).count(), 1, "{command}: {table}");
        }
    }
    write(&path, |unit, _| format!("c{unit}"));
    assert!(!table("att-gt").contains("labels that differ"));
}
