//! [`AttGt`]: configuration and fit.

use std::marker::PhantomData;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::input::Data;
use super::result::AttGtResult;
use super::setup::{self, Opened, Setup, check_chunk_rows, consumers};
use super::sizes::{self, Inferred};
use super::{callback, finish, kept};
use crate::backend::DidBackend;
use crate::calendar::Frequency;
use crate::cell::{CovariatePeriod, PlanOptions, Recipe, estimate, influence_pass, plan_cells};
use crate::condition::Conditioning;
use crate::error::{DidError, Result};
use crate::options::{
    Band, BasePeriod, Bootstrap, ControlGroup, EstimationMethod, FixWeights, Inference, Precision,
};
use crate::panel::formula::Formula;
use crate::panel::{Cells, MissingValues, Roles, Sample, SampleOptions, Timing, Treatment};
use crate::progress::Progress;
use crate::report::Settings;
use crate::source::{HostStrata, Source};

/// Group-time average treatment effects `ATT(g, t)` under staggered adoption.
///
/// For every group `g` (units first treated in period `g`) and period `t`, the average effect of the treatment on the
/// group in that period, under parallel trends given covariates between the group and its comparison units (Callaway and
/// Sant'Anna 2021, <https://doi.org/10.1016/j.jeconom.2020.12.001>, theorem 1).
///
/// ```
/// use burn_did::{Aggregation, AttGt, backend::Cpu, data};
///
/// let fit = AttGt::<Cpu>::builder()
///     .outcome("lemp")
///     .unit("countyreal")
///     .time("year")
///     .group("first.treat")
///     .build()
///     .fit(&data::mpdta(), &Default::default())?;
/// let event_study = fit.aggregate(Aggregation::dynamic())?;
/// assert_eq!(event_study.rows.len(), 7);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, bon::Builder, Serialize, Deserialize)]
#[builder(on(String, into))]
#[serde(bound = "", deny_unknown_fields)]
pub struct AttGt<B: DidBackend> {
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
    /// First treated period of the row's unit; 0, +inf or null if never treated.
    #[doc(alias = "gname")]
    pub group: String,
    /// Formula of the covariates, such as `"~ x1 + log(x2) + C(region) + x1:x3 + I(x1^2)"`.
    #[doc(alias = "xformla")]
    #[builder(default = super::constant())]
    #[serde(default = "super::constant")]
    pub covariates: String,
    /// Sampling weights.
    #[doc(alias = "weightsname")]
    pub weights: Option<String>,
    /// Which period's weight is used where weights change over time; see [`FixWeights`].
    pub fix_weights: Option<FixWeights>,
    /// Cluster of standard errors, constant within units; without it they are clustered by unit.
    #[doc(alias = "clustervars")]
    pub cluster: Option<String>,
    /// Comparison units.
    #[builder(default)]
    #[serde(default)]
    pub control_group: ControlGroup,
    /// Base period.
    #[builder(default)]
    #[serde(default)]
    pub base_period: BasePeriod,
    /// Periods before treatment in which units may already react.
    #[builder(default)]
    #[serde(default)]
    pub anticipation: u32,
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
    /// Keeps units that are missing in some periods, instead of dropping them.
    #[builder(default)]
    #[serde(default)]
    pub allow_unbalanced_panel: bool,
    /// Words and numbers that stand for a missing value, instead of the [usual words](crate::Data): texts in every column that are
    /// equal to one, and numbers equal to one that is a number, as in `["NA", "-99"]`. An empty field or text is missing in any
    /// case.
    #[doc(alias = "na.strings")]
    #[builder(with = |values: impl IntoIterator<Item = impl Into<String>>| values.into_iter().map(Into::into).collect())]
    pub missing_values: Option<Vec<String>>,
    /// One minus the confidence level.
    #[doc(alias = "alp")]
    #[builder(default = super::five_percent())]
    #[serde(default = "super::five_percent")]
    pub alpha: f64,
    /// Multiplier bootstrap; analytic standard errors without it.
    #[doc(alias = "bstrap")]
    pub bootstrap: Option<Bootstrap>,
    /// Uniform bands or pointwise intervals; uniform with a bootstrap and pointwise without if not given.
    #[doc(alias = "cband")]
    pub band: Option<Band>,
    /// Floating-point type of the device.
    #[builder(default)]
    #[serde(default)]
    pub precision: Precision,
    /// Keeps the influence values by unit: `8 n` bytes a cell.
    #[builder(default)]
    #[serde(default)]
    pub keep_influence: bool,
    /// Skips influence values: no standard errors, no aggregation.
    #[doc(alias = "compute_inffunc")]
    #[builder(default)]
    #[serde(default)]
    pub point_estimates_only: bool,
    /// Rows that are on the device at once within a stratum, rounded up to whole tiles; results do not depend on it.
    pub chunk_rows: Option<usize>,
    /// Bytes of unit data that may be on the device at once, and in memory in [`fit_parquet`](Self::fit_parquet); results do
    /// not depend on it.
    pub memory_budget: Option<u64>,
    /// Hears how far the fit has come.
    #[serde(skip)]
    pub progress: Option<Progress>,
    #[builder(skip)]
    #[serde(skip)]
    backend: PhantomData<fn() -> B>,
}

