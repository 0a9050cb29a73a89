//! One effect or placebo of the switchers of one direction: de Chaisemartin and D'Haultfoeuille (2024), equation (8) and the
//! variance of their section 1.7 of the web appendix.
//!
//! A switcher `g` that first changes its treatment in period `F` is compared, `l` periods after `F - 1`, with the groups of its
//! stratum that have not switched by then:
//!
//! ```text
//! DID_l = Σ_g N_gt [ΔY_g - mean of ΔY over controls] / N_l,   t = F - 1 + l,   ΔY = Y_t - Y_(t-l).
//! ```

mod means;
mod point;
mod variance;

pub(super) use means::SwitcherCohorts;
pub(super) use point::{ComponentPoint, Controls, point};
pub(super) use variance::influence;

use super::options::Direction;
use super::sample::SwitchingSample;

/// How long after the first switch; or, of a placebo, which time before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Horizon {
    pub placebo: bool,
    pub length: usize,
}

impl Horizon {
    /// Change of an outcome or of a control that belongs to period `t`, NaN if it is missing. That of a placebo ends before the
    /// change of the effect begins, and is missing where the effect's is.
    #[inline(always)]
    pub fn change(self, row: &[f64], t: usize) -> f64 {
        let l = self.length;
        if t < l {
            return f64::NAN;
        }
        let change = row[t] - row[t - l];
        match (self.placebo, t < 2 * l) {
            (false, _) => change,
            (true, true) => f64::NAN,
            (true, false) if change.is_nan() => f64::NAN,
            (true, false) => row[t - 2 * l] - row[t - l],
        }
    }

    /// Periods from which and to which that is the change.
    pub fn span(self, t: usize) -> (usize, usize) {
        let l = self.length;
        if self.placebo { (t - l, t - 2 * l) } else { (t - l, t) }
    }
}

/// Outcomes, less what the controls explain, and weights by which estimates are formed.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub sample: &'a SwitchingSample,
    pub outcome: &'a [f64],
    pub weight: &'a [f64],
    pub only_never_switchers: bool,
}

impl View<'_> {
    /// Periods, from `from` on, in which a group is a control.
    #[inline(always)]
    pub fn control_periods(&self, group: usize, from: usize) -> std::ops::Range<usize> {
        let first = self.sample.first_of(group);
        let end = if self.only_never_switchers && first < self.sample.periods { 0 } else { first };
        from..end.max(from)
    }

    /// Position of a group's stratum and a period in tables `[stratum, period]`.
    #[inline(always)]
    pub fn at(&self, group: usize, t: usize) -> usize {
        self.sample.stratum[group] as usize * self.sample.periods + t
    }
}

/// A part of an estimate: the switchers of one direction at one horizon, restricted to `members` if given.
#[derive(Clone, Copy)]
pub(super) struct Component<'a> {
    pub horizon: Horizon,
    pub direction: Direction,
    /// Whether each group counts.
    pub members: Option<&'a [bool]>,
}
