//! Mistakes that people make with columns, and what they are told.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run::*;

/// Fields of a row of mpdta.
struct Row {
    year: i32,
    unit: i32,
    lemp: String,
    group: i32,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields[i].parse().unwrap();
        Row { year: number(0), unit: number(1), lemp: fields[3].into(), group: number(4) }
    };
    text.lines().skip(1).map(row).collect()
}

/// A file of units, years, log employment and a further column.
fn file(folder: &Path, column: &str, value: impl Fn(&Row) -> String) -> String {
    let mut text = format!("county,year,lemp,{column}\n");
    for row in rows() {
        text += &format!("{},{},{},{}\n", row.unit, row.year, row.lemp, value(&row));
    }
    let path = folder.join("data.csv");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn arguments<'a>(data: &'a str, group: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let columns = ["--yname", "lemp", "--tname", "year", "--idname", "county", "--gname", group];
    [&["att-gt", data][..], &columns, more].concat()
}

fn cells(data: &str, more: &[&str]) -> Value {
    parsed(&arguments(data, "g", &[&["--format", "json"], more].concat()))["cells"].clone()
}

#[track_caller]
fn says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "{word} is missing in: {message}");
    }
}

#[test]
fn names_that_are_nearly_right_are_proposed() {
    let given = |columns: &[&str]| failure(1, &[&["att-gt", MPDTA][..], columns].concat());
    let rest = ["--idname", "countyreal", "--gname", "first.treat"];
    let message = given(&[&["--yname", "lemp", "--tname", "Year"][..], &rest].concat());
    says(&message, &["`Year` (time) is not in the data; did you mean `year`? Its columns are"]);
}

#[test]
fn decimal_commas_in_quotes_have_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(folder.path(), "g", |row| row.group.to_string());
    let expected = cells(&data, &[]);
    let quoted = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let [unit, year, y, group] = fields[..] else { panic!("{line}") };
        match y.contains('.') {
            true => format!("{unit},{year},\"{}\",{group}\n", y.replace('.', ",")),
            false => format!("{line}\n"),
        }
    };
    let text: String = fs::read_to_string(&data).unwrap().lines().map(quoted).collect();
    fs::write(&data, text).unwrap();
    let message = failure(1, &arguments(&data, "g", &[]));
    says(&message, &["`lemp` (outcome) holds text", "add --decimal comma"]);
    assert!(!message.contains("--na"), "{message}");
    assert_eq!(cells(&data, &["--decimal", "comma"]), expected);
}

#[test]
fn separators_of_thousands_are_to_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    for number in ["1,234.56", "1.234,56", "1,234,567", "-1.234.567", "1'234'567"] {
        let data = file(folder.path(), "g", |row| row.group.to_string());
        let text = fs::read_to_string(&data).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let fields: Vec<String> = lines[1].split(',').map(str::to_owned).collect();
        lines[1] = format!("{},{},\"{number}\",{}", fields[0], fields[1], fields[3]);
        fs::write(&data, lines.join("\n")).unwrap();
        let message = failure(1, &arguments(&data, "g", &[]));
        says(&message, &["without separators of thousands"]);
    }
}

#[test]
fn wide_files_are_to_be_reshaped() {
    let folder = tempfile::tempdir().unwrap();
    let wide = folder.path().join("wide.csv");
    fs::write(&wide, "county,g,lemp2003,lemp2004\n1,0,1.5,1.6\n2,2004,1.7,1.9\n").unwrap();
    let wide = wide.display().to_string();
    let message = failure(1, &arguments(&wide, "g", &[]));
    says(&message, &["`lemp2003` and `lemp2004` look like one column per period", "reshape long"]);
}

