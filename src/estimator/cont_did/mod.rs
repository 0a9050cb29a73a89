//! [`ContDid`]: configuration and fit.

mod cck;
mod check;
mod curve;
mod effects;
mod kept;
mod law;
mod redrawn;
mod report;
mod result;

use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::{
    Bootstrap, CohortShares, ControlGroup, CurveErrors, DoseAggregation, DoseGrid, DoseMethod,
    DoseTarget, Inference, Resampling,
};
use crate::engine::backend::DidBackend;
use crate::engine::cell::{PlanOptions, PlannedCell, TRIM, dose_cells, plan_cells};
use crate::engine::condition::DoseQuery;
use crate::engine::source::Work;
use crate::estimator::shell::design::SampleDesign;
use crate::estimator::shell::moments::InfluenceMoments;
use crate::estimator::shell::setup::{self, Opened};
use crate::estimator::shell::{self, Options, SampleEstimator, estimator};
use crate::read::panel::{Sample, Staggered, StudyDesign, Treatment};
use crate::result::settings::EstimatorSettings;

pub use curve::{DoseCurve, DoseRow};
pub use result::{ContDidResult, DoseEffects, DoseKnots, DoseTable, GroupKnots};

use effects::{Assembly, InfluenceColumns};
use redrawn::Redrawn;

estimator! {
    /// Difference-in-differences with a continuous treatment (Callaway, Goodman-Bacon and Sant'Anna 2024,
    /// <https://arxiv.org/abs/2107.02637>): effects by dose, and their slopes.
    ///
    /// For units of a dose `d`, `ATT(d)` is the average effect of that dose on the units that got it, under parallel trends of
    /// these and the comparison units; under the stronger assumption that all doses' outcomes would have moved in parallel,
    /// its slope `ACRT(d)` is the average causal response of a little more of the dose. Curves are splines of the dose, of each
    /// group and period against its comparison units, averaged over the periods of a group and over groups by their size.
    ///
    /// ```
    /// use burn_did::{ContDid, backend::Cpu, data::DoseSimulation};
    ///
    /// let data = DoseSimulation::builder().units(2_000).seed(1).build();
    /// let fit = ContDid::<Cpu>::builder()
    ///     .outcome("y")
    ///     .unit("id")
    ///     .time("period")
    ///     .group("group")
    ///     .dose("dose")
    ///     .degree(2)
    ///     .build()
    ///     .fit(&data.frame())?;
    /// println!("{fit}");
    /// // Other doses need no other fit.
    /// let half = fit.at(&[0.5])?.rows[0];
    /// assert!(half.att.se.is_some() && half.acrt.se.is_some());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[doc(alias = "cont_did")]
    pub struct ContDid -> ContDidResult listed [time, frequency, base_period, anticipation, band] {
        /// Unit: integers, floats or strings.
        #[doc(alias = "idname")]
        pub unit: Option<String>,
        /// First treated period of the row's unit; 0, +inf or null if never treated. Without it, the first period in which the
        /// unit's dose is not 0.
        #[doc(alias = "gname")]
        pub group: Option<String>,
        /// Dose of the row's unit: from its treatment on one number, at least 0. With a group column it does not matter which number
        /// stands before, and with never-treated units, or whether there is one.
        #[doc(alias = "dname")]
        pub dose: String,
        /// Sampling weights; where they change over time, a cell uses the weights of its earlier period.
        #[doc(alias = "weightsname")]
        pub weights: Option<String>,
        /// Cluster of standard errors, constant within units; without it they are clustered by unit.
        pub cluster: Option<String>,
        /// Parameter of the event study.
        #[doc(alias = "target_parameter")]
        #[builder(default)]
        pub target: DoseTarget,
        /// Part of the result that is shown: curves or the event study. The result has both.
        #[builder(default)]
        pub aggregation: DoseAggregation,
        /// How curves are estimated.
        #[doc(alias = "dose_est_method")]
        #[builder(default)]
        pub method: DoseMethod,
        /// Degree of the splines, at least 1.
        #[builder(default = CUBIC)]
        pub degree: usize,
        /// Interior knots, at quantiles of the doses of the treated units, each counted once.
        #[doc(alias = "num_knots")]
        #[builder(default)]
        pub knots: usize,
        /// Doses at which curves are reported.
        #[doc(alias = "dvals")]
        #[builder(default)]
        pub grid: DoseGrid,
        /// Whether the groups' shares are part of the uncertainty of curves and of the overall slope.
        #[builder(default)]
        pub shares: CohortShares,
        /// Correction of the standard errors of curves and slopes for groups of few treated units; not for [`DoseMethod::Cck`].
        #[builder(default)]
        pub curve_errors: CurveErrors,
        /// With [`DoseMethod::Cck`], the doses at which curves of different dimensions are compared, whatever doses are shown. R
        /// `contdid` compares them at the doses that are shown.
        #[builder(default)]
        pub compare_at: DoseGrid,
        /// With [`DoseMethod::Cck`], whether dimensions with few treated units (clusters, if there are any) for their functions are
        /// [damped](crate::Npiv::damping), which R `contdid` does not.
        #[builder(default = true)]
        pub damping: bool,
        /// Comparison units.
        #[builder(default = ControlGroup::NotYetTreated)]
        pub control_group: ControlGroup,
        /// With [`DoseMethod::Cck`], whether standard errors of `ATT(d)` include the sampling error of the comparison units' mean change.
        #[builder(default = true)]
        pub comparison_noise: bool,
        /// Multiplier bootstrap; analytic standard errors without it. With [`DoseMethod::Cck`] it sets the number of draws that decide the
        /// dimension and the bands; the default is [`Npiv`'s](crate::Npiv::bootstrap).
        #[doc(alias = "biters")]
        pub bootstrap: Option<Bootstrap>,
        /// How the bootstrap draws. Where everything is estimated anew, knots stay where they are.
        #[doc(alias = "boot_type")]
        #[builder(default = Resampling::Multiplier)]
        pub resampling: Resampling,
    }
}

