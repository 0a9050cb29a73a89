//! Estimators: configuration, plan and result.

mod att_gt;
mod callback;
mod consistent;
mod contrast;
mod ddd;
mod drdid;
mod finish;
mod guard;
mod input;
mod kept;
mod result;
pub(crate) mod saved;
mod setup;
mod sizes;
#[cfg(test)]
pub(crate) mod through;

pub use att_gt::AttGt;
pub use callback::{PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate};
pub use ddd::Ddd;
pub use drdid::{Drdid, DrdidResult};
pub use input::Data;
pub use result::{AttGtCell, AttGtResult, Influence, Timings, TripleComparison};

/// The default formula.
fn constant() -> String {
    "~ 1".to_owned()
}

/// The default of one minus the confidence level.
fn five_percent() -> f64 {
    0.05
}
