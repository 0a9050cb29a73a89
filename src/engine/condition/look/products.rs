//! The covariates' correlations in a sample of the rows.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::super::change::triangular_solve;
use super::{Piece, absent};
use crate::base::error::Result;
use crate::engine::backend::host::{HostChunk, gram};
use crate::engine::pass::{Gram, GramJob, TILE, Weight};

/// Unweighted cross-products of standardised covariates (of version 0), over the first tile of each of some strata.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProductLook {
    /// The strata.
    pub strata: Range<usize>,
    /// Mean and standard deviation of each covariate.
    pub standard: Vec<(f64, f64)>,
    /// Lower triangle by which they are decorrelated then.
    pub lower: Option<Vec<f64>>,
    /// Columns of sampling weights: rows without weight count as the mean.
    pub sampling: usize,
}

impl ProductLook {
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if there are fewer covariates.
    pub fn add(&self, piece: &Piece<'_>, stat: &mut Gram) -> Result<()> {
        if piece.first > 0 || piece.rows == 0 {
            return Ok(());
        }
        let rows = piece.rows.min(TILE);
        let weights: Vec<&[f64]> = piece.w().take(self.sampling).collect();
        let takes_part = |row: usize| weights.is_empty() || weights.iter().any(|w| w[row] > 0.0);
        let mut x = Vec::with_capacity(rows * self.standard.len());
        for (column, (mean, sd)) in piece.x().zip(&self.standard) {
            let standardised = |row: usize| (column[row] - mean) / sd;
            x.extend((0..rows).map(|row| if takes_part(row) { standardised(row) } else { 0.0 }));
        }
        let k = self.standard.len() + 1;
        if x.len() != (k - 1) * rows {
            return Err(absent());
        }
        if let Some(lower) = &self.lower {
            triangular_solve(&mut x, rows, lower, k - 1);
        }
        let chunk = HostChunk { rows, y: &[], x: &x, w: &[], rank: &[], cluster: &[], k };
        let jobs =
            [GramJob { stratum: 0, x: 0, w: Weight::Ones, odds: None, outcomes: Vec::new() }];
        gram(&chunk, &jobs, 1.0, std::slice::from_mut(stat));
        Ok(())
    }
}
