//! [`AttGt`]: configuration and fit.

use std::marker::PhantomData;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::input::Data;
use super::result::{AttGtResult, Timings};
use super::{callback, finish};
use crate::backend::DidBackend;
use crate::cell::{PlanOptions, estimate, influence_pass, plan_cells};
use crate::error::{DidError, Result};
use crate::inference::multipliers;
use crate::options::{
    Band, BasePeriod, Bootstrap, ControlGroup, EstimationMethod, FixWeights, Inference, Precision,
};
use crate::panel::formula::Formula;
use crate::panel::{
    Conditioning, Panel, ParquetFiles, Request, Roles, Sample, SampleOptions, Storage, ingest,
    ingest_parquet,
};
use crate::pass::{Consumers, InfluencePass};
use crate::progress::Progress;
use crate::report::Settings;
use crate::source::{Local, LocalOptions, Source};

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
    /// Period: integers or floats.
    #[doc(alias = "tname")]
    pub time: String,
    /// First treated period of the row's unit; 0, +inf or null if never treated.
    #[doc(alias = "gname")]
    pub group: String,
    /// Formula of the covariates, such as `"~ x1 + log(x2) + C(region) + x1:x3 + I(x1^2)"`.
    #[doc(alias = "xformla")]
    #[builder(default = "~ 1".to_owned())]
    #[serde(default = "constant")]
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
    /// One minus the confidence level.
    #[doc(alias = "alp")]
    #[builder(default = 0.05)]
    #[serde(default = "five_percent")]
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

fn constant() -> String {
    "~ 1".to_owned()
}

fn five_percent() -> f64 {
    0.05
}

