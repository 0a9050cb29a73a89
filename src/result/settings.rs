//! How a fit was made.

use serde::de::{Error, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::calendar::{Frequency, shown};
use crate::base::options::{
    BasePeriod, ControlGroup, DoseTarget, EstimationMethod, Inference, Resampling, SharesOf,
};
use crate::read::panel::Layout;

/// How a fit was made, for the foot of tables and the JSON of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// Estimator: `att_gt`, `drdid`, `ddd`, `cont_did` or `did_multiplegt`.
    pub estimator: String,
    /// Backend's name: `ndarray`, `cuda`, `wgpu`, …
    pub backend: String,
    /// Floating-point type of the device: `f64` or `f32`.
    pub precision: String,
    /// Outcome column.
    pub outcome: String,
    /// Covariate formula as given, or `~ 1`.
    pub covariates: String,
    /// Weights column.
    pub weights: Option<String>,
    /// Cluster column.
    pub cluster: Option<String>,
    /// Eligibility column of triple differences.
    pub eligible: Option<String>,
    /// Which units the shares of groups count in averages of triple differences. `None` for other estimators, and for triple
    /// differences that were saved before there was a choice: their shares are of all units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares_of: Option<SharesOf>,
    /// Dose column of a continuous treatment.
    pub dose: Option<String>,
    /// What effects of a continuous treatment are: averages, or slopes in the dose.
    pub target: DoseTarget,
    /// Comparison units, as asked for.
    pub control_group: ControlGroup,
    /// First treated period of the last cohort where nobody is never treated: this cohort then takes the place of never-treated
    /// units, and periods from its treatment on are dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_cohort: Option<f64>,
    /// Base period.
    pub base_period: BasePeriod,
    /// Two-by-two estimator; `None` for a user-supplied one, for `drdid`, which has estimators of its own, and for `cont_did` and
    /// `did_multiplegt`, which have no choice of them.
    pub method: Option<EstimationMethod>,
    /// Periods of anticipation.
    pub anticipation: u32,
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
    /// How the bootstrap of a continuous treatment drew, if everything was estimated anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resampling: Option<Resampling>,
}

impl Settings {
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
    /// never treated.
    ///
    /// ```
    /// use burn_did::{AttGt, backend::Cpu, data};
    ///
    /// let fit = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
    /// let mut fit = fit.build().fit(&data::mpdta())?;
    /// assert_eq!(fit.settings.comparison_units(), "Never Treated");
    /// fit.settings.last_cohort = Some(2007.0);
    /// assert_eq!(fit.settings.comparison_units(), "Last Cohort (2007)");
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[must_use]
    pub fn comparison_units(&self) -> String {
        match (self.control_group, self.last_cohort) {
            (ControlGroup::NeverTreated, None) => "Never Treated".into(),
            (ControlGroup::NotYetTreated, None) => "Not Yet Treated".into(),
            (ControlGroup::NeverTreated, Some(last)) => {
                format!("Last Cohort ({})", self.period(last))
            }
            (ControlGroup::NotYetTreated, Some(last)) => {
                format!("Not Yet Treated, Last Cohort ({})", self.period(last))
            }
        }
    }

    /// Which units the shares of groups count, if these are triple differences.
    pub(crate) fn group_shares(&self) -> Option<SharesOf> {
        self.eligible.as_ref().map(|_| self.shares_of.unwrap_or(SharesOf::All))
    }

    /// Name of the parameters: `ATT`, or `ACRT` for slopes in a dose.
    pub(crate) fn parameter(&self) -> &'static str {
        self.target.parameter()
    }

    /// Whether every row is a unit of its own.
    pub(crate) fn rows_are_units(&self) -> bool {
        self.layout == Layout::RepeatedCrossSections
    }
}

/// A layout by its name; an error names the field.
fn layout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Layout, D::Error> {
    let name = String::deserialize(deserializer)?;
    let known = Layout::deserialize(name.as_str().into_deserializer());
    known.map_err(|_: D::Error| D::Error::custom(format!("`settings.layout` is {name:?}")))
}
