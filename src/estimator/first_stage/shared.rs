//! What units share: the regression of untreated outcomes by patterns of the leading factor.
//!
//! A target whose weights are those of cells times the rows' own asks the same of all levels with the same rows: the effects `λ` of these are
//! equal. One level for each pattern, with the sum of their weights, has the same equations, as many as cohorts have periods.

use super::design::{Design, DesignColumns};
use super::imputable::imputable;
use super::normal::{NormalEquations, is_direct};
use super::sample::StageSample;
use crate::base::error::Result;
use crate::base::patterns::Patterns;

/// A design that stands for a sample's, with its normal equations.
pub(super) struct SharedDesign {
    patterns: Patterns,
    /// The cell of each slot.
    cells: Vec<u32>,
    design: Design,
    normal: NormalEquations<'static>,
}

impl SharedDesign {
    /// Of a sample; none if few levels share their rows, or if the equations have to be iterated.
    pub fn find(sample: &StageSample) -> Option<Self> {
        let design = &sample.design;
        if !is_direct(design) {
            return None;
        }
        // Periods, and with them treatment and the variable of slopes, are those of cells.
        let keys: Vec<&[u32]> =
            design.rest.iter().map(Vec::as_slice).chain([sample.cell.as_slice()]).collect();
        let patterns = Patterns::find(&design.lead, &keys, design.weights.as_deref())?;
        let rest = design.rest.iter().zip(design.offsets.windows(2)).map(|(codes, at)| {
            let codes = patterns.codes(codes).into_iter().map(|code| code - at[0] as u32).collect();
            (codes, at[1] - at[0])
        });
        let examples = || patterns.examples.iter().map(|row| *row as usize);
        let shared = Design::new(DesignColumns {
            lead: (patterns.of_slots.clone(), patterns.count),
            rest: rest.collect(),
            slope: design.slope.as_ref().map(|slope| examples().map(|row| slope[row]).collect()),
            weights: Some(patterns.weights.clone()),
            treated: examples().map(|row| design.treated[row]).collect(),
        });
        Some(Self {
            cells: patterns.codes(&sample.cell),
            normal: NormalEquations::direct(&shared),
            design: shared,
            patterns,
        })
    }

    /// Which values each row has.
    pub fn slots(&self) -> &[u32] {
        &self.patterns.slots
    }

    /// Whether each row can be imputed; none if all can.
    ///
    /// # Errors
    /// Those of the normal equations.
    pub fn imputable(&self) -> Result<Option<Vec<bool>>> {
        let of_slots = imputable(&self.design, &self.normal)?;
        let of_rows = || self.patterns.slots.iter().map(|slot| of_slots[*slot as usize]).collect();
        Ok(of_slots.contains(&false).then(of_rows))
    }

    /// A column of the sample's rows less `centre` and what the fixed effects explain of it on untreated rows; none if there are trends.
    ///
    /// The effects of the other factors are those of the patterns' means, and the effect of a level of the leading one is the mean of what
    /// these leave of its untreated rows.
    ///
    /// # Errors
    /// Those of the normal equations.
    pub fn residuals(
        &self,
        sample: &Design,
        (name, column): (&str, &[f64]),
        centre: f64,
    ) -> Result<Option<Vec<f64>>> {
        if self.design.slope.is_some() {
            return Ok(None);
        }
        let slots = &self.patterns.slots;
        let sums = self.sums(sample, |row| column[row] - centre);
        let right = self.design.sums(|slot| sums[slot]);
        let effects = self.normal.solve(&self.design, &[right], name)?.pop().unwrap_or_default();
        let of_others: Vec<f64> = (0..self.design.rows())
            .map(|slot| {
                self.design.fitted(slot, &effects) - effects[self.design.lead[slot] as usize]
            })
            .collect();
        let left = sample.filled(|rows, left| {
            let of_row = |row: usize| column[row] - centre - of_others[slots[row] as usize];
            left.iter_mut().zip(rows.clone()).for_each(|(left, row)| *left = of_row(row));
            let mut rest = left;
            let mut row = rows.start;
            for level in sample.lead[rows].chunk_by(|a, b| a == b) {
                let (own, others) = rest.split_at_mut(level.len());
                let (mut sum, mut total) = (0.0, 0.0);
                for (at, value) in own.iter().enumerate() {
                    let weight = sample.regression_weight(row + at);
                    sum += weight * value;
                    total += weight;
                }
                for value in own {
                    *value -= sum / total;
                }
                row += level.len();
                rest = others;
            }
        });
        Ok(Some(left))
    }

    /// Weighted sums of values of untreated rows, by slot.
    pub fn sums(&self, sample: &Design, value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        let slots = &self.patterns.slots;
        let of_blocks = sample.by_block(|rows| {
            let mut sums = vec![0.0; self.cells.len()];
            for row in rows.filter(|row| !sample.treated[*row]) {
                sums[slots[row] as usize] += sample.weight(row) * value(row);
            }
            sums
        });
        let sum = |slot: usize| of_blocks.iter().map(|sums| sums[slot]).sum();
        (0..self.cells.len()).map(sum).collect()
    }

    /// Sums of the weights of untreated rows, by slot.
    pub fn untreated_weights(&self) -> Vec<f64> {
        (0..self.cells.len()).map(|slot| self.design.regression_weight(slot)).collect()
    }

    /// `z'λ` by slot, of targets whose weights are these of cells times the rows' own.
    ///
    /// # Errors
    /// Those of the normal equations.
    pub fn solve(&self, targets: &[&[f64]]) -> Result<Vec<Vec<f64>>> {
        let weight = |cells: &[f64], slot: usize| {
            cells[self.cells[slot] as usize] * self.design.weight(slot)
        };
        let sums: Vec<Vec<f64>> =
            targets.iter().map(|cells| self.design.sums(|slot| weight(cells, slot))).collect();
        let effects = self.normal.solve(&self.design, &sums, "a target's weights")?;
        let fitted = |effects: &Vec<f64>| {
            (0..self.design.rows()).map(|slot| self.design.fitted(slot, effects)).collect()
        };
        Ok(effects.iter().map(fitted).collect())
    }

    /// Values of cells less those of slots, by slot.
    pub fn less(&self, cells: &[f64], slots: &[f64]) -> Vec<f64> {
        self.cells.iter().zip(slots).map(|(cell, value)| cells[*cell as usize] - value).collect()
    }

    /// Columns of values of cells less what the fixed effects explain of them on untreated rows; by slot.
    ///
    /// # Errors
    /// Those of the normal equations.
    pub fn project(&self, columns: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        let value = |column: &[f64], slot: usize| column[self.cells[slot] as usize];
        let sums: Vec<Vec<f64>> = columns
            .iter()
            .map(|column| {
                self.design.sums(|slot| self.design.regression_weight(slot) * value(column, slot))
            })
            .collect();
        let effects = self.normal.solve(&self.design, &sums, "an event time")?;
        let left = |(column, effects): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
            (0..self.design.rows())
                .map(|slot| value(column, slot) - self.design.fitted(slot, effects))
                .collect()
        };
        Ok(columns.iter().zip(&effects).map(left).collect())
    }
}
