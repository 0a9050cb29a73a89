//! Effects of treatments that switch on, off, up and down, by the time since a group's treatment first changed
//! (de Chaisemartin and D'Haultfoeuille 2024, <https://doi.org/10.1162/rest_a_01414>).
//!
//! | step | file |
//! |---|---|
//! | rows to cells of groups and periods | `cells.rs` |
//! | which groups and cells are compared, and from when a group has switched | `rules.rs`, `missing_treatment.rs`, `dropped.rs` |
//! | groups in strata (status quo treatment, trend group, first switch, new value) | `arrange.rs`, `sample.rs` |
//! | control variables | `controls/` |
//! | one effect or placebo of switchers in or out: estimate and influence | `component/` |
//! | which components an estimate is made of, and their covariance | `plan.rs`, `estimate.rs`, `covariance.rs` |
//! | whose effects are larger | `heterogeneity.rs` |
//! | bootstrap | `bootstrap.rs` |
//!
//! Everything is formed on the host in doubles. Groups of a stratum lie next to each other, so that a comparison is a few sums
//! over ranges; sums over all groups are formed in tiles of [`TILE`] groups, which are added in order.

mod arrange;
mod bootstrap;
mod cells;
mod component;
mod controls;
mod covariance;
mod dropped;
mod estimate;
mod heterogeneity;
mod history;
mod missing_treatment;
mod options;
mod plan;
mod rules;
mod sample;
#[cfg(test)]
mod tests;

use crate::engine::pass::TILE;

pub(crate) use bootstrap::{DrawnEstimates, draw};
pub(crate) use cells::{GroupPeriodCells, GroupPeriodRows, Varying};
pub use dropped::Dropped;
pub(crate) use estimate::{SwitchingEstimate, SwitchingEstimates, estimate};
pub(crate) use heterogeneity::{Heterogeneity, heterogeneity};
pub use options::Direction;
pub(crate) use options::SwitchingOptions;
pub(crate) use rules::{Unusable, equal_but_for_rounding, prepare, split_by_rounding};
pub(crate) use sample::SwitchingSample;
