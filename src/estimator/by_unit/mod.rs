//! Regressions of long differences and of stacks, whose sums are formed unit by unit and whose rows are never held. The passes over units are in
//! `engine/by_unit`.
//!
//! | what | file |
//! |---|---|
//! | columns read, what is refused, and what is said of the sample | `sample.rs` |
//! | the covariance that influence values by unit give | `influences.rs` |
//! | effects by event time with their covariance, and in print | `effects.rs`, `report.rs` |

mod effects;
mod influences;
mod report;
mod sample;

pub use effects::EventEffect;
pub(super) use effects::{RegressionWords, checked, combined, event_study};
pub(super) use influences::{Covariance, Influences, Regression};
pub(super) use report::{
    compared_by_event_time, effects_section, effects_table, event_estimates, event_table, unknown,
};
pub use sample::PanelSample;
pub(super) use sample::{Asked, Opened, asked, overflow};
