//! [`Ddd`]: configuration and fit.

use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::{
    BasePeriod, Bootstrap, ControlGroup, CovariatePeriod, EstimationMethod, Inference, SharesOf,
    UnbalancedPanel,
};
use crate::engine::backend::DidBackend;
use crate::engine::cell::{
    CellEstimate, Combined, LostComparison, PlanOptions, Recipe, Results, TripleEstimate,
    TriplePart, TriplePlan, estimate,
};
use crate::engine::condition::Conditioning;
use crate::engine::source::Work;
use crate::estimator::group_time::finish::{self, PointFit, SolvedCell};
use crate::estimator::group_time::moments::EffectMoments;
use crate::estimator::group_time::{GroupTimeResult, TripleComparison};
use crate::estimator::shell::design::SampleDesign;
use crate::estimator::shell::setup::{self, Opened};
use crate::estimator::shell::{self, Options, SampleEstimator, estimator};
use crate::estimator::weighting::Against;
use crate::estimator::weighting::form::{Made, Weighed, Weights};
use crate::read::panel::{Sample, StudyDesign, Triple};
use crate::result::estimates::CellStatus;
use crate::result::settings::EstimatorSettings;

estimator! {
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
    /// [`GroupTimeResult::comparisons`] has them one by one.
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
    ///     .fit(&data.frame())?;
    /// println!("{}", fit.aggregate(Aggregation::dynamic())?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct Ddd -> GroupTimeResult with [covariates, repeated_cross_sections, weighting] listed [unit_or_rows, time, frequency, base_period, band] {
        /// First period in which the treatment is enabled for the row's unit; 0, +inf or null if never.
        #[doc(alias = "gname")]
        pub group: String,
        /// 1 if the treatment, once enabled, applies to the row's unit, else 0.
        #[doc(alias = "pname")]
        #[doc(alias = "partition")]
        pub eligible: String,
        /// Formula of the covariates; see [`AttGt::covariates`](crate::AttGt::covariates).
        #[doc(alias = "xformla")]
        #[builder(default = crate::base::options::defaults::COVARIATES.to_owned())]
        pub covariates: String,
        /// Takes a panel's covariates, and weights that change over time, from the cell's own period instead of its base period.
        #[builder(default)]
        pub covariates_of_cell: bool,
        /// Sampling weights; in a panel, a cell uses the weights of the period from which it takes its covariates.
        #[doc(alias = "weightsname")]
        pub weights: Option<String>,
        /// Cluster of standard errors, constant within units; without it they are clustered by unit.
        pub cluster: Option<String>,
        /// Comparison cohorts.
        #[builder(default)]
        pub control_group: ControlGroup,
        /// Which units of a group its share counts in averages over groups: the eligible ones, which are those treated, or all
        /// as R `triplediff` does.
        #[builder(default)]
        pub shares_of: SharesOf,
        /// Two-by-two estimator.
        #[doc(alias = "est_method")]
        #[builder(default)]
        pub method: EstimationMethod,
        /// Units that are missing in some periods.
        #[doc(alias = "allow_unbalanced_panel")]
        #[builder(default)]
        pub unbalanced: UnbalancedPanel,
        /// Multiplier bootstrap; analytic standard errors without it.
        #[doc(alias = "boot")]
        pub bootstrap: Option<Bootstrap>,
    }
}

impl<B: DidBackend> SampleEstimator for Ddd<B> {
    const NAME: &'static str = "ddd";

    type Result = GroupTimeResult;

    fn check(&self) -> Result<()> {
        if self.unbalanced == UnbalancedPanel::Drop || !self.repeated_cross_sections {
            return Ok(());
        }
        Err(DidError::config(
            "unbalanced",
            "`drop` for repeated cross sections",
            self.unbalanced.to_string(),
        ))
    }

    fn inference(&self) -> Inference {
        self.shared().inference(self.band)
    }

