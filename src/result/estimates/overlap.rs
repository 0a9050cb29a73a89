//! How far the propensity score tells treated and comparison units apart, and what its odds leave of the comparison group.

use serde::{Deserialize, Serialize};

/// How a cell's comparison units are weighted.
///
/// In repeated cross sections and unbalanced panels, rows of both periods are counted. A cell of triple differences has
/// several comparison groups: trimmed units are counted over all of them, shares and sizes refer to the group that loses most.
///
/// ```
/// use burn_did::{AttGt, backend::Cpu, data};
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
/// let fit = config.covariates("~ lpop").build().fit(&data::mpdta())?;
/// let overlap = fit.cells[0].overlap.expect("an estimated cell");
/// assert!(overlap.trimmed == 0 && overlap.largest_score_control < Some(0.5));
/// assert!(overlap.effective_control < Some(309.0));
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Overlap {
    /// Largest propensity score of a treated unit with weight; `None` for estimators without a score. A calibrated score's is
    /// that of the maximum-likelihood score it starts from.
    pub largest_score_treated: Option<f64>,
    /// Largest propensity score of a comparison unit with weight.
    pub largest_score_control: Option<f64>,
    /// Comparison units that were trimmed: they have weight, but their propensity score is at least the trimming level.
    pub trimmed: usize,
    /// Their part of the comparison group's sampling weight, between 0 and 1.
    pub trimmed_share: f64,
    /// Effective sample size of the comparison group, `(Σ v)² / Σ v²`, where `v` is the sampling weight times the trimmed odds of
    /// the propensity score, or the sampling weight alone for estimators without a score. `None` if the squares overflow.
    pub effective_control: Option<f64>,
    /// The same by the sampling weights alone: what the comparison group has before the propensity score weights it.
    pub effective_control_sampling: Option<f64>,
}

impl Overlap {
    /// Part of the effective sample size that the propensity score leaves.
    #[must_use]
    pub fn effective_share(&self) -> Option<f64> {
        Some(self.effective_control? / self.effective_control_sampling?)
    }

    /// With what is known of another comparison group of the same cell.
    pub(crate) fn and(self, other: Self) -> Self {
        let larger = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let left = |of: &Self| of.effective_share().unwrap_or(f64::INFINITY);
        let least = if left(&other) < left(&self) { other } else { self };
        Self {
            largest_score_treated: larger(self.largest_score_treated, other.largest_score_treated),
            largest_score_control: larger(self.largest_score_control, other.largest_score_control),
            trimmed: self.trimmed + other.trimmed,
            trimmed_share: self.trimmed_share.max(other.trimmed_share),
            effective_control: least.effective_control,
            effective_control_sampling: least.effective_control_sampling,
        }
    }
}

/// The comparison rows of some strata and sides: what their overlap is formed of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ControlSizes {
    /// `Σ w`.
    pub weight: f64,
    pub trimmed_rows: f64,
    pub trimmed_weight: f64,
    effective: f64,
    effective_sampling: f64,
}

impl ControlSizes {
    /// Adds the effective sizes of a side, from `Σ v` and `Σ v²` with the score's odds and without.
    pub fn add_side(&mut self, [sum, squares]: [f64; 2], [sampling, sampling_squares]: [f64; 2]) {
        self.effective += sum * sum / squares;
        self.effective_sampling += sampling * sampling / sampling_squares;
    }

    /// The overlap, with the largest scores of both arms.
    pub fn overlap(&self, largest: Option<[f64; 2]>) -> Overlap {
        let finite = |size: f64| Some(size).filter(|size| size.is_finite());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count of rows"
        )]
        let trimmed = self.trimmed_rows as usize;
        Overlap {
            largest_score_treated: largest.map(|[treated, _]| treated),
            largest_score_control: largest.map(|[_, control]| control),
            trimmed,
            trimmed_share: if trimmed > 0 { self.trimmed_weight / self.weight } else { 0.0 },
            effective_control: finite(self.effective),
            effective_control_sampling: finite(self.effective_sampling),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_lose_nothing_and_one_heavy_unit_loses_all_but_itself() {
        let mut sizes = ControlSizes { weight: 10.0, ..ControlSizes::default() };
        sizes.add_side([5.0, 2.5], [10.0, 10.0]);
        let overlap = sizes.overlap(Some([0.9, 0.4]));
        assert_eq!(overlap.effective_control, Some(10.0));
        assert_eq!(overlap.effective_share(), Some(1.0));
        assert_eq!((overlap.trimmed, overlap.trimmed_share), (0, 0.0));
        sizes.add_side([1e3, 1e6], [10.0, 10.0]);
        assert_eq!(sizes.overlap(None).effective_control, Some(11.0));
        assert_eq!(sizes.overlap(None).largest_score_treated, None);
    }

    #[test]
    fn sizes_that_overflow_are_not_given() {
        let mut sizes = ControlSizes::default();
        sizes.add_side([f64::MAX, f64::INFINITY], [2.0, 2.0]);
        assert_eq!(sizes.overlap(None).effective_control, None);
        assert_eq!(sizes.overlap(None).effective_share(), None);
    }

    #[test]
    fn comparison_groups_of_one_cell_are_shown_by_the_worst() {
        let group = |largest: f64, trimmed: usize, effective: f64| Overlap {
            largest_score_control: Some(largest),
            trimmed,
            trimmed_share: trimmed as f64 / 100.0,
            effective_control: Some(effective),
            effective_control_sampling: Some(100.0),
            ..Overlap::default()
        };
        let both = group(0.9, 1, 50.0).and(group(0.7, 3, 20.0));
        assert_eq!(both, Overlap { trimmed: 4, ..group(0.9, 3, 20.0) });
    }
}
