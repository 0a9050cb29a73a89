//! What must be known of all rows of the sample before they are arranged: levels of factors, and which covariates and
//! weights change over time.

use std::ops::Range;

use rayon::prelude::*;

use super::codes::MISSING;
use super::columns::Rows;
use super::formula::{Design, Present};
use super::grid::Grid;
use super::sample::{Layout, WeightLayout};
use crate::error::Result;
use crate::pass::TILE;

/// Findings over all frames.
#[derive(Debug)]
pub(super) struct Inspection {
    pub present: Present,
    /// Whether a unit's covariates change over time.
    pub covariates_vary: bool,
    weights_vary: bool,
    lowest: f64,
    highest: f64,
}

impl Inspection {
    pub fn new() -> Self {
        Self {
            present: Present::default(),
            covariates_vary: false,
            weights_vary: false,
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
        }
    }

    /// Notes the levels in the sample.
    pub fn add_levels(&mut self, rows: &Rows, grids: &[Grid]) {
        let mut kept = Vec::new();
        if rows.covariates.has_factors() {
            let mut buffer = Vec::new();
            for (grid, p) in grids.iter().flat_map(|g| (0..g.periods()).map(move |p| (g, p))) {
                let listed = grid.rows(p, &(0..grid.n), &mut buffer);
                kept.extend(listed.iter().filter(|row| **row != MISSING));
            }
        }
        rows.covariates.add_present(&mut self.present, &kept);
    }

    /// Compares each unit's covariates and weights over time.
    pub fn add_changes(&mut self, rows: &Rows, grids: &[Grid], layout: Layout) -> Result<()> {
        let design = rows.covariates.design(&self.present)?;
        let over_time = layout != Layout::RepeatedCrossSections;
        if over_time && !self.covariates_vary {
            let columns = design.covariates();
            self.covariates_vary = tiles(grids)
                .any(|(g, units)| columns.clone().any(|j| varies(&design, j, g, &units)));
        }
        let Some(w) = &rows.w else { return Ok(()) };
        let (lowest, highest) = tiles(grids)
            .map(|(g, units)| range_of(w, g, &units))
            .reduce(|| (f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        (self.lowest, self.highest) = (self.lowest.min(lowest), self.highest.max(highest));
        if over_time && !self.weights_vary {
            self.weights_vary = tiles(grids).any(|(g, units)| weight_varies(w, g, &units));
        }
        Ok(())
    }

    /// Whether no row has a positive weight.
    pub fn weightless(&self) -> bool {
        self.highest <= 0.0
    }

    /// Whether weights are equal, the same in all periods of a unit, or neither.
    pub fn weights(&self) -> WeightLayout {
        if self.lowest >= self.highest {
            WeightLayout::Constant
        } else if self.weights_vary {
            WeightLayout::Varying
        } else {
            WeightLayout::Invariant
        }
    }
}

/// Tiles of all grids.
pub(super) fn tiles(grids: &[Grid]) -> impl ParallelIterator<Item = (&Grid, Range<usize>)> {
    grids.par_iter().flat_map(|g| {
        (0..g.n.div_ceil(TILE))
            .into_par_iter()
            .map(move |tile| (g, tile * TILE..((tile + 1) * TILE).min(g.n)))
    })
}

/// Whether a column of the design changes over time within some of the units.
fn varies(design: &Design, column: usize, grid: &Grid, units: &Range<usize>) -> bool {
    let mut buffer = Vec::new();
    let (mut first, mut other) = (vec![0.0; units.len()], vec![0.0; units.len()]);
    design.fill(column, grid.filled(0, units, &mut buffer), &mut first);
    (1..grid.periods()).any(|p| {
        design.fill(column, grid.filled(p, units, &mut buffer), &mut other);
        first != other
    })
}

fn weight_varies(w: &[f64], grid: &Grid, units: &Range<usize>) -> bool {
    let (mut first, mut buffer) = (Vec::new(), Vec::new());
    let first = grid.filled(0, units, &mut first);
    (1..grid.periods()).any(|p| {
        let rows = grid.filled(p, units, &mut buffer);
        rows.iter().zip(first).any(|(r, f)| w[*r as usize] != w[*f as usize])
    })
}

/// Smallest and largest weight.
fn range_of(w: &[f64], grid: &Grid, units: &Range<usize>) -> (f64, f64) {
    let mut buffer = Vec::new();
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for p in 0..grid.periods() {
        for row in grid.filled(p, units, &mut buffer) {
            let w = w[*row as usize];
            range = (range.0.min(w), range.1.max(w));
        }
    }
    range
}
