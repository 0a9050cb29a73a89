//! What is averaged: weights of rows, which add up to one unless something else is asked for.

use super::effects::StageTerm;
use super::sample::{StageCell, StageSample};
use super::weights::RowWeights;
use crate::base::calendar::Frequency;
use crate::base::error::DidWarning;
use crate::estimator::fixed_effects::fine;

/// Fewer rows of equal weight than these leave the normal approximation unsure.
const FEW: f64 = 30.0;

/// An average of effects, or of residuals, `Σ p r`.
pub(in crate::estimator) struct Target {
    pub term: StageTerm,
    pub weights: RowWeights,
}

impl Target {
    /// The weighted mean of the rows of some cells; none without such a row.
    pub fn mean(
        sample: &StageSample,
        term: StageTerm,
        is_meant: impl Fn(&StageCell) -> bool,
    ) -> Option<Self> {
        let meant: Vec<bool> = sample.cells.iter().map(is_meant).collect();
        let weights = sample.totals.weights.iter().zip(&meant);
        let total: f64 = weights.filter(|(_, meant)| **meant).map(|(weight, _)| weight).sum();
        let share = |meant: bool| if meant { 1.0 / total } else { 0.0 };
        (total > 0.0).then(|| Self {
            term,
            weights: RowWeights::Cells(meant.into_iter().map(share).collect()),
        })
    }

    /// The average of rows with these weights beside their own; as they are if it is a sum. None if there is nothing to divide by.
    pub fn weighted(
        sample: &StageSample,
        term: StageTerm,
        weight: impl Fn(usize) -> f64 + Sync,
        is_sum: bool,
    ) -> Option<Self> {
        let design = &sample.design;
        let own = |row: usize| match design.treated[row] {
            true => weight(row) * design.weight(row),
            false => 0.0,
        };
        let (total, size) = (design.total(own), design.total(|row| own(row).abs()));
        // The design's weights are a part of those that were given.
        let by = if is_sum { sample.mean_weight.recip() } else { total };
        let any = size > 0.0 && (is_sum || total.abs() > 1e-12 * size);
        any.then(|| Self {
            term,
            weights: RowWeights::Rows((0..design.rows()).map(|row| own(row) / by).collect()),
        })
    }

    /// Rows with a weight.
    pub fn count(&self, sample: &StageSample) -> usize {
        match &self.weights {
            RowWeights::Cells(cells) => {
                let rows = cells.iter().zip(&sample.totals.rows);
                rows.filter(|(cell, _)| **cell != 0.0).map(|(_, rows)| *rows as usize).sum()
            }
            RowWeights::Rows(rows) => rows.iter().filter(|weight| **weight != 0.0).count(),
        }
    }

    /// `(Σ |p|)² / Σ p²`: how many rows of equal weight would be as many.
    pub fn effective(&self, sample: &StageSample) -> f64 {
        let (size, squares): (f64, f64) = match &self.weights {
            RowWeights::Cells(cells) => {
                let of = |totals: &[f64], power: i32| -> f64 {
                    cells.iter().zip(totals).map(|(cell, w)| cell.abs().powi(power) * w).sum()
                };
                (of(&sample.totals.weights, 1), of(&sample.totals.squares, 2))
            }
            RowWeights::Rows(rows) => {
                let total = |power: i32| sample.design.total(|row| rows[row].abs().powi(power));
                (total(1), total(2))
            }
        };
        size * size / squares
    }
}

/// A warning about averages that rest on few rows, if there are any.
pub(in crate::estimator) fn concentrated<'a>(
    sample: &StageSample,
    targets: impl Iterator<Item = &'a Target>,
    frequency: Option<Frequency>,
) -> Option<DidWarning> {
    let of = targets.map(|target| (target.effective(sample), target.term.label(frequency)));
    let mut few: Vec<(f64, String)> = of.filter(|(effective, _)| *effective < FEW).collect();
    let effects = few.len();
    few.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (effective, example) = few.into_iter().next()?;
    Some(DidWarning::ConcentratedEffects { effects, effective, example })
}

/// Event times of rows, treated or not, ascending.
pub(in crate::estimator) fn event_times(sample: &StageSample, treated: bool) -> Vec<f64> {
    let cells = present(sample).filter(|cell| cell.is_treated() == treated);
    let mut times: Vec<f64> = cells.filter_map(|cell| cell.event).collect();
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| fine(*a) == fine(*b));
    times
}

/// Groups with a treated row, ascending.
pub(in crate::estimator) fn groups(sample: &StageSample) -> Vec<f64> {
    let cells = present(sample).filter(|cell| cell.is_treated());
    let mut groups: Vec<f64> = cells.map(|cell| cell.group).collect();
    groups.dedup();
    groups
}

/// Cells with a row: some may have lost all of theirs.
fn present(sample: &StageSample) -> impl Iterator<Item = &StageCell> {
    sample
        .cells
        .iter()
        .zip(&sample.totals.rows)
        .filter(|(_, rows)| **rows > 0.0)
        .map(|(cell, _)| cell)
}

impl StageCell {
    /// Whether the cell is at an event time.
    pub fn is_at(&self, at: f64) -> bool {
        self.event.is_some_and(|event| fine(event) == fine(at))
    }
}
