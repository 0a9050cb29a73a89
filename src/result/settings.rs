//! How a fit was made.

use serde::de::{Error, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::calendar::{Frequency, shown};
use crate::base::options::{
    BasePeriod, ControlGroup, DoseTarget, EstimationMethod, FixWeights, Inference, Precision,
    Resampling, SharesOf,
};
use crate::read::panel::Layout;

/// How a fit was made, for the foot of tables and the JSON of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// The estimator, with the settings that it alone has. In JSON they are members of the settings.
    #[serde(flatten, deserialize_with = "estimator")]
    pub estimator: EstimatorSettings,
    /// Backend's name: `ndarray`, `cuda`, `wgpu`, …
    pub backend: String,
    /// Floating-point type of the device.
    pub precision: Precision,
    /// Outcome column.
    pub outcome: String,
    /// Covariate formula as given, or `~ 1`.
    pub covariates: String,
    /// Weights column.
    pub weights: Option<String>,
    /// Cluster column.
    pub cluster: Option<String>,
    /// What a period is, if periods and groups are dates.
    pub frequency: Option<Frequency>,
    /// How rows form units.
    #[serde(deserialize_with = "layout")]
    pub layout: Layout,
    /// Units (rows, for repeated cross sections).
    pub n_units: usize,
    /// Rows used.
    pub n_rows: usize,
    /// Clusters, if standard errors are clustered.
    pub n_clusters: Option<usize>,
    /// Options of inference.
    pub inference: Inference,
}

/// An estimator with the settings that it alone has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "estimator", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EstimatorSettings {
    /// [`AttGt`](crate::AttGt).
    #[non_exhaustive]
    AttGt {
        /// Comparison units, as asked for.
        control_group: ControlGroup,
        /// First treated period of the last cohort where nobody is never treated: this cohort then takes the place of
        /// never-treated units, and periods from its treatment on are dropped.
        #[serde(skip_serializing_if = "Option::is_none")]
        last_cohort: Option<f64>,
        /// Base period.
        base_period: BasePeriod,
        /// Two-by-two estimator; `None` for a user-supplied one.
        method: Option<EstimationMethod>,
        /// Periods of anticipation.
        anticipation: u32,
        /// Which period's weights are used, if that was chosen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fix_weights: Option<FixWeights>,
    },
    /// [`Drdid`](crate::Drdid), whose result has its options.
    Drdid,
    /// [`Ddd`](crate::Ddd).
    #[non_exhaustive]
    Ddd {
        /// Eligibility column.
        eligible: String,
        /// Which units the shares of groups count in averages; all in results that were saved before there was a choice.
        #[serde(default = "all_units")]
        shares_of: SharesOf,
        /// Comparison units, as asked for.
        control_group: ControlGroup,
        /// As for `AttGt`.
        #[serde(skip_serializing_if = "Option::is_none")]
        last_cohort: Option<f64>,
        /// Base period.
        base_period: BasePeriod,
        /// Two-by-two estimator.
        method: EstimationMethod,
    },
    /// [`ContDid`](crate::ContDid), whose result has its other options.
    #[non_exhaustive]
    ContDid {
        /// Dose column.
        dose: String,
        /// What the effects are: averages, or slopes in the dose.
        target: DoseTarget,
        /// Comparison units, as asked for.
        control_group: ControlGroup,
        /// As for `AttGt`.
        #[serde(skip_serializing_if = "Option::is_none")]
        last_cohort: Option<f64>,
        /// Base period.
        base_period: BasePeriod,
        /// Periods of anticipation.
        anticipation: u32,
        /// How the bootstrap drew, if everything was estimated anew.
        #[serde(skip_serializing_if = "Option::is_none")]
        resampling: Option<Resampling>,
    },
    /// [`DidMultiplegt`](crate::DidMultiplegt). Its base is the last period before the first switch.
    #[non_exhaustive]
    DidMultiplegt {
        /// Comparison units: those that never switch, or those that have not switched yet.
        control_group: ControlGroup,
        /// Whether each effect is divided by the change of its treatment.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        normalized: bool,
    },
}

