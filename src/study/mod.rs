//! The steps of a study around the estimate.
//!
//! - Lives here: `panel`, tools that bring data into the shape that estimators read.
//! - May import: everything below it, estimators included.
//! - Must not import: `prelude` and `bin`. No number of an estimate is formed here.

pub(crate) mod panel;
