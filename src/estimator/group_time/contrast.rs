//! Tests and contrasts of group-time effects from their joint covariance.

use super::{GroupTimeCell, GroupTimeResult};
use crate::base::error::{DidError, DidWarning, Result, TooFew};
use crate::base::memory;
use crate::base::options::Inference;
use crate::estimator::aggregate::{
    Aggregated, Aggregation, EventStudy, LeftOutCell, aggregate, listed, remedy,
};
use crate::report::foot;
use crate::result::estimates::{CellStatus, GroupTimeEffects};
use crate::result::fit_notes::FitNotes;
use crate::result::inference::{
    Combination, Estimate, MOST_AT_ONCE, Wald, check_some, check_weight, no_covariance,
};

/// Wald test that all pre-treatment effects are zero (`g > t`, the anticipation window included).
pub(crate) fn pre_test(
    effects: &GroupTimeEffects,
    cells: &[GroupTimeCell],
    warnings: &mut Vec<DidWarning>,
) -> Option<Wald> {
    effects.joint.covariance.as_ref()?;
    let is_pre = |c: &GroupTimeCell| c.group > c.time;
    let pre: Vec<usize> = (0..cells.len())
        .filter(|j| is_pre(&cells[*j]) && cells[*j].estimate.se.is_some())
        .collect();
    let no_test = |reason: &str| DidWarning::NoPretest { reason: reason.to_owned() };
    if pre.is_empty() {
        let reference = |c: &GroupTimeCell| c.status == CellStatus::Reference;
        warnings.push(no_test(if !cells.iter().any(is_pre) {
            "there are no pre-treatment cells"
        } else if cells.iter().filter(|c| is_pre(c)).all(reference) {
            "there is only one pre-treatment period"
        } else {
            "no pre-treatment cell has a standard error"
        }));
        return None;
    }
    let failed = cells.iter().filter(|c| is_pre(c) && !c.status.is_estimated()).count();
    if failed > 0 {
        let of = cells.iter().filter(|c| is_pre(c)).count();
        warnings.push(DidWarning::PartialPretest { cells: failed, of });
    }
    if pre.len() > MOST_AT_ONCE {
        let count = pre.len();
        let reason = format!("there are {count} pre-treatment estimates, more than {MOST_AT_ONCE}");
        warnings.push(no_test(&reason));
        return None;
    }
    const SINGULAR: &str = "the covariance of the pre-treatment estimates is singular";
    // It has no higher rank than there are observations, less their mean.
    if pre.len() >= effects.joint.n {
        warnings.push(no_test(SINGULAR));
        return None;
    }
    let wald = effects.joint.select(&pre)?.wald();
    match wald {
        None => warnings.push(no_test(SINGULAR)),
        Some(_) => {
            let clusters = effects.joint.n_clusters;
            warnings.extend(crowded(pre.iter().map(|j| &cells[*j]), clusters));
        }
    }
    wald
}

/// A test needs so many units and so many clusters for each estimate: with fewer it rejects too often.
const UNITS_AN_ESTIMATE: usize = 10;

/// Estimates beside what they are of.
#[derive(Clone, Copy)]
struct Crowd {
    group: f64,
    estimates: usize,
    units: usize,
    few: TooFew,
}

impl Crowd {
    fn share(&self) -> f64 {
        self.estimates as f64 / self.units.max(1) as f64
    }
}

/// A warning about what there is least of beside the tested estimates: units of a group, those that it is compared with, or clusters.
fn crowded<'a>(
    tested: impl Iterator<Item = &'a GroupTimeCell>,
    clusters: Option<usize>,
) -> Option<DidWarning> {
    let mut crowds: Vec<Crowd> = Vec::new();
    let mut estimates = 0;
    for cell in tested {
        estimates += 1;
        for (few, units) in
            [(TooFew::Treated, cell.n_treated), (TooFew::Comparison, cell.n_control)]
        {
            let is_own = |of: &&mut Crowd| (of.group, of.few) == (cell.group, few);
            match crowds.iter_mut().find(is_own) {
                Some(of) => (of.estimates, of.units) = (of.estimates + 1, of.units.min(units)),
                None => crowds.push(Crowd { group: cell.group, estimates: 1, units, few }),
            }
        }
    }
    let group = crowds.first()?.group;
    let of_clusters = |units| Crowd { group, estimates, units, few: TooFew::Clusters };
    crowds.extend(clusters.map(of_clusters));
    let worst = crowds.into_iter().max_by(|a, b| a.share().total_cmp(&b.share()))?;
    let Crowd { group, estimates, units, few } = worst;
    let is_crowded = estimates > 1 && estimates * UNITS_AN_ESTIMATE > units;
    is_crowded.then_some(DidWarning::CrowdedPretest { group, estimates, units, few })
}