#[test]
fn a_status_is_no_first_treated_period() {
    let folder = tempfile::tempdir().unwrap();
    let ever = file(folder.path(), "g", |row| u8::from(row.group > 0).to_string());
    let message = failure(1, &arguments(&ever, "g", &[]));
    says(&message, &["`g` (group) holds only 0 and 1", "such as 2007", "burn-did drdid"]);
    let treated = |row: &Row| row.group > 0 && row.year >= row.group;
    let post = file(folder.path(), "g", |row| u8::from(treated(row)).to_string());
    let message = failure(1, &arguments(&post, "g", &[]));
    says(&message, &["`g` (group) changes", "looks like a treatment status of 0 and 1"]);
}

#[test]
fn never_treated_has_many_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let spelled = |word: &'static str| {
        let group = move |row: &Row| match row.group {
            0 => word.to_owned(),
            group => group.to_string(),
        };
        file(folder.path(), "g", group)
    };
    let zero = spelled("0");
    let expected = cells(&zero, &[]);
    assert!(!stdout(&arguments(&zero, "g", &[])).contains("Never treated:"));
    for (word, told) in [
        ("", "Never treated: 309 units (`g` is missing in 1545 rows)"),
        ("NA", "Never treated: 309 units (`g` is `NA` in 1545 rows)"),
        ("9999", "Never treated: 309 units (309 units have a group after the last period: 9999)"),
    ] {
        let data = spelled(word);
        assert_eq!(cells(&data, &[]), expected, "{word}");
        let table = stdout(&arguments(&data, "g", &[]));
        says(&table, &[told]);
        assert!(!table.contains("Read as missing"), "{table}");
    }
    let negative = spelled("-1");
    let first = rows().iter().position(|row| row.group == 0).unwrap();
    let message = failure(1, &arguments(&negative, "g", &[]));
    says(
        &message,
        &[&format!("`g` (group) is -1 in line {} of {negative}", first + 2), "`--na g=-1`"],
    );
    assert_eq!(cells(&negative, &["--na", "-1"]), expected);
    assert_eq!(cells(&negative, &["--na", "g=-1"]), expected);
    let word = spelled("never");
    let message = failure(1, &arguments(&word, "g", &[]));
    says(&message, &["`g` (group) holds text, as `never`", "--na \"g=never\""]);
    assert_eq!(cells(&word, &["--na", "never"]), expected);
    assert_eq!(cells(&word, &["--na", "g=never"]), expected);
}

#[test]
fn years_go_with_dates() {
    let folder = tempfile::tempdir().unwrap();
    let plain = file(folder.path(), "g", |row| row.group.to_string());
    let expected = parsed(&arguments(&plain, "g", &["--format", "json"]));
    let dated = fs::read_to_string(&plain).unwrap();
    let dated: Vec<String> = dated
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let day = if fields[1] == "year" { "" } else { "-07-01" };
            format!("{},{}{day},{},{}", fields[0], fields[1], fields[2], fields[3])
        })
        .collect();
    let path = folder.path().join("dated.csv");
    fs::write(&path, dated.join("\n")).unwrap();
    let path = path.display().to_string();
    let found = parsed(&arguments(&path, "g", &["--frequency", "year", "--format", "json"]));
    let estimates = |document: &Value| -> Vec<Value> {
        let cells = document["cells"].as_array().unwrap().iter();
        cells.map(|cell| serde_json::json!([cell["estimate"], cell["se"]])).collect()
    };
    assert_eq!(estimates(&found), estimates(&expected));
    assert_eq!(found["cells"][0]["group"], serde_json::json!("2004"));
}

#[test]
fn clusters_that_change_and_units_that_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let moving = file(folder.path(), "g,cl", |row| format!("{},{}", row.group, row.year % 7));
    let message = failure(1, &arguments(&moving, "g", &["--clustervars", "cl"]));
    says(&message, &["`cl` (cluster) changes over time", "each unit must stay in one cluster"]);
    let gaps = file(folder.path(), "g", |row| row.group.to_string());
    let text = fs::read_to_string(&gaps).unwrap();
    // Counties whose number ends with 1 miss a year.
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("1,2005,")).collect();
    assert!(kept.len() < text.lines().count());
    fs::write(&gaps, kept.join("\n")).unwrap();
    let table = stdout(&arguments(&gaps, "g", &[]));
    says(
        &table,
        &[
            "to balance the panel",
            "`allow_unbalanced_panel` (`--allow-unbalanced-panel`) keeps them",
        ],
    );
}

