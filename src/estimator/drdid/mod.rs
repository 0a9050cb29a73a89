//! [`Drdid`]: configuration and fit.

mod check;
mod finish;
mod report;
mod result;
mod reweighted;

use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::base::options::{
    Band, Bootstrap, CovariatePeriod, DrdidMethod, FixWeights, Inference, Resampling,
};
use crate::engine::backend::DidBackend;
use crate::engine::cell::{
    CellEstimate, Method, Outcome, PlanOptions, PlannedCell, Recipe, Results, estimate, plan_cells,
};
use crate::engine::condition::Conditioning;
use crate::engine::source::Work;
use crate::estimator::shell::design::SampleDesign;
use crate::estimator::shell::moments::InfluenceMoments;
use crate::estimator::shell::setup::Opened;
use crate::estimator::shell::{self, Options, SampleEstimator, estimator};
use crate::estimator::weighting::form::{Made, Weighed};
use crate::read::panel::{FormedCells, Layout, Sample, StudyDesign, Treatment, TwoPeriods};
use crate::result::settings::EstimatorSettings;

use finish::UnfinishedResult;
pub use result::DrdidResult;

estimator! {
    /// The average effect of a treatment on the treated from two groups in two periods, under parallel trends given covariates
    /// (Sant'Anna and Zhao 2020, <https://doi.org/10.1016/j.jeconom.2020.06.003>).
    ///
    /// ```
    /// use burn_did::{Drdid, backend::Cpu, data::TwoPeriodSimulation, options::DrdidMethod};
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
    ///     .fit(&data.frame())?;
    /// assert!(fit.estimate.se.is_some());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct Drdid -> DrdidResult with [covariates, repeated_cross_sections, weighting] listed [unit_or_rows] {
        /// Period: two numbers, or dates of two periods; treatment starts in the later one.
        #[doc(alias = "tname")]
        pub time: String,
        /// Length of a period, if the time column has dates.
        pub frequency: Option<Frequency>,
        /// 1 for units (rows, for repeated cross sections) of the treated group, in both periods, and 0 for the others.
        #[doc(alias = "dname")]
        #[doc(alias = "treatname")]
        pub treatment: String,
        /// Formula of the covariates; see [`AttGt::covariates`](crate::AttGt::covariates). In a panel, values of the first period
        /// are used.
        #[doc(alias = "xformla")]
        #[builder(default = crate::base::options::defaults::COVARIATES.to_owned())]
        pub covariates: String,
        /// Sampling weights; in a panel, the first period's weights are used (by [`DrdidMethod::Twfe`] with covariates, each row's own).
        #[doc(alias = "weightsname")]
        pub weights: Option<String>,
        /// Cluster of standard errors, constant within units; without it they are clustered by unit, but for
        /// [`DrdidMethod::Twfe`] with covariates, which takes the rows of a unit as independent unless the unit is the cluster.
        pub cluster: Option<String>,
        /// The estimator.
        #[doc(alias = "estMethod")]
        #[builder(default)]
        pub method: DrdidMethod,
        /// Whether the doubly robust estimators of repeated cross sections model the treated rows' outcomes too, which makes
        /// them locally efficient if the groups' composition is stable over time.
        #[builder(default = true)]
        pub locally_efficient: bool,
        /// Comparison units with a propensity score of at least this get weight 0.
        #[doc(alias = "trim.level")]
        #[builder(default = crate::engine::cell::TRIM)]
        pub trim_level: f64,
        /// Bootstrap; analytic standard errors without it. The law of the multipliers matters for [`Resampling::Multiplier`] only.
        #[doc(alias = "boot")]
        pub bootstrap: Option<Bootstrap>,
        /// How the bootstrap draws.
        #[doc(alias = "boot.type")]
        #[builder(default)]
        pub resampling: Resampling,
    }
}

impl<B: DidBackend> SampleEstimator for Drdid<B> {
    const NAME: &'static str = "drdid";

    type Result = DrdidResult;

    fn check(&self) -> Result<()> {
        if self.weighting && self.method == DrdidMethod::Twfe {
            let expected = "off for the regression with fixed effects, which gives the treated units weights, too; `keep_scores` has them";
            return Err(DidError::config("weighting", expected, "true"));
        }
        if self.resampling == Resampling::Empirical {
            return Err(DidError::config("resampling", "`weighted` or `multiplier`", "empirical"));
        }
        if self.trim_level > 0.0 && self.trim_level < 1.0 {
            return Ok(());
        }
        Err(DidError::config("trim_level", "a number between 0 and 1", self.trim_level))
    }