impl GroupTimeResult {
    /// Averages the cells, with the fit's own options of inference.
    ///
    /// ```
    /// use burn_did::Aggregation;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let event_study = fit.aggregate(Aggregation::dynamic())?;
    /// for row in &event_study.rows {
    ///     println!("{} periods after treatment: {:?}", row.at, row.estimate.estimate);
    /// }
    /// assert!(event_study.overall.excludes_zero());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::MissingCells`], [`DidError::EmptyWindow`] or [`DidError::NoInfluence`].
    #[doc(alias = "aggte")]
    pub fn aggregate(&self, aggregation: Aggregation) -> Result<Aggregated> {
        self.aggregate_with(aggregation, &self.settings.inference)
    }

    /// Effects by event time, averaged with group sizes as weights.
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// println!("{}", fit.event_study()?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`aggregate`](Self::aggregate).
    pub fn event_study(&self) -> Result<EventStudy> {
        self.aggregate(Aggregation::dynamic())?.event_study()
    }

    /// Averages the cells with another level or band. The bootstrap draws of the fit are always reused.
    ///
    /// ```
    /// use burn_did::{Aggregation, options::{Band, Inference}};
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let wide = Inference::new(0.01).band(Band::Uniform);
    /// let event_study = fit.aggregate_with(Aggregation::dynamic(), &wide)?;
    /// assert!(event_study.critical_value > 2.576);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`aggregate`](Self::aggregate), and [`DidError::Config`].
    pub fn aggregate_with(
        &self,
        aggregation: Aggregation,
        inference: &Inference,
    ) -> Result<Aggregated> {
        let inference = Inference { bootstrap: self.settings.inference.bootstrap, ..*inference };
        let averages = aggregate(&self.effects, aggregation, &inference, self.settings.clone())?;
        // Averages say themselves which cells they leave out, and have no pre-test.
        let of_data = |warning: &&DidWarning| {
            use DidWarning::{CrowdedPretest, FailedCell, NoPretest, PartialPretest};
            let of_cells = matches!(warning, FailedCell { .. });
            let of_pretest =
                matches!(warning, NoPretest { .. } | PartialPretest { .. } | CrowdedPretest { .. });
            !of_cells && !of_pretest
        };
        let (warnings, frequency) = (self.warnings.iter().filter(of_data), self.settings.frequency);
        let fit_notes = FitNotes {
            never_treated: foot::never_treated(&self.audit, frequency),
            ..FitNotes::new(&self.audit.files, warnings, frequency)
        };
        let influence = self.influence_of_averages(&aggregation)?;
        Ok(Aggregated { fit_notes, influence, ..averages })
    }

    /// Covariance of the cells' estimates, `[cells][cells]`; `None` where a cell has no estimate, and everywhere for point
    /// estimates only.
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let (variance, se) = (fit.vcov()?[0][0], fit.cells[0].estimate.se);
    /// assert!((variance.unwrap().sqrt() - se.unwrap()).abs() < 1e-12);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Memory`] if it does not fit into memory, as that of tens of thousands of cells.
    pub fn vcov(&self) -> Result<Vec<Vec<Option<f64>>>> {
        let (joint, cells) = (&self.effects.joint, self.effects.cells.len());
        let m = joint.len();
        let needed = 8 * (m as u128).pow(2) + 16 * (cells as u128).pow(2);
        let remedy = "form averages or contrasts of the cells, which have their standard errors";
        memory::check("the covariance of all cells", needed, remedy)?;
        let covariance = joint.covariance.as_ref().map(|covariance| covariance.whole(m));
        let entry = |i: usize, j: usize| {
            let both = joint.values[i].is_some() && joint.values[j].is_some();
            covariance.as_ref().filter(|_| both).map(|c| c[i * m + j])
        };
        Ok((0..cells).map(|i| (0..cells).map(|j| entry(i, j)).collect()).collect())
    }

    /// `Σ weight · ATT(g, t)` for any weights by (group, time), with its standard error and a pointwise interval.
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// // Two years into treatment, less the year in which it starts, of the group of 2004.
    /// let growth = fit.contrast(&[((2004.0, 2006.0), 1.0), ((2004.0, 2004.0), -1.0)])?;
    /// assert!((growth.estimate.unwrap() + 0.1268).abs() < 1e-4 && growth.se.is_some());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::MissingCells`] or [`DidError::EmptyWindow`] for a cell that has no estimate or does not exist,
    /// [`DidError::NoInfluence`] for point estimates only, and [`DidError::Config`] without weights, for a weight that is no number, or if the
    /// settings' level was changed to none.
    pub fn contrast(&self, weights: &[((f64, f64), f64)]) -> Result<Estimate> {
        self.settings.inference.validate()?;
        check_some(weights)?;
        let combination = self.combination(weights)?;
        let alpha = self.settings.inference.alpha;
        self.effects.joint.estimate(&combination, alpha).ok_or_else(|| no_covariance("inference"))
    }

