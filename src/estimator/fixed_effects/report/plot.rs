//! Plots of the coefficients of `i()`.

use crate::base::error::{DidError, Result};
use crate::estimator::aggregate::EventStudy;
use crate::estimator::fixed_effects::RegressionResult;

impl RegressionResult {
    /// The effects of the first `i()`, by the level of its other factor.
    pub(super) fn first_series(&self) -> Result<Vec<(String, EventStudy)>> {
        // `year:treated::1` is the level 1 of `i(year, i.treated)`.
        let term = |of: &str| of.rsplit_once("::").map_or(of, |(term, _)| term).to_owned();
        let first = self.event_studies().next().map(term).ok_or_else(|| {
            DidError::Plot("the regression has no i(), whose coefficients would be drawn".into())
        })?;
        let title = |of: &str| {
            let level = of.rsplit_once("::").zip(of.split_once(':'));
            level.map_or(String::new(), |((_, level), (_, factor))| {
                let factor = factor.rsplit_once("::").map_or(factor, |(name, _)| name);
                format!("{factor} = {level}")
            })
        };
        let of_first = self.event_studies().filter(|of| term(of) == first);
        of_first.map(|of| Ok((title(of), self.event_study(of)?))).collect()
    }
}
