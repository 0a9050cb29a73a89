//! Sums over rows, on any device: the passes, the sources that answer them, and what cells and regressions ask of them.
//!
//! - Lives here: `pass` (what is asked), `source` (who answers), `backend` (kernels), `condition` (changes and scales of columns), `cell` (the
//!   formulas of group-time effects), `demean` (fixed effects), `by_unit` (units
//!   whose rows are of periods that differ).
//! - May import: `base` and `read`.
//! - Must not import: results, reports or estimators. Nothing here knows what its numbers are called in a table.

pub mod backend;
pub(crate) mod by_unit;
pub(crate) mod cell;
pub(crate) mod condition;
pub(crate) mod demean;
pub mod pass;
pub(crate) mod source;
