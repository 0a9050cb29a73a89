//! [`Ddd`]: configuration and fit.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::input::Data;
use super::result::{AttGtResult, TripleComparison};
use super::setup::{self, Opened, Setup, check_chunk_rows, consumers};
use super::sizes::{self, Inferred};
use super::{finish, kept};
use crate::backend::DidBackend;
use crate::calendar::Frequency;
use crate::cell::{
    Combined, CovariatePeriod, Estimated, LostComparison, PlanOptions, Recipe, Results,
    TripleEstimate, TriplePlan, estimate, influence_pass,
};
use crate::condition::Conditioning;
use crate::error::{DidError, DidWarning, Result};
use crate::estimates::CellStatus;
use crate::options::{
    Band, BasePeriod, Bootstrap, ControlGroup, EstimationMethod, Inference, Precision,
    UnbalancedPanel,
};
use crate::panel::formula::Formula;
use crate::panel::{Cells, MissingValues, Roles, Sample, SampleOptions, Timing, Treatment};
use crate::progress::Progress;
use crate::report::Settings;
use crate::source::Source;

/// Triple differences: effects on the eligible units of groups in which a treatment is enabled, in two periods or under
/// staggered adoption.
///
/// For every group `g` and period `t`, the average effect on the eligible units of the group, if the gap between eligible and
/// ineligible units would have moved in parallel in the group and its comparison cohorts, given covariates
/// (Ortiz-Villavicencio and Sant'Anna 2025, "Better understanding triple differences estimators",
/// <https://arxiv.org/abs/2505.09942>).
///
/// With two periods and one group there is one cell; the group column then says who is treated, whatever its value. Cells with
/// several not-yet-treated comparison cohorts combine the estimates against each with the weights of smallest variance;
/// [`AttGtResult::comparisons`] has them one by one.
///
/// ```
/// use burn_did::{Aggregation, Ddd, backend::Cpu, data::TripleSimulation};
///
/// let data = TripleSimulation::builder().units(2_000).seed(1).build();
/// let fit = Ddd::<Cpu>::builder()
///     .outcome("y")
///     .unit("id")
///     .time("period")
///     .group("group")
///     .eligible("eligible")
///     .covariates("~ x1 + x2")
///     .build()
///     .fit(&data.frame(), &Default::default())?;
/// println!("{}", fit.aggregate(Aggregation::dynamic())?);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, bon::Builder, Serialize, Deserialize)]
#[builder(on(String, into))]
#[serde(bound = "", deny_unknown_fields)]
pub struct Ddd<B: DidBackend> {
    /// Outcome: numbers or booleans.
    #[doc(alias = "yname")]
    pub outcome: String,
    /// Unit: integers, floats or strings. Needed for panels; repeated cross sections may have none.
    #[doc(alias = "idname")]
    pub unit: Option<String>,
    /// Period: integers or floats, or dates with a [`frequency`](Self::frequency).
    #[doc(alias = "tname")]
    pub time: String,
    /// What a period is, if the time and group columns have dates: results count periods and show dates.
    pub frequency: Option<Frequency>,
    /// First period in which the treatment is enabled for the row's unit; 0, +inf or null if never.
    #[doc(alias = "gname")]
    pub group: String,
    /// 1 if the treatment, once enabled, applies to the row's unit, else 0.
    #[doc(alias = "pname")]
    #[doc(alias = "partition")]
    pub eligible: String,
    /// Formula of the covariates; see [`AttGt::covariates`](crate::AttGt::covariates).
    #[doc(alias = "xformla")]
    #[builder(default = super::constant())]
    #[serde(default = "super::constant")]
    pub covariates: String,
    /// Takes a panel's covariates from the cell's own period instead of its base period.
    #[builder(default)]
    #[serde(default)]
    pub covariates_of_cell: bool,
    /// Sampling weights; in a panel, a cell uses those of the period that gives its covariates.
    #[doc(alias = "weightsname")]
    pub weights: Option<String>,
    /// Cluster of standard errors, constant within units; without it they are clustered by unit.
    pub cluster: Option<String>,
    /// Comparison cohorts.
    #[builder(default)]
    #[serde(default)]
    pub control_group: ControlGroup,
    /// Base period.
    #[builder(default)]
    #[serde(default)]
    pub base_period: BasePeriod,
    /// Two-by-two estimator.
    #[doc(alias = "est_method")]
    #[builder(default)]
    #[serde(default)]
    pub method: EstimationMethod,
    /// Treats every row as a unit of its own.
    #[doc(alias = "panel")]
    #[builder(default)]
    #[serde(default)]
    pub repeated_cross_sections: bool,
    /// Units that are missing in some periods.
    #[doc(alias = "allow_unbalanced_panel")]
    #[builder(default)]
    #[serde(default)]
    pub unbalanced: UnbalancedPanel,
    /// Words and numbers that stand for a missing value; see [`AttGt::missing_values`](crate::AttGt::missing_values).
    #[builder(with = |values: impl IntoIterator<Item = impl Into<String>>| values.into_iter().map(Into::into).collect())]
    pub missing_values: Option<Vec<String>>,
    /// One minus the confidence level.
    #[builder(default = super::five_percent())]
    #[serde(default = "super::five_percent")]
    pub alpha: f64,
    /// Multiplier bootstrap; analytic standard errors without it.
    #[doc(alias = "boot")]
    pub bootstrap: Option<Bootstrap>,
    /// Uniform bands or pointwise intervals; uniform with a bootstrap and pointwise without if not given.
    #[doc(alias = "cband")]
    pub band: Option<Band>,
    /// Floating-point type of the device.
    #[builder(default)]
    #[serde(default)]
    pub precision: Precision,
    /// Keeps the influence values by unit: `8 n` bytes a cell.
    #[doc(alias = "inffunc")]
    #[builder(default)]
    #[serde(default)]
    pub keep_influence: bool,
    /// Rows that are on the device at once; see [`AttGt::chunk_rows`](crate::AttGt::chunk_rows).
    pub chunk_rows: Option<usize>,
    /// Bytes of unit data in memory or on the device at once; see [`AttGt::memory_budget`](crate::AttGt::memory_budget).
    pub memory_budget: Option<u64>,
    /// Hears how far the fit has come.
    #[serde(skip)]
    pub progress: Option<Progress>,
    #[builder(skip)]
    #[serde(skip)]
    backend: PhantomData<fn() -> B>,
}

