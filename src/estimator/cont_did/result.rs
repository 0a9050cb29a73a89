//! What a fit of a continuous treatment gives.

use serde::{Deserialize, Serialize};

use super::curve::{Curves, DoseCurve};
use super::law::no_law;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::{
    Band, CohortShares, DoseAggregation, DoseGrid, DoseMethod, DoseTarget, Inference,
};
use crate::base::words::words;
use crate::engine::source::{Influence, InfluenceFiles};
use crate::estimator::GroupTimeResult;
use crate::estimator::aggregate::{Aggregated, Aggregation, EventStudy};
use crate::estimator::honest::{Honest, HonestResult};
use crate::estimator::pretrends::{Pretrends, PretrendsResult};
use crate::result::inference::Estimate;

/// Averages over all treated units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DoseEffects {
    /// Average effect on the treated.
    pub att: Estimate,
    /// Average causal response of the treated: the mean slope at their doses.
    pub acrt: Estimate,
}

/// Where the splines of a group have their knots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupKnots {
    /// First treated period.
    pub group: f64,
    /// Smallest dose, interior knots and largest dose of the group.
    pub breakpoints: Vec<f64>,
}

/// The splines of the curves, and the doses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DoseKnots {
    /// Degree of the splines.
    pub degree: usize,
    /// Interior knots asked for: quantiles of the doses of the treated units, each counted once.
    pub interior: Vec<f64>,
    /// Knots of each group.
    pub groups: Vec<GroupKnots>,
    /// Smallest and largest dose.
    pub range: (f64, f64),
    /// Percentiles 0, 1, …, 100 of the doses of the treated units, each counted once.
    pub percentiles: Vec<f64>,
}

words! {
    /// Which table of a result: see [`ContDidResult::table_of`].
    pub enum DoseTable: "table" {
        /// Effects by dose, with the overall effects.
        Dose = "dose",
        /// Cells of groups and periods.
        Cells = "cells",
    }
}

/// Effects of a continuous treatment: curves over the dose, their averages, and effects by group and period. Carries no backend
/// and no unit data unless influence values were kept.
///
/// ```
/// use burn_did::{Aggregation, ContDid, ContDidResult, backend::Cpu, data::DoseSimulation, doses::DoseTarget};
///
/// let data = DoseSimulation::builder().units(1_000).seed(1).build().frame();
/// let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
/// let fit = config.dose("dose").build().fit(&data)?;
/// println!("{fit}\n{}", fit.event_study(DoseTarget::Slope)?);
/// let path = std::env::temp_dir().join("burn-did-dose-example.json");
/// fit.save(&path)?;
/// let later = ContDidResult::load(&path)?;
/// assert_eq!(later.at(&[0.4])?, fit.at(&[0.4])?);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
#[doc(alias = "DoseResult")]
pub struct ContDidResult {
    /// How curves were estimated.
    pub method: DoseMethod,
    /// The parameter of the event study, unless another is requested.
    pub target: DoseTarget,
    /// What is shown of the result.
    pub aggregation: DoseAggregation,
    /// Averages over all treated units; their intervals are pointwise.
    pub overall: DoseEffects,
    /// Effects by dose, at the doses asked for in the fit.
    pub dose: DoseCurve,
    /// Knots of the splines, and quantiles of the doses.
    pub knots: DoseKnots,
    /// Warnings about the sample, the estimates and the options.
    pub warnings: Vec<DidWarning>,
    /// Average effects of groups in periods, with settings, audit and timings of the fit.
    pub level: GroupTimeResult,
    /// Average causal responses of groups in periods.
    pub slope: GroupTimeResult,
    /// The curves' coefficients with their joint law.
    pub(crate) curves: Curves,
    /// Influence values, if kept: a column for the level and then for the slope of each cell, then for the coefficients of each
    /// group's curve.
    #[serde(skip)]
    pub influence: Option<Influence>,
    /// Where they are, if a cluster kept them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub influence_files: Option<InfluenceFiles>,
}

impl ContDidResult {
    /// Effects at other doses, with the intervals of the fit: a uniform band has the critical value of the fit's band, which is over the
    /// doses of the fit, so that what is asked for does not change it. Nothing is estimated anew, so this needs no data.
    ///
    /// # Errors
    /// [`DidError::Config`] for no doses, or what is no number.
    pub fn at(&self, doses: &[f64]) -> Result<DoseCurve> {
        DoseGrid::Values(doses.to_vec()).validate()?;
        let inference = &self.level.settings.inference;
        self.curves.table(doses, inference, Some(&self.dose), &mut Vec::new())
    }

