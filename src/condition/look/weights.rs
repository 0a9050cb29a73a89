//! Sum of a weight column.

use serde::{Deserialize, Serialize};

use super::Piece;
use crate::pass::TILE;

/// `Σ w` times a factor, by which each tile's sum is multiplied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WeightLook {
    /// Weight column.
    pub column: usize,
    /// The factor.
    pub factor: f64,
}

impl WeightLook {
    pub fn add(&self, piece: &Piece<'_>, stat: &mut f64) {
        for column in piece.w().skip(self.column).take(1) {
            for tile in column.chunks(TILE) {
                *stat += tile.iter().sum::<f64>() * self.factor;
            }
        }
    }
}