    fn inference(&self) -> Inference {
        self.shared().inference(Some(Band::Pointwise))
    }

    fn design(&self) -> SampleDesign<'_> {
        let rows = self.repeated_cross_sections;
        SampleDesign {
            treatment: Treatment::Indicator,
            // The regression with fixed effects does not join the rows of a unit by itself.
            independent_rows: rows || self.method == DrdidMethod::Twfe,
            conditioning: match self.method {
                DrdidMethod::IpwHorvitzThompson if rows => Conditioning::Unshifted,
                DrdidMethod::IpwHorvitzThompson => Conditioning::UnshiftedChanges,
                DrdidMethod::Twfe => Conditioning::Levels,
                _ if rows => Conditioning::Levels,
                _ => Conditioning::Changes,
            },
            cells: FormedCells::One,
            ..SampleDesign::new(&self.treatment, StudyDesign::TwoPeriods(TwoPeriods))
        }
    }

    fn estimate(&self, opened: Opened) -> Result<DrdidResult> {
        let Opened { setup, source, start, mut timings } = opened;
        let before = start.elapsed().as_secs_f64();
        let sample = source.sample();
        // The rows of two periods, and the group's share.
        let work = Work { bootstrap: self.multiplied(), ..self.shared().work(3) };
        source.check(&work)?;
        let recipe = self.recipe(sample);
        let cell = self.cell(sample, recipe.method)?;
        let asked = self.shared().weighting;
        asked.check(&*source, std::iter::once(&cell))?;
        let Results { mut cells, dropped } =
            estimate(&*source, std::slice::from_ref(&cell), &recipe)?;
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let settings =
            shell::settings(self, &setup, source.backend(), sample, EstimatorSettings::Drdid);
        let made = Made::new(&settings, self.method.word(), &recipe);
        let mut comparison =
            UnfinishedResult::new(self, sample, recipe.method, &cell, settings, timings, dropped);
        let mut estimated = match cells.remove(0) {
            Ok(estimated) => estimated,
            Err(status) => return Ok(comparison.failed(status, start)),
        };
        let weighed = Weighed { cell: None, against: None, planned: &cell, estimate: &estimated };
        comparison = comparison.weighed(asked.form(&*source, &[weighed], made)?);
        if let Some(bootstrap) = self.weighted_bootstrap() {
            let _span = tracing::info_span!("bootstrap", draws = bootstrap.draws).entered();
            let draws = finish::weighted_draws(&*source, &cell, &recipe, &estimated, bootstrap)?;
            comparison.draws = Some(draws);
        }
        let by_row = recipe.method == Method::Twfe && sample.layout == Layout::Balanced;
        let columns = columns(&mut estimated, by_row);
        let moments =
            InfluenceMoments::form(&*source, columns.iter().map(Some), &work, recipe.trim)?;
        let comparison = comparison.done_by(&*source);
        comparison.finish(&estimated, columns.len(), moments, start)
    }
}

impl<B: DidBackend> Drdid<B> {
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
            // As in R: without covariates, the regression of a panel is a regression of outcome changes.
            DrdidMethod::Twfe if constant => Method::OutcomeRegression,
            DrdidMethod::Twfe => Method::Twfe,
        };
        Recipe {
            locally_efficient: self.locally_efficient,
            trim: self.trim_level,
            ..Recipe::new(method)
        }
    }

    fn plan(&self, method: Method) -> PlanOptions {
        PlanOptions {
            // The regression has a row for each period.
            fix_weights: (method == Method::Twfe).then_some(FixWeights::Varying),
            covariates: CovariatePeriod::Base,
            ..PlanOptions::default()
        }
    }

    /// The only cell.
    fn cell(&self, sample: &Sample, method: Method) -> Result<PlannedCell> {
        let none = || DidError::NoValidGroups { anticipating: String::new() };
        plan_cells(sample, &self.plan(method)).pop().ok_or_else(none)
    }
}

/// The estimate's influence as one column, or with the rows of each period in a column of their own.
fn columns(estimated: &mut CellEstimate, by_row: bool) -> Vec<CellEstimate> {
    let terms = std::mem::take(&mut estimated.terms);
    let column = |terms| CellEstimate { terms, ..CellEstimate::default() };
    if !by_row {
        return vec![column(terms)];
    }
    let (base, post): (Vec<_>, Vec<_>) =
        terms.into_iter().partition(|term| term.outcome == Outcome::Level(0));
    vec![column(base), column(post)]
}
