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
