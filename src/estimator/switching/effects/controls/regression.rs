//! Regression of first differences of the outcome on first differences of the controls, with a mean for each period.

use std::sync::Arc;

use rayon::prelude::*;

use super::super::sample::{Stratum, SwitchingSample};
use crate::base::solve::dot;
use crate::base::spectrum::{GINV, Spectrum};

/// A control counts as constant within cells if its sum of squares within cells is at most this share of the sum of squares of its
/// values: the remainder is rounding.
const CONSTANT: f64 = 1e-26;

/// A fitted regression.
#[derive(Clone, Debug)]
pub(super) struct ControlRegression {
    pub coefficients: Vec<f64>,
    /// Generalised inverse of the controls' cross-products, row-major.
    pub inverse: Vec<f64>,
    pub rows: usize,
    /// Weight of the rows.
    pub weight: f64,
    /// Controls that are the same for all groups of a cell, in every cell. They have no coefficient.
    pub constant: Vec<usize>,
    /// Whether others are linear combinations of each other.
    pub collinear: bool,
    means: Arc<CellMeans>,
}

/// Means `[stratum, period]`.
#[derive(Debug, Default)]
struct CellMeans {
    periods: usize,
    /// Controls that change in one period: those given, and the powers.
    width: usize,
    /// Change of each control in one group of each cell. Means are taken of differences from this change, so that the mean of equal
    /// numbers is that number exactly.
    origins: Vec<f64>,
    /// Weight, outcome and controls of each cell, the controls less their origin.
    sums: Vec<f64>,
    count: Vec<u32>,
}

impl CellMeans {
    fn cell(&self, stratum: usize, t: usize) -> &[f64] {
        let each = self.width + 2;
        let at = (stratum * self.periods + t) * each;
        &self.sums[at..at + each]
    }

    fn origin(&self, stratum: usize, t: usize) -> &[f64] {
        let at = (stratum * self.periods + t) * self.width;
        &self.origins[at..at + self.width]
    }

    /// Takes the means off the changes of controls in one period.
    fn centre(&self, stratum: usize, t: usize, changes: &mut [(usize, f64)]) {
        let (cell, origin) = (self.cell(stratum, t), self.origin(stratum, t));
        for (position, (_, change)) in changes.iter_mut().enumerate() {
            *change = *change - origin[position] - cell[2 + position] / cell[0];
        }
    }
}

/// Calls `visit` with every first difference before the first switch: group, period, and change of the outcome.
fn differences(
    sample: &SwitchingSample,
    groups: std::ops::Range<usize>,
    mut visit: impl FnMut(usize, usize, f64),
) {
    for g in groups {
        let outcome = &sample.outcome[sample.row(g)];
        for t in 1..sample.first_of(g) {
            let change = outcome[t] - outcome[t - 1];
            if !change.is_nan() {
                visit(g, t, change);
            }
        }
    }
}

impl ControlRegression {
    /// One for each status quo treatment.
    pub fn of_levels(sample: &SwitchingSample, weight: &[f64]) -> Vec<Self> {
        let means = Arc::new(means(sample, weight));
        let k = sample.control_count();
        let products = |(stratum, groups): &(usize, std::ops::Range<usize>)| {
            let mut sums = ControlProducts::new(k);
            let (mut changes, mut sizes) = (Vec::new(), Vec::new());
            differences(sample, groups.clone(), |g, t, change| {
                sample.control_changes(g, t - 1, t, &mut changes);
                sample.control_sizes(g, t - 1, t, &changes, &mut sizes);
                means.centre(*stratum, t, &mut changes);
                sums.add(weight[g * sample.periods + t], change, &changes, &sizes);
            });
            (sample.strata[*stratum].level, sums)
        };
        let tiles: Vec<(usize, ControlProducts)> =
            sample.tiles().par_iter().map(products).collect();
        let mut levels: Vec<ControlProducts> =
            sample.status_quos.iter().map(|_| ControlProducts::new(k)).collect();
        for (level, sums) in tiles {
            levels[level].join(&sums);
        }
        levels.into_iter().map(|products| products.solve(&means)).collect()
    }

    /// Product of the coefficients and changes of controls.
    pub fn product(&self, changes: &[(usize, f64)]) -> f64 {
        changes.iter().map(|(k, change)| self.coefficients[*k] * change).sum()
    }

    /// A group's change of the outcome less what is expected of it, and the changes of its controls less their means. The
    /// residual is enlarged for the mean that is taken off; of a group that is alone, nothing is taken off.
    pub fn residual(
        &self,
        stratum: usize,
        t: usize,
        change: f64,
        controls: &mut [(usize, f64)],
    ) -> f64 {
        let cell = self.means.cell(stratum, t);
        let mean = cell[1] / cell[0];
        self.means.centre(stratum, t, controls);
        let count = f64::from(self.means.count[stratum * self.means.periods + t]);
        if count < 2.0 {
            return change;
        }
        (change - mean - self.product(controls)) * (count / (count - 1.0)).sqrt()
    }
}

