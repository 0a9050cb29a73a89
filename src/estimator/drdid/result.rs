//! Result of [`Drdid`](crate::Drdid).

use serde::{Deserialize, Serialize};

use crate::base::error::DidWarning;
use crate::base::options::{DrdidMethod, Resampling};
use crate::engine::source::{Influence, InfluenceFiles};
use crate::estimator::weighting::{OverlapByCell, OverlapRow, Scores, Weighting};
use crate::read::panel::SampleAudit;
use crate::result::estimates::{CellStatus, Overlap};
use crate::result::inference::Estimate;
use crate::result::settings::Settings;
use crate::result::timings::Timings;

/// The effect on the treated in a two-period comparison. Carries no backend and no unit data unless influence values were
/// kept.
///
/// ```
/// use burn_did::{Drdid, backend::Cpu, data::TwoPeriodSimulation};
///
/// let data = TwoPeriodSimulation::builder().units(500).seed(1).build().frame();
/// let config = Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
/// let fit = config.build().fit(&data)?;
/// assert_eq!(fit.estimator_name(), "drdid_imp_panel");
/// let [lower, upper] = [fit.estimate.ci_lower, fit.estimate.ci_upper];
/// println!("{:?} in {lower:?} to {upper:?}\n{fit}", fit.estimate.estimate);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct DrdidResult {
    /// Effect and its uncertainty.
    pub estimate: Estimate,
    /// Why there is or is not an estimate.
    pub status: CellStatus,
    /// Critical value of the interval: 1.96 at the level of 95 % as in R `DRDID`, the normal quantile at others, and the
    /// quantile of the studentised draws with a bootstrap.
    pub critical_value: f64,
    /// The estimator.
    pub method: DrdidMethod,
    /// Whether it is the locally efficient one; always true for a panel.
    pub locally_efficient: bool,
    /// Comparison units with a propensity score of at least this had weight 0.
    pub trim_level: f64,
    /// Whether the propensity score balances the covariates; `None` for estimators without a calibrated one. If not, its
    /// maximum-likelihood estimate was used.
    pub calibrated: Option<bool>,
    /// Treated units (rows, for repeated cross sections).
    pub n_treated: usize,
    /// Comparison units (rows).
    pub n_control: usize,
    /// How the comparison units are weighted; `None` without an estimate, and for [`DrdidMethod::Twfe`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// How the bootstrap drew, if there was one.
    pub resampling: Option<Resampling>,
    /// Bootstrap draws of the estimate's deviation from it, in units of the outcome; draws that could not be estimated are
    /// left out.
    pub draws: Option<Vec<f64>>,
    /// What happened to the rows on the way in.
    pub audit: SampleAudit,
    /// Warnings about the sample, the estimates and the options.
    pub warnings: Vec<DidWarning>,
    /// How the fit was made.
    pub settings: Settings,
    /// Seconds by stage.
    pub timings: Timings,
    /// Influence values, if kept: one column.
    #[serde(skip)]
    pub influence: Option<Influence>,
    /// Where they are, if a cluster kept them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub influence_files: Option<InfluenceFiles>,
    /// What the estimator's own weighting does to the comparison, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighting: Option<Weighting>,
    /// Propensity scores and weights by unit, if kept.
    #[serde(skip)]
    pub scores: Option<Scores>,
}

impl DrdidResult {
    /// Largest scores, trimmed units and effective sample sizes, as a table.
    pub fn overlap_by_cell(&self) -> OverlapByCell {
        let Self { n_treated, n_control, .. } = *self;
        let row = |overlap| OverlapRow { group: None, time: None, n_treated, n_control, overlap };
        let scored = !matches!(self.method, DrdidMethod::OutcomeRegression | DrdidMethod::Twfe);
        OverlapByCell {
            settings: self.settings.clone(),
            method: self.method.word().into(),
            trim_level: scored.then_some(self.trim_level),
            rows: self.overlap.map(row).into_iter().collect(),
            not_estimated: usize::from(self.overlap.is_none()),
            comparisons: self.weighting.iter().flat_map(|w| w.comparisons.clone()).collect(),
        }
    }

    /// Name of R `DRDID`'s function for the estimator, such as `drdid_imp_panel`.
    #[must_use]
    pub fn estimator_name(&self) -> String {
        let rows = self.settings.rows_are_units();
        let design = if rows { "rc" } else { "panel" };
        let efficient = if rows && !self.locally_efficient { "1" } else { "" };
        match self.method {
            DrdidMethod::DoublyRobustImproved => format!("drdid_imp_{design}{efficient}"),
            DrdidMethod::DoublyRobust => format!("drdid_{design}{efficient}"),
            DrdidMethod::OutcomeRegression => format!("reg_did_{design}"),
            DrdidMethod::Ipw => format!("std_ipw_did_{design}"),
            DrdidMethod::IpwHorvitzThompson => format!("ipw_did_{design}"),
            DrdidMethod::Twfe => format!("twfe_did_{design}"),
        }
    }
}
