//! Tests and contrasts of group-time effects from their joint covariance.

use super::result::{AttGtCell, AttGtResult};
use crate::aggregate::{Aggregated, Aggregation, aggregate};
use crate::error::{DidError, DidWarning, Result};
use crate::estimates::{Estimate, Estimates, Wald};
use crate::inference::{Projection, pointwise, wald};
use crate::memory;
use crate::options::Inference;

/// Wald test that all pre-treatment effects are zero (`g > t`, the anticipation window included).
pub(super) fn pre_test(
    estimates: &Estimates,
    cells: &[AttGtCell],
    warnings: &mut Vec<DidWarning>,
) -> Option<Wald> {
    estimates.covariance.as_ref()?;
    let is_pre = |c: &AttGtCell| c.group > c.time;
    let pre: Vec<usize> = (0..cells.len())
        .filter(|j| is_pre(&cells[*j]) && cells[*j].estimate.se.is_some())
        .collect();
    let mut none = |reason: &str| {
        warnings.push(DidWarning::NoPretest { reason: reason.to_owned() });
        None
    };
    if pre.is_empty() {
        return if cells.iter().any(is_pre) {
            none("no pre-treatment cell has a standard error")
        } else {
            none("there are no pre-treatment cells")
        };
    }
    let weights: Vec<Vec<f64>> = pre.iter().map(|j| estimates.unit_weight(*j)).collect();
    let theta: Vec<f64> = pre.iter().filter_map(|j| estimates.cells[*j].att).collect();
    let projection = Projection::new(estimates, &weights)?;
    wald(&theta, &projection.covariance)
        .or_else(|| none("the covariance of the pre-treatment estimates is singular"))
}

impl AttGtResult {
    /// Averages the cells, with the fit's own options of inference.
    ///
    /// # Errors
    /// [`DidError::MissingCells`], [`DidError::EmptyWindow`] or [`DidError::NoInfluence`].
    #[doc(alias = "aggte")]
    pub fn aggregate(&self, aggregation: Aggregation) -> Result<Aggregated> {
        self.aggregate_with(aggregation, &self.settings.inference)
    }

    /// Averages the cells with another level or band. The bootstrap draws are always those of the fit.
    ///
    /// # Errors
    /// As [`aggregate`](Self::aggregate), and [`DidError::Config`].
    pub fn aggregate_with(
        &self,
        aggregation: Aggregation,
        inference: &Inference,
    ) -> Result<Aggregated> {
        let inference = Inference { bootstrap: self.settings.inference.bootstrap, ..*inference };
        aggregate(&self.estimates, aggregation, &inference, self.settings.clone())
    }

    /// Covariance of the cells' estimates, `[cells][cells]`; `None` where a cell has no estimate, and everywhere for point
    /// estimates only.
    #[must_use]
    pub fn vcov(&self) -> Vec<Vec<Option<f64>>> {
        let m = self.estimates.columns();
        let cells = &self.estimates.cells;
        let entry = |i: usize, j: usize| {
            let both = cells[i].att.is_some() && cells[j].att.is_some();
            self.estimates.covariance.as_ref().filter(|_| both).map(|c| c[i * m + j])
        };
        (0..cells.len()).map(|i| (0..cells.len()).map(|j| entry(i, j)).collect()).collect()
    }

    /// `Σ weight · ATT(g, t)` for any weights by (group, time), with its standard error and a pointwise interval.
    ///
    /// # Errors
    /// [`DidError::MissingCells`] or [`DidError::EmptyWindow`] for a cell that has no estimate or does not exist,
    /// [`DidError::NoInfluence`] for point estimates only, and [`DidError::Config`] if the settings' level was changed to none.
    pub fn contrast(&self, weights: &[((f64, f64), f64)]) -> Result<Estimate> {
        self.settings.inference.validate()?;
        let (value, weights) = self.combination(weights)?;
        let projection = Projection::new(&self.estimates, std::slice::from_ref(&weights))
            .ok_or_else(no_covariance)?;
        let se = projection.standard_errors().pop().flatten();
        let z = pointwise(self.settings.inference.alpha);
        Ok(Estimate::new(Some(value), se, z))
    }

