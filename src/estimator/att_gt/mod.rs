//! [`AttGt`]: configuration and fit.

pub(crate) mod callback;

use std::time::Instant;

use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::{
    Band, Bootstrap, ControlGroup, EstimationMethod, FixWeights, Inference, Precision,
};
use crate::engine::backend::DidBackend;
use crate::engine::cell::{PlanOptions, Recipe, estimate, plan_cells};
use crate::engine::condition::Conditioning;
use crate::engine::source::{HostStrata, Work};
use crate::estimator::group_time::GroupTimeResult;
use crate::estimator::group_time::finish::{self, PointFit, SolvedCell};
use crate::estimator::group_time::moments::EffectMoments;
use crate::estimator::shell::design::SampleDesign;
use crate::estimator::shell::moments::{InfluenceMoments, consumers};
use crate::estimator::shell::setup::{self, Opened, SampleSetup};
use crate::estimator::shell::{self, Options, SampleEstimator, estimator};
use crate::estimator::weighting::form::{Made, Weighed, Weights};
use crate::read::input::Data;
use crate::read::panel::{FormedCells, Panel, Sample, Staggered, StudyDesign};
use crate::result::settings::{EstimatorSettings, Settings};

estimator! {
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
    ///     .fit(&data::mpdta())?;
    /// let event_study = fit.aggregate(Aggregation::dynamic())?;
    /// assert_eq!(event_study.rows.len(), 7);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// Parquet files that need not fit in memory, on two devices:
    ///
    /// ```no_run
    /// # use burn_did::{AttGt, backend::Cpu};
    /// # let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g").build();
    /// let devices = [Default::default(), Default::default()];
    /// let fit = config.fit_on_devices(burn_did::Data::in_pieces("panel/*.parquet"), &devices)?;
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct AttGt -> GroupTimeResult with [covariates, repeated_cross_sections, weighting] listed [unit_or_rows, time, frequency, base_period, anticipation, band] {
        /// First treated period of the row's unit; 0, +inf or null if never treated.
        #[doc(alias = "gname")]
        pub group: String,
        /// Formula of the covariates, such as `"~ x1 + log(x2) + C(region) + x1:x3 + I(x1^2)"`.
        #[doc(alias = "xformla")]
        #[builder(default = crate::base::options::defaults::COVARIATES.to_owned())]
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
        pub control_group: ControlGroup,
        /// Two-by-two estimator.
        #[doc(alias = "est_method")]
        #[builder(default)]
        pub method: EstimationMethod,
        /// Keeps units that are missing in some periods, instead of dropping them. All rows are then compared as pooled cross sections,
        /// mostly with larger standard errors. Repeated cross sections have no units to drop: it has no effect there, as in R.
        #[builder(default)]
        pub allow_unbalanced_panel: bool,
        /// Multiplier bootstrap; analytic standard errors without it.
        #[doc(alias = "bstrap")]
        pub bootstrap: Option<Bootstrap>,
        /// Skips influence values: no standard errors, no aggregation.
        #[doc(alias = "compute_inffunc")]
        #[builder(default)]
        pub point_estimates_only: bool,
        /// Keeps what each cluster contributes to effects, without the values of its units, for covariances between estimators.
        #[builder(default, setters(vis = "pub(crate)"))]
        pub(crate) keep_by_cluster: bool,
    }
}

impl<B: DidBackend> SampleEstimator for AttGt<B> {
    const NAME: &'static str = "att_gt";

    type Result = GroupTimeResult;

    fn check(&self) -> Result<()> {
        if !self.repeated_cross_sections {
            return Ok(());
        }
        if self.fix_weights.is_some_and(|f| f != FixWeights::Varying) {
            let expected = "unset or `varying` for repeated cross sections";
            return Err(DidError::config("fix_weights", expected, "a period"));
        }
        Ok(())
    }

    fn inference(&self) -> Inference {
        self.shared().inference(self.band)
    }

    fn design(&self) -> SampleDesign<'_> {
        // Unit constants drop out of changes only.
        let levels = self.repeated_cross_sections
            || self.allow_unbalanced_panel
            || self.fix_weights == Some(FixWeights::Varying);
        let study = StudyDesign::Staggered(Staggered {
            control_group: self.control_group,
            anticipation: self.anticipation,
        });
        SampleDesign {
            allow_unbalanced: self.allow_unbalanced_panel && !self.repeated_cross_sections,
            fix_weights: self.fix_weights,
            independent_rows: self.repeated_cross_sections,
            conditioning: if levels { Conditioning::Levels } else { Conditioning::Changes },
            cells: match self.point_estimates_only {
                true => FormedCells::Points,
                false => self.shared().joint_cells(),
            },
            ..SampleDesign::new(&self.group, study)
        }
    }

    fn estimate(&self, opened: Opened) -> Result<GroupTimeResult> {
        let Opened { setup, source, start, mut timings } = opened;
        let before = start.elapsed().as_secs_f64();
        let sample = source.sample();
        let planned = plan_cells(sample, &self.plan());
        let columns = planned.len() + sample.groups.len();
        let work = Work { parts: true, ..self.shared().work(columns) };
        if !self.point_estimates_only {
            source.check(&work)?;
        }
        let asked = self.shared().weighting;
        asked.check(&*source, planned.iter())?;
        let recipe = Recipe::guarded(self.method);
        let estimated = {
            let _span = tracing::info_span!("cells", cells = planned.len()).entered();
            estimate(&*source, &planned, &recipe)?.cells
        };
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let settings = self.settings(&setup, source.backend(), sample, Some(self.method));
        let made = Made::new(&settings, self.method.word(), &recipe);
        let weighed = Weighed::of_cells(sample, &planned, &estimated);
        let Weights { weighting, scores } = asked.form(&*source, &weighed, made)?;
        let moments = if self.point_estimates_only {
            None
        } else {
            let usable = estimated.iter().map(|e| e.as_ref().ok());
            Some(EffectMoments::form(&*source, usable, &work, recipe.trim)?)
        };
        let fitted = PointFit {
            keep_by_cluster: self.keep_by_cluster || self.keep_influence,
            solved: estimated.into_iter().map(|e| e.map(SolvedCell::from)).collect(),
            moments,
            unit: 1.0,
            settings,
            timings: timings.of(&*source),
            warnings: self.warnings(sample),
        };
        let result = finish::result(sample, &planned, fitted, start)?;
        Ok(GroupTimeResult { weighting, scores, ..result })
    }
}