impl<B: DidBackend> Ddd<B> {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`], [`DidError::Formula`], or [`DidError::Memory`] for more draws than there is room for.
    pub fn validate(&self) -> Result<()> {
        sizes::check_draws(self.bootstrap.as_ref())?;
        self.inference().validate()?;
        Formula::parse(&self.covariates)?;
        check_chunk_rows(self.chunk_rows)?;
        setup::check_unit(&self.unit, self.repeated_cross_sections)?;
        if self.unbalanced != UnbalancedPanel::Drop && self.repeated_cross_sections {
            return Err(DidError::Config {
                option: "unbalanced",
                expected: "`drop` for repeated cross sections",
                got: format!("{:?}", self.unbalanced).to_lowercase(),
            });
        }
        Ok(())
    }

    /// Estimates all cells from a data frame, a lazy frame, or the path of a CSV or parquet file; see
    /// [`AttGt::fit`](crate::AttGt::fit).
    ///
    /// # Errors
    /// [`DidError`] naming the option, column, unit or device at fault. A cell that cannot be estimated is not an error:
    /// it carries its reason in [`AttGtResult::cells`].
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>, device: &B::Device) -> Result<AttGtResult> {
        self.fit_on(data, std::slice::from_ref(device))
    }

    /// As [`fit`](Self::fit), on several devices at once; see [`AttGt::fit_on`](crate::AttGt::fit_on).
    ///
    /// # Errors
    /// As [`fit`](Self::fit); [`DidError::Config`] without a device.
    pub fn fit_on<'a>(
        &self,
        data: impl Into<Data<'a>>,
        devices: &[B::Device],
    ) -> Result<AttGtResult> {
        self.validate()?;
        let _span = tracing::info_span!("ddd", backend = B::NAME).entered();
        self.estimate(self.setup()?.open::<B>(data.into(), devices)?)
    }

    /// As [`fit`](Self::fit), from parquet files that need not fit in memory; see
    /// [`AttGt::fit_parquet`](crate::AttGt::fit_parquet).
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`DidError::Io`] for a file that cannot be read or written.
    pub fn fit_parquet(
        &self,
        path: impl AsRef<std::path::Path>,
        devices: &[B::Device],
    ) -> Result<AttGtResult> {
        self.validate()?;
        let _span = tracing::info_span!("ddd", backend = B::NAME).entered();
        self.estimate(self.setup()?.open_parquet::<B>(path.as_ref(), devices)?)
    }

    pub(in crate::estimator) fn estimate<S: Source>(
        &self,
        opened: Opened<S>,
    ) -> Result<AttGtResult> {
        let Opened { setup, source, start, mut timings } = opened;
        let before = start.elapsed().as_secs_f64();
        let sample = source.sample();
        let plan = TriplePlan::new(sample, &self.plan(sample));
        let inferred = Inferred {
            columns: plan.cells.len() + sample.groups.len(),
            bootstrap: self.bootstrap.as_ref(),
            keep_influence: self.keep_influence,
            devices: source.devices(),
        };
        inferred.check(sample)?;
        let recipe = Recipe::new(self.method.into());
        let (combined, dropped) = {
            let _span = tracing::info_span!("cells", cells = plan.cells.len()).entered();
            let Results { cells, dropped } = estimate(&source, &plan.components, &recipe)?;
            (plan.combine(&source, &recipe, &cells)?, dropped)
        };
        let Combined { cells: estimated, comparisons, lost, equal } = combined;
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let (stat, kept) = {
            let _span = tracing::info_span!("influence").entered();
            let usable = estimated.iter().map(|e| e.as_ref().ok());
            let consumers = consumers(sample, self.bootstrap.as_ref(), self.keep_influence);
            let pass = influence_pass(sample, usable, consumers, self.precision, recipe.trim);
            kept::influence(&source, &pass, plan.cells.len())?
        };
        let solved = solved(estimated, &comparisons, sample.two_periods);
        let settings = Settings {
            base_period: self.plan(sample).base_period,
            method: Some(self.method),
            ..setup.settings("ddd", &self.covariates, source.backend(), sample, self.inference())
        };
        let mut warnings = setup::warnings(sample, dropped);
        warnings.extend(lost.iter().map(|l| lost_comparison(l, sample, &plan)));
        warnings.extend(equal.iter().map(|cell| {
            let planned = &plan.cells[*cell];
            let (group, time) =
                (sample.cohorts[planned.cohort].group, sample.periods[planned.time]);
            DidWarning::EqualWeights { group, time }
        }));
        let stat = Some(stat);
        let outcome = finish::Outcome { solved, stat, kept, settings, timings, warnings };
        let result = finish::result(sample, &plan.cells, outcome, start)?;
        let comparisons =
            comparisons.iter().map(|c| comparison(c, &result, sample.y_scale)).collect();
        Ok(AttGtResult { comparisons, ..result })
    }

    fn plan(&self, sample: &Sample) -> PlanOptions {
        let by_default =
            if self.covariates_of_cell { CovariatePeriod::Cell } else { CovariatePeriod::Base };
        PlanOptions {
            control_group: self.control_group,
            // The only other cell of two periods would be the reference.
            base_period: if sample.two_periods { BasePeriod::Varying } else { self.base_period },
            anticipation: 0.0,
            fix_weights: None,
            covariates: by_default,
            pairs: self.unbalanced == UnbalancedPanel::Pairs,
        }
    }

    pub(in crate::estimator) fn setup(&self) -> Result<Setup> {
        let rows = self.repeated_cross_sections || self.unbalanced != UnbalancedPanel::Drop;
        let conditioning = if rows { Conditioning::Levels } else { Conditioning::Changes };
        Ok(Setup {
            roles: Roles {
                outcome: self.outcome.clone(),
                unit: self.unit.clone(),
                time: self.time.clone(),
                group: self.group.clone(),
                treatment: Treatment::FirstPeriod,
                eligible: Some(self.eligible.clone()),
                weights: self.weights.clone(),
                cluster: setup::cluster(&self.cluster, &self.unit, self.repeated_cross_sections),
                covariates: Formula::parse(&self.covariates)?,
                frequency: self.frequency,
            },
            sample: SampleOptions {
                timing: Timing::Either,
                control_group: self.control_group,
                stand_in: false,
                anticipation: 0,
                repeated_cross_sections: self.repeated_cross_sections,
                allow_unbalanced: self.unbalanced != UnbalancedPanel::Drop,
                pairs: self.unbalanced == UnbalancedPanel::Pairs,
                labels: self.keep_influence,
            },
            fix_weights: None,
            conditioning: conditioning(self.precision),
            missing: MissingValues::new(self.missing_values.as_deref()),
            cells: Cells::Joint,
            precision: self.precision,
            chunk_rows: self.chunk_rows,
            memory_budget: self.memory_budget,
            progress: self.progress.clone(),
        })
    }

    fn inference(&self) -> Inference {
        setup::inference(self.alpha, self.bootstrap, self.band)
    }
}

/// Point estimates; which of them divide by one less than the number of units.
fn solved(
    estimated: Vec<std::result::Result<Estimated, CellStatus>>,
    comparisons: &[TripleEstimate],
    two_periods: bool,
) -> Vec<std::result::Result<finish::Solved, CellStatus>> {
    let mut cohorts = vec![0; estimated.len()];
    for comparison in comparisons {
        cohorts[comparison.cell] += 1;
    }
    let cells = estimated.into_iter().zip(cohorts);
    let solved = |e: Estimated, cohorts: usize| finish::Solved {
        sample_sd: two_periods || cohorts > 1,
        ..e.into()
    };
    cells.map(|(estimated, cohorts)| estimated.map(|e| solved(e, cohorts))).collect()
}

fn lost_comparison(lost: &LostComparison, sample: &Sample, plan: &TriplePlan) -> DidWarning {
    let cell = &plan.cells[lost.cell];
    DidWarning::LostComparison {
        group: sample.cohorts[cell.cohort].group,
        time: sample.periods[cell.time],
        comparison: if lost.group.is_finite() { lost.group } else { 0.0 },
        reason: lost.reason.shown(sample.calendar.frequency),
    }
}

fn comparison(estimate: &TripleEstimate, result: &AttGtResult, y_scale: f64) -> TripleComparison {
    let cell = &result.cells[estimate.cell];
    let [treated_ineligible, untreated_eligible, untreated_ineligible] =
        estimate.components.map(|did| did * y_scale);
    TripleComparison {
        group: cell.group,
        time: cell.time,
        comparison: Some(estimate.group).filter(|g| g.is_finite()),
        treated_ineligible,
        untreated_eligible,
        untreated_ineligible,
        att: estimate.att() * y_scale,
        weight: estimate.weight,
    }
}