impl EstimatorSettings {
    /// The estimator's name: `att_gt`, `drdid`, `ddd`, `cont_did` or `did_multiplegt`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::AttGt { .. } => "att_gt",
            Self::Drdid => "drdid",
            Self::Ddd { .. } => "ddd",
            Self::ContDid { .. } => "cont_did",
            Self::DidMultiplegt { .. } => "did_multiplegt",
        }
    }
}

impl Settings {
    /// Comparison units, as asked for, of an estimator that has a choice.
    #[must_use]
    pub fn control_group(&self) -> Option<ControlGroup> {
        match self.estimator {
            EstimatorSettings::AttGt { control_group, .. }
            | EstimatorSettings::Ddd { control_group, .. }
            | EstimatorSettings::ContDid { control_group, .. }
            | EstimatorSettings::DidMultiplegt { control_group, .. } => Some(control_group),
            EstimatorSettings::Drdid => None,
        }
    }

    /// Which period's weights are used, if that was chosen.
    #[must_use]
    pub fn fix_weights(&self) -> Option<FixWeights> {
        match self.estimator {
            EstimatorSettings::AttGt { fix_weights, .. } => fix_weights,
            _ => None,
        }
    }

    /// First treated period of the cohort that takes the place of never-treated units, where nobody is never treated.
    #[must_use]
    pub fn last_cohort(&self) -> Option<f64> {
        match self.estimator {
            EstimatorSettings::AttGt { last_cohort, .. }
            | EstimatorSettings::Ddd { last_cohort, .. }
            | EstimatorSettings::ContDid { last_cohort, .. } => last_cohort,
            EstimatorSettings::Drdid | EstimatorSettings::DidMultiplegt { .. } => None,
        }
    }

    /// Base period, of an estimator with effects of several periods.
    #[must_use]
    pub fn base_period(&self) -> Option<BasePeriod> {
        match self.estimator {
            EstimatorSettings::AttGt { base_period, .. }
            | EstimatorSettings::Ddd { base_period, .. }
            | EstimatorSettings::ContDid { base_period, .. } => Some(base_period),
            EstimatorSettings::DidMultiplegt { .. } => Some(BasePeriod::Universal),
            EstimatorSettings::Drdid => None,
        }
    }

    /// Periods of anticipation; 0 for an estimator that allows for none.
    #[must_use]
    pub fn anticipation(&self) -> u32 {
        match self.estimator {
            EstimatorSettings::AttGt { anticipation, .. }
            | EstimatorSettings::ContDid { anticipation, .. } => anticipation,
            EstimatorSettings::Drdid
            | EstimatorSettings::Ddd { .. }
            | EstimatorSettings::DidMultiplegt { .. } => 0,
        }
    }

    /// Two-by-two estimator; `None` for a user-supplied one, and for estimators that have no choice of them.
    #[must_use]
    pub fn method(&self) -> Option<EstimationMethod> {
        match self.estimator {
            EstimatorSettings::AttGt { method, .. } => method,
            EstimatorSettings::Ddd { method, .. } => Some(method),
            EstimatorSettings::Drdid
            | EstimatorSettings::ContDid { .. }
            | EstimatorSettings::DidMultiplegt { .. } => None,
        }
    }

    /// Eligibility column of triple differences.
    #[must_use]
    pub fn eligible(&self) -> Option<&str> {
        match &self.estimator {
            EstimatorSettings::Ddd { eligible, .. } => Some(eligible),
            _ => None,
        }
    }

    /// Which units the shares of groups count in averages of triple differences.
    #[must_use]
    pub fn shares_of(&self) -> Option<SharesOf> {
        match self.estimator {
            EstimatorSettings::Ddd { shares_of, .. } => Some(shares_of),
            _ => None,
        }
    }

    /// Dose column of a continuous treatment.
    #[must_use]
    pub fn dose(&self) -> Option<&str> {
        match &self.estimator {
            EstimatorSettings::ContDid { dose, .. } => Some(dose),
            _ => None,
        }
    }

    /// What effects of a continuous treatment are: averages, or slopes in the dose.
    #[must_use]
    pub fn target(&self) -> Option<DoseTarget> {
        match self.estimator {
            EstimatorSettings::ContDid { target, .. } => Some(target),
            _ => None,
        }
    }

