//! Rows of a regression: columns without the roles of time and group.

mod columns;
mod factor;
mod rows;

pub(crate) use columns::{CohortColumns, RegressionColumns};
pub(crate) use factor::Coded;
pub(crate) use rows::{RegressionRows, RowCohorts};
