//! Sum of a weight column.

use serde::{Deserialize, Serialize};

use super::{Piece, absent};
use crate::base::error::Result;
use crate::engine::pass::TILE;

/// `Σ w` times a factor, by which each tile's sum is multiplied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WeightLook {
    /// Weight column.
    pub column: usize,
    /// The factor.
    pub factor: f64,
}

impl WeightLook {
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if there is no such column.
    pub fn add(&self, piece: &Piece<'_>, stat: &mut f64) -> Result<()> {
        for tile in piece.w().nth(self.column).ok_or_else(absent)?.chunks(TILE) {
            *stat += tile.iter().sum::<f64>() * self.factor;
        }
        Ok(())
    }
}
