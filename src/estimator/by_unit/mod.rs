//! Regressions of long differences and of stacks, whose sums are formed unit by unit and whose rows are never held.
//!
//! | what | file |
//! |---|---|
//! | columns read, what is refused, and what is said of the sample | `sample.rs` |
//! | the places of periods and of first treated periods | `timeline.rs` |
//! | the rows of one unit by place | `series.rs` |
//! | sums over units in an order of their own | `tiles.rs` |
//! | counts, sums and cross-products of some rows | `cross.rs` |
//! | influence values by unit, and their covariance | `influences.rs` |
//! | effects by event time with their covariance, and in print | `effects.rs`, `report.rs` |

mod cross;
mod effects;
mod influences;
mod report;
mod sample;
mod series;
mod tiles;
mod timeline;

pub(super) use cross::{Cross, absorbed};
pub use effects::EventEffect;
pub(super) use effects::{RegressionWords, checked, combined, event_study, rows_of};
pub(super) use influences::{Covariance, Influences, Regression};
pub(super) use report::{
    compared_by_event_time, effects_section, effects_table, event_estimates, event_table, unknown,
};
pub use sample::PanelSample;
pub(super) use sample::{Asked, Opened, WINDOW, asked, overflow};
pub(super) use series::Series;
pub(super) use tiles::{Units, each_unit, fold};
pub(super) use timeline::{NEVER, Timeline};
