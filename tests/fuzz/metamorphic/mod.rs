//! What a change of the data must do to the numbers of every estimator: nothing, or something known.

mod case;
pub mod cases;
mod files;
mod labels;
mod numbers;
mod outliers;
mod scales;
mod scores;
mod times;
mod types;
mod weights;