fn means(sample: &SwitchingSample, weight: &[f64]) -> CellMeans {
    let periods = sample.periods;
    let width = sample.controls.len() + sample.degree;
    let each = width + 2;
    let mut all =
        CellMeans { periods, width, origins: origins(sample, width), ..CellMeans::default() };
    let sums = |(stratum, groups): &(usize, std::ops::Range<usize>)| {
        let (mut sums, mut count) = (vec![0.0; periods * each], vec![0_u32; periods]);
        let mut changes = Vec::new();
        differences(sample, groups.clone(), |g, t, change| {
            sample.control_changes(g, t - 1, t, &mut changes);
            let weight = weight[g * periods + t];
            let cell = &mut sums[t * each..(t + 1) * each];
            cell[0] += weight;
            cell[1] += weight * change;
            let origin = all.origin(*stratum, t);
            for ((sum, (_, change)), origin) in cell[2..].iter_mut().zip(&changes).zip(origin) {
                *sum += weight * (change - origin);
            }
            count[t] += 1;
        });
        (*stratum, sums, count)
    };
    let tiles: Vec<_> = sample.tiles().par_iter().map(sums).collect();
    let cells = sample.strata.len() * periods;
    (all.sums, all.count) = (vec![0.0; cells * each], vec![0; cells]);
    for (stratum, sums, count) in tiles {
        let at = stratum * periods;
        all.sums[at * each..].iter_mut().zip(sums).for_each(|(all, more)| *all += more);
        all.count[at..].iter_mut().zip(count).for_each(|(all, more)| *all += more);
    }
    all
}

/// Changes of the controls `[stratum, period, control]` in the last group of each stratum that has one.
fn origins(sample: &SwitchingSample, width: usize) -> Vec<f64> {
    let periods = sample.periods;
    let of = |stratum: &Stratum| {
        let mut origins = vec![0.0; periods * width];
        let mut known = vec![false; periods];
        let mut changes = Vec::new();
        for g in stratum.groups.clone().rev() {
            differences(sample, g..g + 1, |g, t, _| {
                if !std::mem::replace(&mut known[t], true) {
                    sample.control_changes(g, t - 1, t, &mut changes);
                    let origins = &mut origins[t * width..(t + 1) * width];
                    origins.iter_mut().zip(&changes).for_each(|(o, (_, change))| *o = *change);
                }
            });
            if known.iter().skip(1).all(|known| *known) {
                break;
            }
        }
        origins
    };
    sample.strata.par_iter().flat_map_iter(of).collect()
}

/// Cross-products of the controls, and with the outcome.
struct ControlProducts {
    k: usize,
    controls: Vec<f64>,
    outcome: Vec<f64>,
    rows: usize,
    weight: f64,
    /// Sums of squares of the controls' values, where changes are seen.
    sizes: Vec<f64>,
    /// Whether a control has been seen.
    seen: Vec<bool>,
}

impl ControlProducts {
    fn new(k: usize) -> Self {
        let (controls, outcome, seen) = (vec![0.0; k * k], vec![0.0; k], vec![false; k]);
        Self { k, controls, outcome, rows: 0, weight: 0.0, sizes: vec![0.0; k], seen }
    }

    fn add(&mut self, weight: f64, change: f64, controls: &[(usize, f64)], sizes: &[f64]) {
        self.rows += 1;
        self.weight += weight;
        for ((i, x), size) in controls.iter().zip(sizes) {
            self.seen[*i] = true;
            // Of a cell without weight there is no mean.
            if weight > 0.0 {
                self.sizes[*i] += weight * size * size;
                self.outcome[*i] += weight * x * change;
                for (j, z) in controls {
                    self.controls[i * self.k + j] += weight * x * z;
                }
            }
        }
    }

    fn join(&mut self, other: &Self) {
        let add = |all: &mut [f64], more: &[f64]| {
            all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
        };
        add(&mut self.controls, &other.controls);
        add(&mut self.outcome, &other.outcome);
        add(&mut self.sizes, &other.sizes);
        self.rows += other.rows;
        self.weight += other.weight;
        self.seen.iter_mut().zip(&other.seen).for_each(|(all, more)| *all |= more);
    }

    /// Makes the products of controls zero that are constant within cells but for rounding, and returns which.
    fn take_out_constant(&mut self) -> Vec<usize> {
        let k = self.k;
        let is_constant =
            |i: &usize| self.seen[*i] && self.controls[i * k + i] <= CONSTANT * self.sizes[*i];
        let constant: Vec<usize> = (0..k).filter(is_constant).collect();
        for i in &constant {
            for j in 0..k {
                self.controls[i * k + j] = 0.0;
                self.controls[j * k + i] = 0.0;
            }
            self.outcome[*i] = 0.0;
        }
        constant
    }

