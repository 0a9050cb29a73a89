//! Levels that share their rows: the units of a cohort have the same regressors in the same periods.
//!
//! Of regressors that are indicators of cells, one level of the factor with most of them can stand for all that have, row by row, the same
//! levels of the other factors and the same cells, with the sum of their weights. A level's effect is a mean over its own rows, which a
//! weight that these have in common does not change: so without their fixed effects, too, the regressors of these levels are the same. A panel
//! with any number of units has as many rows then as its cohorts have periods.

use std::collections::HashMap;

use super::collinear::{Basis, Before};
use super::columns::{FitColumns, SharedColumns};
use super::least_squares::{LeastSquares, least_squares};
use super::problem::{Projected, Where, project};
use super::regressed::{Regressed, is_iterated, weigh};
use super::sample::{RegressionSample, leading};
use super::sums;
use crate::base::error::Result;
use crate::engine::demean::{Demeaner, Factor, OnHost};

/// One level stands for others where that leaves at most one in so many rows.
const WORTHWHILE: usize = 4;

/// The rows of one level for each pattern.
pub(super) struct Patterns {
    /// The row that stands for each row of the sample.
    slots: Vec<u32>,
    /// Sums of weights of the rows that it stands for.
    weights: Vec<f64>,
    /// Its cell; [`u32::MAX`] for none.
    cells: Vec<u32>,
    /// The factors, whose leading one has patterns for levels.
    factors: Vec<Factor>,
    lead: usize,
    /// The pattern of each level.
    of_levels: Vec<u32>,
}

/// Rows of a level with the same levels of the other factors, and the same cell.
struct Run {
    first: usize,
    weight: f64,
}

