//! [`Drdid`]: configuration and fit.

mod finish;
mod result;
mod reweighted;

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::input::Data;
use super::kept::{self, KeptValues};
use super::setup::{self, Opened, Setup, check_chunk_rows, consumers};
use super::sizes::{self, Inferred};
use crate::backend::DidBackend;
use crate::calendar::Frequency;
use crate::cell::{
    CovariatePeriod, Estimated, Method, PlanOptions, PlannedCell, Recipe, Results, estimate,
    influence_pass, plan_cells,
};
use crate::condition::Conditioning;
use crate::error::{DidError, Result};
use crate::options::{
    Band, BasePeriod, Bootstrap, ControlGroup, DrdidMethod, FixWeights, Inference, Precision,
    Resampling,
};
use crate::panel::formula::Formula;
use crate::panel::{Cells, Layout, MissingValues, Roles, Sample, SampleOptions, Timing, Treatment};
use crate::pass::InfluenceStat;
use crate::progress::Progress;
use crate::source::Source;

use finish::Comparison;
pub use result::DrdidResult;

/// The average effect of a treatment on the treated from two groups in two periods, under parallel trends given covariates
/// (Sant'Anna and Zhao 2020, <https://doi.org/10.1016/j.jeconom.2020.06.003>).
///
/// ```
/// use burn_did::{Drdid, DrdidMethod, backend::Cpu, data::TwoPeriodSimulation};
///
/// let data = TwoPeriodSimulation::builder().units(2_000).seed(1).build();
/// let fit = Drdid::<Cpu>::builder()
///     .outcome("y")
///     .unit("id")
///     .time("period")
///     .treatment("treated")
///     .covariates("~ x1 + x2 + x3 + x4")
///     .method(DrdidMethod::DoublyRobust)
///     .build()
///     .fit(&data.frame(), &Default::default())?;
/// assert!(fit.estimate.se.is_some());
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, bon::Builder, Serialize, Deserialize)]
#[builder(on(String, into))]
#[serde(bound = "", deny_unknown_fields)]
pub struct Drdid<B: DidBackend> {
    /// Outcome: numbers or booleans.
    #[doc(alias = "yname")]
    pub outcome: String,
    /// Unit: integers, floats or strings. Needed for panels; repeated cross sections may have none.
    #[doc(alias = "idname")]
    pub unit: Option<String>,
    /// Period: two numbers, or dates of two periods, of which treatment starts in the later.
    #[doc(alias = "tname")]
    pub time: String,
    /// What a period is, if the time column has dates.
    pub frequency: Option<Frequency>,
    /// 1 for units (rows, for repeated cross sections) of the treated group, in both periods, and 0 for the others.
    #[doc(alias = "dname")]
    #[doc(alias = "treatname")]
    pub treatment: String,
    /// Formula of the covariates; see [`AttGt::covariates`](crate::AttGt::covariates). In a panel, values of the first period
    /// are used.
    #[doc(alias = "xformla")]
    #[builder(default = super::constant())]
    #[serde(default = "super::constant")]
    pub covariates: String,
    /// Sampling weights; in a panel, those of the first period are used (by [`DrdidMethod::Twfe`] with covariates, each row's own).
    #[doc(alias = "weightsname")]
    pub weights: Option<String>,
    /// Cluster of standard errors, constant within units; without it they are clustered by unit, but for
    /// [`DrdidMethod::Twfe`] with covariates, which takes the rows of a unit as independent unless the unit is the cluster.
    pub cluster: Option<String>,
    /// The estimator.
    #[doc(alias = "estMethod")]
    #[builder(default)]
    #[serde(default)]
    pub method: DrdidMethod,
    /// Whether the doubly robust estimators of repeated cross sections model the treated rows' outcomes too, which makes
    /// them locally efficient if the groups' composition is stable over time.
    #[builder(default = true)]
    #[serde(default = "yes")]
    pub locally_efficient: bool,
    /// Treats every row as a unit of its own.
    #[doc(alias = "panel")]
    #[builder(default)]
    #[serde(default)]
    pub repeated_cross_sections: bool,
    /// Comparison units with a propensity score of at least this get weight 0.
    #[doc(alias = "trim.level")]
    #[builder(default = crate::cell::TRIM)]
    #[serde(default = "trim_level")]
    pub trim_level: f64,
    /// Words and numbers that stand for a missing value; see [`AttGt::missing_values`](crate::AttGt::missing_values).
    #[builder(with = |values: impl IntoIterator<Item = impl Into<String>>| values.into_iter().map(Into::into).collect())]
    pub missing_values: Option<Vec<String>>,
    /// One minus the confidence level.
    #[builder(default = super::five_percent())]
    #[serde(default = "super::five_percent")]
    pub alpha: f64,
    /// Bootstrap; analytic standard errors without it. The law of the multipliers matters for [`Resampling::Multiplier`] only.
    #[doc(alias = "boot")]
    pub bootstrap: Option<Bootstrap>,
    /// How the bootstrap draws.
    #[doc(alias = "boot.type")]
    #[builder(default)]
    #[serde(default)]
    pub resampling: Resampling,
    /// Floating-point type of the device.
    #[builder(default)]
    #[serde(default)]
    pub precision: Precision,
    /// Keeps the influence values by unit.
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

fn yes() -> bool {
    true
}

fn trim_level() -> f64 {
    crate::cell::TRIM
}

impl<B: DidBackend> Drdid<B> {
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
        if !(self.trim_level > 0.0 && self.trim_level < 1.0) {
            return Err(DidError::Config {
                option: "trim_level",
                expected: "a number between 0 and 1",
                got: self.trim_level.to_string(),
            });
        }
        Ok(())
    }

