//! Tables of regressions.

use std::fmt;

use super::table::{Align, Section, Table};
use crate::fixed_effects::RegressionResult;

impl fmt::Display for RegressionResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = (Align::Left, Section::default());
        Table::default().fmt(f)
    }
}