/// A hash with one more code.
fn mixed(hash: u64, code: u32) -> u64 {
    (hash.rotate_left(5) ^ u64::from(code)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Patterns {
    /// Of the sample's leading factor, with these cells; none if there are too many.
    pub fn find(sample: &RegressionSample, cells: &[u32]) -> Option<Self> {
        let lead = leading(sample.factors.iter().map(|factor| factor.levels))?;
        let levels = &sample.factors[lead].codes;
        let others: Vec<&[u32]> = sample
            .factors
            .iter()
            .enumerate()
            .filter(|(factor, _)| *factor != lead)
            .map(|(_, factor)| factor.codes.as_slice())
            .chain([cells])
            .collect();
        let same = |a: usize, b: usize| others.iter().all(|codes| codes[a] == codes[b]);
        let weight = |row: usize| sample.weights.as_ref().map_or(1.0, |w| w[row]);
        let n = levels.len();
        let mut slots = Vec::with_capacity(n);
        let (mut weights, mut examples): (Vec<f64>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut starts = vec![0];
        let mut of_levels = Vec::with_capacity(sample.factors[lead].levels);
        let mut known: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut runs: Vec<Run> = Vec::new();
        let mut start = 0;
        while start < n {
            runs.clear();
            let mut end = start;
            let at = slots.len();
            while end < n && levels[end] == levels[start] {
                match runs.last_mut() {
                    Some(run) if same(run.first, end) => run.weight += weight(end),
                    _ => runs.push(Run { first: end, weight: weight(end) }),
                }
                slots.push(runs.len() as u32 - 1);
                end += 1;
            }
            // A weight that differs within the level is a pattern of its own.
            let even = runs.iter().all(|run| run.weight == runs[0].weight);
            let codes = runs.iter().flat_map(|run| others.iter().map(|codes| codes[run.first]));
            let alike = known.entry(codes.fold(0, mixed)).or_default();
            let is_same = |pattern: &&u32| {
                let pattern = **pattern as usize;
                let own = &examples[starts[pattern]..starts[pattern + 1]];
                own.len() == runs.len()
                    && own.iter().zip(&runs).all(|(example, run)| same(*example, run.first))
            };
            let pattern = match alike.iter().find(is_same).filter(|_| even) {
                Some(pattern) => *pattern,
                None => {
                    let new = starts.len() as u32 - 1;
                    examples.extend(runs.iter().map(|run| run.first));
                    weights.resize(examples.len(), 0.0);
                    starts.push(examples.len());
                    if even {
                        alike.push(new);
                    }
                    new
                }
            };
            if examples.len() * WORTHWHILE > n {
                return None;
            }
            let first = starts[pattern as usize];
            weights[first..].iter_mut().zip(&runs).for_each(|(sum, run)| *sum += run.weight);
            slots[at..].iter_mut().for_each(|slot| *slot += first as u32);
            of_levels.push(pattern);
            start = end;
        }
        let factor = |(index, factor): (usize, &Factor)| match index == lead {
            true => {
                let levels = starts.len() - 1;
                let lengths = starts.windows(2).map(|pair| pair[1] - pair[0]);
                let codes = (0..).zip(lengths);
                let codes = codes.flat_map(|(code, length)| std::iter::repeat_n(code, length));
                Factor { codes: codes.collect(), levels }
            }
            false => Factor {
                codes: examples.iter().map(|row| factor.codes[*row]).collect(),
                levels: factor.levels,
            },
        };
        Some(Self {
            factors: sample.factors.iter().enumerate().map(factor).collect(),
            cells: examples.iter().map(|row| cells[*row]).collect(),
            slots,
            weights,
            lead,
            of_levels,
        })
    }

    /// Sums of the weights of the cells' rows, without end.
    pub fn weights_of_cells(&self) -> impl Iterator<Item = f64> {
        (0..).map(|cell| {
            let own = self.cells.iter().zip(&self.weights).filter(move |(of, _)| **of == cell);
            own.map(|(_, weight)| weight).sum()
        })
    }

    /// The regression of an outcome about its mean on the indicators of the cells, with their names, means and sums of squares.
    pub fn regressed(
        self,
        sample: &RegressionSample,
        (names, means, before): (&[String], &[f64], &[Before]),
        outcome: Vec<f64>,
        place: &Where<'_>,
    ) -> Result<Regressed> {
        let weights = sample.weights.as_deref();
        let demeaner = place.demeaner(sample, weights)?;
        let label = sample.outcome_label.as_str();
        let Projected { mut residuals, effects, solved, warnings } =
            project(demeaner.as_ref(), &[(label, outcome.as_slice())], None)?;
        drop((demeaner, outcome));
        weigh(&mut residuals, weights);
        let outcome = residuals.pop().unwrap_or_default();
        let of_regressors = self.projected(names, means, place)?;
        let iterated = is_iterated(of_regressors.solved.as_ref());
        let mut columns = of_regressors.residuals;
        weigh(&mut columns, Some(&self.weights));
        let basis = Basis::find(columns, before, place.options.tolerance, iterated);
        let roots: Option<Vec<f64>> =
            weights.map(|weights| weights.iter().map(|weight| weight.sqrt()).collect());
        let fit = self.least_squares(&outcome, roots.as_deref(), &basis)?;
        let Basis { kept, mut columns, turn, .. } = basis;
        for column in &mut columns {
            sums::update(column, |slot, value| value / self.weights[slot].sqrt());
        }
        let mut shifts = vec![0.0; self.factors.iter().map(|factor| factor.levels).sum()];
        for (j, b) in kept.iter().zip(&fit.b) {
            shifts.iter_mut().zip(&of_regressors.effects[*j]).for_each(|(e, x)| *e -= b * x);
        }
        let effects =
            effects.into_iter().next().map(|effects| self.shifted(effects, &shifts, sample));
        let mut report = solved;
        if let (Some(report), Some(own)) = (&mut report, of_regressors.solved) {
            report.columns.extend(own.columns);
        }
        Ok(Regressed {
            within: Some(sums::inner(&outcome, &outcome)),
            columns: FitColumns::Shared(SharedColumns {
                slots: self.slots,
                values: columns,
                roots,
            }),
            kept,
            fit,
            turn,
            effects,
            report,
            warnings: warnings.into_iter().chain(of_regressors.warnings).collect(),
        })
    }

    /// The regressors without their fixed effects.
    fn projected(&self, names: &[String], means: &[f64], place: &Where<'_>) -> Result<Projected> {
        let indicator = |(cell, mean): (u32, &f64)| -> Vec<f64> {
            self.cells.iter().map(|of| f64::from(u8::from(*of == cell)) - mean).collect()
        };
        let values: Vec<Vec<f64>> = (0..).zip(means).map(indicator).collect();
        let named: Vec<(&str, &[f64])> = names
            .iter()
            .zip(&values)
            .map(|(name, values)| (name.as_str(), values.as_slice()))
            .collect();
        let weights = Some(self.weights.as_slice());
        let demeaner = Demeaner::new(&self.factors, weights, place.options, &OnHost)?;
        project(Some(&demeaner), &named, None)
    }

    /// Least squares of an outcome on the rows that stand for others, with the residuals of all rows.
    fn least_squares(
        &self,
        outcome: &[f64],
        roots: Option<&[f64]>,
        basis: &Basis,
    ) -> Result<LeastSquares> {
        let root = |row: usize| roots.map_or(1.0, |roots| roots[row]);
        let mut means = vec![0.0; self.weights.len()];
        for (row, (slot, y)) in self.slots.iter().zip(outcome).enumerate() {
            means[*slot as usize] += root(row) * y;
        }
        sums::update(&mut means, |slot, sum| sum / self.weights[slot].sqrt());
        let of_means = least_squares(&means, basis)?;
        let fitted = means.iter().zip(&of_means.residuals).zip(&self.weights);
        let fitted: Vec<f64> =
            fitted.map(|((mean, e), weight)| (mean - e) / weight.sqrt()).collect();
        let mut residuals = outcome.to_vec();
        sums::update(&mut residuals, |row, y| y - root(row) * fitted[self.slots[row] as usize]);
        Ok(LeastSquares { rss: sums::inner(&residuals, &residuals), residuals, ..of_means })
    }

    /// Effects of all levels, less what the regressors add to those of the patterns.
    fn shifted(
        &self,
        mut effects: Vec<f64>,
        shifts: &[f64],
        sample: &RegressionSample,
    ) -> Vec<f64> {
        let (mut at, mut of_pattern) = (0, 0);
        for (index, factor) in sample.factors.iter().enumerate() {
            let own = &mut effects[at..at + factor.levels];
            let shifts = &shifts[of_pattern..of_pattern + self.factors[index].levels];
            match index == self.lead {
                true => {
                    let patterns = own.iter_mut().zip(&self.of_levels);
                    patterns.for_each(|(e, pattern)| *e += shifts[*pattern as usize]);
                }
                false => own.iter_mut().zip(shifts).for_each(|(e, shift)| *e += shift),
            }
            at += factor.levels;
            of_pattern += self.factors[index].levels;
        }
        effects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units in three periods; every third has no second one.
    fn sample(
        units: u32,
        weights: Option<&dyn Fn(u32, u32) -> f64>,
    ) -> (RegressionSample, Vec<u32>) {
        let rows: Vec<(u32, u32)> = (0..units)
            .flat_map(|unit| (0..3).map(move |time| (unit, time)))
            .filter(|(unit, time)| *time != 1 || unit % 3 != 0)
            .collect();
        let factor = |codes: Vec<u32>, levels: u32| Factor { codes, levels: levels as usize };
        let sample = RegressionSample {
            rows: (0..).take(rows.len()).collect(),
            factors: vec![
                factor(rows.iter().map(|row| row.0).collect(), units),
                factor(rows.iter().map(|row| row.1).collect(), 3),
            ],
            clusters: Vec::new(),
            weights: weights.map(|of| rows.iter().map(|(unit, time)| of(*unit, *time)).collect()),
            outcome: vec![0.0; rows.len()],
            outcome_label: "y".into(),
            singletons: 0,
            at_bounds: Vec::new(),
        };
        // Even units are treated in the last period.
        let cell = |(unit, time): &(u32, u32)| match unit % 2 == 0 && *time == 2 {
            true => 0,
            false => u32::MAX,
        };
        let cells = rows.iter().map(cell).collect();
        (sample, cells)
    }

    #[test]
    fn units_with_the_same_rows_have_one_pattern() {
        let weight = |unit: u32, _: u32| f64::from(1 + unit % 4);
        let (sample, cells) = sample(60, Some(&weight));
        let patterns = Patterns::find(&sample, &cells).unwrap();
        // Treated or not, with a gap or without.
        let levels: Vec<usize> = patterns.factors.iter().map(|factor| factor.levels).collect();
        assert_eq!((levels.as_slice(), patterns.weights.len()), (&[4, 3][..], 10));
        let total: f64 = sample.weights.as_ref().unwrap().iter().sum();
        assert_eq!(patterns.weights.iter().sum::<f64>(), total);
        let treated: f64 = (0..60).filter(|unit| unit % 2 == 0).map(|unit| weight(unit, 2)).sum();
        assert_eq!(patterns.weights_of_cells().next(), Some(treated));
        assert_eq!(patterns.of_levels[..6], [0, 1, 2, 3, 2, 1]);
    }

    #[test]
    fn patterns_are_not_used_where_few_units_share_one() {
        let (few, cells) = sample(6, None);
        assert!(Patterns::find(&few, &cells).is_none());
        let own = |unit: u32, time: u32| f64::from(1 + unit + 100 * time);
        let (own, cells) = sample(60, Some(&own));
        assert!(Patterns::find(&own, &cells).is_none());
    }
}
