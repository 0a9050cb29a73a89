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

/// Numbers one after another.
pub(super) fn list(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}

/// How a column of dates of this role has units that are never treated.
pub(super) fn never_with_dates(role: &str) -> &'static str {
    match role {
        "group" => {
            "; if the value stands for never treated, leave the field empty, or name the value as a missing one (`missing_values`, `--na`)"
        }
        _ => "",
    }
}

/// What an average without its missing cells leaves out: their share of its weight, where the weights are not given.
pub(super) struct WithoutCells(pub Option<f64>);

impl fmt::Display for WithoutCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(0.0) => f.write_str(
                "; `na_rm` leaves these cells out, which have no weight in the overall average",
            ),
            Some(share) => write!(
                f,
                "; `na_rm` leaves these cells out, and with them {} of the weight of the overall average",
                percent(share)
            ),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_without_weight_have_none() {
        let said = |share: f64| WithoutCells(Some(share)).to_string();
        assert!(said(0.25).contains("25% of the weight"), "{}", said(0.25));
        assert!(said(0.0).contains("no weight in the overall average"), "{}", said(0.0));
        assert_eq!(WithoutCells(None).to_string(), "");
    }

    #[test]
    fn dates_have_their_own_word_for_never_treated() {
        assert!(never_with_dates("group").contains("leave the field empty"));
        assert_eq!(never_with_dates("time"), "");
    }
}
