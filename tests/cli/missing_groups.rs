//! Groups that are missing, which count as never treated, and what is said of them.

use std::fs;
use std::path::Path;

use crate::run::*;

const WARNING: &str = "column `g` (group) is missing for 30 units (150 rows), which count as never treated, as the units with 0 or infinity there do";

/// What the foot says of all units that are never treated.
const BOTH: &str = "`g` is missing in 150 rows; `g` is 0 or infinite in others";

/// Units whose group is missing in a file with gaps.
const MISSING: usize = 30;

/// A file of mpdta without the groups of some never-treated counties, or of all of them.
fn file(folder: &Path, all: bool) -> String {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut out = String::from("year,id,lpop,lemp,g\n");
    let mut without: Vec<&str> = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [year, unit, lpop, lemp, group, ..] = fields[..] else { panic!("{line}") };
        let is_never = group == "0";
        if is_never && !without.contains(&unit) && (all || without.len() < MISSING) {
            without.push(unit);
        }
        let group = if without.contains(&unit) { "" } else { group };
        out += &format!("{year},{unit},{lpop},{lemp},{group}\n");
    }
    let path = folder.join("data.csv");
    fs::write(&path, out).unwrap();
    path.display().to_string()
}

/// The same as a parquet file.
fn parquet(folder: &Path, csv: &str) -> String {
    let path = folder.join("data.parquet").display().to_string();
    let keys = ["--idname", "id", "--tname", "year"];
    stdout(&[&["panel", "deduplicate", csv][..], &keys, &["--out", &path]].concat());
    path
}

fn commands() -> Vec<Vec<&'static str>> {
    let window = ["--window", "-2,2"];
    let kappas = ["--kappa-pre", "2", "--kappa-post", "1"];
    vec![
        vec!["att-gt"],
        vec!["imputation"],
        vec!["two-stage"],
        vec!["sunab"],
        vec!["etwfe"],
        vec!["bacon"],
        vec!["twfe-weights"],
        [&["lpdid"][..], &window].concat(),
        [&["stacked"][..], &kappas].concat(),
        vec!["study"],
    ]
}

fn asked<'a>(command: &[&'a str], data: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let columns = ["--yname", "lemp", "--tname", "year", "--idname", "id", "--gname", "g"];
    [&[command[0], data][..], &columns, &command[1..], more].concat()
}

/// A first look; `panelview` has no outcome.
fn looked<'a>(command: &'a str, data: &'a str) -> Vec<&'a str> {
    let asked = asked(&[command], data, &[]);
    let outcome = if command == "panelview" { 2..4 } else { 0..0 };
    asked
        .into_iter()
        .enumerate()
        .filter(|(at, _)| !outcome.contains(at))
        .map(|(_, arg)| arg)
        .collect()
}

#[test]
fn missing_groups_beside_a_code_are_a_warning_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let csv = file(folder.path(), false);
    let parquet = parquet(folder.path(), &csv);
    for data in [&csv, &parquet] {
        for command in commands() {
            let shown = stdout(&asked(&command, data, &[]));
            assert_eq!(shown.matches(WARNING).count(), 1, "{command:?} {data}: {shown}");
            assert!(shown.contains(BOTH), "{command:?} {data}: {shown}");
        }
        for look in ["describe", "means", "balance", "panelview"] {
            let shown = stdout(&looked(look, data));
            assert_eq!(shown.matches(WARNING).count(), 1, "{look} {data}: {shown}");
        }
        let described = stdout(&looked("describe", data));
        assert!(described.contains(BOTH), "{data}: {described}");
    }
}

#[test]
fn rows_without_a_group_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let csv = file(folder.path(), false);
    let parquet = parquet(folder.path(), &csv);
    for data in [&csv, &parquet] {
        let shown = stdout(&asked(&["att-gt"], data, &["--rows", "g is not missing"]));
        assert!(shown.contains("Units: 470, Rows: 2350"), "{shown}");
        assert!(shown.contains("`g is not missing` leaves out 150"), "{shown}");
        assert!(!shown.contains("Never treated:") && !shown.contains("Warning"), "{shown}");
    }
}

#[test]
fn missing_as_the_only_code_is_said_and_no_warning() {
    let folder = tempfile::tempdir().unwrap();
    let csv = file(folder.path(), true);
    let parquet = parquet(folder.path(), &csv);
    for data in [&csv, &parquet] {
        for command in commands() {
            let shown = stdout(&asked(&command, data, &[]));
            assert!(shown.contains("`g` is missing in 1545 rows"), "{command:?} {data}: {shown}");
            assert!(!shown.contains("is missing for"), "{command:?} {data}: {shown}");
        }
        let averages = stdout(&asked(&["att-gt"], data, &["--aggregate", "simple"]));
        let said = "Never treated: 309 units (`g` is missing in 1545 rows)";
        assert_eq!(averages.matches(said).count(), 2, "{averages}");
    }
}

