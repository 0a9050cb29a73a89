//! Options of the imputation estimator.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::words::{ParseOptionError, words};
use crate::estimator::first_stage::{StageColumns, stage_columns};
use crate::estimator::shell::options;

words! {
    /// Group of rows whose average effect is subtracted before deviations count as noise in the standard errors: the coarser, the more of
    /// the differences between effects counts as noise.
    #[derive(Default)]
    pub enum AveragedBy: "averaged_by" {
        /// Each group in each period.
        #[default]
        GroupTime = "group_time" | "cohort_time",
        /// Each group.
        Group = "group" | "cohort",
        /// Each event time.
        EventTime = "event_time" | "event",
        /// Each period.
        Time = "time" | "period",
        /// All treated rows.
        All = "all",
    }
}

words! {
    /// How rows are weighted in those averages.
    #[derive(Default)]
    pub enum CellAverages: "cell_averages" {
        /// By the total weight of their cluster in the cell: the rule of the paper and of Stata's `did_imputation`.
        #[default]
        Cluster = "cluster" | "stata",
        /// By the squares of their own weights: the rule of R's `didimputation`.
        Row = "row" | "r",
    }
}

/// Event times before treatment whose coefficients are estimated on untreated rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PretrendTimes {
    /// All but the earliest, which the others are compared with.
    #[default]
    All,
    /// None.
    None,
    /// These, which are negative; all others are what they are compared with.
    At(Vec<f64>),
}

/// `all`, `none`, or event times with commas between them.
impl fmt::Display for PretrendTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::None => f.write_str("none"),
            Self::At(times) => {
                f.write_str(&times.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl FromStr for PretrendTimes {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseOptionError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "all" => return Ok(Self::All),
            "none" | "" => return Ok(Self::None),
            _ => {}
        }
        let times = text.split(',').map(|time| time.trim().parse::<f64>());
        let times: std::result::Result<Vec<f64>, _> = times.collect();
        let expected = "all, none, or event times before treatment, as in -3,-2,-1";
        times.map(Self::At).map_err(|_| ParseOptionError::new("pretrends", expected, text))
    }
}

options! {
    /// Effects as differences between treated outcomes and what a regression of untreated outcomes predicts for them (Borusyak, Jaravel
    /// and Spiess 2024).
    ///
    /// ```text
    /// y_it(0) = α_i + λ_t + x_it'b + u_it on untreated rows,      τ_it = y_it - ŷ_it(0) on treated ones,      τ = Σ w_it τ_it
    /// ```
    ///
    /// Effects are averaged over all treated rows, by event time, by group, and with any weights. Standard errors are the authors'
    /// conservative ones, whose weights are one solution of the normal equations for each average.
    ///
    /// ```
    /// use burn_did::{Imputation, data};
    ///
    /// let config = Imputation::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat").build();
    /// let fit = config.fit(&data::mpdta())?;
    /// println!("{fit}");
    /// let overall = fit.overall().expect("counties are treated");
    /// assert!((overall.estimate.unwrap() + 0.0477).abs() < 1e-4);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[doc(alias("did_imputation", "didimputation", "bjs"))]
    pub struct Imputation with [outcome, unit, time, group, frequency, missing_values, alpha] {
        /// Covariates of the regression: a formula, as in `"~ x1 + x2"`.
        #[builder(default = crate::base::options::defaults::COVARIATES.to_owned())]
        pub covariates: String,
        /// Fixed effects of the regression, as in `["id", "year", "region^year"]`; those of units and periods if nothing is said.
        #[doc(alias = "first_stage")]
        #[builder(default, with = |factors: impl IntoIterator<Item = impl Into<String>>| factors.into_iter().map(Into::into).collect())]
        pub fixed_effects: Vec<String>,
        /// Gives each unit a linear trend.
        #[doc(alias = "unitcontrols")]
        #[builder(default)]
        pub trends: bool,
        /// Weights; rows with a weight of zero are left out.
        #[doc(alias = "wname")]
        pub weights: Option<String>,
        /// Cluster of the standard errors; the unit if nothing is said.
        #[doc(alias = "cluster_var")]
        pub cluster: Option<String>,
        /// Event times from 0 on whose average effects are estimated; all that occur if nothing is said.
        #[doc(alias = "horizon")]
        #[builder(with = |times: impl IntoIterator<Item = f64>| times.into_iter().collect())]
        pub horizons: Option<Vec<f64>>,
        /// Event times before treatment whose coefficients are estimated, on untreated rows alone.
        #[builder(default)]
        pub pretrends: PretrendTimes,
        /// Estimates the average effect of each group, too.
        #[builder(default)]
        pub groups: bool,
        /// Columns with weights of treated rows, for an average of effects with each; none may be negative but for [`sums`](Self::sums).
        #[doc(alias = "wtr")]
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub averages: Vec<String>,
        /// Takes those weights, times the sampling weights, as they are, and not divided by their sum.
        #[doc(alias = "sum")]
        #[builder(default)]
        pub sums: bool,
        /// Averages by event time over the units that are observed at all [`horizons`](Self::horizons).
        #[doc(alias = "hbalance")]
        #[builder(default)]
        pub balanced_horizons: bool,
        /// Group of rows whose average effect is subtracted before deviations count as noise in the standard errors.
        #[doc(alias = "avgeffectsby")]
        #[builder(default)]
        pub averaged_by: AveragedBy,
        /// How rows are weighted in those averages.
        #[builder(default)]
        pub cell_averages: CellAverages,
        /// Measures the deviations of a cluster from the average of the others.
        #[builder(default)]
        pub leave_out: bool,
        /// Averages whose effective number of rows, `(Σw)² / Σw²`, is below this are not estimated.
        #[doc(alias = "minn")]
        #[builder(default)]
        pub min_effective: f64,
        /// Keeps influence values by cluster.
        #[builder(default)]
        pub keep_influence: bool,
    }
}

impl Imputation {
    pub(super) fn columns(&self) -> StageColumns {
        StageColumns { averages: self.averages.clone(), sums: self.sums, ..stage_columns!(self) }
    }

    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`] or [`DidError::Formula`].
    pub fn validate(&self) -> Result<()> {
        self.columns().validate()?;
        let horizons = self.horizons.iter().flatten();
        if let Some(time) = horizons.clone().find(|time| !(time.is_finite() && **time >= 0.0)) {
            return Err(DidError::config("horizons", "event times from 0 on", time));
        }
        if self.horizons.as_ref().is_some_and(Vec::is_empty) {
            return Err(DidError::config("horizons", "at least one event time, or nothing", "[]"));
        }
        if let PretrendTimes::At(times) = &self.pretrends
            && let Some(time) = times.iter().find(|time| !(time.is_finite() && **time < 0.0))
        {
            return Err(DidError::config("pretrends", "event times before 0", time));
        }
        if !(self.min_effective >= 0.0 && self.min_effective.is_finite()) {
            return Err(DidError::config(
                "min_effective",
                "a number from 0 on",
                self.min_effective,
            ));
        }
        Ok(())
    }
}
