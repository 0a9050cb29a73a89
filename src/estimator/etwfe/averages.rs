//! Averages of effects over cells and levels of the moderator, with their covariance.

use super::design::Design;
use super::levels::Levels;
use super::margins::{CellSums, Margins};
use crate::base::progress::tell;
use crate::base::solve::{dot, multiply};
use crate::engine::source::Influence;

/// A standard error of shares of no more than this part of the effects that they are of is rounding.
const ROUNDING: f64 = 1e-13;

/// An average over some cells and levels.
#[derive(Clone, Debug)]
pub(super) struct Average {
    /// `None` if one of its parts has no effect, or there is none.
    pub value: Option<f64>,
    pub rows: usize,
    /// Derivatives in the coefficients.
    derivatives: Vec<f64>,
    /// Of which sums.
    parts: Vec<usize>,
    weight: f64,
}

/// What averages of rows vary by besides coefficients.
pub(super) struct RandomShares<'a> {
    /// Cluster of each row.
    pub clusters: &'a [u32],
    /// Cells of rows.
    pub design: &'a Design,
    /// Levels of rows.
    pub levels: &'a Levels,
    /// Weight of each row in averages.
    pub weights: &'a dyn Fn(usize) -> f64,
}

impl Average {
    /// Over the sums with these numbers.
    pub fn of(margins: &Margins, parts: Vec<usize>) -> Self {
        let own = || parts.iter().map(|part| &margins.sums[*part]);
        let weight: f64 = own().map(|sums| sums.weight).sum();
        let k = margins.sums.first().map_or(0, |sums| sums.derivatives.len());
        let derivative = |j: usize| own().map(|sums| sums.derivatives[j]).sum::<f64>() / weight;
        let known = weight > 0.0 && own().all(|sums: &CellSums| sums.estimated);
        Self {
            value: known.then(|| own().map(|sums| sums.effect).sum::<f64>() / weight),
            rows: own().map(|sums| sums.rows).sum(),
            derivatives: (0..k).map(derivative).collect(),
            parts,
            weight,
        }
    }
}

impl Average {
    /// Influence of the clusters, from that on the coefficients; none without a value.
    pub fn influence(&self, of_coefficients: &Influence) -> Vec<f64> {
        match self.value {
            Some(_) => of_coefficients.combined(&self.derivatives),
            None => Vec::new(),
        }
    }
}

/// The covariance `[m, m]` of averages, of coefficients with `covariance` `[k, k]`.
pub(super) fn covariance(
    averages: &[&Average],
    coefficients: &[f64],
    margins: &Margins,
    shares: Option<&RandomShares<'_>>,
) -> Vec<f64> {
    let half: Vec<Vec<f64>> =
        averages.iter().map(|a| multiply(coefficients, &a.derivatives)).collect();
    let m = averages.len();
    let mut all: Vec<f64> =
        (0..m * m).map(|e| dot(&averages[e / m].derivatives, &half[e % m])).collect();
    let Some(shares) = shares else { return all };
    let clusters = shares.clusters.iter().max().map_or(0, |most| *most as usize + 1);
    let mut sums = vec![vec![0.0; clusters]; m];
    for (at, (average, sums)) in averages.iter().zip(&mut sums).enumerate() {
        tell("averages", at as u64, m as u64);
        let Some(value) = average.value else { continue };
        let mut largest = value.abs();
        for row in 0..shares.clusters.len() {
            let part = shares.design.cell_of(row).map(|cell| shares.levels.part(cell, row));
            if part.is_some_and(|part| average.parts.contains(&part)) {
                let effect = margins.effects[row];
                largest = largest.max(effect.abs());
                let part = (shares.weights)(row) * (effect - value) / average.weight;
                sums[shares.clusters[row] as usize] += part;
            }
        }
        if dot(sums, sums).sqrt() <= ROUNDING * largest {
            sums.fill(0.0);
        }
    }
    for (e, entry) in all.iter_mut().enumerate() {
        *entry += dot(&sums[e / m], &sums[e % m]);
    }
    all
}