    /// Wald test that several contrasts are all zero.
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let first_year = |group: f64| vec![((group, group), 1.0)];
    /// let test = fit.joint_test(&[first_year(2004.0), first_year(2006.0), first_year(2007.0)])?;
    /// assert_eq!(test.df, 3);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`contrast`](Self::contrast), and [`DidError::Singular`] if one follows from the others.
    pub fn joint_test(&self, contrasts: &[Vec<((f64, f64), f64)>]) -> Result<Wald> {
        let (q, m) = (contrasts.len() as u128, self.effects.joint.len() as u128);
        memory::check("the joint test", 8 * q * (3 * m + 4 * q), "test fewer contrasts")?;
        let combinations: Vec<Combination> =
            contrasts.iter().map(|c| self.combination(c)).collect::<Result<_>>()?;
        let joint = self.effects.joint.combined(&combinations);
        let joint = joint.ok_or_else(|| no_covariance("inference"))?;
        joint.wald().ok_or(DidError::Singular { what: "joint test" })
    }

    /// Wald test that every post-treatment effect is zero.
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// assert_eq!(fit.test_post_effects()?.df, 7);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`joint_test`](Self::joint_test), and [`DidError::MissingCells`] if one of the cells has no estimate: the hypothesis would
    /// be another. [`joint_test`](Self::joint_test) tests the cells of choice.
    pub fn test_post_effects(&self) -> Result<Wald> {
        let is_tested = |c: &GroupTimeCell| c.estimate.se.is_some() || !c.status.is_estimated();
        let post = |c: &&GroupTimeCell| c.group <= c.time && is_tested(c);
        let unit = |c: &GroupTimeCell| vec![((c.group, c.time), 1.0)];
        let contrasts: Vec<_> = self.cells.iter().filter(post).map(unit).collect();
        if contrasts.is_empty() {
            let what = "there is no post-treatment cell with a standard error to test".into();
            return Err(DidError::EmptyWindow { what });
        }
        self.joint_test(&contrasts)
    }

    /// Wald test that all groups have the same average post-treatment effect (their rows of [`Aggregation::group`]).
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// assert_eq!(fit.test_equal_groups()?.df, 2);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`joint_test`](Self::joint_test); [`DidError::MissingCells`] if one of the cells has no estimate, and
    /// [`DidError::EmptyWindow`] with fewer than two groups.
    pub fn test_equal_groups(&self) -> Result<Wald> {
        let average = |group: f64| -> Vec<((f64, f64), f64)> {
            let post: Vec<&GroupTimeCell> =
                self.cells.iter().filter(|c| c.group == group && c.group <= c.time).collect();
            post.iter().map(|c| ((c.group, c.time), 1.0 / post.len() as f64)).collect()
        };
        let averages = self.effects.groups.iter().map(|group| average(*group));
        let groups: Vec<_> = averages.filter(|a| !a.is_empty()).collect();
        if groups.len() < 2 {
            let what = "equality of groups needs at least two groups with post-treatment effects";
            return Err(DidError::EmptyWindow { what: what.into() });
        }
        let minus = |c: &((f64, f64), f64)| (c.0, -c.1);
        let contrasts: Vec<_> = groups[1..]
            .iter()
            .map(|g| g.iter().copied().chain(groups[0].iter().map(minus)).collect())
            .collect();
        self.joint_test(&contrasts)
    }

    /// `Σ weight · ATT(g, t)`, of cells that exist and have an estimate.
    fn combination(&self, terms: &[((f64, f64), f64)]) -> Result<Combination> {
        let GroupTimeEffects { cells, calendar, joint, .. } = &self.effects;
        let is_same = |a: f64, b: f64| calendar.grid.is_same(a, b);
        let cell_and_weight = |((group, time), weight): &((f64, f64), f64)| {
            let position =
                cells.iter().position(|c| is_same(c.group, *group) && is_same(c.time, *time));
            let position = position.ok_or_else(|| {
                let (group, time) = (calendar.shown(*group), calendar.shown(*time));
                let what = format!("there is no cell (group {group}, time {time})");
                DidError::EmptyWindow { what }
            })?;
            check_weight(*weight)?;
            Ok((position, *weight))
        };
        let terms = terms.iter().map(cell_and_weight).collect::<Result<Vec<_>>>()?;
        let failed = |missing: usize| {
            let cell = &cells[missing];
            [LeftOutCell { group: cell.group, time: cell.time, status: cell.status.clone() }]
        };
        joint.combination(terms).map_err(|missing| DidError::MissingCells {
            count: 1,
            cells: listed(&failed(missing), calendar.frequency).join("; "),
            remedy: remedy(&failed(missing)),
            share: None,
        })
    }
}
