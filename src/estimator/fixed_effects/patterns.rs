//! Levels that share their rows: the units of a cohort have the same regressors in the same periods.
//!
//! Of regressors that are indicators of cells, one level of the factor with most of them can stand for all that have, row by row, the same
//! levels of the other factors and the same cells, with the sum of their weights. A level's effect is a mean over its own rows, which a
//! weight that these have in common does not change: so without their fixed effects, too, the regressors of these levels are the same. A panel
//! with any number of units has as many rows then as its cohorts have periods.

use super::collinear::{Basis, Before};
use super::columns::FitColumns;
use super::least_squares::{LeastSquares, least_squares};
use super::problem::{Projected, Where, project};
use super::regressed::{Regressed, is_iterated, weigh};
use super::sample::{RegressionSample, leading};
use super::shared_columns::SharedColumns;
use super::sums;
use crate::base::error::Result;
use crate::base::patterns::Patterns;
use crate::engine::demean::{Demeaner, Factor, OnHost};

/// Indicators of cells by patterns of the leading factor.
pub(super) struct CellPatterns {
    patterns: Patterns,
    /// The cell of each slot; [`u32::MAX`] for none.
    cells: Vec<u32>,
    /// The factors, whose leading one has patterns for levels.
    factors: Vec<Factor>,
    lead: usize,
}

impl CellPatterns {
    /// Of the sample's leading factor, with these cells; none if there are too many.
    pub fn find(sample: &RegressionSample, cells: &[u32]) -> Option<Self> {
        let lead = leading(sample.factors.iter().map(|factor| factor.levels))?;
        let others = sample.factors.iter().enumerate().filter(|(factor, _)| *factor != lead);
        let keys: Vec<&[u32]> =
            others.map(|(_, factor)| factor.codes.as_slice()).chain([cells]).collect();
        let levels = &sample.factors[lead].codes;
        let patterns = Patterns::find(levels, &keys, sample.weights.as_deref())?;
        let factor = |(index, factor): (usize, &Factor)| match index == lead {
            true => Factor { codes: patterns.of_slots.clone(), levels: patterns.count },
            false => Factor { codes: patterns.codes(&factor.codes), levels: factor.levels },
        };
        Some(Self {
            factors: sample.factors.iter().enumerate().map(factor).collect(),
            cells: patterns.codes(cells),
            patterns,
            lead,
        })
    }

    /// Sums of the weights of the cells' rows, without end.
    pub fn weights_of_cells(&self) -> impl Iterator<Item = f64> {
        (0..).map(|cell| {
            let own =
                self.cells.iter().zip(&self.patterns.weights).filter(move |(of, _)| **of == cell);
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
        weigh(&mut columns, Some(&self.patterns.weights));
        let basis = Basis::find(columns, before, place.options.tolerance, iterated);
        let roots: Option<Vec<f64>> =
            weights.map(|weights| weights.iter().map(|weight| weight.sqrt()).collect());
        let fit = self.least_squares(&outcome, roots.as_deref(), &basis)?;
        let Basis { kept, mut columns, turn, .. } = basis;
        for column in &mut columns {
            sums::update(column, |slot, value| value / self.patterns.weights[slot].sqrt());
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
                slots: self.patterns.slots,
                patterns: self.patterns.of_slots,
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
        let weights = Some(self.patterns.weights.as_slice());
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
        let mut means = vec![0.0; self.patterns.weights.len()];
        for (row, (slot, y)) in self.patterns.slots.iter().zip(outcome).enumerate() {
            means[*slot as usize] += root(row) * y;
        }
        sums::update(&mut means, |slot, sum| sum / self.patterns.weights[slot].sqrt());
        let of_means = least_squares(&means, basis)?;
        let fitted = means.iter().zip(&of_means.residuals).zip(&self.patterns.weights);
        let fitted: Vec<f64> =
            fitted.map(|((mean, e), weight)| (mean - e) / weight.sqrt()).collect();
        let mut residuals = outcome.to_vec();
        sums::update(&mut residuals, |row, y| {
            y - root(row) * fitted[self.patterns.slots[row] as usize]
        });
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
                    let patterns = own.iter_mut().zip(&self.patterns.of_levels);
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