    /// Wald test that several contrasts are all zero.
    ///
    /// # Errors
    /// As [`contrast`](Self::contrast), and [`DidError::Singular`] if one follows from the others.
    pub fn joint_test(&self, contrasts: &[Vec<((f64, f64), f64)>]) -> Result<Wald> {
        let (q, m) = (contrasts.len() as u128, self.estimates.columns() as u128);
        memory::check("the joint test", 8 * q * (3 * m + 4 * q), "test fewer contrasts")?;
        let combinations: Vec<(f64, Vec<f64>)> =
            contrasts.iter().map(|c| self.combination(c)).collect::<Result<_>>()?;
        let (theta, weights): (Vec<f64>, Vec<Vec<f64>>) = combinations.into_iter().unzip();
        let projection = Projection::new(&self.estimates, &weights).ok_or_else(no_covariance)?;
        wald(&theta, &projection.covariance).ok_or(DidError::Singular { what: "joint test" })
    }

    /// Wald test that every estimated post-treatment effect is zero.
    ///
    /// # Errors
    /// As [`joint_test`](Self::joint_test).
    pub fn test_post_effects(&self) -> Result<Wald> {
        let post = |c: &&AttGtCell| c.group <= c.time && c.estimate.se.is_some();
        let unit = |c: &AttGtCell| vec![((c.group, c.time), 1.0)];
        let contrasts: Vec<_> = self.cells.iter().filter(post).map(unit).collect();
        if contrasts.is_empty() {
            let what = "there is no post-treatment cell with a standard error to test".into();
            return Err(DidError::EmptyWindow { what });
        }
        self.joint_test(&contrasts)
    }

    /// Wald test that all groups have the same average post-treatment effect (their rows of [`Aggregation::group`]).
    ///
    /// # Errors
    /// As [`joint_test`](Self::joint_test); [`DidError::EmptyWindow`] with fewer than two groups.
    pub fn test_equal_groups(&self) -> Result<Wald> {
        let average = |group: f64| -> Vec<((f64, f64), f64)> {
            let post: Vec<&AttGtCell> = self
                .cells
                .iter()
                .filter(|c| c.group == group && c.group <= c.time && c.estimate.att.is_some())
                .collect();
            post.iter().map(|c| ((c.group, c.time), 1.0 / post.len() as f64)).collect()
        };
        let groups: Vec<_> = self
            .estimates
            .shares
            .iter()
            .map(|s| average(s.group))
            .filter(|a| !a.is_empty())
            .collect();
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

    fn combination(&self, terms: &[((f64, f64), f64)]) -> Result<(f64, Vec<f64>)> {
        let mut weights = vec![0.0; self.estimates.columns()];
        let mut value = 0.0;
        for ((group, time), weight) in terms {
            let cells = &self.estimates.cells;
            let calendar = self.estimates.calendar;
            let is_same = |a: f64, b: f64| calendar.grid.is_same(a, b);
            let found =
                cells.iter().position(|c| is_same(c.group, *group) && is_same(c.time, *time));
            let (group, time) = (calendar.shown(*group), calendar.shown(*time));
            let Some(j) = found else {
                let what = format!("there is no cell (group {group}, time {time})");
                return Err(DidError::EmptyWindow { what });
            };
            let Some(att) = cells[j].att else {
                let reason = cells[j].status.shown(calendar.frequency);
                return Err(DidError::MissingCells { count: 1, group, time, reason });
            };
            weights[j] += weight;
            value += weight * att;
        }
        Ok((value, weights))
    }
}

fn no_covariance() -> DidError {
    DidError::NoInfluence {
        what: "inference",
        needs: "the covariance of the estimates",
        remedy: "fit without `point_estimates_only`",
    }
}