impl<B: DidBackend> AttGt<B> {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`], [`DidError::Formula`], or [`DidError::Memory`] for more draws than there is room for.
    pub fn validate(&self) -> Result<()> {
        let config = |option, expected, got: &str| {
            Err(DidError::Config { option, expected, got: got.to_owned() })
        };
        sizes::check_draws(self.bootstrap.as_ref())?;
        self.inference().validate()?;
        Formula::parse(&self.covariates)?;
        setup::check_unit(&self.unit, self.repeated_cross_sections)?;
        if self.allow_unbalanced_panel && self.repeated_cross_sections {
            return config("allow_unbalanced_panel", "off for repeated cross sections", "true");
        }
        check_chunk_rows(self.chunk_rows)?;
        let fixed = self.fix_weights.is_some_and(|f| f != FixWeights::Varying);
        if fixed && self.repeated_cross_sections {
            return config(
                "fix_weights",
                "unset or `varying` for repeated cross sections",
                "a period",
            );
        }
        Ok(())
    }

    /// Estimates all cells from a data frame, a lazy frame, or the path of CSV or parquet [files](Data). Parquet files that would
    /// take more than [`memory_budget`](Self::memory_budget), or half of the free memory, are read as by
    /// [`fit_parquet`](Self::fit_parquet).
    ///
    /// # Errors
    /// [`DidError`] naming the option, column, unit or device at fault. A cell that cannot be estimated is not an error:
    /// it carries its reason in [`AttGtResult::cells`].
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>, device: &B::Device) -> Result<AttGtResult> {
        self.fit_on(data, std::slice::from_ref(device))
    }

    /// As [`fit`](Self::fit), on several devices at once, each driven by a thread of its own. The result is the same to the
    /// last bit for any number of devices of one kind.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); [`DidError::Config`] without a device.
    pub fn fit_on<'a>(
        &self,
        data: impl Into<Data<'a>>,
        devices: &[B::Device],
    ) -> Result<AttGtResult> {
        self.validate()?;
        let _span = tracing::info_span!("att_gt", backend = B::NAME).entered();
        self.estimate(self.setup()?.open::<B>(data.into(), devices)?)
    }

    /// As [`fit`](Self::fit), from parquet files that need not fit in memory: a file, a directory, or a pattern such as
    /// `data/*.parquet`. The result is the same to the last bit.
    ///
    /// The files are read piece by piece (whole row groups, about a million rows), two to four times: to survey the units,
    /// to arrange their rows, and in between if there are covariates, weights, clusters or categoricals to look at. If the
    /// rows are not in ascending order of the units, throughout the files in the order of their names, the columns needed
    /// are first written once more, grouped by unit, to temporary files. Those have no names where the system can do without
    /// (else only their owner can read them), so that nothing is left of them however the process ends; `TMPDIR` says where
    /// they are.
    ///
    /// The arranged sample takes 8 bytes for each unit and column: outcomes by period, covariates, weights. If that is more
    /// than [`memory_budget`](Self::memory_budget) (half of the free memory without one), it is kept in a temporary file and
    /// read again in every pass. Repeated cross sections have no units to read by and are read as a whole.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`DidError::Io`] for a file that cannot be read or written.
    pub fn fit_parquet(
        &self,
        path: impl AsRef<std::path::Path>,
        devices: &[B::Device],
    ) -> Result<AttGtResult> {
        self.validate()?;
        let _span = tracing::info_span!("att_gt", backend = B::NAME).entered();
        self.estimate(self.setup()?.open_parquet::<B>(path.as_ref(), devices)?)
    }

    /// Estimates all cells with a user-supplied two-by-two estimator, on the host.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`DidError::Callback`] if it returns the wrong number of influence values.
    pub fn fit_with<'a>(
        &self,
        data: impl Into<Data<'a>>,
        estimator: &dyn super::TwoByTwo,
    ) -> Result<AttGtResult> {
        let start = Instant::now();
        self.validate()?;
        if self.fix_weights == Some(FixWeights::Varying) && !self.repeated_cross_sections {
            return Err(DidError::Config {
                option: "fix_weights",
                expected: "unset or a period with a user-supplied estimator on a panel",
                got: "varying".into(),
            });
        }
        let setup = Setup { conditioning: Conditioning::Raw, ..self.setup()? };
        let read = setup.panel(data.into(), start)?;
        let held = setup.held(read, start, |_, strata| HostStrata::new(strata))?;
        let Opened { setup, source: panel, mut timings, .. } = held;
        let before = start.elapsed().as_secs_f64();
        let cells = plan_cells(&panel.sample, &self.plan());
        self.inferred(&panel.sample, cells.len(), 1).check(&panel.sample)?;
        let consumers = consumers(&panel.sample, self.bootstrap.as_ref(), self.keep_influence);
        let (solved, stat, kept) = callback::estimate(&panel, &cells, consumers, estimator)?;
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let settings = Settings { method: None, ..self.settings(&setup, &panel.sample, "host") };
        let warnings = panel.sample.warnings.clone();
        let stat = Some(stat);
        let outcome = finish::Outcome { solved, stat, kept, settings, timings, warnings };
        finish::result(&panel.sample, &cells, outcome, start)
    }

    /// Estimates all cells.
    pub(in crate::estimator) fn estimate<S: Source>(
        &self,
        opened: Opened<S>,
    ) -> Result<AttGtResult> {
        let Opened { setup, source, start, mut timings } = opened;
        let before = start.elapsed().as_secs_f64();
        let sample = source.sample();
        let cells = plan_cells(sample, &self.plan());
        if !self.point_estimates_only {
            self.inferred(sample, cells.len(), source.devices()).check(sample)?;
        }
        let recipe = Recipe::guarded(self.method);
        let estimated = {
            let _span = tracing::info_span!("cells", cells = cells.len()).entered();
            estimate(&source, &cells, &recipe)?.cells
        };
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let (stat, kept) = if self.point_estimates_only {
            (None, None)
        } else {
            let _span = tracing::info_span!("influence").entered();
            let usable = estimated.iter().map(|e| e.as_ref().ok());
            let consumers = consumers(sample, self.bootstrap.as_ref(), self.keep_influence);
            let pass = influence_pass(sample, usable, consumers, self.precision, recipe.trim);
            let (stat, kept) = kept::influence(&source, &pass, cells.len())?;
            (Some(stat), kept)
        };
        let solved = estimated.into_iter().map(|e| e.map(finish::Solved::from)).collect();
        let settings = self.settings(&setup, sample, source.backend());
        let warnings = sample.warnings.clone();
        let outcome = finish::Outcome { solved, stat, kept, settings, timings, warnings };
        finish::result(sample, &cells, outcome, start)
    }

    fn inferred(&self, sample: &Sample, cells: usize, devices: usize) -> Inferred<'_> {
        Inferred {
            columns: cells + sample.groups.len(),
            bootstrap: self.bootstrap.as_ref(),
            keep_influence: self.keep_influence,
            devices,
        }
    }

    fn roles(&self) -> Result<Roles> {
        let cluster = setup::cluster(&self.cluster, &self.unit, self.repeated_cross_sections);
        Ok(Roles {
            outcome: self.outcome.clone(),
            unit: self.unit.clone(),
            time: self.time.clone(),
            group: self.group.clone(),
            treatment: Treatment::FirstPeriod,
            eligible: None,
            weights: self.weights.clone(),
            cluster,
            covariates: Formula::parse(&self.covariates)?,
            frequency: self.frequency,
        })
    }

    pub(in crate::estimator) fn setup(&self) -> Result<Setup> {
        // Unit constants drop out of changes only.
        let rows = self.repeated_cross_sections
            || self.allow_unbalanced_panel
            || self.fix_weights == Some(FixWeights::Varying);
        let conditioning = if rows { Conditioning::Levels } else { Conditioning::Changes };
        Ok(Setup {
            roles: self.roles()?,
            sample: SampleOptions {
                timing: Timing::Staggered,
                stand_in: true,
                control_group: self.control_group,
                anticipation: self.anticipation,
                repeated_cross_sections: self.repeated_cross_sections,
                allow_unbalanced: self.allow_unbalanced_panel,
                pairs: false,
                labels: self.keep_influence,
            },
            fix_weights: self.fix_weights,
            conditioning: conditioning(self.precision),
            missing: MissingValues::new(self.missing_values.as_deref()),
            cells: if self.point_estimates_only { Cells::Points } else { Cells::Joint },
            precision: self.precision,
            chunk_rows: self.chunk_rows,
            memory_budget: self.memory_budget,
            progress: self.progress.clone(),
        })
    }

    fn plan(&self) -> PlanOptions {
        PlanOptions {
            control_group: self.control_group,
            base_period: self.base_period,
            anticipation: f64::from(self.anticipation),
            fix_weights: self.fix_weights,
            covariates: CovariatePeriod::Earlier,
            pairs: false,
        }
    }

    fn inference(&self) -> Inference {
        setup::inference(self.alpha, self.bootstrap, self.band)
    }

    fn settings(&self, setup: &Setup, sample: &Sample, backend: &str) -> Settings {
        let mut inference = self.inference();
        if sample.periods.len() == 2 {
            inference.band = Band::Pointwise;
        }
        Settings {
            base_period: self.base_period,
            method: Some(self.method),
            ..setup.settings("att_gt", &self.covariates, backend, sample, inference)
        }
    }
}
