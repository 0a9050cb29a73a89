//! Sums of the columns.

use std::borrow::Cow;
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
    /// Columns of sampling weights, none, one of all outcomes or one of each: rows without weight take no part.
    pub sampling: usize,
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
    /// Rows that take part, by outcome and of the covariates.
    pub rows_y: Vec<f64>,
    pub rows_x: f64,
}

/// Rows of a tile that take part.
enum TakingPart {
    All,
    Some(Vec<usize>),
}

impl ColumnLook {
    pub fn none(&self, stratum: usize) -> ColumnSums {
        let zeros = |columns: usize| vec![0.0; columns];
        ColumnSums {
            y: zeros(self.mean[stratum].len()),
            size: zeros(self.mean[stratum].len()),
            x: zeros(self.centre[stratum].len()),
            w: zeros(self.weights),
            rows_y: zeros(self.mean[stratum].len()),
            rows_x: 0.0,
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
        let sampling: Vec<&[f64]> =
            piece.w().take(self.sampling).map(|column| &column[tile.clone()]).collect();
        let by_outcome: Vec<TakingPart> =
            sampling.iter().map(|w| TakingPart::new(w.len(), |row| w[row] > 0.0)).collect();
        let of_outcome = |outcome: usize| {
            let one = if by_outcome.len() == 1 { 0 } else { outcome };
            by_outcome.get(one).unwrap_or(&TakingPart::All)
        };
        let of_covariates = match sampling.as_slice() {
            [] => TakingPart::All,
            all => TakingPart::new(tile.len(), |row| all.iter().any(|w| w[row] > 0.0)),
        };
        let outcomes: Vec<Cow<'_, [f64]>> = piece
            .y()
            .enumerate()
            .map(|(y, column)| of_outcome(y).of(&column[tile.clone()]))
            .collect();
        let y = || outcomes.iter().zip(&self.mean[piece.stratum]);
        let x = piece.x().zip(&self.centre[piece.stratum]);
        let w = piece.w().take(self.weights);
        let size = |(values, mean): (&Cow<'_, [f64]>, &f64)| match self.squares {
            true => 0.0,
            false => sizes(values, *mean),
        };
        let of_x = |(column, mean): (&[f64], &f64)| {
            self.column(&of_covariates.of(&column[tile.clone()]), *mean)
        };
        ColumnSums {
            y: y().map(|(values, mean)| self.column(values, *mean)).collect(),
            size: y().map(size).collect(),
            x: x.map(of_x).collect(),
            w: w.map(|column| self.column(&column[tile.clone()], 0.0)).collect(),
            rows_y: y().map(|(values, _)| values.len() as f64).collect(),
            rows_x: of_covariates.rows(tile.len()),
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

impl TakingPart {
    fn new(rows: usize, takes: impl Fn(usize) -> bool) -> Self {
        match (0..rows).all(&takes) {
            true => Self::All,
            false => Self::Some((0..rows).filter(|row| takes(*row)).collect()),
        }
    }

    /// How many of a tile's rows.
    fn rows(&self, tile: usize) -> f64 {
        match self {
            Self::All => tile as f64,
            Self::Some(rows) => rows.len() as f64,
        }
    }

    /// Their values.
    fn of<'a>(&self, values: &'a [f64]) -> Cow<'a, [f64]> {
        match self {
            Self::All => Cow::Borrowed(values),
            Self::Some(rows) => rows.iter().map(|row| values[*row]).collect(),
        }
    }
}

impl Stat for ColumnSums {
    fn merge(&mut self, other: &Self) -> Result<()> {
        let lengths = |s: &Self| [s.y.len(), s.x.len(), s.w.len()];
        let (own, got) = (lengths(self), lengths(other));
        let of_outcomes = |s: &Self| [s.size.len(), s.rows_y.len()];
        if own != got || of_outcomes(self) != of_outcomes(other) {
            let problem = format!("sums of {got:?} columns were to be added to {own:?}");
            return Err(DidError::Engine { problem });
        }
        add(&mut self.y, &other.y);
        add(&mut self.size, &other.size);
        add(&mut self.x, &other.x);
        add(&mut self.w, &other.w);
        add(&mut self.rows_y, &other.rows_y);
        self.rows_x += other.rows_x;
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
