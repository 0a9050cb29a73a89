//! Parts of the messages of errors.

use std::fmt;

use super::FileLine;
use crate::base::percent::percent;

/// A line, or else a row of the data.
pub(super) struct Place<'a>(pub usize, pub &'a Option<Box<FileLine>>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(_, Some(line)) => line.fmt(f),
            Self(row, None) => write!(f, "row {row}"),
        }
    }
}

/// What an average without its missing cells leaves out: their share of its weight, where the weights are not given.
pub(super) struct WithoutCells(pub Option<f64>);

impl fmt::Display for WithoutCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(share) => write!(
                f,
                "; `na_rm` leaves these cells out, and with them {} of the weight of the overall average",
                percent(share)
            ),
            None => Ok(()),
        }
    }
}
