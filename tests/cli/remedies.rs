//! What people are told to do: the words that help, and none that do harm.

use std::fs;
use std::path::Path;

use crate::run::*;

/// A copy of mpdta with other lines.
fn file(folder: &Path, name: &str, change: impl Fn(&str) -> String) -> String {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let lines = text.lines().enumerate();
    let lines = lines.map(|(at, line)| if at == 0 { line.to_owned() } else { change(line) });
    let path = folder.join(name);
    fs::write(&path, lines.collect::<Vec<_>>().join("\n") + "\n").unwrap();
    path.display().to_string()
}

fn fields(line: &str) -> Vec<String> {
    line.split(',').map(str::to_owned).collect()
}

fn att_gt<'a>(data: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["att-gt", data][..], &COLUMNS, more].concat()
}

#[track_caller]
fn says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "{word} is missing in: {message}");
    }
}

#[test]
fn words_in_groups_are_never_treated_or_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(folder.path(), "word.csv", |line| {
        let mut fields = fields(line);
        if fields[4] == "0" {
            fields[4] = "missing".into();
        }
        fields.join(",")
    });
    let message = failure(1, &att_gt(&data, &[]));
    says(
        &message,
        &[
            "if `missing` stands for never treated: --na \"first.treat=missing\"",
            "--na \"first.treat=missing\" --rows \"first.treat is not missing\", which leaves their rows out",
        ],
    );
    let more = ["--na", "first.treat=missing", "--rows", "first.treat is not missing"];
    says(&stdout(&att_gt(&data, &more)), &["Units: 191"]);
}

#[test]
fn periods_and_numbers_in_other_forms_are_to_be_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let changed = |at: usize, change: fn(&str) -> String| {
        file(folder.path(), "other.csv", |line| {
            let mut fields = fields(line);
            fields[at] = change(&fields[at]);
            fields.join(",")
        })
    };
    let told = |at, change: fn(&str) -> String| failure(1, &att_gt(&changed(at, change), &[]));
    let message = told(0, |year| format!("01/06/{year}"));
    says(&message, &["write dates as year, month and day, such as 2007-03-01", "--frequency"]);
    assert!(!message.contains("--na"), "{message}");
    let message = told(0, |year| format!("FY{year}"));
    says(&message, &["write periods as numbers, such as 2003 in place of FY2003"]);
    let message = told(4, |group| format!("G{group}"));
    says(&message, &["write periods as numbers, such as", "in place of G"]);
    assert!(!message.contains("--na"), "{message}");
    let message = told(3, |y| format!("${y}"));
    says(&message, &["write numbers without a sign of a unit"]);
}

#[test]
fn a_panel_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let again = text.lines().nth(1).unwrap();
    let data = folder.path().join("twice.csv");
    fs::write(&data, format!("{}\n{again}\n", text.trim_end())).unwrap();
    let message = failure(1, &att_gt(&data.display().to_string(), &[]));
    says(&message, &["`burn-did panel deduplicate`", "make a column of both", "that are no panel"]);
}

#[test]
fn indicators_of_stata_are_factors_here() {
    for args in [
        att_gt(MPDTA, &["--xformla", "~ i.treat"]),
        vec!["feols", MPDTA, "lemp ~ i.treat | countyreal"],
        vec!["feols", MPDTA, "lemp ~ lpop:i.treat | countyreal"],
    ] {
        let message = failure(1, &args);
        says(&message, &["`i.treat` is how Stata writes indicators", "write `C(treat)`"]);
        assert!(!message.contains("did you mean"), "{message}");
    }
    // A list of columns has no factors.
    let args: Vec<&str> = ["lpdid", MPDTA, "--window=-2,1", "--xname", "i.treat"].into();
    let message = failure(1, &[args, COLUMNS.to_vec()].concat());
    says(&message, &["in a list of columns name an indicator column for each level"]);
    let message = failure(2, &["feols", MPDTA, "lemp ~ I(year == 2004) | countyreal"]);
    says(&message, &["`=` at character", "i(year, keep = 2014)", "C(year)"]);
}

