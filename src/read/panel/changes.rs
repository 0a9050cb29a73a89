//! Which covariates and weights change over time within the units of the sample.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use super::additive::Additive;
use super::frame::Placed;
use super::grid::Grid;
use super::sample::WeightLayout;
use super::strata::Layout;
use crate::base::error::Result;
use crate::base::parallel;
use crate::base::segment::TILE;
use crate::read::columns::{MISSING, code};
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
        let covariates = match over_time {
            true => varying(&design, rows.len, grids),
            false => design.covariates().map(|_| false).collect(),
        };
        let Some(w) = &rows.w else { return Ok(Self { covariates, ..Self::default() }) };
        let tiles = tiles(grids);
        let ranges = parallel::map(tiles.len(), |tile| range_of(w, tiles[tile].0, &tiles[tile].1));
        let (lowest, highest) = ranges
            .into_iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let weights = over_time && any(&tiles, |grid, units| weight_varies(w, grid, units));
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
fn tiles(grids: &[Grid]) -> Vec<(&Grid, Range<usize>)> {
    let tiles = grids.iter().flat_map(|grid| {
        (0..grid.n.div_ceil(TILE)).map(move |tile| (grid, parallel::part(tile, TILE, grid.n)))
    });
    tiles.collect()
}

/// Whether a test holds in any tile.
fn any(
    tiles: &[(&Grid, Range<usize>)],
    test: impl Fn(&Grid, &Range<usize>) -> bool + Sync,
) -> bool {
    !parallel::all(tiles.len(), &|tile| !test(tiles[tile].0, &tiles[tile].1))
}

/// Which covariates of the design change over time within some of the units. Those that do mostly show it in the first tile.
fn varying(design: &Design, rows: usize, grids: &[Grid]) -> Vec<bool> {
    let first_tile = |j: usize| {
        let tile = grids.iter().find(|grid| grid.n > 0).map(|grid| (grid, 0..grid.n.min(TILE)));
        tile.is_some_and(|(grid, units)| varies(design, j, grid, &units))
    };
    let seen: Vec<bool> = design.covariates().map(first_tile).collect();
    let in_order = grids.iter().all(Grid::is_regular);
    let by_row = (!in_order && seen.contains(&false)).then(|| UnitsOfRows::new(rows, grids));
    let column = |(j, seen): (usize, bool)| {
        seen || match &by_row {
            Some(units) => units.varies(design, j),
            None => any(&tiles(grids), |grid, units| varies(design, j, grid, units)),
        }
    };
    design.covariates().zip(seen).map(column).collect()
}

/// Units of a frame's rows, so that columns can be read from the first row to the last whatever the order of the units.
struct UnitsOfRows {
    /// The unit of each row that is in the sample, [`MISSING`] of the others.
    unit: Vec<u32>,
    /// First row of each unit.
    first: Vec<u32>,
}

impl UnitsOfRows {
    fn new(rows: usize, grids: &[Grid]) -> Self {
        let first: Vec<u32> = grids.iter().flat_map(|grid| &grid.first).copied().collect();
        let unit: Vec<AtomicU32> = (0..rows).map(|_| AtomicU32::new(MISSING)).collect();
        let befores = grids.iter().scan(0, |before, grid| {
            *before += grid.n;
            Some(*before - grid.n)
        });
        for (grid, before) in grids.iter().zip(befores) {
            parallel::each(grid.n.div_ceil(TILE), &|tile| {
                let units = parallel::part(tile, TILE, grid.n);
                let mut buffer = Vec::new();
                for p in 0..grid.periods() {
                    let numbers = before + units.start..;
                    for (row, number) in grid.rows(p, &units, &mut buffer).iter().zip(numbers) {
                        if let Some(unit) = unit.get(*row as usize) {
                            let number = u32::try_from(number).unwrap_or(MISSING);
                            unit.store(number, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
        Self { unit: unit.into_iter().map(AtomicU32::into_inner).collect(), first }
    }

    /// Whether a column of the design changes over time within some of the units.
    fn varies(&self, design: &Design, column: usize) -> bool {
        let mut known = vec![0.0; self.first.len()];
        parallel::chunks(&mut known, TILE, |tile, known| {
            design.fill(column, &self.first[parallel::part(tile, TILE, self.first.len())], known);
        });
        let rows = self.unit.len();
        let same = |part: usize| {
            let rows = parallel::part(part, TILE, rows);
            let numbers: Vec<u32> = rows.clone().map(|row| row as u64).map(code).collect();
            let mut values = vec![0.0; numbers.len()];
            design.fill(column, &numbers, &mut values);
            let known = self.unit[rows].iter().map(|unit| known.get(*unit as usize));
            known.zip(&values).all(|(known, value)| known.is_none_or(|known| known == value))
        };
        !parallel::all(rows.div_ceil(TILE), &same)
    }
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
