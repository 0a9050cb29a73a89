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

    /// Whether each row can be imputed.
    ///
    /// # Errors
    /// Those of the normal equations.
    pub fn imputable(&self) -> Result<Vec<bool>> {
        let of_slots = imputable(&self.design, &self.normal)?;
        Ok(self.patterns.slots.iter().map(|slot| of_slots[*slot as usize]).collect())
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
        let untreated = |slot: usize| match self.design.treated[slot] {
            true => 0.0,
            false => self.design.weight(slot),
        };
        let value = |column: &[f64], slot: usize| column[self.cells[slot] as usize];
        let sums: Vec<Vec<f64>> = columns
            .iter()
            .map(|column| self.design.sums(|slot| untreated(slot) * value(column, slot)))
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