#[test]
fn constant_covariates_are_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let constant = file(folder.path(), "g,one", |row| format!("{},1", row.group));
    let table = stdout(&arguments(&constant, "g", &["--xformla", "~ one"]));
    says(&table, &["a covariate is constant", "look at `one`"]);
}

#[test]
fn counts_of_periods_are_not_negative() {
    let message = failure(2, &mpdta(&["--anticipation", "-1"]));
    says(&message, &["--anticipation", "expected a whole number of periods, at least 0"]);
}

/// The commands that take first treated periods, and one that takes a treatment in every period.
fn estimates(data: &str, group: &str) -> Vec<Vec<String>> {
    let columns = ["--yname", "lemp", "--tname", "year", "--idname", "county"];
    let words = |command: &str, more: &[&str]| -> Vec<String> {
        [&[command, data][..], &columns, more].concat().into_iter().map(str::to_owned).collect()
    };
    let with_group = ["--gname", group];
    vec![
        words("att-gt", &with_group),
        words("ddd", &[&with_group[..], &["--pname", "elig"]].concat()),
        words("cont-did", &[&with_group[..], &["--dname", "dose"]].concat()),
        words("sunab", &with_group),
    ]
}

/// What a command says on both streams, and whether it fails.
fn told(arguments: &[String]) -> (String, bool) {
    let output = burn_did(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (text.concat(), !output.status.success())
}

/// A file with a group column, whether a county is eligible, and a dose.
fn with_roles(folder: &Path, group: impl Fn(&Row) -> String) -> String {
    file(folder, "g,elig,dose", |row| {
        format!("{},{},{}", group(row), row.unit % 2, 1.0 + f64::from(row.unit % 17) / 10.0)
    })
}

#[test]
fn every_estimator_names_codes_in_groups() {
    let folder = tempfile::tempdir().unwrap();
    let coded = |code: &'static str| {
        move |row: &Row| if row.group == 0 { code.into() } else { row.group.to_string() }
    };
    for (code, said) in [
        (
            "9999",
            "cohort 9999 is far after the last period 2007; if it is a code for never treated",
        ),
        (
            "999",
            "cohort 999 is far before the first period 2003, so that its units count as treated",
        ),
    ] {
        let data = with_roles(folder.path(), coded(code));
        for arguments in estimates(&data, "g") {
            let (text, _) = told(&arguments);
            // Without never-treated units some have nothing to compare with, and say so as an error.
            let excused = code == "999" && text.contains("error:");
            assert!(excused || text.contains(said), "{arguments:?}: {text}");
        }
        let described =
            stdout(&["describe", &data, "--tname", "year", "--idname", "county", "--gname", "g"]);
        says(&described, &[said]);
    }
    let data = with_roles(folder.path(), coded("-1"));
    for arguments in estimates(&data, "g") {
        let (text, failed) = told(&arguments);
        assert!(failed, "{arguments:?}");
        says(&text, &["`g` (group) is -1 in line", "--na"]);
    }
}

