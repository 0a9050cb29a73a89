//! How a comparison looks.

use crate::base::words::words;

words! {
    /// What stars behind estimates say.
    #[derive(Default)]
    pub enum Stars: "stars" {
        /// No stars.
        #[default]
        None = "none",
        /// A star where the interval, or the uniform band if there is one, leaves out zero.
        Interval = "interval",
        /// Three stars for p-values under 0.01, two under 0.05 and one under 0.1.
        Levels = "levels",
    }
}

words! {
    /// What stands under an estimate.
    #[derive(Default)]
    pub enum Below: "below" {
        /// The standard error in parentheses.
        #[default]
        StandardError = "se",
        /// The interval in brackets: the uniform band if there is one.
        Interval = "interval" | "ci",
    }
}

/// Levels of significance and their stars, as in R `fixest`.
pub(super) const LEVELS: [(f64, &str); 3] = [(0.01, "***"), (0.05, "**"), (0.1, "*")];
