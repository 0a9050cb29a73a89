//! [`DidMultiplegt`]: effects of a treatment that switches.
//!
//! | step | file |
//! |---|---|
//! | reading groups and periods | `reading.rs` |
//! | effects and placebos, which know no data frame | `effects/` |
//! | standard errors and tests | `inference.rs` |
//! | from data to a result | `fit.rs` |
//! | the result, what holds of it and what it says of itself | `result.rs`, `check.rs`, `report/` |

mod check;
mod effects;
mod fit;
mod inference;
mod reading;
mod report;
mod result;
mod text;

use serde::{Deserialize, Serialize};

use effects::SwitchingOptions;
pub use effects::{Direction, Dropped};
use reading::SwitchingColumns;
pub use result::{
    DidMultiplegtResult, HeterogeneityRow, MultiplegtAudit, MultiplegtTests, SwitchingEffect,
};

use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::base::options::{Band, Bootstrap, Inference};
use crate::estimator::shell::options;
use crate::read::formula::Formula;

/// Which effects are tested to be equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EffectsEqual {
    /// All.
    #[default]
    All,
    /// Those from the first to the second, counted from 1.
    Between(usize, usize),
}

/// A regression of groups' effects on columns, and the effects that it covers.
///
/// ```
/// use burn_did::switching::PredictHeterogeneity;
/// let asked = PredictHeterogeneity::new(["region"]).effects([1, 2]);
/// assert_eq!((asked.covariates, asked.effects), (vec!["region".to_owned()], vec![1, 2]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PredictHeterogeneity {
    /// Columns of numbers that do not change over time.
    pub covariates: Vec<String>,
    /// Effects, counted from 1; all of them if none is named. The placebos of the same numbers are regressed too.
    #[serde(default)]
    pub effects: Vec<usize>,
}

impl PredictHeterogeneity {
    /// A regression of all effects on these columns.
    #[must_use]
    pub fn new(covariates: impl IntoIterator<Item: Into<String>>) -> Self {
        Self { covariates: covariates.into_iter().map(Into::into).collect(), effects: Vec::new() }
    }

    /// Names the effects, counted from 1.
    #[must_use]
    pub fn effects(mut self, effects: impl IntoIterator<Item = usize>) -> Self {
        self.effects = effects.into_iter().collect();
        self
    }
}

options! {
    /// Effects of a treatment that may switch on and off, have doses and change more than once, by the time since a group's first
    /// change (de Chaisemartin and D'Haultfoeuille 2024, <https://doi.org/10.1162/rest_a_01414>), with the numbers of the authors' R
    /// package `DIDmultiplegtDYN`.
    ///
    /// A group that changes its treatment in period `F` is compared with groups of the same treatment in the first period that have
    /// not changed theirs yet. Effect `l` is the effect of `l` periods under another treatment than the first one: the outcome
    /// in `F - 1 + l` less the outcome in `F - 1`. Switchers out, whose treatment falls, count with the opposite sign. Everything is
    /// computed on the host in double precision, so there is no backend to choose.
    ///
    /// ```
    /// use burn_did::{DidMultiplegt, data::SwitchingSimulation};
    ///
    /// let data = SwitchingSimulation::builder().groups(400).seed(1).build();
    /// let fit = DidMultiplegt::builder()
    ///     .outcome("y")
    ///     .unit("id")
    ///     .time("period")
    ///     .treatment("d")
    ///     .effects(3)
    ///     .placebos(2)
    ///     .build()
    ///     .fit(&data.frame())?;
    /// println!("{fit}");
    /// assert_eq!((fit.effects.len(), fit.placebos.len()), (3, 2));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct DidMultiplegt with [outcome, missing_values, alpha] {
        /// Groups that are compared: integers, floats or strings. Rows of one group and period are averaged with their weights.
        #[doc(alias = "idname")]
        #[doc(alias = "group")]
        pub unit: String,
        /// Period: numbers, or dates with `frequency`. Effects count periods of the data, whatever lies between them.
        #[doc(alias = "tname")]
        pub time: String,
        /// Length of a period, if the time column has dates.
        pub frequency: Option<Frequency>,
        /// Treatment: numbers or booleans, in every period.
        #[doc(alias = "dname")]
        pub treatment: String,
        /// Number of requested effects; effects without controls are not estimated.
        #[builder(default = 1)]
        pub effects: usize,
        /// Number of requested placebos, at most as many as effects.
        #[doc(alias = "placebo")]
        #[builder(default)]
        pub placebos: usize,
        /// Divides each effect by the average cumulative change of its switchers' treatment.
        #[builder(default)]
        pub normalized: bool,
        /// Tests whether effects are equal.
        pub effects_equal: Option<EffectsEqual>,
        /// Effects of switchers in or of switchers out only.
        pub switchers: Option<Direction>,
        /// Compares with never-switching groups only.
        #[builder(default)]
        pub only_never_switchers: bool,
        /// Estimates all effects on the same switchers: those for which every effect can be estimated.
        #[builder(default)]
        pub same_switchers: bool,
        /// Also restrict placebos to switchers for which all requested placebos can be computed.
        #[doc(alias = "same_switchers_pl")]
        #[builder(default)]
        pub same_switchers_placebos: bool,
        /// Formula of control variables, which may change over time; see [`AttGt::covariates`](crate::AttGt::covariates).
        #[doc(alias = "controls")]
        #[doc(alias = "xformla")]
        #[builder(default = crate::base::options::defaults::COVARIATES.to_owned())]
        pub covariates: String,
        /// Columns, constant within groups: only groups with equal values are compared, so each combination may have its own trend.
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub trends_nonparam: Vec<String>,
        /// Allows each group its own linear trend.
        #[doc(alias = "trends_lin")]
        #[builder(default)]
        pub linear_trends: bool,
        /// Degree of a polynomial in the treatment of the first period, by which trends may differ; 0 compares groups of equal
        /// treatments only. For treatments of many values.
        #[builder(default)]
        pub continuous: usize,
        /// Weights of rows; missing ones are 0.
        #[doc(alias = "weightsname")]
        #[doc(alias = "weight")]
        pub weights: Option<String>,
        /// Cluster of standard errors, constant within groups; without it they are clustered by group.
        pub cluster: Option<String>,
        /// Centres each switcher's change on the mean of the switchers with the same treatment path, where a path has at least two.
        #[builder(default)]
        pub less_conservative_se: bool,
        /// Keeps cells from the period on in which a group's treatment has been both above and below its first value.
        #[doc(alias = "dont_drop_larger_lower")]
        #[builder(default)]
        pub keep_bidirectional_switchers: bool,
        /// If a group's treatment is missing before its first switch, drops its outcomes from then on.
        #[doc(alias = "drop_if_d_miss_before_first_switch")]
        #[builder(default)]
        pub drop_if_treatment_missing: bool,
        /// Regresses groups' effects on columns that do not change over time.
        #[doc(alias = "predict_het")]
        pub predict_heterogeneity: Option<PredictHeterogeneity>,
        /// With controls and several first treatments, leaves out a factor in the influence of the controls' coefficients: the total
        /// weight over the weight of each first treatment. R `DIDmultiplegtDYN` 2.2 has this factor, the authors' Stata program has not.
        #[builder(default)]
        pub separate_control_variance: bool,
        /// Bootstrap by groups or clusters; analytic standard errors without it. The law of the multipliers does not matter.
        #[doc(alias = "boot")]
        pub bootstrap: Option<Bootstrap>,
    }
}

