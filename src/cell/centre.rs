//! Levels that outcomes are measured from.
//!
//! Outcomes are stored less the mean of their stratum, so that no sum is of numbers far from zero. The strata of an arm are
//! brought to one level, that of the arm; each arm has its own, and the estimate gets their differences back at the end.
//! Where outcomes are stored as they are, all levels are zero.

use super::estimate::{Estimated, Rows};
use super::plan::{Outcome, Part, Side};
use crate::panel::Sample;

/// Level of the treated and of the comparison rows of a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centre {
    treated: f64,
    control: f64,
}

impl Centre {
    /// `weight` is the total weight of a part.
    pub fn new(sample: &Sample, side: &Side, weight: impl Fn(&Part) -> f64) -> Self {
        let level = |parts: &[Part]| {
            let levels = || parts.iter().map(|p| offset(sample, p.stratum, side.outcome));
            let first = levels().next().unwrap_or(0.0);
            if levels().all(|level| level == first) {
                return first;
            }
            let total: f64 = parts.iter().map(&weight).sum();
            let sum: f64 = parts.iter().zip(levels()).map(|(p, level)| weight(p) * level).sum();
            let mean = sum / total;
            if mean.is_finite() { mean } else { first }
        };
        Self { treated: level(&side.treated), control: level(&side.control) }
    }

    fn of(self, treated: bool) -> f64 {
        if treated { self.treated } else { self.control }
    }

    /// What a part's stored outcomes are too low by, to be those of its arm.
    pub fn lift(self, sample: &Sample, part: &Part, outcome: Outcome, treated: bool) -> f64 {
        offset(sample, part.stratum, outcome) - self.of(treated)
    }
}

/// Stored outcomes of a stratum are too low by this.
fn offset(sample: &Sample, stratum: usize, outcome: Outcome) -> f64 {
    let offsets = &sample.offsets[stratum];
    match outcome {
        Outcome::Change { post, base } => offsets[post] - offsets[base],
        Outcome::Level(column) => offsets[column],
    }
}

impl Estimated {
    /// From outcomes at the levels of their arms to outcomes as they are; influence values from outcomes as stored.
    pub(super) fn restore(&mut self, sample: &Sample, sides: &[Side], centres: &[Centre]) {
        let difference = |c: &Centre| c.treated - c.control;
        self.att += match centres {
            [base, post] => difference(post) - difference(base),
            _ => centres.iter().map(difference).sum(),
        };
        for rows in &mut self.rows {
            let lift = sides.iter().zip(centres).find_map(|(side, centre)| {
                let of_arm = |parts: &[Part], treated| {
                    let part = parts.iter().find(|p| p.stratum == rows.stratum)?;
                    Some(centre.lift(sample, part, side.outcome, treated))
                };
                (side.outcome == rows.outcome())
                    .then(|| of_arm(&side.treated, true).or_else(|| of_arm(&side.control, false)))?
            });
            rows.lift(lift.unwrap_or(0.0));
        }
    }
}

impl Rows {
    fn outcome(&self) -> Outcome {
        match self.leg.base {
            Some(base) => Outcome::Change { post: self.leg.post, base },
            None => Outcome::Level(self.leg.post),
        }
    }

    /// The same influence of outcomes that are lower by `lift`.
    fn lift(&mut self, lift: f64) {
        if lift == 0.0 {
            return;
        }
        match (&mut self.beta, &self.b) {
            (Some(beta), _) => beta[0] -= lift,
            (None, None) => {
                self.leg.f += self.leg.c * lift;
                self.leg.h_tau -= self.leg.h * lift;
            }
            (None, Some(b)) => {
                let mut beta = vec![0.0; b.len()];
                beta[0] = -lift;
                self.beta = Some(beta);
            }
        }
    }
}
