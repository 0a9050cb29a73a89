//! Estimators: configuration, plan and result.

mod att_gt;
mod callback;
mod contrast;
mod finish;
mod input;
mod result;
mod saved;

pub use att_gt::AttGt;
pub use callback::{PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate};
pub use input::Data;
pub use result::{AttGtCell, AttGtResult, Influence, Timings};
