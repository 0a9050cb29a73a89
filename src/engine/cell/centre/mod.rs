//! Levels that outcomes are measured from.
//!
//! Outcomes are stored less the mean of their stratum, so that no sum has terms far from zero. The strata of an arm are
//! brought to one level, the arm's; each arm has its own, and the estimate gets their differences back at the end.
//! Where outcomes are stored as they are, all levels are zero.

use super::answers::incomplete;
use super::sides::{Outcome, Side, StratumRows};
use super::terms::{CellEstimate, InfluenceTerm};
use crate::base::error::Result;
use crate::read::panel::Sample;

/// Level of the treated and of the comparison rows of a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centre {
    treated: f64,
    control: f64,
}

impl Centre {
    /// `weight` is the total weight of some rows.
    ///
    /// # Errors
    /// What `weight` returns.
    pub fn new(
        sample: &Sample,
        side: &Side,
        weight: impl Fn(&StratumRows) -> Result<f64>,
    ) -> Result<Self> {
        let level = |arm: &[StratumRows]| -> Result<f64> {
            let levels = || arm.iter().map(|rows| offset(sample, rows.stratum, side.outcome));
            let first = levels().next().unwrap_or(0.0);
            if levels().all(|level| level == first) {
                return Ok(first);
            }
            let weights: Vec<f64> = arm.iter().map(&weight).collect::<Result<_>>()?;
            let total: f64 = weights.iter().sum();
            let sum: f64 = weights.iter().zip(levels()).map(|(weight, level)| weight * level).sum();
            let mean = sum / total;
            Ok(if mean.is_finite() { mean } else { first })
        };
        Ok(Self { treated: level(&side.treated)?, control: level(&side.control)? })
    }

    fn of(self, treated: bool) -> f64 {
        if treated { self.treated } else { self.control }
    }

    /// Offset to add to the stored (stratum-demeaned) outcomes so that they are relative to the arm's mean.
    pub fn lift(self, sample: &Sample, rows: &StratumRows, outcome: Outcome, treated: bool) -> f64 {
        offset(sample, rows.stratum, outcome) - self.of(treated)
    }
}

/// Stored outcomes of a stratum are too low by this.
fn offset(sample: &Sample, stratum: usize, outcome: Outcome) -> f64 {
    outcome.of(&sample.offsets[stratum])
}

/// From outcomes at the levels of their arms to outcomes as they are; influence values from outcomes as stored.
///
/// # Errors
/// [`DidError::Engine`](crate::DidError::Engine) if the estimate has influence on rows that the cell has not.
pub(super) fn restore(
    estimate: &mut CellEstimate,
    sample: &Sample,
    sides: &[Side],
    centres: &[Centre],
) -> Result<()> {
    let difference = |c: &Centre| c.treated - c.control;
    estimate.att += match centres {
        [base, post] => difference(post) - difference(base),
        _ => centres.iter().map(difference).sum(),
    };
    for term in &mut estimate.terms {
        let lift = lift(term, sample, sides, centres);
        term.coefficients.lower(lift.ok_or_else(|| {
            incomplete(format!("no side of the cell has rows of stratum {}", term.stratum))
        })?);
    }
    Ok(())
}

/// What the stored outcomes of a term's rows are too low by.
fn lift(term: &InfluenceTerm, sample: &Sample, sides: &[Side], centres: &[Centre]) -> Option<f64> {
    let mut sides_of_outcome =
        sides.iter().zip(centres).filter(|(side, _)| side.outcome == term.outcome);
    sides_of_outcome.find_map(|(side, centre)| {
        let of_arm = |arm: &[StratumRows], treated| {
            let rows = arm.iter().find(|rows| rows.stratum == term.stratum)?;
            Some(centre.lift(sample, rows, side.outcome, treated))
        };
        of_arm(&side.treated, true).or_else(|| of_arm(&side.control, false))
    })
}

#[cfg(test)]
mod tests;