impl<B: DidBackend> AttGt<B> {
    /// Estimates all cells with a user-supplied two-by-two estimator, on the host.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`DidError::Callback`] if it returns the wrong number of influence values.
    pub fn fit_with<'a>(
        &self,
        data: impl Into<Data<'a>>,
        estimator: &dyn crate::estimator::TwoByTwo,
    ) -> Result<GroupTimeResult> {
        let start = Instant::now();
        self.validate()?;
        self.shared()
            .weighting
            .refuse("off with a user-supplied estimator, whose weights are not known")?;
        if self.fix_weights == Some(FixWeights::Varying) && !self.repeated_cross_sections {
            return Err(DidError::config(
                "fix_weights",
                "unset or a period with a user-supplied estimator on a panel",
                "varying",
            ));
        }
        let setup = SampleSetup { conditioning: Conditioning::Raw, ..shell::setup(self)? };
        let (Panel { mut sample, strata }, read) = setup.panel(data.into(), start)?;
        let strata = HostStrata::new(strata);
        let change = setup.change(&strata, &mut sample)?;
        let panel = strata.condition(sample, change)?;
        let mut timings = setup::ingested(read, start);
        let before = start.elapsed().as_secs_f64();
        let sample = &panel.sample;
        let planned = plan_cells(sample, &self.plan());
        let work = self.shared().work(planned.len() + sample.groups.len());
        work.check_memory(sample, Precision::F64, 1)?;
        let consumers = consumers(sample, &work);
        let (solved, stat, kept) = callback::estimate(&panel, &planned, consumers, estimator)?;
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let moments = InfluenceMoments::new(stat, kept, work.columns, sample.n_clusters)?;
        let fitted = PointFit {
            keep_by_cluster: self.keep_by_cluster || self.keep_influence,
            solved,
            moments: Some(EffectMoments::Whole(moments)),
            unit: 1.0,
            settings: self.settings(&setup, "host", sample, None),
            timings,
            warnings: self.warnings(sample),
        };
        finish::result(sample, &planned, fitted, start)
    }

    fn plan(&self) -> PlanOptions {
        PlanOptions {
            control_group: self.control_group,
            base_period: self.base_period,
            anticipation: f64::from(self.anticipation),
            fix_weights: self.fix_weights,
            ..PlanOptions::default()
        }
    }

    /// Warnings of the sample, that two periods have no band, and of options that have no effect.
    fn warnings(&self, sample: &Sample) -> Vec<DidWarning> {
        let is_idle = sample.periods.len() == 2 && self.band == Some(Band::Uniform);
        let idle = is_idle.then_some(DidWarning::BandOfOne);
        let unused = [
            (self.fix_weights.is_some() && self.weights.is_none()).then_some((
                "fix_weights",
                "there are no sampling weights (`weights`, --weightsname)",
            )),
            (self.allow_unbalanced_panel && self.repeated_cross_sections).then_some((
                "allow_unbalanced_panel",
                "repeated cross sections have no units to drop",
            )),
        ];
        let unused = unused.into_iter().flatten();
        let unused = unused.map(|(option, reason)| DidWarning::without_effect(option, reason));
        let of_sample = setup::warnings(sample, &self.plan(), Vec::new());
        of_sample.into_iter().chain(idle).chain(unused).collect()
    }

    fn settings(
        &self,
        setup: &SampleSetup,
        backend: &str,
        sample: &Sample,
        method: Option<EstimationMethod>,
    ) -> Settings {
        let of_estimator = EstimatorSettings::AttGt {
            control_group: self.control_group,
            last_cohort: setup::last_cohort(sample),
            base_period: self.base_period,
            method,
            anticipation: self.anticipation,
            fix_weights: self.fix_weights,
        };
        let mut settings = shell::settings(self, setup, backend, sample, of_estimator);
        if sample.periods.len() == 2 {
            settings.inference.band = Band::Pointwise;
        }
        settings
    }
}
