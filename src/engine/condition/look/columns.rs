//! Sums of the columns.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Piece;
use crate::base::error::{DidError, Result};
use crate::base::parallel;
use crate::base::simd::vectorized;
use crate::engine::pass::{Stat, add};

/// Sums of centred outcomes and covariates, and of weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColumnLook {
    /// What is subtracted from each outcome column of each stratum; columns past these are not summed.
    pub mean: Vec<Vec<f64>>,
    /// What is subtracted from each version of each covariate of each stratum.
    pub centre: Vec<Vec<f64>>,
    /// Weight columns that are summed, the first ones.
    pub weights: usize,
    /// Whether squares are summed in place of values.
    pub squares: bool,
}

/// Sums over rows, by column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColumnSums {
    pub y: Vec<f64>,
    /// Of the outcomes' absolute values, 0 where squares are summed.
    pub size: Vec<f64>,
    pub x: Vec<f64>,
    pub w: Vec<f64>,
}

impl ColumnLook {
    pub fn none(&self, stratum: usize) -> ColumnSums {
        let zeros = |columns: usize| vec![0.0; columns];
        ColumnSums {
            y: zeros(self.mean[stratum].len()),
            size: zeros(self.mean[stratum].len()),
            x: zeros(self.centre[stratum].len()),
            w: zeros(self.weights),
        }
    }

    /// # Errors
    /// [`DidError::Engine`] if there are fewer columns.
    pub fn add(&self, piece: &Piece<'_>, stat: &mut ColumnSums) -> Result<()> {
        let tiles: Vec<Range<usize>> = piece.tiles().collect();
        let parts = parallel::map(tiles.len(), |t| self.tile(piece, &tiles[t]));
        parts.iter().try_for_each(|part| stat.merge(part))
    }

    fn tile(&self, piece: &Piece<'_>, tile: &Range<usize>) -> ColumnSums {
        let centred = |(column, mean): (&[f64], &f64)| self.column(&column[tile.clone()], *mean);
        let size = |(column, mean): (&[f64], &f64)| match self.squares {
            true => 0.0,
            false => sizes(&column[tile.clone()], *mean),
        };
        let y = || piece.y().zip(&self.mean[piece.stratum]);
        let w = piece.w().take(self.weights);
        ColumnSums {
            y: y().map(centred).collect(),
            size: y().map(size).collect(),
            x: piece.x().zip(&self.centre[piece.stratum]).map(centred).collect(),
            w: w.map(|column| self.column(&column[tile.clone()], 0.0)).collect(),
        }
    }

    fn column(&self, values: &[f64], mean: f64) -> f64 {
        if self.squares {
            vectorized(
                #[inline(always)]
                || sum(values, |v| (v - mean) * (v - mean)),
            )
        } else {
            vectorized(
                #[inline(always)]
                || sum(values, |v| v - mean),
            )
        }
    }
}

impl Stat for ColumnSums {
    fn merge(&mut self, other: &Self) -> Result<()> {
        let lengths = |s: &Self| [s.y.len(), s.x.len(), s.w.len()];
        let (own, got) = (lengths(self), lengths(other));
        if own != got || self.size.len() != other.size.len() {
            let problem = format!("sums of {got:?} columns were to be added to {own:?}");
            return Err(DidError::Engine { problem });
        }
        add(&mut self.y, &other.y);
        add(&mut self.size, &other.size);
        add(&mut self.x, &other.x);
        add(&mut self.w, &other.w);
        Ok(())
    }
}

/// `Σ |v - mean|`.
fn sizes(values: &[f64], mean: f64) -> f64 {
    vectorized(
        #[inline(always)]
        || sum(values, |v| (v - mean).abs()),
    )
}

/// `Σ f(v)` over eight lanes.
#[inline(always)]
fn sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let mut whole = values.chunks_exact(8);
    for values in &mut whole {
        for (lane, v) in lanes.iter_mut().zip(values) {
            *lane += f(*v);
        }
    }
    for (lane, v) in lanes.iter_mut().zip(whole.remainder()) {
        *lane += f(*v);
    }
    lanes.iter().sum()
}
