//! Options of demeaning, and what became of each column.

use serde::{Deserialize, Serialize};

use crate::base::options::Stop;
use crate::base::words::words;

words! {
    /// How columns are demeaned. Whatever is chosen, one factor is demeaned by its means alone.
    ///
    /// On backends of devices, `Auto` and `Cg` iterate on the device and correct what it found in double precision, and `Lsmr` does so if the
    /// precision is double. All else runs on the host.
    #[derive(Default)]
    pub enum Solver: "solver" {
        /// By the design: two factors that all occur together equally often by their means, all others by conjugate gradients.
        #[default]
        Auto = "auto",
        /// Conjugate gradients on the normal equations, with the factor of most levels partialled out.
        Cg = "cg",
        /// LSMR (Fong and Saunders 2011) with a diagonal preconditioner; the method of pyfixest's `LsmrDemeaner`.
        Lsmr = "lsmr",
        /// Alternating projections, accelerated by Irons and Tuck's rule; the method of R `fixest`. Iterations come in pairs.
        Map = "map",
        /// Conjugate gradients with the additive Schwarz preconditioner of the crate `within`.
        Schwarz = "schwarz",
    }
}

/// What became of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// Iterations; 0 where means suffice.
    pub iterations: usize,
    /// Passes of the device, each corrected in double precision on the host; 0 where the host did all.
    #[serde(default)]
    pub passes: usize,
    /// Why there were no more.
    pub stop: Stop,
    /// `‖A'r‖ / ‖s (x - x̄)‖`: the root of the sum over all levels of all factors of `(Σ w r)² / Σ w`, of the residual as it is
    /// returned, relative to the norm of the column less its mean. 0 for a constant column.
    pub normal_residual: f64,
}