#[test]
fn groups_that_are_no_numbers_may_stand_for_never_treated() {
    let folder = tempfile::tempdir().unwrap();
    let csv = file(folder.path(), true);
    let text = fs::read_to_string(&csv).unwrap();
    fs::write(&csv, text.replace(",\n", ",NaN\n")).unwrap();
    let shown = stdout(&asked(&["att-gt"], &csv, &[]));
    let warning =
        "column `g` (group) is NaN in 1545 rows, which are left out, and no unit is never treated";
    assert!(shown.contains(warning) && shown.contains("`--na g=NaN`"), "{shown}");
    for word in ["NaN", "g=NaN"] {
        let named = stdout(&asked(&["att-gt"], &csv, &["--na", word]));
        let said = "`g` is `NaN` in 1545 rows";
        assert!(named.contains("Units: 500") && named.contains(said), "{named}");
    }
}

const OF_ALL_KINDS: [&str; 4] = ["att-gt", "imputation", "sunab", "etwfe"];

#[test]
fn rows_that_lack_something_else_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let csv = file(folder.path(), false);
    let text = fs::read_to_string(&csv).unwrap();
    let without_outcome = |line: &str| match line.strip_suffix(',') {
        Some(line) => format!("{},,\n", line.rsplit_once(',').unwrap().0),
        None => format!("{line}\n"),
    };
    fs::write(&csv, text.lines().map(without_outcome).collect::<String>()).unwrap();
    for command in OF_ALL_KINDS {
        let shown = stdout(&asked(&[command], &csv, &[]));
        assert!(!shown.contains("is missing for"), "{command}: {shown}");
        assert!(!shown.contains("`g` is missing in"), "{command}: {shown}");
    }
    // A row of no unit.
    fs::write(&csv, format!("{text}2003,,1.5,1.5,\n")).unwrap();
    for command in ["att-gt", "imputation", "sunab"] {
        let shown = stdout(&asked(&[command], &csv, &[]));
        assert!(shown.contains(WARNING), "{command}: {shown}");
        assert!(shown.contains("`g` is missing in 150 rows"), "{command}: {shown}");
    }
}

#[test]
fn words_keep_their_name_where_rows_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let csv = file(folder.path(), false);
    let text = fs::read_to_string(&csv).unwrap();
    for (word, named) in [("NA", &[][..]), ("NaN", &["--na", "NaN"])] {
        fs::write(&csv, text.replace(",\n", &format!(",{word}\n"))).unwrap();
        for command in OF_ALL_KINDS {
            let more = [&["--rows", "year > 2003"][..], named].concat();
            let shown = stdout(&asked(&[command], &csv, &more));
            assert!(shown.contains(&format!("`g` is `{word}` in 120 rows")), "{command}: {shown}");
            assert!(shown.contains("for 30 units (120 rows)"), "{command}: {shown}");
            assert!(!shown.contains("Read as missing in g"), "{command}: {shown}");
        }
    }
}

#[test]
fn groups_after_the_last_period_are_never_treated() {
    let folder = tempfile::tempdir().unwrap();
    let csv = file(folder.path(), false);
    let text = fs::read_to_string(&csv).unwrap();
    fs::write(&csv, text.replace(",\n", ",NaN\n").replace(",0\n", ",2010\n")).unwrap();
    for command in commands() {
        let shown = stdout(&asked(&command, &csv, &[]));
        assert!(!shown.contains("no unit is never treated"), "{command:?}: {shown}");
    }
}

#[test]
fn rows_that_are_no_panel_are_counted_as_rows() {
    let folder = tempfile::tempdir().unwrap();
    let csv = file(folder.path(), false);
    let columns = ["--yname", "lemp", "--tname", "year", "--gname", "g"];
    let (unit, sections) = (["--idname", "id"], ["--repeated-cross-sections"]);
    let said = "(group) is missing in 150 rows, which count as never treated, as the rows with 0";
    for (command, more) in [
        ("att-gt", sections.to_vec()),
        ("att-gt", [&unit[..], &sections[..]].concat()),
        ("etwfe", Vec::new()),
    ] {
        let shown = stdout(&[&[command, csv.as_str()][..], &columns[..], &more[..]].concat());
        assert!(shown.contains(said), "{command} {more:?}: {shown}");
    }
}
