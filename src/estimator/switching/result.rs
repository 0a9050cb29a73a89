//! Result of [`DidMultiplegt`](crate::DidMultiplegt).

use serde::{Deserialize, Serialize};

use super::effects::Dropped;
use crate::base::error::DidWarning;
use crate::base::options::Band;
use crate::estimator::aggregate::{AggregatedRow, EventStudy, Provenance, reference_row};
use crate::estimator::analysed::analysed;
use crate::read::columns::ReadAsMissing;
use crate::read::files::FilesRead;
use crate::result::fit_notes::FitNotes;
use crate::result::inference::{Estimate, Wald};
use crate::result::settings::Settings;
use crate::result::timings::Timings;

/// An effect, a placebo, or the average total effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SwitchingEffect {
    /// Periods since the last one before the switch: 1 for the first effect, −1 for the first placebo, and 0 for the average.
    pub horizon: i64,
    /// Effect and its uncertainty; nothing if no switcher has a control.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Cells of groups and periods that are compared.
    pub n_obs: usize,
    /// Switchers.
    pub n_switchers: usize,
    /// Weight of the cells.
    pub n_obs_weighted: f64,
    /// Weight of the switchers.
    pub n_switchers_weighted: f64,
}

/// Wald tests; `None` for what was not asked for or cannot be formed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MultiplegtTests {
    /// All effects are zero.
    pub effects: Option<Wald>,
    /// All placebos are zero.
    pub placebos: Option<Wald>,
    /// Effects are equal.
    pub equal: Option<Wald>,
}

/// A coefficient of the regression of groups' effects on what does not change in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HeterogeneityRow {
    /// Effect, or minus the placebo.
    pub effect: i64,
    /// Column.
    pub covariate: String,
    /// Coefficient, with intervals of the t law; nothing if columns depend on each other within cohorts.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Groups in the regression.
    pub n: usize,
    /// p-value of all coefficients of the regression being zero, from the F law.
    pub p_all: Option<f64>,
}

/// What happened to rows, groups and cells, in the order of the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MultiplegtAudit {
    /// Files read; none if the data were in memory.
    pub files: FilesRead,
    /// Values read as missing because of a word that stands there, or because the field of a CSV file is empty.
    pub read_as_missing: Vec<ReadAsMissing>,
    /// Rows read.
    pub rows_in: usize,
    /// Rows dropped for a missing group, period, trend group, cluster or control, under their first such column.
    pub rows_missing: Vec<(String, usize)>,
    /// What the rules left out.
    #[serde(flatten)]
    pub dropped: Dropped,
    /// Groups of the sample.
    pub groups: usize,
    /// Groups of the sample that switch in.
    pub switchers_in: usize,
    /// Groups of the sample that switch out.
    pub switchers_out: usize,
    /// Groups of the sample that never switch.
    pub never_switchers: usize,
    /// Cells of the sample with an outcome, a treatment and a positive weight.
    pub cells: usize,
    /// Periods of the data.
    pub periods: Vec<f64>,
    /// Columns of the controls.
    pub controls: Vec<String>,
}

/// Where the rows of an event study stand among effects, then placebos: the farthest placebo first; nothing for the reference.
pub(super) fn event_study_order(effects: usize, placebos: usize) -> Vec<Option<usize>> {
    let placebos = (effects..effects + placebos).rev().map(Some);
    placebos.chain([None]).chain((0..effects).map(Some)).collect()
}

/// Effects of a treatment that switches, by the time since a group's first change.
///
/// ```
/// use burn_did::{DidMultiplegt, data::SwitchingSimulation};
///
/// let data = SwitchingSimulation::builder().groups(400).seed(1).build().frame();
/// let config = DidMultiplegt::builder().outcome("y").unit("id").time("period").treatment("d");
/// let fit = config.effects(3).placebos(2).build().fit(&data)?;
/// let study = fit.event_study();
/// assert_eq!(study.event_times(), [-3.0, -2.0, 0.0, 1.0, 2.0]);
/// assert_eq!(study.coefficients()[2], fit.effects[0].estimate.estimate.unwrap());
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct DidMultiplegtResult {
    /// Effects, by horizon.
    pub effects: Vec<SwitchingEffect>,
    /// Placebos, nearest first.
    pub placebos: Vec<SwitchingEffect>,
    /// Average total effect per unit of treatment; `None` with linear trends.
    pub average: Option<SwitchingEffect>,
    /// Covariance of effects, then placebos; `None` where there is no estimate.
    pub vcov: Vec<Vec<Option<f64>>>,
    /// Joint tests.
    pub tests: MultiplegtTests,
    /// Regressions of groups' effects, if they were asked for, by covariate and effect.
    pub heterogeneity: Vec<HeterogeneityRow>,
    /// Critical value of the intervals: the normal quantile.
    pub critical_value: f64,
    /// Whether effects are divided by the change of the treatment.
    pub normalized: bool,
    /// What happened on the way to the sample.
    pub audit: MultiplegtAudit,
    /// Warnings about the sample, the estimates and the options.
    pub warnings: Vec<DidWarning>,
    /// How the fit was made.
    pub settings: Settings,
    /// Seconds by stage.
    pub timings: Timings,
}

impl DidMultiplegtResult {
    /// Placebos and effects with their covariance, by event time: the first effect is at 0, as with other estimators, and the reference
    /// period, the last one before the switch, is at -1. Analyses of violations of parallel trends refuse effects that are
    /// [`normalized`](Self::normalized): each is divided by the change of its own treatment, and a line is then no line.
    pub fn event_study(&self) -> EventStudy {
        let order = event_study_order(self.effects.len(), self.placebos.len());
        let all: Vec<&SwitchingEffect> = self.effects.iter().chain(&self.placebos).collect();
        let row = |i: &Option<usize>| match *i {
            None => reference_row(-1.0),
            Some(i) => AggregatedRow {
                at: (all[i].horizon - 1) as f64,
                estimate: all[i].estimate,
                reference: false,
            },
        };
        let covariance = |i: &Option<usize>, j: &Option<usize>| match (*i, *j) {
            (Some(i), Some(j)) => self.vcov[i][j].unwrap_or(0.0),
            _ => 0.0,
        };
        EventStudy {
            rows: order.iter().map(row).collect(),
            vcov: order.iter().map(|i| order.iter().map(|j| covariance(i, j)).collect()).collect(),
            overall: None,
            band: Band::Pointwise,
            alpha: self.settings.inference.alpha,
            left_out: None,
            // Settings that were saved before they had this do not know it.
            provenance: Provenance::Effects(Box::new(
                self.settings.clone().with_normalized(self.normalized),
            )),
            fit_notes: FitNotes::new(&self.audit.files, &self.warnings, self.settings.frequency),
            universal: None,
        }
    }
}

analysed!(
    DidMultiplegtResult,
    /// ```
    /// use burn_did::{DidMultiplegt, Honest, data::SwitchingSimulation};
    ///
    /// let panel = SwitchingSimulation::builder().groups(600).seed(1).build().frame();
    /// let config = DidMultiplegt::builder().outcome("y").unit("id").time("period").treatment("d");
    /// let fit = config.effects(2).placebos(2).build().fit(&panel)?;
    /// println!("{}", fit.honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
);
