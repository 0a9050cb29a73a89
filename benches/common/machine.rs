//! The machine, the day and the compiler, for the report.

use std::fs::read_to_string;
use std::process::Command;

use super::memory;

/// Processor, logical cores and memory, and the NVIDIA card if there is one.
pub fn describe() -> String {
    let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".into());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let gibibytes = memory::of_machine() as f64 / f64::from(1 << 30);
    let card = nvidia_card().map_or_else(String::new, |card| format!(", {card}"));
    format!("{cpu}, {cores} logical cores, {gibibytes:.0} GiB{card}")
}

/// Day, in UTC.
pub fn today() -> String {
    said("date", &["-u", "+%F"]).unwrap_or_else(|| "unknown day".into())
}

/// This crate, its commit, whether its source has changed since, and the compiler.
pub fn build() -> String {
    let git = |words: &[&str]| said("git", &[&["-C", env!("CARGO_MANIFEST_DIR")], words].concat());
    let changes = git(&["status", "--porcelain", "--", "src", "Cargo.toml", "Cargo.lock"]);
    let changed = if changes.is_some_and(|files| !files.is_empty()) { "-dirty" } else { "" };
    let commit = git(&["describe", "--always"]);
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit}{changed})"));
    let compiler = said("rustc", &["--version"]).unwrap_or_else(|| "unknown rustc".into());
    format!("burn-did {}{commit}, {compiler}", env!("CARGO_PKG_VERSION"))
}

/// The value after `name :` in a file of `/proc`.
pub fn field(path: &str, name: &str) -> Option<String> {
    let text = read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn nvidia_card() -> Option<String> {
    let mut cards = std::fs::read_dir("/proc/driver/nvidia/gpus").ok()?;
    let card = cards.next()?.ok()?.path().join("information");
    field(card.to_str()?, "Model")
}

/// What a program prints, trimmed.
pub fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
