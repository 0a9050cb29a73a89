//! Warnings as text, with periods that may be dates.

use std::fmt;

use super::DidWarning;
use crate::base::calendar::Frequency;

impl fmt::Display for DidWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, None)
    }
}

/// A warning about periods that may be dates.
struct Dated<'a>(&'a DidWarning, Option<Frequency>);

impl fmt::Display for Dated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, self.1)
    }
}

impl DidWarning {
    /// The warning in words, with periods and groups as dates if they are calendar periods.
    #[must_use]
    pub fn shown(&self, frequency: Option<Frequency>) -> String {
        Dated(self, frequency).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_dates_are_not_to_be_written_as_zero() {
        let far = DidWarning::FarGroup { group: 9999.0, period: 2007.0, column: "start".into() };
        assert!(far.to_string().contains("write 0 or leave it empty"), "{far}");
        let dated = far.shown(Some(Frequency::Year));
        assert!(dated.contains("never treated, leave it empty"), "{dated}");
        let early = DidWarning::FarGroup { group: -99.0, period: 2003.0, column: "start".into() };
        assert!(early.to_string().contains("`--na start=-99`"), "{early}");
    }

    #[test]
    fn squares_may_be_too_small() {
        let lost = DidWarning::NoStandardError { horizons: vec![1], out_of_range: true };
        assert!(lost.to_string().contains("are outside the range of double precision"), "{lost}");
    }
}
