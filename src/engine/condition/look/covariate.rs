//! The size of a covariate whose squares overflow or underflow.

use serde::{Deserialize, Serialize};

use super::{Piece, absent};
use crate::base::error::Result;

/// One sum over all versions of a covariate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CovariateLook {
    /// Its number, without the constant.
    pub covariate: usize,
    /// Number of covariates, which is the distance of two versions.
    pub covariates: usize,
    /// What is summed.
    pub sum: CovariateSum,
}

/// What is summed of a covariate's values `v`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum CovariateSum {
    /// The largest `|v|`.
    Largest,
    /// `Σ v / largest`.
    Scaled { largest: f64 },
    /// `Σ (v / largest - mean)²`.
    Squares { largest: f64, mean: f64 },
}

impl CovariateLook {
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if there is no such covariate.
    pub fn add(&self, piece: &Piece<'_>, stat: &mut f64) -> Result<()> {
        let columns: Vec<&[f64]> =
            piece.x().skip(self.covariate).step_by(self.covariates).collect();
        if columns.is_empty() {
            return Err(absent());
        }
        for tile in piece.tiles() {
            let values = columns.iter().flat_map(|c| &c[tile.clone()]).copied();
            let of_tile = match self.sum {
                CovariateSum::Largest => values.map(f64::abs).fold(0.0, f64::max),
                CovariateSum::Scaled { largest } => values.map(|v| v / largest).sum(),
                CovariateSum::Squares { largest, mean } => {
                    values.map(|v| (v / largest - mean).powi(2)).sum()
                }
            };
            *stat = self.join(*stat, of_tile);
        }
        Ok(())
    }

    /// Of two sets of rows together.
    pub fn join(&self, a: f64, b: f64) -> f64 {
        match self.sum {
            CovariateSum::Largest => a.max(b),
            CovariateSum::Scaled { .. } | CovariateSum::Squares { .. } => a + b,
        }
    }
}
