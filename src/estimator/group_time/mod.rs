//! Results of estimators of group-time effects.

mod averaged;
mod by_cluster;
mod check;
mod contrast;
pub(crate) mod finish;
pub(crate) mod moments;
pub(crate) mod overlap;
mod parts;
pub(crate) mod report;

use serde::{Deserialize, Serialize};

use self::by_cluster::ByCluster;

use crate::base::error::DidWarning;
use crate::base::options::{Band, EstimationMethod};
use crate::engine::cell::TRIM;
use crate::engine::source::{Influence, InfluenceFiles};
use crate::estimator::weighting::{OverlapByCell, OverlapRow, Scores, Weighting};
use crate::read::panel::SampleAudit;
use crate::result::estimates::{CellStatus, GroupTimeEffects, Overlap};
use crate::result::inference::{Estimate, Wald};
use crate::result::settings::Settings;
use crate::result::timings::Timings;

/// Effect on one group in one period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[doc(alias = "AttGtCell")]
pub struct GroupTimeCell {
    /// First treated period of the group.
    pub group: f64,
    /// Period.
    pub time: f64,
    /// Effect and its uncertainty.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Why there is or is not an estimate.
    pub status: CellStatus,
    /// Treated units (rows, for repeated cross sections) in the cell.
    pub n_treated: usize,
    /// Comparison units (rows) in the cell.
    pub n_control: usize,
    /// How the comparison units are weighted; `None` where nothing was estimated, or where a user-supplied estimator weighs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
}

/// A cell of triple differences against one comparison cohort: `att = treated_ineligible + untreated_eligible -
/// untreated_ineligible`, each the difference in differences of the treated and eligible units with these. In single precision
/// they lack the correction of the cells' estimates, and so differ by rounding.
///
/// ```
/// use burn_did::{Ddd, backend::Cpu, data::TripleSimulation};
///
/// let data = TripleSimulation::builder().units(2_000).seed(1).build().frame();
/// let config = Ddd::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
/// let fit = config.eligible("eligible").build().fit(&data)?;
/// for c in fit.comparisons.iter().flatten() {
///     let triple = c.treated_ineligible + c.untreated_eligible - c.untreated_ineligible;
///     assert!((c.att - triple).abs() < 1e-9);
/// }
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TripleComparison {
    /// First treated period of the cell's group.
    pub group: f64,
    /// Period of the cell.
    pub time: f64,
    /// First treated period of the comparison cohort; `None` if it is never treated.
    pub comparison: Option<f64>,
    /// Against the ineligible units of the cell's group.
    #[doc(alias = "att_4v3")]
    pub treated_ineligible: f64,
    /// Against the eligible units of the comparison cohort.
    #[doc(alias = "att_4v2")]
    pub untreated_eligible: f64,
    /// Against the ineligible units of the comparison cohort.
    #[doc(alias = "att_4v1")]
    pub untreated_ineligible: f64,
    /// The triple difference.
    #[serde(rename = "estimate")]
    pub att: f64,
    /// Its weight in the cell's estimate.
    pub weight: f64,
}

/// Group-time average treatment effects. Carries no backend and no unit data unless influence values were kept.
///
/// ```
/// use burn_did::{Aggregation, AttGt, backend::Cpu, data};
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let fit = config.group("first.treat").build().fit(&data::mpdta())?;
/// // Cells are in order of groups, then periods.
/// let cell = fit.cells.iter().find(|c| (c.group, c.time) == (2004.0, 2005.0)).unwrap();
/// assert!((cell.estimate.estimate.unwrap() + 0.0704).abs() < 1e-4);
/// println!("{fit}\n{}", fit.aggregate(Aggregation::group())?);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
#[doc(alias = "MP")]
#[doc(alias = "AttGtResult")]
pub struct GroupTimeResult {
    /// The cells, group-major.
    pub cells: Vec<GroupTimeCell>,
    /// Critical value of the cells' intervals.
    pub critical_value: f64,
    /// What the cells' intervals are.
    pub band: Band,
    /// Wald test that all pre-treatment effects are zero.
    pub wald: Option<Wald>,
    /// What happened to the rows on the way in.
    pub audit: SampleAudit,
    /// Warnings about the sample, the estimates and the options.
    pub warnings: Vec<DidWarning>,
    /// How the fit was made.
    pub settings: Settings,
    /// Seconds by stage.
    pub timings: Timings,
    /// The estimates against each comparison cohort that [`Ddd`](crate::Ddd) combines; `None` for other estimators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparisons: Option<Vec<TripleComparison>>,
    /// Effects and group shares with their joint law, for aggregation and tests.
    #[serde(rename = "estimates")]
    pub(crate) effects: GroupTimeEffects,
    /// Influence values, if kept.
    #[serde(skip)]
    pub influence: Option<Influence>,
    /// Those of the groups' shares, `[groups][n]` in the order of groups, if those of the effects are kept here: averages have both.
    #[serde(skip)]
    pub influence_of_shares: Option<Vec<Vec<f64>>>,
    /// Where they are, if a cluster kept them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub influence_files: Option<InfluenceFiles>,
    /// What the estimator's own weighting does to the comparison, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighting: Option<Weighting>,
    /// Propensity scores and weights by unit, if kept.
    #[serde(skip)]
    pub scores: Option<Scores>,
    /// What each cluster contributes to the effects and to the groups' shares, if there are clusters and influence values are kept.
    #[serde(skip)]
    pub(crate) by_cluster: Option<ByCluster>,
}

impl GroupTimeResult {
    /// Largest scores, trimmed units and effective sample sizes of each cell that was estimated, as a table.
    pub fn overlap_by_cell(&self) -> OverlapByCell {
        let row = |cell: &GroupTimeCell| {
            let (group, time) = (Some(cell.group), Some(cell.time));
            let GroupTimeCell { n_treated, n_control, .. } = *cell;
            Some(OverlapRow { group, time, n_treated, n_control, overlap: cell.overlap? })
        };
        let rows: Vec<OverlapRow> = self.cells.iter().filter_map(row).collect();
        let is_lost = |cell: &&GroupTimeCell| !cell.status.is_estimated();
        let not_estimated = self.cells.iter().filter(is_lost).count();
        let method = self.settings.method();
        let scored = method.is_some_and(|method| method != EstimationMethod::OutcomeRegression);
        OverlapByCell {
            settings: self.settings.clone(),
            method: method.map_or(self.settings.estimator.name(), EstimationMethod::word).into(),
            trim_level: scored.then_some(TRIM),
            rows,
            not_estimated,
            comparisons: self.weighting.iter().flat_map(|w| w.comparisons.clone()).collect(),
        }
    }
}