    /// How the bootstrap of a continuous treatment drew, if everything was estimated anew.
    #[must_use]
    pub fn resampling(&self) -> Option<Resampling> {
        match self.estimator {
            EstimatorSettings::ContDid { resampling, .. } => resampling,
            _ => None,
        }
    }

    /// A period or group as people read it: `2007-03` for a month, if they are dates, else a number.
    ///
    /// ```
    /// use burn_did::{AttGt, backend::Cpu, data, options::Frequency};
    ///
    /// let fit = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
    /// let mut fit = fit.build().fit(&data::mpdta())?;
    /// assert_eq!(fit.settings.period(2004.0), "2004");
    /// fit.settings.frequency = Some(Frequency::Month);
    /// assert_eq!(fit.settings.period(24_086.0), "2007-03");
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[must_use]
    pub fn period(&self, period: f64) -> String {
        shown(period, self.frequency)
    }

    /// The comparison units that were used, in words: `Never Treated`, `Not Yet Treated`, or `Last Cohort (2007)` where nobody is
    /// never treated. `None` for an estimator without a choice of them.
    ///
    /// ```
    /// use burn_did::audit::EstimatorSettings;
    /// use burn_did::{AttGt, backend::Cpu, data};
    ///
    /// let fit = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
    /// let mut fit = fit.build().fit(&data::mpdta())?;
    /// assert_eq!(fit.settings.comparison_units().as_deref(), Some("Never Treated"));
    /// if let EstimatorSettings::AttGt { last_cohort, .. } = &mut fit.settings.estimator {
    ///     *last_cohort = Some(2007.0);
    /// }
    /// assert_eq!(fit.settings.comparison_units().as_deref(), Some("Last Cohort (2007)"));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[must_use]
    pub fn comparison_units(&self) -> Option<String> {
        Some(match (self.control_group()?, self.last_cohort()) {
            (asked, None) => asked.label().into(),
            (ControlGroup::NeverTreated, Some(last)) => {
                format!("Last Cohort ({})", self.period(last))
            }
            (ControlGroup::NotYetTreated, Some(last)) => {
                let not_yet = ControlGroup::NotYetTreated.label();
                format!("{not_yet}, Last Cohort ({})", self.period(last))
            }
        })
    }

    /// The settings of effects of a continuous treatment that are levels or slopes.
    pub(crate) fn with_target(mut self, of: DoseTarget) -> Self {
        if let EstimatorSettings::ContDid { target, .. } = &mut self.estimator {
            *target = of;
        }
        self
    }

    /// The settings of effects that are each divided by the change of their treatment, or of others.
    pub(crate) fn with_normalized(mut self, of: bool) -> Self {
        if let EstimatorSettings::DidMultiplegt { normalized, .. } = &mut self.estimator {
            *normalized = of;
        }
        self
    }

    /// Whether each effect is divided by the change of its treatment, so that effects of two event times are in different units.
    pub(crate) fn is_normalized(&self) -> bool {
        matches!(self.estimator, EstimatorSettings::DidMultiplegt { normalized: true, .. })
    }

    /// Name of the parameters: `ATT`, `ACRT` for slopes in a dose, or `Effect` where treatments switch, as nobody is treated throughout.
    pub(crate) fn parameter(&self) -> &'static str {
        match self.estimator {
            EstimatorSettings::DidMultiplegt { .. } => "Effect",
            _ => self.target().unwrap_or_default().parameter(),
        }
    }

    /// What the effects are measured in: the outcome, or the outcome by the unit of a dose.
    #[cfg(feature = "plot")]
    pub(crate) fn unit(&self) -> String {
        match self.dose().filter(|_| self.is_of_slopes()) {
            Some(dose) => format!("{} per unit of {dose}", self.outcome),
            None => self.outcome.clone(),
        }
    }

    /// Whether the effects are slopes in a dose.
    pub(crate) fn is_of_slopes(&self) -> bool {
        self.target() == Some(DoseTarget::Slope)
    }

    /// Whether every row is a unit of its own.
    pub(crate) fn rows_are_units(&self) -> bool {
        self.layout == Layout::RepeatedCrossSections
    }

    /// Whether cells count rows: a unit that may lack a period counts once for each period of the cell that it has.
    pub(crate) fn cells_count_rows(&self) -> bool {
        self.layout != Layout::Balanced
    }
}

