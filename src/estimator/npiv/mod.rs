//! Nonparametric instrumental variables by sieves: estimates, dimension chosen by the data, uniform bands (Chen, Christensen and
//! Kankanala 2025, "Adaptive estimation and uniform confidence bands for nonparametric structural functions and elasticities").
//!
//! On the host, in double precision: rows of sieves have few non-zero entries, and only sums of their products grow with
//! the number of observations; they are added tile by tile in a fixed order.

mod bands;
mod check;
mod choose;
mod draws;
mod estimator;
mod few_values;
mod grid;
mod level;
mod levels;
mod report;
mod result;
mod rows;
mod sieve;

pub(crate) use bands::{CurveQuestion, FittedCurve, fit};
pub(crate) use choose::Spaces;
pub use estimator::Npiv;
pub(crate) use estimator::{DRAWS, FEW_OBSERVATIONS};
pub use grid::SieveGrid;
pub(crate) use level::{ObservationClusters, Observations, pseudo_inverse};
pub use result::{NpivChoice, NpivResult, NpivRow, NpivSettings};
pub(crate) use sieve::Derivative;
pub use sieve::{SieveBasis, SieveKnots};
