//! A first look at the data beside the estimate from the same parquet file: `cargo bench --features cli --bench explore -- [UNITS] [BUDGET]`.
//!
//! 5 periods, 3 cohorts, one covariate, rows by unit. Every command runs in a process of its own, `--runs` times after one that fills the
//! cache of the files; seconds are the median. Memory is the largest resident set that was seen, twenty times a second. With a budget, as in
//! `512MiB`, all read the file in pieces where it is larger.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program that prints what it measures"
)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use burn_did::data::Simulation;
use polars::prelude::{ParquetCompression, ParquetWriter};

const RUNS: usize = 3;

/// How often memory is looked at.
const TICK: Duration = Duration::from_millis(50);

/// What a process took.
struct Taken {
    seconds: f64,
    mebibytes: u64,
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let units = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(1_000_000);
    let budget = arguments.iter().find(|a| a.ends_with("iB"));
    let data = parquet(units);
    let out = data.with_extension("out.parquet");
    let (data, out) = (data.display().to_string(), out.display().to_string());
    let keys = ["--tname", "period", "--idname", "id"];
    let group = ["--gname", "group"];
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect::<Vec<String>>();
    let tool = |words: &[&str]| {
        owned([&["panel", words[0], &data], &keys[..], &words[1..], &["--out", &out]].concat())
    };
    let look = |words: &[&str]| {
        owned([&[words[0], data.as_str()], &keys[..], &group, &words[1..]].concat())
    };
    let commands: Vec<(&str, Vec<String>)> = vec![
        ("att-gt", look(&["att-gt", "--yname", "y", "--xformla", "~ x1"])),
        ("describe", look(&["describe", "--yname", "y", "--xname", "x1"])),
        ("panelview", look(&["panelview", "--yname", "y"])),
        ("means", look(&["means", "--yname", "y"])),
        ("balance", look(&["balance", "--yname", "y", "--xname", "x1"])),
        ("panel balance", tool(&["balance"])),
        ("panel fill-gaps", tool(&["fill-gaps"])),
        ("panel deduplicate", tool(&["deduplicate"])),
        ("panel lag", tool(&["lag", "--columns", "y"])),
        ("panel long-difference", tool(&["long-difference", "--gname", "group", "--columns", "y"])),
    ];
    println!("{units} units, 5 periods; budget: {}", budget.map_or("none", |budget| budget));
    println!("| command | seconds | of att-gt | MiB |\n|---|---:|---:|---:|");
    let mut estimate = None;
    for (name, command) in commands {
        let limit = budget.map(|budget| ["--memory-budget".to_owned(), budget.clone()]);
        let words: Vec<String> = command.into_iter().chain(limit.into_iter().flatten()).collect();
        let runs: Vec<Taken> = (0..=RUNS).map(|_| run(&words)).skip(1).collect();
        let mut seconds: Vec<f64> = runs.iter().map(|taken| taken.seconds).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        let median = seconds[RUNS / 2];
        let of = median / *estimate.get_or_insert(median);
        let memory = runs.iter().map(|taken| taken.mebibytes).max().unwrap_or(0);
        println!("| {name} | {median:.2} | {of:.2} | {memory} |");
    }
    let _ = std::fs::remove_file(out);
}

/// The data, written if absent.
fn parquet(units: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{units}.parquet"));
    if !path.exists() {
        let mut frame = Simulation::builder().units(units).periods(5).seed(1).build().frame();
        // A file that is there is complete: it gets its name last.
        let unfinished = path.with_extension("part");
        ParquetWriter::new(File::create(&unfinished).unwrap())
            .with_compression(ParquetCompression::Uncompressed)
            .finish(&mut frame)
            .unwrap();
        std::fs::rename(&unfinished, &path).unwrap();
    }
    path
}

/// Runs a command of the program, which must succeed.
fn run(words: &[String]) -> Taken {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_burn-did"))
        .args(words)
        .arg("--quiet")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut kibibytes = 0;
    let done = loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let seen = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kibibytes = kibibytes.max(seen.unwrap_or(0));
        if let Some(done) = child.try_wait().unwrap() {
            break done;
        }
        std::thread::sleep(TICK);
    };
    assert!(done.success(), "{words:?}");
    Taken { seconds: start.elapsed().as_secs_f64(), mebibytes: kibibytes / 1024 }
}