#[test]
fn every_estimator_names_a_status_in_place_of_a_group() {
    let folder = tempfile::tempdir().unwrap();
    let ever = with_roles(folder.path(), |row| u8::from(row.group > 0).to_string());
    for arguments in estimates(&ever, "g") {
        let (text, failed) = told(&arguments);
        assert!(failed, "{arguments:?}");
        says(&text, &["`g` (group) holds only 0 and 1", "such as 2007", "burn-did drdid"]);
    }
    let treated = |row: &Row| row.group > 0 && row.year >= row.group;
    let post = with_roles(folder.path(), |row| u8::from(treated(row)).to_string());
    for arguments in estimates(&post, "g") {
        let (text, failed) = told(&arguments);
        assert!(failed, "{arguments:?}");
        says(
            &text,
            &[
                "`g` (group) changes over time within unit",
                "status of 0 and 1",
                "panel first-treated",
            ],
        );
    }
    let moving = with_roles(folder.path(), |row| match (row.unit, row.group) {
        (8001, _) if row.year > 2005 => "2006".into(),
        (_, group) => group.to_string(),
    });
    for arguments in estimates(&moving, "g") {
        let (text, failed) = told(&arguments);
        // R `fixest` takes the cohort of each row, and so does `sunab`.
        let is_regression = arguments[0] == "sunab";
        assert_eq!(failed, !is_regression, "{arguments:?}");
        match is_regression {
            true => says(&text, &["1 unit changes its group, such as 8001", "each row counts"]),
            false => {
                says(&text, &["`g` (group) changes over time within unit 8001", "irreversible"]);
            }
        }
    }
    let multiplegt = |data: &str| {
        let columns =
            ["--outcome", "lemp", "--time", "year", "--group", "county", "--treatment", "g"];
        failure(1, &[&["did-multiplegt", data][..], &columns].concat())
    };
    let plain = with_roles(folder.path(), |row| row.group.to_string());
    says(&multiplegt(&plain), &["same in all periods of every group", "when it is first treated"]);
    let drdid = ["--yname", "lemp", "--tname", "year", "--idname", "county", "--dname", "g"];
    let message = failure(1, &[&["drdid", plain.as_str()][..], &drdid].concat());
    says(&message, &["must be 0 or 1", "--gname of `burn-did att-gt`"]);
}

#[test]
fn every_estimator_names_units_with_several_rows() {
    let folder = tempfile::tempdir().unwrap();
    let data = with_roles(folder.path(), |row| row.group.to_string());
    let text = fs::read_to_string(&data).unwrap();
    let again = text.lines().find(|line| line.starts_with("8001,2005,")).unwrap();
    fs::write(&data, format!("{text}{again}\n")).unwrap();
    for arguments in estimates(&data, "g") {
        let (text, failed) = told(&arguments);
        match arguments[0].as_str() {
            "sunab" => {
                assert!(!failed, "{text}");
                says(&text, &["1 unit has several rows in a period, such as 8001 in 2005"]);
            }
            _ => {
                assert!(failed, "{arguments:?}");
                says(&text, &["unit 8001 has two rows for period 2005", "`county`"]);
            }
        }
    }
}

#[test]
fn every_estimator_knows_misspelt_columns_and_wide_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = with_roles(folder.path(), |row| row.group.to_string());
    let misspelt = |arguments: Vec<String>, right: &str, wrong: &str| -> Vec<String> {
        let word = |word: String| if word == right { wrong.to_owned() } else { word };
        arguments.into_iter().map(word).collect()
    };
    let switching = [
        "did-multiplegt",
        &data,
        "--outcome",
        "lemp",
        "--time",
        "year",
        "--group",
        "county",
        "--treatment",
        "g",
    ];
    let regression = ["feols", &data, "lemp ~ g | county + year"];
    let more = [switching.map(str::to_owned).to_vec(), regression.map(str::to_owned).to_vec()];
    for (right, wrong) in [("lemp", "lempp"), ("county", "Countyy"), ("year", "yaer")] {
        for arguments in estimates(&data, "g").into_iter().chain(more.clone()) {
            let formula = arguments[0] == "feols";
            let arguments = match formula {
                true => arguments.iter().map(|word| word.replace(right, wrong)).collect(),
                false => misspelt(arguments, right, wrong),
            };
            let arguments: Vec<String> = match formula {
                true => vec!["feols".into(), data.clone(), arguments[2].clone()],
                false => arguments,
            };
            let (text, failed) = told(&arguments);
            assert!(failed, "{arguments:?}");
            says(&text, &[&format!("did you mean `{right}`?")]);
        }
    }
    let wide = folder.path().join("wide.csv");
    fs::write(&wide, "county,g,elig,dose,lemp2003,lemp2004\n1,0,0,1,1.5,1.6\n2,2004,1,1,1.7,1.9\n")
        .unwrap();
    let wide = wide.display().to_string();
    for arguments in estimates(&wide, "g").into_iter().chain(more) {
        let arguments =
            arguments.into_iter().map(|word| if word == data { wide.clone() } else { word });
        let (text, failed) = told(&arguments.collect::<Vec<_>>());
        assert!(failed);
        says(&text, &["look like one column per period", "reshape"]);
    }
}

