//! What is to be estimated.

use super::options::Stacked;
use crate::base::counted::counted;
use crate::base::error::{DidError, DidWarning, Result};
use crate::engine::by_unit::{StackPlan, Timeline};
use crate::estimator::by_unit::Opened;

/// Options, the pass over units that they ask for, and what should be known of its periods.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub options: &'a Stacked,
    pub pass: StackPlan,
    /// Places at which cohorts whose window is not inside the data are first treated, ascending.
    pub trimmed: Vec<usize>,
    pub warnings: Vec<DidWarning>,
}

impl<'a> Plan<'a> {
    /// # Errors
    /// As [`Timeline::new`]; [`DidError::EmptyWindow`] if no cohort has a whole window.
    pub fn new(options: &'a Stacked, opened: &Opened<'_>) -> Result<Self> {
        let (timeline, warnings) =
            Timeline::new(&opened.overview, opened.columns, options.rank_periods)?;
        let (pre, post) = (options.pre_window as usize, options.post_window as usize);
        let is_period = |place: usize| timeline.of_periods().any(|(known, _)| known == place);
        let whole = |start: &usize| *start >= pre && (start - pre..=start + post).all(is_period);
        let inside = timeline.cohorts().into_iter().filter(|start| *start > 0);
        let (cohorts, trimmed): (Vec<usize>, Vec<usize>) = inside.partition(whole);
        if cohorts.is_empty() {
            let what = match trimmed.is_empty() {
                true => format!(
                    "no unit's treatment starts after the first of the {} periods: see column `{}`",
                    opened.overview.periods().len(),
                    options.group
                ),
                false => format!(
                    "no cohort is observed from {} before its treatment to {post} after it; choose a shorter window, or count observed periods (`rank_periods`, --rank-periods){}",
                    counted(pre, "period", "periods"),
                    opened.also()
                ),
            };
            return Err(DidError::EmptyWindow { what });
        }
        let centres = (0..=options.covariates.len()).map(|number| opened.centre_of_all(number));
        let pass = StackPlan {
            pre_window: options.pre_window,
            post_window: options.post_window,
            control_group: options.control_group,
            centres: centres.collect(),
            timeline,
            cohorts,
        };
        Ok(Self { options, pass, trimmed, warnings })
    }
}
