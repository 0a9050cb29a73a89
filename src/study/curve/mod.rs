//! A study under all combinations of choices that could have been made: the specification curve.
//!
//! | what | file |
//! |---|---|
//! | choices, and what their values are | `vary.rs` |
//! | the specifications that combinations of choices are | `grid.rs` |
//! | the fits, and the covariance of all specifications | `fit.rs` |
//! | tests of all specifications together | `together.rs` |
//! | results | `result.rs`, `check.rs`, `report.rs`, `picture.rs` |

mod check;
mod fit;
mod grid;
#[cfg(feature = "plot")]
mod picture;
mod report;
mod result;
mod together;
mod vary;

pub use result::{CurveTests, SpecificationCurve, SpecificationOfCurve, VariedChoice};
pub use vary::{StudyChoice, Variation};