#[test]
fn programs_read_messages_as_objects() {
    let run = |args: &[&str]| {
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_burn-did"))
            .current_dir(root())
            .env("BURN_DID_MESSAGES", "json")
            .args(args)
            .output()
            .expect("the binary runs");
        let lines: Vec<Value> = text(&done.stderr)
            .lines()
            .map(|l| serde_json::from_str(l).expect("an object"))
            .collect();
        (done.status.code(), lines)
    };
    let columns = ["--yname", "lemp", "--tname", "year", "--gname", "first.treat"];
    let (code, said) = run(&[&["att-gt", MPDTA][..], &columns].concat());
    assert_eq!((code, said.len()), (Some(2), 1));
    assert_eq!(said[0]["kind"], "error");
    assert_eq!(said[0]["code"], "config");
    assert_eq!(
        said[0]["hint"],
        "name the unit column by --idname, or add --repeated-cross-sections"
    );
    let (code, said) = run(&["att-gt", MPDTA, "--ynme", "lemp"]);
    assert_eq!((code, &said[0]["code"]), (Some(2), &"usage".into()));
    assert!(
        said[0]["text"].as_str().is_some_and(|t| t.starts_with("unexpected argument '--ynme'"))
    );
    let (code, said) = run(&["feols", MPDTA, "lemp ~ treat | countyreal + year"]);
    assert_eq!((code, said[0]["code"].as_str()), (Some(1), Some("all_collinear")));
    let (code, said) = run(&["feols", MPDTA, "lemp ~ treat + lpop | year", "--vcov", "hetero"]);
    assert_eq!((code, said.len()), (Some(0), 0));
    let (code, said) = run(&["feols", MPDTA, "lemp ~ treat + i(year) | countyreal"]);
    assert_eq!(
        (code, &said[0]["kind"], &said[0]["code"]),
        (Some(0), &"warning".into(), &"collinear_regressors".into())
    );
}

#[test]
fn a_value_that_is_refused_has_its_line_in_every_estimator() {
    let folder = tempfile::tempdir().unwrap();
    let third = &rows()[2];
    let is_third = |row: &Row| (row.unit, row.year) == (third.unit, third.year);
    let data = file(folder.path(), "g,w", |row| match is_third(row) {
        true => "-1,-1".to_owned(),
        false => format!("{},1", row.group),
    });
    let columns = ["--yname", "lemp", "--tname", "year", "--idname", "county", "--gname", "g"];
    for command in ["etwfe", "study"] {
        let message = failure(1, &[&[command, &data][..], &columns].concat());
        says(&message, &[&format!("`g` (group) is -1 in line 4 of {data}")]);
    }
    let weighted = file(folder.path(), "g,w", |row| match is_third(row) {
        true => format!("{},-1", row.group),
        false => format!("{},1", row.group),
    });
    for command in ["etwfe", "study"] {
        let more = ["--weightsname", "w"];
        let message = failure(1, &[&[command, &weighted][..], &columns, &more].concat());
        says(&message, &[&format!("`w` (weights) is -1 in line 4 of {weighted}")]);
    }
}