#[test]
fn names_of_other_programs_are_known() {
    let told = |args: &[&str]| {
        let message = failure(2, args);
        assert!(!message.contains("tip:"), "{message}");
        message
    };
    for (theirs, ours) in [("csdid", "att-gt"), ("did2s", "two-stage"), ("att_gt", "att-gt")] {
        says(&told(&[theirs, MPDTA]), &[&format!("hint: the command is `burn-did {ours}`")]);
    }
    says(&told(&["help", "att_gt"]), &["hint: the command is `burn-did att-gt`"]);
    for (option, hint) in [
        (["--xname", "lpop"], "--xformla \"~ lpop\""),
        (["--min_e", "-2"], "--aggregate dynamic:min_e=-2"),
        (["--first-treat", "g"], "named by --gname"),
        (["--boot", "999"], "--boot --biters 999"),
        (["--boot", "--first-treat"], "named by --gname"),
        (["--na-rm", "true"], "--aggregate dynamic:na_rm=true"),
    ] {
        says(&told(&att_gt(MPDTA, &option)), &[hint]);
    }
    let seed = failure(2, &att_gt(MPDTA, &["--boot", "--sed", "3"]));
    assert!(seed.contains("--seed") && !seed.contains("--boot has no value"), "{seed}");
    let etwfe = [&["etwfe", MPDTA][..], &COLUMNS].concat();
    says(&told(&[&etwfe[..], &["--cluster", "lpop"]].concat()), &["--vcov cluster:firm"]);
    says(&told(&[&etwfe[..], &["--robust"]].concat()), &["add --vcov hetero"]);
    let npiv = failure(2, &["npiv", MPDTA, "--cluster", "lpop"]);
    assert!(!npiv.contains("--clustervars"), "{npiv}");
    // Commands below others have their own names.
    says(&told(&["simulate", "att_gt"]), &["the command is `burn-did simulate att-gt`"]);
    let aggregate = failure(2, &["panel", "aggte"]);
    assert!(!aggregate.contains("the command is"), "{aggregate}");
}

#[test]
fn files_are_named_for_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let tabs = file(folder.path(), "data.tsv", str::to_owned);
    says(&failure(2, &att_gt(&tabs, &[])), &["rename the file to end in .csv"]);
    let header = folder.path().join("header.csv");
    fs::write(&header, "year,countyreal,lpop,lemp,first.treat,treat\n").unwrap();
    let message = failure(1, &att_gt(&header.display().to_string(), &[]));
    says(&message, &["has columns and no rows"]);
    for command in [&["aggregate", MPDTA, "--aggregate", "simple"][..], &["compare", MPDTA]] {
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_burn-did"))
            .current_dir(root())
            .env("BURN_DID_MESSAGES", "json")
            .args(command)
            .output()
            .expect("the binary runs");
        assert!(text(&done.stderr).contains("\"code\":\"json\""), "{}", text(&done.stderr));
    }
}

#[test]
fn reasons_of_cells_are_said_once() {
    let args = att_gt(MPDTA, &["--xformla", "~ lpop + I(lpop * 0 + 1)"]);
    let done = burn_did(&args);
    let said = text(&done.stderr);
    assert!(said.matches("a covariate is constant").count() <= 2, "{said}");
    says(said, &["12 cells have no estimate (group 2004: 2004, 2005, 2006, 2007; group 2006"]);
    let json = burn_did(&[&args[..], &["--format", "json"]].concat());
    let document: serde_json::Value = serde_json::from_str(text(&json.stdout)).unwrap();
    let warnings = document["warnings"].as_array().unwrap().len();
    assert_eq!(document["about"]["n_warnings"], serde_json::json!(warnings));
    let average = failed_average(&["--aggregate", "simple"]);
    says(&average, &["leave the covariates named out of --xformla"]);
    assert!(!average.contains("--est-method"), "{average}");
}

/// What is said of an average of cells without an estimate.
fn failed_average(more: &[&str]) -> String {
    let formula = ["--xformla", "~ lpop + I(lpop * 0 + 1)"];
    let done = burn_did(&att_gt(MPDTA, &[&formula[..], more].concat()));
    assert_eq!(done.status.code(), Some(1));
    text(&done.stderr).to_owned()
}

#[test]
fn a_status_is_not_proposed_as_a_missing_value() {
    let args = ["describe", MPDTA, "--tname", "year", "--idname", "countyreal", "--gname", "treat"];
    let shown = stdout(&args);
    says(&shown, &["`treat` holds only 0 and 1"]);
    assert!(!shown.contains("--na"), "{shown}");
}

