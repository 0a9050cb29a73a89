//! Options of stacked difference-in-differences.

use crate::base::error::{DidError, Result};
use crate::base::options::{ControlGroup, Inference};
use crate::base::words::words;
use crate::engine::by_unit::LONGEST;
use crate::estimator::by_unit::{Asked, asked};
use crate::estimator::shell::options;

words! {
    /// How the controls of sub-experiments are weighted.
    #[derive(Default)]
    pub enum StackWeights: "stack_weights" {
        /// So that sub-experiments have the same shares among controls as among the treated: effects are averages over the treated.
        #[default]
        Corrective = "corrective",
        /// Not at all: differences between sub-experiments stay in the effects, which are biased.
        Unweighted = "unweighted" | "none",
    }
}

words! {
    /// The effects of the regression beside those of treatment.
    #[derive(Default)]
    pub enum StackEffects: "effects" {
        /// Of treated units and of event times, for all sub-experiments together.
        #[default]
        Pooled = "pooled",
        /// Of treated units and of event times in each sub-experiment.
        SubExperiment = "sub_experiment" | "sub",
    }
}

options! {
    /// Stacked difference-in-differences with corrective weights (Wing, Freedman and Hollingsworth 2024).
    ///
    /// Each cohort with a whole window is a sub-experiment: its units, and controls that are not treated in the window. The stack of all
    /// of them is regressed on indicators of treated units by event time, with effects of treated units and of event times. Controls are
    /// weighted so that every sub-experiment counts alike in both arms; then the effect at an event time is the average over the treated
    /// units of the cohorts that are not trimmed, the same at all event times.
    ///
    /// ```
    /// use burn_did::{Stacked, data};
    ///
    /// let config = Stacked::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
    /// let fit = config.pre_window(1).post_window(1).build().fit(&data::mpdta())?;
    /// println!("{fit}");
    /// let cohorts: Vec<f64> = fit.sub_experiments.iter().map(|sub| sub.cohort).collect();
    /// assert_eq!(cohorts, [2004.0, 2006.0]);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[doc(alias = "stacked-did-weights")]
    pub struct Stacked with [outcome, unit, time, group, frequency, sampling_weights, in_pieces, missing_values, alpha] {
        /// Periods of the window before treatment, at least 1: the last of them is the base.
        #[doc(alias = "kappa_pre")]
        pub pre_window: u32,
        /// Last event time of the window.
        #[doc(alias = "kappa_post")]
        pub post_window: u32,
        /// Treated units are compared with those not treated in the window, or with the never treated.
        #[builder(default = ControlGroup::NotYetTreated)]
        pub control_group: ControlGroup,
        /// How controls are weighted.
        #[builder(default)]
        pub stack_weights: StackWeights,
        /// The effects of the regression.
        #[builder(default)]
        pub effects: StackEffects,
        /// Takes the copies of a unit in several sub-experiments as independent, for comparison with programs that cluster so.
        #[doc(alias = "unit_sub")]
        #[builder(default)]
        pub independent_copies: bool,
        /// Covariates: names of columns of numbers, as in `["x1", "x2"]`, and no formula.
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub covariates: Vec<String>,
        /// Counts observed periods, where periods are not evenly spaced.
        #[builder(default)]
        pub rank_periods: bool,
        /// Cluster, beyond the unit.
        #[doc(alias = "clustervars")]
        pub cluster: Option<String>,
        /// Keeps influence values by unit.
        #[builder(default)]
        pub keep_influence: bool,
    }
}

impl Stacked {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`].
    pub fn validate(&self) -> Result<()> {
        Inference::new(self.alpha).validate()?;
        DidError::check_without(&self.outcome, "covariates", &self.covariates)?;
        let wrong = |option, expected, got: String| Err(DidError::config(option, expected, got));
        if self.pre_window == 0 || self.pre_window > LONGEST {
            return wrong("pre_window", "between 1 and 10000", self.pre_window.to_string());
        }
        if self.post_window > LONGEST {
            return wrong("post_window", "at most 10000 periods", self.post_window.to_string());
        }
        match (self.independent_copies, &self.cluster) {
            (true, Some(column)) => {
                wrong("cluster", "none with `independent_copies`", column.clone())
            }
            _ => Ok(()),
        }
    }

    /// What is to be read.
    pub(super) fn asked(&self) -> Asked<'_> {
        asked!(self, group: Some(self.group.clone()), treatment: None, keeps_gaps: false, changes: false)
    }
}
