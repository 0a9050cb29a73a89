//! Temporary files: nothing that others can read while a fit runs, and nothing left, however it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use burn_did::data::Simulation;
use polars::prelude::*;

/// Rows in no order, so that they are grouped in temporary files, and too many for the budget, so that strata are spilled.
fn data(folder: &Path) -> PathBuf {
    let df = Simulation::builder().units(60_000).periods(6).covariates(2).build().frame();
    let rows = df.height() as u32;
    let order = (0..rows).map(|i| i.wrapping_mul(7_919) % rows).collect();
    let mut df = df.take(&IdxCa::from_vec("row".into(), order)).unwrap();
    let path = folder.join("panel.parquet");
    let writer = ParquetWriter::new(fs::File::create(&path).unwrap());
    writer.with_row_group_size(Some(20_000)).finish(&mut df).unwrap();
    path
}

fn start(data: &Path, temporary: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_burn-did"))
        .env("TMPDIR", temporary)
        .arg("att-gt")
        .arg(data)
        .args(["--yname", "y", "--tname", "period", "--idname", "id", "--gname", "group"])
        .args(["--xformla", "~ x1 + x2", "--memory-budget", "4MB", "--boot", "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Open files of a process that have no name any more.
#[cfg(target_os = "linux")]
fn unnamed(child: &Child, temporary: &Path) -> usize {
    let Ok(open) = fs::read_dir(format!("/proc/{}/fd", child.id())) else { return 0 };
    let target = |entry: std::io::Result<fs::DirEntry>| fs::read_link(entry.ok()?.path()).ok();
    open.filter_map(target).filter(|target| target.starts_with(temporary)).count()
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_there_to_read_or_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    for kill in [false, true] {
        let temporary = folder.path().join(format!("tmp-{kill}"));
        fs::create_dir(&temporary).unwrap();
        let mut child = start(&data, &temporary);
        let deadline = Instant::now() + Duration::from_secs(300);
        let mut used = 0;
        let status = loop {
            assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "a name in TMPDIR");
            used = used.max(unnamed(&child, &temporary));
            if kill && used > 2 {
                child.kill().unwrap();
            }
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "the fit does not end");
            std::thread::sleep(Duration::from_millis(2));
        };
        assert_eq!(status.success(), !kill);
        assert!(used > 2, "temporary files were needed");
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }
}

#[test]
fn a_directory_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let missing = folder.path().join("no such directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_burn-did"));
    command.env("TMPDIR", &missing).arg("att-gt").arg(data);
    command.args(["--yname", "y", "--tname", "period", "--idname", "id", "--gname", "group"]);
    let done = command.args(["--memory-budget", "4MB", "--quiet"]).output().unwrap();
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1));
    assert!(message.contains("no such directory") && message.contains("TMPDIR"), "{message}");
}
