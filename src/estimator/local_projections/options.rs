//! Options of local projections.

use crate::base::error::{DidError, Result};
use crate::base::options::{ControlGroup, Inference, ProjectionBase};
use crate::base::words::words;
use crate::engine::by_unit::LONGEST;
use crate::estimator::by_unit::{Asked, asked};
use crate::estimator::shell::options;

words! {
    /// How the periods in which treatment starts are averaged, and what covariates do.
    #[derive(Default)]
    pub enum ProjectionMethod: "method" {
        /// Least squares: periods count by the variance of the start of treatment in them.
        #[default]
        Variance = "variance" | "vw",
        /// Weighted least squares: periods count by their treated units, so that the effect is the average over the treated.
        Reweighted = "reweighted" | "rw",
        /// Regression adjustment: covariates' slopes are those of the control units, and periods count by their treated units.
        Adjusted = "adjusted" | "ra",
    }
}

options! {
    /// Local projections with clean controls (Dube, Girardi, Jordà and Taylor 2025).
    ///
    /// For each horizon `h` it regresses the change of the outcome on the start of treatment, with effects of periods:
    ///
    /// ```text
    /// y_{i,t+h} - y_{i,t-1} = β_h ΔD_it + γ' x_it + δ_t + e_it,      rows with ΔD_it = 1, or D_{i,t+h} = 0
    /// ```
    ///
    /// [`Reweighted`](ProjectionMethod::Reweighted) and without covariates, `β_h` is the average effect at event time `h` of Callaway and
    /// Sant'Anna with units not yet treated as the comparison. Standard errors are clustered, and sums are formed in three readings of the
    /// rows, of parquet files piece by piece if they are large beside the memory.
    ///
    /// ```
    /// use burn_did::{LocalProjections, data, projections::ProjectionMethod};
    ///
    /// let config = LocalProjections::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
    /// let fit = config.pre_window(3).post_window(2).method(ProjectionMethod::Reweighted).build().fit(&data::mpdta())?;
    /// println!("{fit}");
    /// let event_times: Vec<i64> = fit.effects.iter().map(|effect| effect.event_time).collect();
    /// assert_eq!(event_times, [-3, -2, -1, 0, 1, 2]);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[doc(alias = "lpdid")]
    pub struct LocalProjections with [outcome, unit, time, frequency, in_pieces, missing_values, alpha] {
        /// First treated period; 0, infinity or null if the unit is never treated. Rows with NaN are left out. This or [`treatment`](Self::treatment).
        #[doc(alias = "gname")]
        pub group: Option<String>,
        /// Treatment in each period, 0 or 1.
        #[doc(alias = "treat_status")]
        pub treatment: Option<String>,
        /// Periods before treatment with an effect of their own, counted from it: 3 gives event times -3 and -2, beside the base at -1.
        pub pre_window: u32,
        /// Last event time.
        pub post_window: u32,
        /// How periods are averaged, and what covariates do.
        #[doc(alias = "rw")]
        #[builder(default)]
        pub method: ProjectionMethod,
        /// Units whose treatment starts are compared with those not yet treated at the horizon, or with the never treated.
        #[builder(default = ControlGroup::NotYetTreated)]
        pub control_group: ControlGroup,
        /// The outcome before treatment that outcomes are compared with.
        #[doc(alias = "pmd")]
        #[builder(default)]
        pub base: ProjectionBase,
        /// Has the same units at all horizons: those observed from the period before treatment to the last horizon, with controls that
        /// are not treated until then.
        #[doc(alias = "nocomp")]
        #[builder(default)]
        pub no_composition_changes: bool,
        /// So many changes of the outcome before treatment are covariates.
        #[doc(alias = "dylags")]
        #[builder(default)]
        pub outcome_lags: u32,
        /// Covariates, at the first treated period: names of columns of numbers, as in `["x1", "x2"]`, and no formula. A row without one
        /// serves where outcomes alone are needed.
        #[doc(alias = "controls")]
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub covariates: Vec<String>,
        /// Lets [`treatment`](Self::treatment) end and start again. Effects of a treatment are taken to be stable after so many periods:
        /// units count that were without treatment for so long before it starts and keep it to the horizon, and controls whose treatment
        /// does not change from so many periods before to the horizon.
        #[doc(alias = "nonabsorbing_lag")]
        pub stable_periods: Option<u32>,
        /// Counts observed periods, where periods are not evenly spaced.
        #[builder(default)]
        pub rank_periods: bool,
        /// Sampling weights, of the first treated period.
        pub weights: Option<String>,
        /// Cluster, beyond the unit.
        #[doc(alias = "clustervars")]
        pub cluster: Option<String>,
        /// Keeps influence values by unit.
        #[builder(default)]
        pub keep_influence: bool,
    }
}

impl LocalProjections {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`].
    pub fn validate(&self) -> Result<()> {
        Inference::new(self.alpha).validate()?;
        DidError::check_without(&self.outcome, "covariates", &self.covariates)?;
        let wrong = |option, expected, got: String| Err(DidError::config(option, expected, got));
        match (&self.group, &self.treatment) {
            (None, None) => return wrong("group", "a column, or `treatment`", "none".into()),
            (Some(_), Some(_)) => {
                return wrong("treatment", "left out where `group` is given", "both".into());
            }
            _ => {}
        }
        for (option, window) in [("pre_window", self.pre_window), ("post_window", self.post_window)]
        {
            if window > LONGEST {
                return wrong(option, "at most 10000 periods", window.to_string());
            }
        }
        if self.outcome_lags > LONGEST {
            return wrong("outcome_lags", "at most 10000 periods", self.outcome_lags.to_string());
        }
        if self.base == ProjectionBase::Mean(0) {
            return wrong("base", "at least one period", "0".into());
        }
        let Some(stable) = self.stable_periods else { return Ok(()) };
        if self.treatment.is_none() {
            return wrong("stable_periods", "given with a column of `treatment`", "none".into());
        }
        if stable == 0 || stable > LONGEST {
            return wrong("stable_periods", "between 1 and 10000", stable.to_string());
        }
        let within = match self.base {
            ProjectionBase::Last => true,
            ProjectionBase::Mean(periods) => periods <= stable,
            ProjectionBase::AllBefore => false,
        };
        match within {
            true => Ok(()),
            false => wrong(
                "base",
                "a mean of at most `stable_periods` periods where treatments end",
                self.base.to_string(),
            ),
        }
    }

    /// What is to be read.
    pub(super) fn asked(&self) -> Asked<'_> {
        let (group, treatment) = (self.group.clone(), self.treatment.clone());
        let changes = self.outcome_lags > 0;
        asked!(self, group: group, treatment: treatment, keeps_gaps: true, changes: changes)
    }
}
