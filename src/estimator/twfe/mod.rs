//! What a two-way fixed-effects regression averages: the decomposition of Goodman-Bacon (2021), and the weights of de Chaisemartin and
//! D'Haultfœuille (2020) on the effects by group and period.
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs` |
//! | reading, and what is refused | `rows.rs`, `study.rs` |
//! | means of the cohorts of a balanced panel | `means.rs` |
//! | the two-by-two comparisons and their weights | `comparisons.rs` |
//! | the same with controls | `controlled.rs` |
//! | the two-way coefficient and its standard error | `coefficient.rs` |
//! | cells of groups and periods | `cells.rs` |
//! | what effects and controls leave of the treatment | `residual.rs` |
//! | weights on effects, and what they say of the coefficient | `weights.rs`, `sensitivity.rs` |
//! | the two estimators | `bacon.rs`, `twfe_weights.rs` |
//! | results | `result.rs`, `check.rs`, `report/` |
//!
//! All is sums by cohort and period, and one more reading for the standard error; cells of units hold a few numbers a row.

mod bacon;
mod cells;
mod check;
mod coefficient;
mod comparisons;
mod controlled;
mod means;
mod options;
mod report;
mod residual;
mod result;
mod rows;
mod sensitivity;
mod study;
mod twfe_weights;
mod weights;

pub(super) use study::check as check_panel;

pub use comparisons::ComparisonKind;
pub use options::{Bacon, TwfeCells, TwfeRegression, TwfeWeights};
pub use result::{
    BaconComparison, BaconResult, BaconSum, BaconWithin, TwfeSettings, TwfeWeightRow,
    TwfeWeightsResult,
};