    fn design(&self) -> SampleDesign<'_> {
        let unbalanced = self.unbalanced != UnbalancedPanel::Drop;
        let levels = self.repeated_cross_sections || unbalanced;
        let study = StudyDesign::Triple(Triple { control_group: self.control_group });
        SampleDesign {
            eligible: Some(&self.eligible),
            allow_unbalanced: unbalanced,
            pairs: self.unbalanced == UnbalancedPanel::Pairs,
            independent_rows: self.repeated_cross_sections,
            conditioning: if levels { Conditioning::Levels } else { Conditioning::Changes },
            cells: self.shared().joint_cells(),
            ..SampleDesign::new(&self.group, study)
        }
    }

    fn estimate(&self, opened: Opened) -> Result<GroupTimeResult> {
        let Opened { setup, source, start, mut timings } = opened;
        let before = start.elapsed().as_secs_f64();
        let sample = source.sample();
        let plan = TriplePlan::new(sample, &self.plan(sample));
        let columns = plan.cells.len() + sample.groups.len();
        let work = Work { shares_of: self.shares_of, parts: true, ..self.shared().work(columns) };
        source.check(&work)?;
        let asked = self.shared().weighting;
        asked.check(&*source, plan.components.iter())?;
        let settings =
            shell::settings(self, &setup, source.backend(), sample, self.own_settings(sample));
        let recipe = Recipe::triple(self.method);
        let (combined, dropped, weights) = {
            let _span = tracing::info_span!("cells", cells = plan.cells.len()).entered();
            let Results { cells, dropped } = estimate(&*source, &plan.components, &recipe)?;
            let made = Made::new(&settings, self.method.word(), &recipe);
            let weights = asked.form(&*source, &weighed(sample, &plan, &cells), made)?;
            (plan.combine(&*source, &recipe, &cells)?, dropped, weights)
        };
        let Combined { cells: estimated, comparisons, lost, equal } = combined;
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let usable = estimated.iter().map(|e| e.as_ref().ok());
        let moments = EffectMoments::form(&*source, usable, &work, recipe.trim)?;
        let mut warnings = setup::warnings(sample, &self.plan(sample), dropped);
        warnings.extend(lost.iter().map(|l| lost_comparison(l, sample, &plan)));
        warnings.extend(equal.iter().map(|cell| {
            let planned = &plan.cells[*cell];
            let (group, time) =
                (sample.cohorts[planned.cohort].group, sample.periods[planned.time]);
            DidWarning::EqualWeights { group, time }
        }));
        let fitted = PointFit {
            keep_by_cluster: false,
            solved: solved(estimated, &comparisons, sample.two_periods),
            moments: Some(moments),
            // Differs from triplediff 0.2.4, which has no limit for two periods.
            unit: if sample.two_periods { sample.unit() } else { 1.0 },
            settings,
            timings: timings.of(&*source),
            warnings,
        };
        let result = finish::result(sample, &plan.cells, fitted, start)?;
        let comparisons = comparisons.iter().map(|c| comparison(c, &result, sample.y_scale));
        let Weights { weighting, scores } = weights;
        let comparisons = Some(comparisons.collect());
        Ok(GroupTimeResult { comparisons, weighting, scores, ..result })
    }
}

impl<B: DidBackend> Ddd<B> {
    fn own_settings(&self, sample: &Sample) -> EstimatorSettings {
        EstimatorSettings::Ddd {
            eligible: self.eligible.clone(),
            shares_of: self.shares_of,
            control_group: self.control_group,
            last_cohort: setup::last_cohort(sample),
            base_period: self.plan(sample).base_period,
            method: self.method,
        }
    }

    fn plan(&self, sample: &Sample) -> PlanOptions {
        let of_cell = self.covariates_of_cell;
        PlanOptions {
            control_group: self.control_group,
            // The only other cell of two periods would be the reference.
            base_period: if sample.two_periods { BasePeriod::Varying } else { self.base_period },
            covariates: if of_cell { CovariatePeriod::Cell } else { CovariatePeriod::Base },
            pairs: self.unbalanced == UnbalancedPanel::Pairs,
            ..PlanOptions::default()
        }
    }
}

/// The comparisons that were estimated, cell by cell.
fn weighed<'a>(
    sample: &Sample,
    plan: &'a TriplePlan,
    estimated: &'a [std::result::Result<CellEstimate, CellStatus>],
) -> Vec<Weighed<'a>> {
    let comparison = |part: TriplePart| {
        let of = &plan.cells[part.cell];
        let group = Some(part.group).filter(|group| group.is_finite());
        Some(Weighed {
            cell: Some([sample.cohorts[of.cohort].group, sample.periods[of.time]]),
            against: Some(Against { group, eligible: part.eligible }),
            planned: &plan.components[part.component],
            estimate: estimated[part.component].as_ref().ok()?,
        })
    };
    plan.parts(sample).filter_map(comparison).collect()
}

/// Point estimates; which of them divide by one less than the number of units.
fn solved(
    estimated: Vec<std::result::Result<CellEstimate, CellStatus>>,
    comparisons: &[TripleEstimate],
    two_periods: bool,
) -> Vec<std::result::Result<SolvedCell, CellStatus>> {
    let mut cohorts = vec![0; estimated.len()];
    for comparison in comparisons {
        cohorts[comparison.cell] += 1;
    }
    let cells = estimated.into_iter().zip(cohorts);
    let solved = |e: CellEstimate, cohorts: usize| SolvedCell {
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

/// An estimate against one comparison cohort, in units of the outcome.
fn comparison(
    estimate: &TripleEstimate,
    result: &GroupTimeResult,
    y_scale: f64,
) -> TripleComparison {
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