/// Degree of the splines unless another is asked for.
const CUBIC: usize = 3;

/// Largest degree and number of knots.
const MOST: usize = 50;

impl<B: DidBackend> SampleEstimator for ContDid<B> {
    const NAME: &'static str = "cont_did";

    type Result = ContDidResult;

    fn check(&self) -> Result<()> {
        if !(1..=MOST).contains(&self.degree) {
            return Err(DidError::config("degree", "between 1 and 50", self.degree));
        }
        if self.knots > MOST {
            return Err(DidError::config("knots", "at most 50", self.knots));
        }
        self.grid.validate()?;
        self.compare_at.check("compare_at")?;
        if self.resampling != Resampling::Multiplier && self.bootstrap.is_none() {
            let expected = "`multiplier` without a bootstrap";
            return Err(DidError::config("resampling", expected, self.resampling.to_string()));
        }
        if self.method == DoseMethod::Parametric {
            return Ok(());
        }
        if self.curve_errors != CurveErrors::Hc0 {
            let expected = "`hc0` with the method `cck`, whose sieves grow with the sample";
            return Err(DidError::config("curve_errors", expected, self.curve_errors.to_string()));
        }
        if self.aggregation == DoseAggregation::EventStudy {
            let expected = "`dose` with the method `cck`, which has two periods";
            return Err(DidError::config("aggregation", expected, "an event study"));
        }
        if self.resampling != Resampling::Multiplier {
            let expected = "`multiplier` with the method `cck`, which draws coefficients";
            return Err(DidError::config("resampling", expected, self.resampling.to_string()));
        }
        if let Some(bootstrap) = &self.bootstrap {
            bootstrap.check_normal()?;
        }
        if self.keep_influence {
            let expected = "false with the method `cck`";
            return Err(DidError::config("keep_influence", expected, "true"));
        }
        Ok(())
    }

