//! Sizes, names and files that nobody means well with: an error that says what is wrong, nothing else.

use std::fs;
use std::io::Cursor;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::{Command, Output};

use polars::prelude::*;
use serde_json::{Value, json};

use crate::golden::data;
use crate::run::*;

/// Runs in an empty directory with an environment that names others; returns what was written there.
struct Sandbox {
    root: std::path::PathBuf,
}

impl Sandbox {
    fn new(name: &str) -> Self {
        let root = Path::new(&temporary(name)).to_owned();
        let _ = fs::remove_dir_all(&root);
        for folder in ["work", "home", "tmp", "other"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Self { root }
    }

    fn run(&self, args: &[&str]) -> Output {
        let other = self.root.join("other");
        let mut command = Command::new(env!("CARGO_BIN_EXE_burn-did"));
        command.current_dir(self.root.join("work")).args(args);
        command.env("HOME", self.root.join("home")).env("TMPDIR", self.root.join("tmp"));
        for name in [
            "BURN_DID_PLOTS",
            "BURN_DID_CUDA_SOURCES",
            "BURN_DID_OUT",
            "POLARS_TEMP_DIR",
            "POLARS_OOC_SPILL_DIR",
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "CUBECL_DEBUG_LOG",
            "RUST_LOG",
            "RUST_MIN_STACK_FILE",
            "CARGO_TARGET_DIR",
        ] {
            command.env(name, &other);
        }
        command.output().unwrap()
    }

    /// Files below a folder.
    fn files(&self, folder: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.root.join(folder)];
        while let Some(at) = open.pop() {
            for entry in fs::read_dir(at).unwrap().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    open.push(entry.path());
                }
                found.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        found.sort();
        found
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn is_shown(text: &str) {
    let hidden = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!text.contains(hidden), "{text:?}");
}

#[test]
fn draws_beyond_memory_are_refused() {
    let drdid = ["drdid", &data("two_a"), "--yname", "y", "--tname", "t", "--idname", "id"];
    let drdid = [&drdid[..], &["--treatname", "d"]].concat();
    for biters in ["1000000000000", "2305843009213693952", "18446744073709551615"] {
        let boot = ["--boot", "--biters", biters];
        for law in ["mammen", "rademacher", "webb", "gaussian"] {
            let law = ["--multiplier", law];
            for more in [&[][..], &["--clustervars", "lpop"], &["--cband"]] {
                let message = failure(1, &mpdta(&[&boot[..], &law, more].concat()));
                for word in ["--biters", "bytes", "are available", "fewer draws"] {
                    assert!(message.contains(word), "{message}");
                }
            }
            for how in ["weighted", "multiplier"] {
                let more = [&boot[..], &law, &["--boot-type", how]].concat();
                let message = failure(1, &[&drdid[..], &more].concat());
                assert!(message.contains("--biters") && message.contains("bytes"), "{message}");
            }
        }
    }
}

#[test]
fn levels_without_finite_intervals_are_refused() {
    let saved = temporary("level.json");
    stdout(&mpdta(&["--save", &saved]));
    for alp in ["0", "1", "1e-17", "1e-300", "nan", "inf", "0.9999999999999"] {
        let message = failure(2, &mpdta(&["--alp", alp]));
        assert!(message.contains("--alp") && message.contains("between"), "{message}");
        let again = ["aggregate", &saved, "--aggregate", "simple", "--alp", alp];
        assert!(failure(2, &again).contains("between"));
    }
    let small = parsed(&mpdta(&["--alp", "1e-10", "--format", "json", "--save", &saved]));
    assert!((small["about"]["critical_value"].as_f64().unwrap() - 6.466_951).abs() < 1e-5);
    stdout(&["aggregate", &saved, "--aggregate", "simple"]);
}

#[test]
fn timestamps_as_periods_are_refused() {
    let file = temporary("timestamps.csv");
    let row = |i: usize| format!("{},{},{},{}\n", i / 2, 1_600_000_000 + 3_600 * i, 0, i % 7);
    let rows: String = (0..20_000).map(row).collect();
    fs::write(&file, format!("countyreal,year,first.treat,lemp\n{rows}")).unwrap();
    for more in [&[][..], &["--allow-unbalanced-panel"], &["--repeated-cross-sections"]] {
        let message = failure(1, &[&["att-gt", &*file][..], &COLUMNS, more].concat());
        for word in ["`year`", "20000 distinct values", "timestamps"] {
            assert!(message.contains(word), "{message}");
        }
    }
}

#[test]
fn changed_results_are_refused_by_field() {
    let saved = temporary("changed.json");
    stdout(&mpdta(&["--boot", "--biters", "9", "--save", &saved]));
    let base: Value = serde_json::from_str(&fs::read_to_string(&saved).unwrap()).unwrap();
    let picture = temporary("changed.svg");
    for (pointer, value) in [
        ("/format", json!(7)),
        ("/result/estimates/covariance", json!([])),
        ("/result/estimates/draws", json!([1, 2, 3])),
        ("/result/estimates/shares", json!([])),
        ("/result/estimates/periods", json!([])),
        ("/result/cells", json!([])),
    ] {
        let mut document = base.clone();
        *document.pointer_mut(pointer).unwrap() = value;
        fs::write(&saved, document.to_string()).unwrap();
        let name = pointer[1..].replace('/', ".").replace("result.", "");
        for args in [
            &["aggregate", &*saved, "--aggregate", "dynamic"][..],
            &["aggregate", &saved, "--aggregate", "group", "--format", "json"],
            &["plot", &saved, "--out", &picture],
            &["plot", &saved, "--out", &picture, "--aggregate", "dynamic"],
        ] {
            let message = failure(1, args);
            let shown = message.contains(&name) || message.contains("estimates.cells[0]");
            assert!(shown && !message.contains("panicked"), "{pointer}: {message}");
        }
    }
    assert!(!Path::new(&picture).exists());
}

/// A number that was changed no longer goes with the interval beside it.
#[test]
fn changed_estimates_are_refused() {
    let saved = temporary("changed_estimates.json");
    let picture = temporary("changed_estimates.svg");
    let regression = ["feols", MPDTA, "lemp ~ lpop + i(year, ref = 2003) | countyreal"];
    let doses = data("cont_a");
    let doses = [
        "cont-did",
        &*doses,
        "--yname",
        "Y",
        "--tname",
        "time_period",
        "--idname",
        "id",
        "--gname",
        "G",
        "--dname",
        "D",
    ];
    for (fit, pointers) in [
        (&regression[..], &["/result/coefficients/0/estimate", "/result/coefficients/1/se"][..]),
        (
            &doses,
            &[
                "/result/dose/rows/0/att/se",
                "/result/dose/rows/0/att/estimate",
                "/result/overall/att/estimate",
            ],
        ),
    ] {
        stdout(&[fit, &["--save", &saved]].concat());
        let base: Value = serde_json::from_str(&fs::read_to_string(&saved).unwrap()).unwrap();
        for pointer in pointers {
            let mut document = base.clone();
            let value = document.pointer_mut(pointer).unwrap();
            *value = json!(1.5 * value.as_f64().unwrap() + 0.125);
            fs::write(&saved, document.to_string()).unwrap();
            let message = failure(1, &["plot", &saved, "--out", &picture]);
            assert!(message.contains("interval"), "{pointer}: {message}");
        }
    }
}

#[test]
fn names_from_files_are_shown_as_they_are_spelt() {
    let file = temporary("names.csv");
    let nasty = "y\u{1b}[31m\u{1b}]0;title\u{7}\u{202e}\u{9b}";
    let mut csv = format!("countyreal,year,first.treat,{nasty}\n");
    for unit in 0..40 {
        for year in 2000..2004 {
            let group = if unit % 2 == 0 { 0 } else { 2002 };
            csv += &format!("{unit},{year},{group},{}\n", (unit * 31 + year * 17) % 23);
        }
    }
    fs::write(&file, csv).unwrap();
    let fit = |yname: &'static str, more: &[&str]| {
        let args = [&["att-gt", &*file, "--yname", yname], &COLUMNS[2..], more].concat();
        let done = burn_did(&args);
        is_shown(text(&done.stdout));
        is_shown(text(&done.stderr));
        done
    };
    let missing = fit("lemp", &[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("y\\u{1b}[31m"), "{}", text(&missing.stderr));
    let name = "y\u{1b}[31m\u{1b}]0;title\u{7}\u{202e}\u{9b}";
    for format in ["table", "json", "csv", "markdown", "latex"] {
        let done = fit(name, &["--format", format, "--aggregate", "dynamic"]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        if format == "json" {
            serde_json::from_slice::<Value>(&done.stdout).unwrap();
        }
    }
    let picture = temporary("names.svg");
    let done = fit(name, &["--plot", &picture]);
    assert_eq!(done.status.code(), Some(0));
    roxmltree::Document::parse(&fs::read_to_string(&picture).unwrap()).unwrap();
    is_shown(&failure(2, &["att-gt", "\u{1b}[2J.csv", "--\u{1b}[31mfoo"]));
    is_shown(&failure(1, &["aggregate", "\u{1b}[2J.json", "--aggregate", "simple"]));
}

#[test]
fn few_clusters_are_warned_of() {
    let file = temporary("few.csv");
    let mut csv = String::from("countyreal,year,first.treat,lemp,state,one\n");
    for unit in 0..40 {
        for year in 2000..2004 {
            let group = if unit % 2 == 0 { 0 } else { 2002 };
            let y = (unit * 31 + year * 17) % 23;
            csv += &format!("{unit},{year},{group},{y},{},1\n", unit % 7);
        }
    }
    fs::write(&file, csv).unwrap();
    let args = |cluster: &'static str| {
        [&["att-gt", &*file], &COLUMNS[..], &["--clustervars", cluster, "--format", "json"]]
            .concat()
    };
    let warnings = parsed(&args("state"))["warnings"].to_string();
    assert!(warnings.contains("7 clusters") && warnings.contains("fewer than ten"), "{warnings}");
    let message = failure(1, &args("one"));
    assert!(message.contains("`one` (cluster) has 1 cluster"), "{message}");
}

/// Nothing is written but what the command line names: whatever the environment, a file's name or a saved result say.
#[test]
fn only_the_named_files_are_written() {
    let sandbox = Sandbox::new("sandbox");
    let mpdta = root().join(MPDTA).display().to_string();
    let fit = [&["att-gt", &*mpdta], &COLUMNS[..]].concat();
    let ok = |args: &[&str]| {
        let done = sandbox.run(args);
        assert_eq!(done.status.code(), Some(0), "{args:?}: {}", text(&done.stderr));
    };
    let boot = ["--boot", "--biters", "20", "--memory-budget", "100kB"];
    let output = ["--aggregate", "dynamic", "--plot", "a b.PNG", "--save", "$HOME *.json"];
    ok(&[&fit[..], &boot, &output].concat());
    assert_eq!(sandbox.files("work"), ["$HOME *.json", "a b.PNG"]);
    // Words in a result are no paths.
    let saved = sandbox.root.join("work/$HOME *.json");
    let mut document: Value = serde_json::from_str(&fs::read_to_string(&saved).unwrap()).unwrap();
    for field in ["outcome", "backend", "covariates", "weights", "cluster"] {
        document["result"]["settings"][field] = json!("../../other/x.png");
    }
    fs::write(&saved, document.to_string()).unwrap();
    ok(&["plot", "$HOME *.json", "--out", "c.svg", "--title", "../d.svg"]);
    ok(&["aggregate", "$HOME *.json", "--aggregate", "group", "--plot", "e.svg"]);
    let failed =
        sandbox.run(&["plot", "$HOME *.json", "--out", "f.svg", "--width", "1", "--height", "1"]);
    assert_eq!(failed.status.code(), Some(2));
    assert_eq!(sandbox.files("work"), ["$HOME *.json", "a b.PNG", "c.svg", "e.svg"]);
    for folder in ["home", "tmp", "other"] {
        assert!(sandbox.files(folder).is_empty(), "{folder}");
    }
}

/// Parquet files of which a byte of the metadata was lost, so that polars panics.
fn damaged() -> Vec<Vec<u8>> {
    let mut df = df!(
        "id" => [1, 1, 2, 2],
        "t" => [1, 2, 1, 2],
        "g" => [2, 2, 0, 0],
        "y" => [1.0, 2.0, 3.0, 4.0],
    )
    .unwrap();
    let mut bytes = Vec::new();
    let _ = ParquetWriter::new(&mut bytes).finish(&mut df).unwrap();
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    let without = |at: usize| {
        let mut damaged = bytes.clone();
        damaged[at] = 0;
        damaged
    };
    let panics = |bytes: &Vec<u8>| {
        let bytes = bytes.clone();
        catch_unwind(|| ParquetReader::new(Cursor::new(bytes)).finish().is_ok()).is_err()
    };
    (end - length..end).map(without).filter(panics).take(4).collect()
}

/// Files of which polars panics are one error, and nothing else is said of them.
#[test]
fn what_makes_a_library_panic_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for (index, bytes) in damaged().into_iter().enumerate() {
        let path = folder.path().join(format!("{index}.parquet"));
        fs::write(&path, bytes).unwrap();
        let columns = ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g"];
        let message = failure(1, &[&["att-gt", path.to_str().unwrap()], &columns[..]].concat());
        assert!(!message.contains("panicked") && message.contains(".parquet"), "{message}");
    }
}
