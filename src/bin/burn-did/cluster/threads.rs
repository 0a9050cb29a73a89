//! How many threads a process works with.

use std::process::Command;

use burn_did::DidError;

use crate::error::{CliError, Result};

/// Variables by which libraries are told, before they start any.
const VARIABLES: [&str; 2] = ["RAYON_NUM_THREADS", "POLARS_MAX_THREADS"];

/// Works with so many threads: this process becomes one that was told so.
pub(crate) fn limit(threads: usize) -> Result<()> {
    let wanted = threads.max(1).to_string();
    if VARIABLES.iter().all(|name| std::env::var(name).is_ok_and(|set| set == wanted)) {
        return Ok(());
    }
    let program = std::env::current_exe().map_err(failed)?;
    let mut again = Command::new(program);
    again.args(std::env::args_os().skip(1));
    for name in VARIABLES {
        again.env(name, &wanted);
    }
    become_it(again)
}

#[cfg(unix)]
fn become_it(mut command: Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(failed(command.exec()))
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> Result<()> {
    let status = command.status().map_err(failed)?;
    std::process::exit(status.code().unwrap_or(1))
}

/// This program cannot be found or started.
pub(super) fn failed(source: std::io::Error) -> CliError {
    DidError::Io { path: "burn-did".into(), source }.into()
}
