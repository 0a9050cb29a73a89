//! What the benches against other packages share: cases, data, contestants in processes of their own, and the report.
//!
//! ```text
//! case ─► data (parquet) ─► contestant (a fresh process per run) ─► runs (JSON lines) ─► agreement ─► results
//! ```
#![allow(dead_code, unreachable_pub, reason = "each bench takes a part")]

// That of the command.
#[cfg(feature = "cli")]
#[path = "../../src/bin/burn-did/allocator.rs"]
mod allocator;

pub mod agreement;
pub mod bandwidth;
pub mod bench;
pub mod case;
pub mod contestant;
pub mod data;
pub mod designs;
pub mod duel;
pub mod event_studies;
pub mod machine;
pub mod memory;
pub mod models;
pub mod options;
pub mod ours;
pub mod python;
pub mod results;
pub mod run;
pub mod stages;
pub mod statistics;
pub mod store;
pub mod summary;
pub mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A message for the reader of the terminal is all that is done with an error.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A copy of the benches' folder on a machine other than the one that compiled them, if that is where they run.
fn elsewhere() -> Option<PathBuf> {
    std::env::var_os("BURN_DID_BENCHES").map(PathBuf::from)
}

/// A folder of the target directory, for data, environments and raw results; made if absent.
pub fn work_folder(name: &str) -> Result<PathBuf> {
    let target = || Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("peers");
    let folder = elsewhere().map_or_else(target, |benches| benches.join("work")).join(name);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A file of the benches' folder.
pub fn bench_file(name: &str) -> PathBuf {
    let source = || Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    elsewhere().unwrap_or_else(source).join(name)
}

/// Says what went wrong, if anything did.
pub fn exit(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
