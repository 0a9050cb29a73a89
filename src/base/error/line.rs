//! Lines of CSV files in errors about a row.

use std::fmt;

use super::DidError;

/// A line of a CSV file, counted from 1 with the header, as editors do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileLine {
    /// The file.
    pub path: String,
    /// The line.
    pub line: usize,
}

impl fmt::Display for FileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of {}", self.line, self.path)
    }
}

impl DidError {
    /// The row that the error is about, if it names one, and where to say which line of a file that is.
    pub(crate) fn row(&mut self) -> Option<(usize, &mut Option<Box<FileLine>>)> {
        match self {
            Self::NotBinary { row, line, .. }
            | Self::NotProbability { row, line, .. }
            | Self::NoPeriod { row, line, .. }
            | Self::TooManyDigits { row, line, .. }
            | Self::Negative { row, line, .. } => Some((*row, line)),
            _ => None,
        }
    }
}
