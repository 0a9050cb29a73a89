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

/// Lists the errors about a row once.
macro_rules! about_a_row {
    ($($variant:ident),+ $(,)?) => {
        impl DidError {
            /// The row that the error is about, if it names one, and where to say which line of a file that is.
            pub(crate) fn row(&mut self) -> Option<(&mut usize, &mut Option<Box<FileLine>>)> {
                match self {
                    $(Self::$variant { row, line, .. })|+ => Some((row, line)),
                    _ => None,
                }
            }

            /// Whether the error says which row it is about.
            pub(crate) fn names_a_row(&self) -> bool {
                matches!(self, $(Self::$variant { .. })|+)
            }
        }
    };
}

about_a_row!(NotBinary, NotProbability, RepeatedHeader, NoPeriod, TooManyDigits, Negative);