/// What triple differences counted before there was a choice.
fn all_units() -> SharesOf {
    SharesOf::All
}

/// An estimator with its own settings; an error names the member that says which it is.
fn estimator<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EstimatorSettings, D::Error> {
    let known = EstimatorSettings::deserialize(deserializer);
    known.map_err(|e| D::Error::custom(format!("`settings.estimator` or its settings: {e}")))
}

/// A layout by its name; an error names the field.
fn layout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Layout, D::Error> {
    let name = String::deserialize(deserializer)?;
    let known = Layout::deserialize(name.as_str().into_deserializer());
    known.map_err(|_: D::Error| D::Error::custom(format!("`settings.layout` is {name:?}")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Settings as they were written when all estimators had the members of all.
    fn saved(estimator: &str, own: &Value) -> Value {
        let mut members = json!({
            "estimator": estimator, "backend": "ndarray", "precision": "f64", "outcome": "y", "covariates": "~ 1",
            "weights": null, "cluster": null, "eligible": null, "dose": null, "target": "level",
            "control_group": "never_treated", "base_period": "varying", "method": null, "anticipation": 0,
            "frequency": null, "layout": "balanced_panel", "n_units": 9, "n_rows": 18, "n_clusters": null,
            "inference": { "alpha": 0.05, "bootstrap": null, "band": "pointwise" },
        });
        let own = own.as_object().expect("members").clone();
        members.as_object_mut().expect("members").extend(own);
        members
    }

    fn loaded(estimator: &str, own: &Value) -> Settings {
        let settings: Settings =
            serde_json::from_value(saved(estimator, own)).expect("settings of the estimator");
        assert_eq!(settings.estimator.name(), estimator);
        let text = serde_json::to_string(&settings).expect("text");
        assert_eq!(serde_json::from_str::<Settings>(&text).expect("settings"), settings);
        settings
    }

    #[test]
    fn settings_that_had_all_members_are_read() {
        let callback = loaded("att_gt", &json!({ "last_cohort": 7, "anticipation": 1 }));
        let words = callback.comparison_units();
        assert_eq!(words.as_deref(), Some("Last Cohort (7)"));
        assert_eq!((callback.method(), callback.anticipation()), (None, 1));
        let triple = loaded("ddd", &json!({ "eligible": "q", "method": "ipw" }));
        assert_eq!((triple.eligible(), triple.shares_of()), (Some("q"), Some(SharesOf::All)));
        assert_eq!(triple.method(), Some(EstimationMethod::Ipw));
        let doses = loaded("cont_did", &json!({ "dose": "d", "target": "slope" }));
        assert_eq!(
            (doses.dose(), doses.parameter(), doses.resampling()),
            (Some("d"), "ACRT", None)
        );
        assert_eq!(loaded("drdid", &json!({})).comparison_units(), None);
        let switching = loaded("did_multiplegt", &json!({ "base_period": "universal" }));
        assert_eq!(switching.base_period(), Some(BasePeriod::Universal));
        assert_eq!(switching.parameter(), "Effect");
    }

    #[test]
    fn an_estimator_writes_its_own_members_only() {
        let text = serde_json::to_value(loaded("drdid", &json!({}))).expect("members");
        let names = ["eligible", "dose", "target", "control_group", "base_period", "method"];
        assert!(names.iter().all(|name| text.get(name).is_none()), "{text}");
        assert_eq!(text["estimator"], json!("drdid"));
    }

    #[test]
    fn errors_name_the_estimator() {
        for wrong in
            [saved("a,b", &json!({})), saved("ddd", &json!({})), saved("cont_did", &json!({}))]
        {
            let error = serde_json::from_value::<Settings>(wrong).expect_err("no such settings");
            assert!(error.to_string().contains("`settings.estimator`"), "{error}");
        }
    }
}
