//! Running the binary and reading what it writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub const MPDTA: &str = "src/data/mpdta.csv";
pub const COLUMNS: [&str; 8] =
    ["--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--gname", "first.treat"];

/// What a saved result may be off by: nothing.
pub const SAVED: f64 = 0.0;

pub fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

/// A file that no other test uses.
pub fn temporary(name: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path.display().to_string()
}

pub fn burn_did(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_burn-did"))
        .current_dir(root())
        .env_remove("COLUMNS")
        .args(args)
        .output()
        .expect("the binary runs")
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// Standard output of a run that must succeed and may warn.
pub fn stdout(args: &[&str]) -> String {
    let done = burn_did(args);
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{args:?}: {said}");
    assert!(said.lines().all(|line| line.starts_with("warning: ")), "{args:?}: {said}");
    text(&done.stdout).to_owned()
}

/// Standard error of a run that must fail with this code and write nothing else.
pub fn failure(code: i32, args: &[&str]) -> String {
    let done = burn_did(args);
    assert_eq!((done.status.code(), text(&done.stdout)), (Some(code), ""), "{args:?}");
    let message = text(&done.stderr).to_owned();
    assert!(message.starts_with("error: "), "{message}");
    message
}

/// Arguments of a fit of mpdta.
pub fn mpdta<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["att-gt", MPDTA].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

pub fn parsed(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).expect("JSON")
}

pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

pub fn sorted<const N: usize>(mut names: [&str; N]) -> [&str; N] {
    names.sort_unstable();
    names
}

/// Relative difference; 0 if both are null.
pub fn deviation(a: &Value, b: &Value) -> f64 {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) if a == b => 0.0,
        (Some(a), Some(b)) => (a - b).abs() / a.abs().max(b.abs()),
        (None, None) => 0.0,
        _ => f64::INFINITY,
    }
}

/// The same structure and words, with numbers within a relative tolerance.
pub fn assert_close(a: &Value, b: &Value, tolerance: f64) {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| assert_close(a, b, tolerance));
        }
        (Value::Object(x), Value::Object(y)) => {
            assert_eq!(keys(a), keys(b));
            x.iter().for_each(|(k, v)| assert_close(v, &y[k], tolerance));
        }
        (Value::Number(_), Value::Number(_)) => {
            assert!(deviation(a, b) <= tolerance, "{a} against {b}");
        }
        _ => assert_eq!(a, b),
    }
}