    fn solve(mut self, means: &Arc<CellMeans>) -> ControlRegression {
        let k = self.k;
        let constant = self.take_out_constant();
        let (inverse, rank) = generalised_inverse(&self.controls, k);
        let seen = self.seen.iter().filter(|seen| **seen).count();
        let coefficients =
            inverse.chunks_exact(k.max(1)).map(|row| dot(row, &self.outcome)).collect();
        let (rows, weight, collinear) = (self.rows, self.weight, rank + constant.len() < seen);
        let means = means.clone();
        ControlRegression { coefficients, inverse, rows, weight, constant, collinear, means }
    }
}

/// Moore-Penrose inverse after scaling to a unit diagonal, and the rank.
fn generalised_inverse(a: &[f64], k: usize) -> (Vec<f64>, usize) {
    let scale: Vec<f64> = (0..k)
        .map(|i| if a[i * k + i] > 0.0 { a[i * k + i].sqrt().recip() } else { 0.0 })
        .collect();
    let scaled: Vec<f64> = (0..k * k).map(|e| a[e] * scale[e / k] * scale[e % k]).collect();
    let Some(spectrum) = Spectrum::new(&scaled, k) else { return (vec![0.0; k * k], 0) };
    let nonzero = spectrum.beyond(GINV);
    let mut inverse = spectrum.inverse(&nonzero);
    for (e, entry) in inverse.iter_mut().enumerate() {
        *entry = *entry * scale[e / k] * scale[e % k];
    }
    (inverse, nonzero.len())
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{rows, sample};
    use super::super::super::{GroupPeriodRows, SwitchingOptions};
    use super::*;

    /// Groups of two status quos with a control.
    fn data() -> GroupPeriodRows {
        let outcome = |g: usize, t: usize| ((13 * g + 5 * t * t + g * t) % 17) as f64;
        let outcomes: Vec<Vec<f64>> =
            (0..20).map(|g| (0..6).map(|t| outcome(g, t)).collect()).collect();
        let treatment = |g: usize, t: usize| (g % 2) as f64 + f64::from(u8::from(t > 1 + g % 5));
        let treatments: Vec<Vec<f64>> =
            (0..20).map(|g| (0..6).map(|t| treatment(g, t)).collect()).collect();
        let groups: Vec<(&[f64], &[f64])> =
            outcomes.iter().zip(&treatments).map(|(y, d)| (&y[..], &d[..])).collect();
        let control = (0..120).map(|row| f64::from((31 * row * row + 7 * row) % 23)).collect();
        GroupPeriodRows { controls: vec![control], ..rows(&groups) }
    }

    /// The influence of a group on the coefficients is its score times the inverse of the cross-products of its own status quo,
    /// without a factor for the others.
    #[test]
    fn influence_of_coefficients_is_their_derivative() {
        let sample =
            sample(&data(), &SwitchingOptions { effects: 1, ..SwitchingOptions::default() });
        let fitted = ControlRegression::of_levels(&sample, &sample.weight);
        assert_eq!(fitted.len(), 2);
        let mut changes = Vec::new();
        for g in 0..sample.groups() {
            let coefficient = |factor: f64| {
                let mut weight = sample.weight.clone();
                weight[sample.row(g)].iter_mut().for_each(|w| *w *= factor);
                let level = sample.stratum_of(g).level;
                ControlRegression::of_levels(&sample, &weight)[level].coefficients[0]
            };
            let derivative = (coefficient(1.0 + 1e-5) - coefficient(1.0 - 1e-5)) / 2e-5;
            let stratum = sample.stratum[g] as usize;
            let regression = &fitted[sample.stratum_of(g).level];
            let mut score = 0.0;
            for t in 1..sample.first_of(g) {
                let row = sample.row(g).start;
                let change = sample.outcome[row + t] - sample.outcome[row + t - 1];
                sample.control_changes(g, t - 1, t, &mut changes);
                let residual = regression.residual(stratum, t, change, &mut changes);
                let count = f64::from(regression.means.count[stratum * sample.periods + t]);
                score += changes[0].1 * residual / (count / (count - 1.0)).sqrt();
            }
            let influence = regression.inverse[0] * score;
            let error = (influence - derivative).abs();
            assert!(error < 1e-8 * derivative.abs().max(1e-3), "{g}: {influence} {derivative}");
        }
    }

    #[test]
    fn what_depends_on_other_controls_is_told() {
        let mut data = data();
        let twice = data.controls[0].iter().map(|x| 2.0 * x + 5.0).collect();
        data.controls.push(twice);
        let sample = sample(&data, &SwitchingOptions { effects: 1, ..SwitchingOptions::default() });
        let fitted = ControlRegression::of_levels(&sample, &sample.weight);
        assert!(fitted.iter().all(|regression| regression.collinear));
        let (inverse, rank) = generalised_inverse(&[4.0, 0.0, 0.0, 0.0], 2);
        assert_eq!((inverse, rank), (vec![0.25, 0.0, 0.0, 0.0], 1));
    }
}