    fn inference(&self) -> Inference {
        let inference = self.shared().inference(self.band);
        match self.method {
            DoseMethod::Parametric => inference,
            // This method draws curves only.
            DoseMethod::Cck => Inference { bootstrap: None, ..inference },
        }
    }

    fn design(&self) -> SampleDesign<'_> {
        let parametric = self.method == DoseMethod::Parametric;
        let query = DoseQuery {
            splines: parametric.then_some((self.degree, self.knots)),
            probabilities: [self.grid.probabilities(), self.compare_at.probabilities()].concat(),
        };
        let study = StudyDesign::Staggered(Staggered {
            control_group: self.control_group,
            anticipation: self.anticipation,
        });
        let (group, treatment) = match &self.group {
            Some(group) => (group, Treatment::FirstPeriod),
            None => (&self.dose, Treatment::Dose),
        };
        SampleDesign {
            treatment,
            dose: Some((&self.dose, query)),
            ..SampleDesign::new(group, study)
        }
    }

    fn estimate(&self, opened: Opened) -> Result<ContDidResult> {
        if self.method == DoseMethod::Cck {
            return cck::estimate(self, opened);
        }
        let Opened { setup, source, start, mut timings } = opened;
        let before = start.elapsed().as_secs_f64();
        let sample = source.sample();
        let planned = self.plan(sample);
        let columns = InfluenceColumns::most(sample, &planned);
        let work = self.shared().work(columns);
        source.check(&work)?;
        // Influence values have no part in draws from which everything is estimated anew.
        let anew = self.bootstrap.filter(|_| self.resampling != Resampling::Multiplier);
        let work = Work { bootstrap: work.bootstrap.filter(|_| anew.is_none()), ..work };
        let cells = {
            let _span = tracing::info_span!("cells", cells = planned.len()).entered();
            dose_cells(&*source, &planned, Some(self.curve_errors))?
        };
        let columns = InfluenceColumns::new(sample, &planned, &cells);
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let moments = InfluenceMoments::form(&*source, columns.estimates(), &work, TRIM)?;
        let of_estimator = self.own_settings(sample, anew.map(|_| self.resampling));
        let mut settings = shell::settings(self, &setup, source.backend(), sample, of_estimator);
        let redrawn = match &anew {
            None => None,
            Some(bootstrap) => {
                let _span = tracing::info_span!("bootstrap", draws = bootstrap.draws).entered();
                let redrawn_effects =
                    Redrawn::new(&*source, &planned, &columns, bootstrap, self.resampling)?;
                settings.inference.bootstrap =
                    Some(Bootstrap { draws: redrawn_effects.count, ..*bootstrap });
                Some(redrawn_effects)
            }
        };
        let failed = redrawn.as_ref().map_or(0, |redrawn| redrawn.failed);
        let timings = timings.of(&*source);
        let made = Assembly {
            sample,
            planned: &planned,
            cells: &cells,
            columns: &columns,
            settings,
            timings,
            start,
            redrawn: redrawn.map(|redrawn| redrawn.deviations),
        };
        let mut result = made.result(self, moments)?;
        if failed > 0 {
            result.warnings.push(DidWarning::FailedDraws { draws: failed });
        }
        Ok(result)
    }
}

impl<B: DidBackend> ContDid<B> {
    fn own_settings(&self, sample: &Sample, resampling: Option<Resampling>) -> EstimatorSettings {
        EstimatorSettings::ContDid {
            dose: self.dose.clone(),
            target: self.target,
            control_group: self.control_group,
            last_cohort: setup::last_cohort(sample),
            base_period: self.base_period,
            anticipation: self.anticipation,
            resampling,
        }
    }

    fn plan(&self, sample: &Sample) -> Vec<PlannedCell> {
        let options = PlanOptions {
            control_group: self.control_group,
            base_period: self.base_period,
            anticipation: f64::from(self.anticipation),
            ..PlanOptions::default()
        };
        plan_cells(sample, &options)
    }
}
