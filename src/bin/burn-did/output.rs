//! Standard output and standard error.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};

use crate::error::{CliError, Result};
use crate::shown::escaped;

/// Writes results. A reader that has gone away is not an error.
pub(crate) fn results(text: &str) -> Result<()> {
    let mut out = stdout().lock();
    match out.write_all(escaped(text, true).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Output(error)),
        _ => Ok(()),
    }
}

/// Tables below each other.
pub(crate) fn blocks(blocks: impl IntoIterator<Item = String>) -> String {
    let blocks: Vec<String> =
        blocks.into_iter().map(|b| format!("{}\n", b.trim_matches('\n'))).collect();
    blocks.join("\n")
}

/// What is wrong with the command line, in the words of its parser.
pub(crate) fn usage(text: &str) {
    let _ = write!(stderr().lock(), "{}", escaped(text, true));
}

pub(crate) fn error(error: &CliError) {
    message("error", error);
    if let Some(hint) = error.hint() {
        message("hint", hint);
    }
}

pub(crate) fn warning(text: impl Display) {
    message("warning", text);
}

/// Nobody may be listening.
fn message(kind: &str, text: impl Display) {
    let _ = writeln!(stderr().lock(), "{kind}: {}", escaped(&text.to_string(), false));
}