impl<B: DidBackend> AttGt<B> {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`] or [`DidError::Formula`].
    pub fn validate(&self) -> Result<()> {
        let config = |option, expected, got: &str| {
            Err(DidError::Config { option, expected, got: got.to_owned() })
        };
        self.inference().validate()?;
        Formula::parse(&self.covariates)?;
        if self.unit.is_none() && !self.repeated_cross_sections {
            return config(
                "unit",
                "a column for a panel (or choose repeated cross sections)",
                "none",
            );
        }
        if self.allow_unbalanced_panel && self.repeated_cross_sections {
            return config("allow_unbalanced_panel", "off for repeated cross sections", "true");
        }
        if self.chunk_rows == Some(0) {
            return config("chunk_rows", "at least 1", "0");
        }
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

    /// Estimates all cells from a data frame, a lazy frame, or the path of a CSV or parquet file. Parquet files that would
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
        let start = Instant::now();
        self.validate()?;
        let data = data.into();
        let roles = self.roles()?;
        if let Some(path) = self.too_large(&data, &roles)? {
            return self.fit_parquet(path, devices);
        }
        let _span = tracing::info_span!("att_gt", backend = B::NAME).entered();
        self.probe(devices)?;
        let df = data.read(&roles.names())?;
        let read = start.elapsed().as_secs_f64();
        let panel = {
            let _span = tracing::info_span!("ingest", rows = df.height()).entered();
            ingest(&df, &self.request(&roles, self.conditioning(), Storage::Resident))?
        };
        drop(df);
        self.fit_panel(panel, devices, read, start)
    }

    /// As [`fit`](Self::fit), from parquet files that need not fit in memory: a file, a pattern such as `data/*.parquet`, or
    /// a directory. The result is the same to the last bit.
    ///
    /// The files are read piece by piece (whole row groups, about a million rows), two to four times: to survey the units,
    /// to arrange their rows, and in between if there are covariates, weights, clusters or categoricals to look at. If the
    /// rows are not in ascending order of the units, throughout the files in the order of their names, the columns needed
    /// are first written once more, grouped by unit, to the directory for temporary files.
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
        let path = path.as_ref();
        if self.repeated_cross_sections {
            return self.fit_on(path, devices);
        }
        let start = Instant::now();
        self.validate()?;
        let _span = tracing::info_span!("att_gt", backend = B::NAME).entered();
        self.probe(devices)?;
        let roles = self.roles()?;
        let files = ParquetFiles::open(path, &roles, self.memory_budget, self.progress.clone())?;
        let read = start.elapsed().as_secs_f64();
        let storage = Storage::Within(self.memory_budget);
        let panel = {
            let _span = tracing::info_span!("ingest").entered();
            ingest_parquet(&files, &self.request(&roles, self.conditioning(), storage))?
        };
        drop(files);
        self.fit_panel(panel, devices, read, start)
    }

    /// The path of parquet files of a panel that should be read piece by piece.
    fn too_large<'a>(
        &self,
        data: &'a Data<'_>,
        roles: &Roles,
    ) -> Result<Option<&'a std::path::Path>> {
        let Data::Path(path) = data else { return Ok(None) };
        if self.repeated_cross_sections || !ParquetFiles::is_parquet(path) {
            return Ok(None);
        }
        let bytes = ParquetFiles::frame_bytes(path, roles.names().len())?;
        let half = crate::memory::free().map(|free| free / 2);
        let limit = self.memory_budget.into_iter().chain(half).min();
        Ok(limit.is_some_and(|limit| bytes > limit).then_some(path))
    }

    /// Whether the devices can do the precision, before any work.
    fn probe(&self, devices: &[B::Device]) -> Result<()> {
        devices.iter().try_for_each(|device| B::probe(device, self.precision).map(drop))
    }

    /// Puts the sample on the devices and estimates all cells.
    fn fit_panel(
        &self,
        panel: Panel,
        devices: &[B::Device],
        read: f64,
        start: Instant,
    ) -> Result<AttGtResult> {
        let options = LocalOptions {
            precision: self.precision,
            chunk_rows: self.chunk_rows,
            memory_budget: self.memory_budget,
            progress: self.progress.clone(),
        };
        let local = {
            let _span = tracing::info_span!("upload").entered();
            Local::<B>::new(panel, devices, options)?
        };
        let ingest = start.elapsed().as_secs_f64() - read;
        let timings = Timings { read, ingest, ..Timings::default() };
        self.fit_source(&local, timings, start)
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
        let roles = self.roles()?;
        let df = data.into().read(&roles.names())?;
        let read = start.elapsed().as_secs_f64();
        let panel = ingest(&df, &self.request(&roles, Conditioning::Raw, Storage::Resident))?;
        let ingest = start.elapsed().as_secs_f64() - read;
        let cells = plan_cells(&panel.sample, &self.plan());
        let (solved, stat) =
            callback::estimate(&panel, &cells, self.consumers(&panel.sample), estimator)?;
        let mut timings = Timings { read, ingest, ..Timings::default() };
        timings.estimate = start.elapsed().as_secs_f64() - read - ingest;
        let settings = Settings { method: None, ..self.settings(&panel.sample, "host") };
        let outcome = finish::Outcome { solved, stat: Some(stat), settings, timings };
        finish::result(&panel.sample, &cells, outcome, self.keep_influence, start)
    }

    /// Estimates all cells from a source.
    fn fit_source<S: Source>(
        &self,
        source: &S,
        mut timings: Timings,
        start: Instant,
    ) -> Result<AttGtResult> {
        let before = start.elapsed().as_secs_f64();
        let sample = source.sample();
        let cells = plan_cells(sample, &self.plan());
        let estimated = {
            let _span = tracing::info_span!("cells", cells = cells.len()).entered();
            estimate(source, &cells, self.method)?
        };
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let stat = if self.point_estimates_only {
            None
        } else {
            let _span = tracing::info_span!("influence").entered();
            let usable = estimated.iter().map(|e| e.as_ref().ok());
            let pass = influence_pass(sample, usable, self.consumers(sample), source.precision());
            check_memory(sample, &pass)?;
            Some(source.run(&pass)?)
        };
        let solved = estimated
            .into_iter()
            .map(|e| e.map(|e| finish::Solved { att: e.att, not_converged: e.not_converged }))
            .collect();
        let settings = self.settings(sample, B::NAME);
        let outcome = finish::Outcome { solved, stat, settings, timings };
        finish::result(sample, &cells, outcome, self.keep_influence, start)
    }

    fn roles(&self) -> Result<Roles> {
        // In a panel, the unit itself is the default cluster; in repeated cross sections it joins rows.
        let is_default =
            |c: &String| !self.repeated_cross_sections && Some(c) == self.unit.as_ref();
        let cluster = self.cluster.clone().filter(|c| !is_default(c));
        Ok(Roles {
            outcome: self.outcome.clone(),
            unit: self.unit.clone(),
            time: self.time.clone(),
            group: self.group.clone(),
            weights: self.weights.clone(),
            cluster,
            covariates: Formula::parse(&self.covariates)?,
        })
    }

    fn request<'a>(
        &self,
        roles: &'a Roles,
        conditioning: Conditioning,
        storage: Storage,
    ) -> Request<'a> {
        let options = SampleOptions {
            control_group: self.control_group,
            anticipation: self.anticipation,
            repeated_cross_sections: self.repeated_cross_sections,
            allow_unbalanced: self.allow_unbalanced_panel,
            labels: self.keep_influence,
        };
        let progress = self.progress.clone();
        Request { roles, options, fix_weights: self.fix_weights, conditioning, storage, progress }
    }

    /// Unit constants drop out of changes only.
    fn conditioning(&self) -> Conditioning {
        let rows = self.repeated_cross_sections
            || self.allow_unbalanced_panel
            || self.fix_weights == Some(FixWeights::Varying);
        if rows {
            Conditioning::Levels(self.precision)
        } else {
            Conditioning::Changes(self.precision)
        }
    }

    fn plan(&self) -> PlanOptions {
        PlanOptions {
            control_group: self.control_group,
            base_period: self.base_period,
            anticipation: f64::from(self.anticipation),
            fix_weights: self.fix_weights,
        }
    }

    fn inference(&self) -> Inference {
        let default = if self.bootstrap.is_some() { Band::Uniform } else { Band::Pointwise };
        Inference {
            alpha: self.alpha,
            bootstrap: self.bootstrap,
            band: self.band.unwrap_or(default),
        }
    }

    fn consumers(&self, sample: &Sample) -> Consumers {
        let clusters = sample.n_clusters;
        Consumers {
            clusters,
            multipliers: self
                .bootstrap
                .as_ref()
                .and_then(multipliers)
                .filter(|_| clusters.is_none()),
            keep_rows: self.keep_influence,
        }
    }

    fn settings(&self, sample: &Sample, backend: &str) -> Settings {
        let mut inference = self.inference();
        if sample.periods.len() == 2 {
            inference.band = Band::Pointwise;
        }
        Settings {
            estimator: "att_gt".into(),
            backend: backend.into(),
            precision: self.precision.name().into(),
            outcome: self.outcome.clone(),
            covariates: self.covariates.clone(),
            weights: self.weights.clone(),
            cluster: sample.n_clusters.and(self.cluster.clone()),
            control_group: self.control_group,
            base_period: self.base_period,
            method: Some(self.method),
            anticipation: self.anticipation,
            layout: sample.layout.name().into(),
            n_units: sample.n,
            n_rows: sample.audit.rows,
            n_clusters: sample.n_clusters,
            inference,
        }
    }
}

/// Whether the sums over influence values, and the values if they are kept, fit in free memory.
fn check_memory(sample: &Sample, pass: &InfluencePass) -> Result<()> {
    let (m, Consumers { clusters, multipliers, keep_rows }) = (pass.columns, pass.consumers);
    let draws = multipliers.map_or(0, |s| s.draws);
    // Tiles in flight have sums of their own.
    let copies = 1 + 8 * rayon::current_num_threads();
    let kept = if keep_rows { 2 * sample.n } else { 0 };
    let doubles = m * ((m + draws) * copies + clusters.unwrap_or(0) + kept);
    let needed = 8 * doubles as u64;
    match crate::memory::free().filter(|free| needed > *free) {
        None => Ok(()),
        Some(available) => Err(DidError::Memory {
            what: "what is kept of the influence values",
            needed,
            available,
            remedy: "do not keep influence values, or ask for fewer draws or clusters",
        }),
    }
}