#[test]
fn parts_of_pictures_that_are_not_there_are_named() {
    let picture = temporary("shares.svg");
    let columns = ["--tname", "year", "--idname", "countyreal", "--gname", "first.treat"];
    let describe = [&["describe", MPDTA][..], &columns, &["--plot", &picture]].concat();
    let done = burn_did(&[&describe[..], &["--hide", "legend"]].concat());
    says(text(&done.stderr), &["warning: --hide legend has no effect"]);
    let view = [&["panelview", MPDTA][..], &columns, &["--plot", &picture]].concat();
    let done = burn_did(&[&view[..], &["--grid", "both"]].concat());
    says(text(&done.stderr), &["warning: --grid has no effect"]);
}

#[test]
fn what_plainly_is_data_is_not_taken_for_a_missing_value() {
    let folder = tempfile::tempdir().unwrap();
    let changed = |at: usize, change: &dyn Fn(&str) -> String| {
        file(folder.path(), "plain.csv", |line| {
            let mut fields = fields(line);
            fields[at] = change(&fields[at]);
            fields.join(",")
        })
    };
    let told = |at, change: &dyn Fn(&str) -> String, words| {
        let message = failure(1, &att_gt(&changed(at, change), &[]));
        says(&message, &[words]);
        assert!(!message.contains("--na"), "{message}");
    };
    told(3, &|_| "4\u{a0}728\u{a0}999".into(), "without separators of thousands");
    told(3, &|_| "8.46D+00".into(), "write exponents with an E, as ");
    told(0, &|year| format!("01Jul{year}"), "such as 2007-03-01, and add --frequency");
    told(0, &|year| format!("07/01/{}", &year[2..]), "such as 2007-03-01, and add --frequency");
    let treated = changed(5, &|treat| if treat == "1" { "yes".into() } else { "no".into() });
    let keys = ["--idname", "countyreal", "--tname", "year", "--dname", "treat"];
    let out = temporary("first.csv");
    let first = ["panel", "first-treated", &treated];
    let message = failure(1, &[&first[..], &keys, &["--out", &out]].concat());
    says(&message, &["write 1 and 0 in place of yes and no"]);
    assert!(!message.contains("--na"), "{message}");
    let data = changed(4, &|group| if group == "0" { "no".into() } else { "yes".into() });
    says(&failure(1, &att_gt(&data, &[])), &["`burn-did panel first-treated` makes"]);
}

#[test]
fn a_header_among_the_rows_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let path = folder.path().join("together.csv").display().to_string();
    fs::write(&path, format!("{}\n{text}", text.trim_end())).unwrap();
    let line = text.lines().count() + 1;
    let message = failure(1, &att_gt(&path, &[]));
    says(
        &message,
        &["has its own name in", &format!("line {line} of {path}"), "leave such lines out"],
    );
    assert!(!message.contains("--na"), "{message}");
}

#[test]
fn columns_of_a_singular_design_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let lines = text.lines().enumerate().map(|(at, line)| {
        let value = line.split(',').nth(2).unwrap();
        let copies = (0..60).map(|k| if at == 0 { format!(",v{k}") } else { format!(",{value}") });
        format!("{line}{}\n", copies.collect::<String>())
    });
    let path = folder.path().join("copies.csv").display().to_string();
    fs::write(&path, lines.collect::<String>()).unwrap();
    let names: Vec<String> = (0..60).map(|k| format!("v{k}")).collect();
    let formula = format!("~ {}", names.join(" + "));
    let done = burn_did(&att_gt(&path, &["--xformla", &formula]));
    let said = text_of(&done);
    says(&said, &["look at `v1`, `v2`, `v3`, `v4`, `v5`, and 54 more"]);
    let lpdid = ["lpdid", &path, "--window=-2,1", "--xname", &names.join(",")];
    let said = text_of(&burn_did(&[&lpdid[..], &COLUMNS].concat()));
    says(&said, &["v19, v20, and 39 more"]);
}

/// What a run writes to standard error.
fn text_of(done: &std::process::Output) -> String {
    text(&done.stderr).to_owned()
}
