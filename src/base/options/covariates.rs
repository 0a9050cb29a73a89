//! Which period's covariates are compared.

use crate::base::words::words;

words! {
    /// Which period gives the covariates of a comparison of two periods, where they change over time within units; a panel's weights that
    /// change come from the same period unless they are [fixed](crate::options::FixWeights).
    #[derive(Default)]
    pub enum CovariatePeriod: "covariate_period" {
        /// The earlier of the two periods.
        #[default]
        Earlier = "earlier",
        /// The base period, which is the later one in comparisons of earlier periods with a universal base.
        Base = "base",
        /// The cell's own period.
        Cell = "cell",
        /// No single one: every row has its own.
        Row = "row",
    }
}

impl CovariatePeriod {
    /// The values in words.
    pub(crate) fn values(self) -> &'static str {
        match self {
            Self::Earlier => "their values in the earlier period",
            Self::Base => "their values in the base period",
            Self::Cell => "their values in the cell's own period",
            Self::Row => "every row's own values",
        }
    }
}