    /// Estimates the effect from a data frame, a lazy frame, or the path of a CSV or parquet file; see
    /// [`AttGt::fit`](crate::AttGt::fit).
    ///
    /// # Errors
    /// [`DidError`] naming the option, column, unit or device at fault. Data from which the estimator cannot be formed
    /// (collinear covariates, no overlap) are not an error: [`DrdidResult::status`] says why there is no estimate.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>, device: &B::Device) -> Result<DrdidResult> {
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
    ) -> Result<DrdidResult> {
        self.validate()?;
        let _span = tracing::info_span!("drdid", backend = B::NAME).entered();
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
    ) -> Result<DrdidResult> {
        self.validate()?;
        let _span = tracing::info_span!("drdid", backend = B::NAME).entered();
        self.estimate(self.setup()?.open_parquet::<B>(path.as_ref(), devices)?)
    }

    pub(in crate::estimator) fn estimate<S: Source>(
        &self,
        opened: Opened<S>,
    ) -> Result<DrdidResult> {
        let Opened { setup, source, start, mut timings } = opened;
        let before = start.elapsed().as_secs_f64();
        let sample = source.sample();
        let inferred = Inferred {
            // The rows of two periods, and the group's share.
            columns: 3,
            bootstrap: self.multiplied(),
            keep_influence: self.keep_influence,
            devices: source.devices(),
        };
        inferred.check(sample)?;
        let recipe = self.recipe(sample);
        let cell = self.cell(sample, recipe.method)?;
        let Results { mut cells, dropped } =
            estimate(&source, std::slice::from_ref(&cell), &recipe)?;
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let inference = self.inference();
        let settings =
            setup.settings("drdid", &self.covariates, source.backend(), sample, inference);
        let mut comparison =
            Comparison::new(self, sample, recipe.method, &cell, settings, timings, dropped);
        let mut estimated = match cells.remove(0) {
            Ok(estimated) => estimated,
            Err(status) => return Ok(comparison.failed(status, start)),
        };
        if let Some(bootstrap) = self.weighted_bootstrap() {
            let _span = tracing::info_span!("bootstrap", draws = bootstrap.draws).entered();
            let draws = finish::weighted_draws(&source, &cell, &recipe, &estimated, bootstrap)?;
            comparison.draws = Some(draws);
        }
        let by_row = recipe.method == Method::Twfe && sample.layout == Layout::Balanced;
        let columns = columns(&mut estimated, by_row);
        let stat = self.influence(&source, &columns, recipe.trim)?;
        Ok(comparison.finish(&estimated, columns.len(), stat, start))
    }

    /// Sums over the influence values.
    fn influence<S: Source>(
        &self,
        source: &S,
        columns: &[Estimated],
        trim: f64,
    ) -> Result<(InfluenceStat, Option<KeptValues>)> {
        let _span = tracing::info_span!("influence").entered();
        let sample = source.sample();
        let consumers = consumers(sample, self.multiplied(), self.keep_influence);
        let all = columns.iter().map(Some);
        let pass = influence_pass(sample, all, consumers, self.precision, trim);
        kept::influence(source, &pass, columns.len())
    }

    fn multiplied(&self) -> Option<&Bootstrap> {
        self.bootstrap.as_ref().filter(|_| self.resampling == Resampling::Multiplier)
    }

    fn weighted_bootstrap(&self) -> Option<Bootstrap> {
        self.bootstrap.filter(|_| self.resampling == Resampling::Weighted)
    }

    fn recipe(&self, sample: &Sample) -> Recipe {
        let constant = sample.design.is_constant() && sample.layout == Layout::Balanced;
        let method = match self.method {
            DrdidMethod::DoublyRobustImproved => Method::Improved,
            DrdidMethod::DoublyRobust => Method::DoublyRobust,
            DrdidMethod::OutcomeRegression => Method::OutcomeRegression,
            DrdidMethod::Ipw => Method::Ipw,
            DrdidMethod::IpwHorvitzThompson => Method::HorvitzThompson,
            // As in R: without covariates, the regression of a panel is that of its changes.
            DrdidMethod::Twfe if constant => Method::OutcomeRegression,
            DrdidMethod::Twfe => Method::Twfe,
        };
        Recipe {
            locally_efficient: self.locally_efficient,
            trim: self.trim_level,
            ..Recipe::new(method)
        }
    }

    /// The only cell.
    fn cell(&self, sample: &Sample, method: Method) -> Result<PlannedCell> {
        let options = PlanOptions {
            control_group: ControlGroup::NeverTreated,
            base_period: BasePeriod::Varying,
            anticipation: 0.0,
            // The regression has a row for each period.
            fix_weights: (method == Method::Twfe).then_some(FixWeights::Varying),
            covariates: CovariatePeriod::Base,
            pairs: false,
        };
        let none = || DidError::NoValidGroups { anticipating: String::new() };
        plan_cells(sample, &options).pop().ok_or_else(none)
    }

    pub(in crate::estimator) fn setup(&self) -> Result<Setup> {
        let conditioning = match self.method {
            DrdidMethod::IpwHorvitzThompson if self.repeated_cross_sections => {
                Conditioning::Unshifted
            }
            DrdidMethod::IpwHorvitzThompson => Conditioning::UnshiftedChanges,
            DrdidMethod::Twfe => Conditioning::Levels,
            _ if self.repeated_cross_sections => Conditioning::Levels,
            _ => Conditioning::Changes,
        };
        Ok(Setup {
            roles: Roles {
                outcome: self.outcome.clone(),
                unit: self.unit.clone(),
                time: self.time.clone(),
                group: self.treatment.clone(),
                treatment: Treatment::Indicator,
                eligible: None,
                weights: self.weights.clone(),
                cluster: self.cluster_column(),
                covariates: Formula::parse(&self.covariates)?,
                frequency: self.frequency,
            },
            sample: SampleOptions {
                timing: Timing::TwoPeriods,
                control_group: ControlGroup::NeverTreated,
                stand_in: false,
                anticipation: 0,
                repeated_cross_sections: self.repeated_cross_sections,
                allow_unbalanced: false,
                pairs: false,
                labels: self.keep_influence,
            },
            fix_weights: None,
            conditioning: conditioning(self.precision),
            missing: MissingValues::new(self.missing_values.as_deref()),
            cells: Cells::One,
            precision: self.precision,
            chunk_rows: self.chunk_rows,
            memory_budget: self.memory_budget,
            progress: self.progress.clone(),
        })
    }

    fn cluster_column(&self) -> Option<String> {
        // The regression with fixed effects does not join the rows of a unit by itself.
        let rows_are_units = self.repeated_cross_sections || self.method == DrdidMethod::Twfe;
        setup::cluster(&self.cluster, &self.unit, rows_are_units)
    }

    fn inference(&self) -> Inference {
        Inference { alpha: self.alpha, bootstrap: self.bootstrap, band: Band::Pointwise }
    }
}

/// The estimate's influence as one column, or with the rows of each period in a column of their own.
fn columns(estimated: &mut Estimated, by_row: bool) -> Vec<Estimated> {
    let rows = std::mem::take(&mut estimated.rows);
    let column = |rows| Estimated { rows, ..Estimated::default() };
    if !by_row {
        return vec![column(rows)];
    }
    let (post, base): (Vec<_>, Vec<_>) = rows.into_iter().partition(|r| r.leg.post > 0);
    vec![column(base), column(post)]
}
