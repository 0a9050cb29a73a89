//! Which line of a CSV file a row was read from.

use super::all_rows::read_all_rows;
use super::data_files::DataFiles;
use crate::base::error::{DidError, FileLine};
use crate::read::columns::{MissingValues, Wanted};
use crate::read::files::{Choice, FileFormat, Files};

/// An error about a row of some files numbers it among all of their rows, and names the line if they are CSV files.
pub(super) fn located(mut error: DidError, data: &DataFiles, missing: &MissingValues) -> DidError {
    if let Some((row, line)) = error.row()
        && let Ok(files) = data.find()
    {
        *row = among_all(*row, &files, missing).unwrap_or(*row);
        *line = line.take().or_else(|| find(*row, &files).map(Box::new));
    }
    error
}

/// The number among all rows of one of those that were chosen.
fn among_all(row: usize, files: &Files, missing: &MissingValues) -> Option<usize> {
    if files.rows.is_empty() {
        return None;
    }
    let choice = Choice::new(&files.rows, missing);
    let wanted = choice.wanted(&Wanted::default());
    let (frame, _) = read_all_rows(files, &wanted, missing, None).ok()?;
    choice.place(row, &frame).ok()?
}

fn find(mut row: usize, files: &Files) -> Option<FileLine> {
    if files.format != FileFormat::Csv {
        return None;
    }
    for path in &files.paths {
        match files.line_of(path, row)? {
            Ok(line) => return Some(FileLine { path: path.display().to_string(), line }),
            Err(rows) => row -= rows,
        }
    }
    None
}