/// Largest degree of the polynomial: higher powers differ by rounding.
const LARGEST_DEGREE: usize = 10;

impl DidMultiplegt {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`] or [`DidError::Formula`].
    pub fn validate(&self) -> Result<()> {
        self.inference().validate()?;
        Formula::parse(&self.covariates)?.check_without(&self.outcome)?;
        if self.effects == 0 {
            return Err(DidError::config("effects", "at least 1", "0"));
        }
        if self.continuous > LARGEST_DEGREE {
            return Err(DidError::config("continuous", "a degree of at most 10", self.continuous));
        }
        if self.same_switchers_placebos && !self.same_switchers {
            let expected = "given together with `same_switchers`";
            return Err(DidError::config("same_switchers_placebos", expected, "it alone"));
        }
        if let Some(EffectsEqual::Between(from, to)) = self.effects_equal
            && (from == 0 || from >= to)
        {
            let expected = "two effects in ascending order, counted from 1";
            return Err(DidError::config("effects_equal", expected, format!("{from} to {to}")));
        }
        match &self.predict_heterogeneity {
            Some(asked) if asked.covariates.is_empty() => {
                Err(DidError::config("predict_heterogeneity", "of at least one column", "none"))
            }
            Some(asked) if asked.effects.contains(&0) => {
                Err(DidError::config("predict_heterogeneity", "of effects counted from 1", "0"))
            }
            _ => Ok(()),
        }
    }

    fn inference(&self) -> Inference {
        Inference { alpha: self.alpha, bootstrap: self.bootstrap, band: Band::Pointwise }
    }

    /// Columns of what effects are regressed on, if they are.
    fn traits(&self) -> &[String] {
        match &self.predict_heterogeneity {
            Some(asked) if !self.normalized => &asked.covariates,
            _ => &[],
        }
    }

    fn columns(&self) -> Result<SwitchingColumns> {
        Ok(SwitchingColumns {
            outcome: self.outcome.clone(),
            treatment: self.treatment.clone(),
            unit: self.unit.clone(),
            time: self.time.clone(),
            frequency: self.frequency,
            weights: self.weights.clone(),
            cluster: self.cluster.clone().filter(|cluster| *cluster != self.unit),
            covariates: Formula::parse(&self.covariates)?,
            trends: self.trends_nonparam.clone(),
            traits: self.traits().to_vec(),
        })
    }

    fn options(&self) -> SwitchingOptions {
        SwitchingOptions {
            effects: self.effects,
            placebos: self.placebos,
            normalized: self.normalized,
            direction: self.switchers,
            only_never_switchers: self.only_never_switchers,
            same_switchers: self.same_switchers,
            same_switchers_placebo: self.same_switchers_placebos,
            linear_trends: self.linear_trends,
            continuous: self.continuous,
            less_conservative: self.less_conservative_se,
            separate_control_variance: self.separate_control_variance,
            keep_bidirectional: self.keep_bidirectional_switchers,
            drop_if_treatment_missing: self.drop_if_treatment_missing,
        }
    }
}
