//! Which line of a CSV file a row was read from.

use std::path::Path;

use crate::base::error::{DidError, FileLine};
use crate::read::files::{FileFormat, Files};

/// An error about a row of the files at `path` names the line, if they are CSV files.
pub(super) fn located(mut error: DidError, path: &Path) -> DidError {
    if let Some((row, line)) = error.row() {
        *line = line.take().or_else(|| find(row, path).map(Box::new));
    }
    error
}

fn find(mut row: usize, path: &Path) -> Option<FileLine> {
    let files = Files::find(path).ok().filter(|files| files.format == FileFormat::Csv)?;
    for path in &files.paths {
        match files.line_of(path, row)? {
            Ok(line) => return Some(FileLine { path: path.display().to_string(), line }),
            Err(rows) => row -= rows,
        }
    }
    None
}
