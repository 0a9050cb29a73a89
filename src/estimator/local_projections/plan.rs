//! What is to be estimated.

use super::options::LocalProjections;
use crate::base::counted::counted;
use crate::base::error::{DidWarning, Result};
use crate::engine::by_unit::{ProjectionPlan, ProjectionRules, Timeline};
use crate::estimator::by_unit::Opened;

/// Options, the pass over units that they ask for, and what should be known of its periods.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub options: &'a LocalProjections,
    pub pass: ProjectionPlan,
    pub warnings: Vec<DidWarning>,
}

impl<'a> Plan<'a> {
    /// # Errors
    /// As [`Timeline::new`].
    pub fn new(options: &'a LocalProjections, opened: &Opened<'_>) -> Result<Self> {
        let (timeline, warnings) =
            Timeline::new(&opened.overview, opened.columns, options.rank_periods)?;
        let rules = ProjectionRules {
            pre_window: options.pre_window,
            post_window: options.post_window,
            control_group: options.control_group,
            base: options.base,
            no_composition_changes: options.no_composition_changes,
            outcome_lags: options.outcome_lags,
            stable_periods: options.stable_periods,
        };
        let centre = |number: usize| {
            let mut centres = vec![0.0; timeline.steps];
            for (place, period) in timeline.of_periods() {
                centres[place] = opened.centre(number, period);
            }
            centres
        };
        let centres = (1..=options.covariates.len()).map(centre).collect();
        let pass = ProjectionPlan { targets: rules.targets(), rules, timeline, centres };
        Ok(Self { options, pass, warnings })
    }

    /// Names of covariates and lagged changes.
    pub fn names(&self) -> Vec<String> {
        let lag = |lag: u32| {
            let before = counted(lag, "period", "periods");
            format!("change of {} {before} before", self.options.outcome)
        };
        let lags = (1..=self.options.outcome_lags).map(lag);
        self.options.covariates.iter().cloned().chain(lags).collect()
    }
}