    /// As [`at`](Self::at), with another confidence level, pointwise intervals, or uniform bands over these doses. The draws of the fit are
    /// reused.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub fn at_with(&self, doses: &[f64], inference: &Inference) -> Result<DoseCurve> {
        inference.validate()?;
        DoseGrid::Values(doses.to_vec()).validate()?;
        let of_fit = self.level.settings.inference;
        if self.curves.bands.is_some()
            && inference.band == Band::Uniform
            && inference.alpha.to_bits() != of_fit.alpha.to_bits()
        {
            return Err(DidError::config(
                "alpha",
                "the level of the fit for uniform bands of the method `cck`",
                inference.alpha,
            ));
        }
        self.curves.table(doses, inference, None, &mut Vec::new())
    }

    pub(super) fn curve(
        &self,
        doses: &[f64],
        band: Band,
        warnings: &mut Vec<DidWarning>,
    ) -> Result<DoseCurve> {
        let inference = Inference { band, ..self.level.settings.inference };
        self.curves.table(doses, &inference, None, warnings)
    }

    /// Effects or slopes by length of exposure. Cells without an estimate are left out.
    ///
    /// # Errors
    /// As [`GroupTimeResult::aggregate`].
    pub fn event_study(&self, target: DoseTarget) -> Result<EventStudy> {
        self.dynamic(target)?.event_study()
    }

    pub(crate) fn dynamic(&self, target: DoseTarget) -> Result<Aggregated> {
        self.aggregate(target, Aggregation::dynamic().na_rm(true))
    }

    /// Robust intervals and the breakdown value of the average effects, or of the average slopes, by length of exposure (Rambachan
    /// and Roth 2023).
    ///
    /// ```
    /// use burn_did::{ContDid, Honest, backend::Cpu, data::DoseSimulation, doses::DoseTarget};
    ///
    /// let data = DoseSimulation::builder().units(1_000).seed(1).build().frame();
    /// let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    /// let fit = config.dose("dose").build().fit(&data)?;
    /// println!("{}", fit.honest(DoseTarget::Level, Honest::relative_magnitude().m_bar([0.5, 1.0]))?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`event_study`](Self::event_study) and [`EventStudy::honest`].
    #[doc(alias = "honest_did")]
    pub fn honest(&self, target: DoseTarget, options: Honest) -> Result<HonestResult> {
        self.event_study(target)?.honest(options)
    }

    /// Power of the test of the [event study](Self::event_study)'s pre-trends, and equivalence tests.
    ///
    /// # Errors
    /// As [`event_study`](Self::event_study) and [`EventStudy::pretrends`].
    pub fn pretrends(&self, target: DoseTarget, options: Pretrends) -> Result<PretrendsResult> {
        self.event_study(target)?.pretrends(options)
    }

    /// Averages of the effects, or of the slopes, of groups in periods.
    ///
    /// # Errors
    /// As [`GroupTimeResult::aggregate`].
    pub fn aggregate(&self, target: DoseTarget, aggregation: Aggregation) -> Result<Aggregated> {
        self.cells_of(target).aggregate(aggregation)
    }

    /// Levels or slopes of groups in periods.
    pub fn cells_of(&self, target: DoseTarget) -> &GroupTimeResult {
        match target {
            DoseTarget::Level => &self.level,
            DoseTarget::Slope => &self.slope,
        }
    }

    /// Averages over the periods of each group, and over groups by their size. The sizes are part of the uncertainty of the
    /// level, as in R; of the slope's if asked for.
    pub(super) fn overall_effects(&self) -> Result<DoseEffects> {
        let by_group = Aggregation::group().na_rm(true);
        let att = self.level.aggregate(by_group)?.overall;
        let estimated = self.curves.shares == CohortShares::Estimated;
        let acrt = if self.slope.effects.estimated().next().is_none() {
            // The data do not determine the one slope there is, of which its cell says so.
            Estimate::default()
        } else if estimated {
            self.slope.aggregate(by_group)?.overall
        } else {
            by_fixed_shares(&self.slope)?
        };
        let alpha = self.level.settings.inference.alpha;
        let joint = &self.level.effects.joint;
        let of_one_law = |e: Estimate| joint.of_one_law(e.estimate, e.se, alpha);
        Ok(DoseEffects { att: of_one_law(att), acrt: of_one_law(acrt) })
    }
}

/// The average by group, with the groups' shares taken as known.
fn by_fixed_shares(cells: &GroupTimeResult) -> Result<Estimate> {
    let effects = &cells.effects;
    let post_cells = |group: f64| {
        effects.estimated().filter(move |(_, cell, _)| cell.group == group && cell.is_post())
    };
    let share =
        |group: f64| effects.share_of(group).and_then(|j| effects.joint.values[j]).unwrap_or(0.0);
    let present =
        effects.groups.iter().copied().filter(|group| post_cells(*group).next().is_some());
    let present: Vec<f64> = present.collect();
    let total: f64 = present.iter().map(|group| share(*group)).sum();
    let terms = present.iter().flat_map(|group| {
        let weight = share(*group) / (total * post_cells(*group).count() as f64);
        post_cells(*group).map(move |(j, ..)| (j, weight))
    });
    let combination = effects.joint.combination(terms).map_err(|_| no_law())?;
    effects.joint.estimate(&combination, effects.inference.alpha).ok_or_else(no_law)
}
