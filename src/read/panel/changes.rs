//! Which covariates and weights change over time within the units of the sample.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::additive::Additive;
use super::frame::Placed;
use super::grid::Grid;
use super::sample::WeightLayout;
use super::strata::Layout;
use crate::base::error::Result;
use crate::base::segment::TILE;
use crate::read::formula::{Design, Present};

/// What changes, and the range of the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Changes {
    /// Which of the design's covariates change over time within units.
    covariates: Vec<bool>,
    weights: bool,
    lowest: f64,
    highest: f64,
}

impl Default for Changes {
    fn default() -> Self {
        let (lowest, highest) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { covariates: Vec::new(), weights: false, lowest, highest }
    }
}

impl Changes {
    /// Compares each unit's covariates and weights over time; `present` are the levels of all frames.
    pub fn of(placed: Placed<'_>, present: &Present, layout: Layout) -> Result<Self> {
        let Placed { rows, grids } = placed;
        let design = rows.covariates.design(present)?;
        let over_time = layout != Layout::RepeatedCrossSections;
        let column = |j| over_time && tiles(grids).any(|(g, units)| varies(&design, j, g, &units));
        let covariates = design.covariates().map(column).collect();
        let Some(w) = &rows.w else { return Ok(Self { covariates, ..Self::default() }) };
        let (lowest, highest) = tiles(grids)
            .map(|(g, units)| range_of(w, g, &units))
            .reduce(|| (f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let weights = over_time && tiles(grids).any(|(g, units)| weight_varies(w, g, &units));
        Ok(Self { covariates, weights, lowest, highest })
    }

    /// Whether any of the covariates changes over time.
    pub fn of_covariates(&self) -> bool {
        self.covariates.contains(&true)
    }

    /// Of some of the covariates, in another order.
    #[cfg(feature = "cluster")]
    pub fn select(&self, covariates: &[usize]) -> Self {
        let changes = |j: &usize| self.covariates.get(*j).copied().unwrap_or_default();
        Self { covariates: covariates.iter().map(changes).collect(), ..self.clone() }
    }

    /// Whether no row has a positive weight.
    pub fn weightless(&self) -> bool {
        self.highest <= 0.0
    }

    /// Whether weights are equal, the same in all periods of a unit, or neither.
    pub fn weights(&self) -> WeightLayout {
        if self.lowest >= self.highest {
            WeightLayout::Constant
        } else if self.weights {
            WeightLayout::Varying
        } else {
            WeightLayout::Invariant
        }
    }
}

impl Additive for Changes {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.covariates.resize(self.covariates.len().max(other.covariates.len()), false);
        self.covariates.iter_mut().zip(other.covariates).for_each(|(known, more)| *known |= more);
        self.weights |= other.weights;
        self.lowest = self.lowest.min(other.lowest);
        self.highest = self.highest.max(other.highest);
        Ok(())
    }
}

/// Tiles of all grids.
fn tiles(grids: &[Grid]) -> impl ParallelIterator<Item = (&Grid, Range<usize>)> {
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
