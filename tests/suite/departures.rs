//! The list of departures in `src/_documentation/comparison.md` is complete: golden cases depart by its entries alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

use crate::support::departures::{Departure, of_doses, of_honest, of_npiv};
use crate::support::frames::golden_json;
use crate::support::{ddd, doses, drdid, golden};

/// Identifiers, files of golden cases, identifiers of cases.
type Affected = BTreeMap<String, BTreeMap<String, Vec<String>>>;

fn note(affected: &mut Affected, file: &str, case: &str, departures: &[Departure]) {
    for departure in departures {
        let files = affected.entry(departure.id().to_owned()).or_default();
        files.entry(file.to_owned()).or_default().push(case.to_owned());
    }
}

/// The cases in a list of a file, by what departs; they are numbered where they have no name.
fn note_values(
    affected: &mut Affected,
    file: &str,
    cases: &Value,
    of: impl Fn(&Value) -> Vec<Departure>,
) {
    for (number, case) in cases.as_array().unwrap().iter().enumerate() {
        let name = case["id"].as_str().map_or_else(|| format!("{number}"), str::to_owned);
        note(affected, file, &name, &of(case));
    }
}

/// Every golden case that departs.
fn affected() -> Affected {
    let mut all = Affected::new();
    for name in golden::DATASETS {
        for case in golden::Dataset::load(name).cases {
            note(&mut all, name, &case.id, &case.departures(name));
        }
    }
    for name in ddd::DATASETS {
        let dataset = ddd::Dataset::load(name);
        for case in &dataset.cases {
            note(&mut all, &format!("ddd_{name}"), &case.id, &dataset.departures(case));
        }
    }
    for name in drdid::DATASETS {
        for case in drdid::Dataset::load(name).cases {
            note(&mut all, &format!("drdid_{name}"), &case.id, &case.departures());
        }
    }
    for name in doses::DATASETS {
        let cases = Value::Array(doses::golden(name).1);
        note_values(&mut all, &format!("cont_did_{name}"), &cases, of_doses);
    }
    for name in ["npiv", "npiv_r"] {
        let file: Value = golden_json(&format!("{name}.json"));
        for list in ["cases", "choices"] {
            note_values(&mut all, name, &file[list], of_npiv);
        }
    }
    let studies: Value = golden_json("honest.json");
    for study in studies.as_object().unwrap().values() {
        note_values(&mut all, "honest", &study["cases"], of_honest);
    }
    all
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The words in backticks of a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The entries of the list: identifiers and the files that they name.
fn listed(page: &str) -> Vec<(String, BTreeSet<String>)> {
    let section = page.split_once("\n## Departures\n").expect("a section of departures").1;
    let entries = section.split("\n- **`").skip(1).map(|entry| {
        let (id, text) = entry.split_once("`**").expect("an identifier");
        let text = text.split("\n\n").next().unwrap_or(text);
        let files = text.split_once("*Golden cases*:").map_or("", |(_, files)| files);
        (id.to_owned(), quoted(files).map(str::to_owned).collect())
    });
    entries.collect()
}

fn page() -> Vec<(String, BTreeSet<String>)> {
    listed(&fs::read_to_string(root().join("src/_documentation/comparison.md")).unwrap())
}

#[test]
fn the_list_names_every_golden_file_that_departs_and_no_other() {
    let listed = page();
    let names: BTreeSet<&str> = listed.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(names.len(), listed.len(), "an identifier stands twice in the list");
    let affected = affected();
    for id in affected.keys() {
        assert!(names.contains(id.as_str()), "golden cases depart by `{id}`, which the list lacks");
    }
    for (id, files) in &listed {
        let found = affected.get(id).map(|files| files.keys().cloned().collect());
        assert_eq!(*files, found.unwrap_or_default(), "golden cases of `{id}` (left: the list)");
    }
}

/// `BURN_DID_UPDATE=1` writes the file.
#[test]
fn every_case_that_departs_is_named() {
    let path = root().join("tests/golden/departures.json");
    let affected = affected();
    if env::var_os("BURN_DID_UPDATE").is_some() {
        let text = serde_json::to_string_pretty(&affected).unwrap();
        fs::write(&path, text + "\n").unwrap();
    }
    let named: Affected = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(named, affected, "run the test with BURN_DID_UPDATE=1 and look at the difference");
}

/// What other documents and the scripts about other packages refer to stands in the list.
#[test]
fn references_to_the_list_have_their_entry() {
    let listed = page();
    let names: BTreeSet<&str> = listed.iter().map(|(id, _)| id.as_str()).collect();
    let peers = root().join("tests/peers");
    for folder in ["python", "r"] {
        for entry in fs::read_dir(peers.join(folder)).unwrap() {
            for id in referred(&entry.unwrap().path()) {
                assert!(names.contains(id.as_str()), "tests/peers/{folder} refers to `{id}`");
            }
        }
    }
}

/// The identifiers of departures that a script names as the last argument of a claim.
fn referred(script: &Path) -> Vec<String> {
    let text = fs::read_to_string(script).unwrap_or_default();
    let claims = text.lines().filter(|line| {
        ["@says(", "@claim(", "claim(", "says("].iter().any(|call| line.starts_with(call))
    });
    let last = claims.filter_map(|line| line.rsplit_once(", \"")?.1.strip_suffix("\")"));
    last.filter(|word| !word.contains(' ')).map(str::to_owned).collect()
}

#[test]
fn an_entry_is_read_as_it_is_written() {
    let page = "x\n## Departures\ntext\n\n- **`a-b`** What. *Golden cases*: `f`,\n  `g`.\n- **`c`** `d` only.\n\nMore `words`.\n";
    let read = listed(page);
    let files = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(read, [("a-b".to_owned(), files(&["f", "g"])), ("c".to_owned(), files(&[]))]);
}
