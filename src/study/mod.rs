//! The steps of a study around the estimate: what the data are, how outcomes moved, whether groups are alike.
//!
//! - Lives here: `explore` (the columns, and the look at them), `describe`, `means`, `balance`; and `saved_result`, which knows every
//!   kind of result.
//! - May import: everything below, estimators among them.
//! - Must not import: `cluster`, `prelude`.

mod balance;
mod describe;
mod explore;
mod look;
mod means;
mod saved_result;

pub use balance::{Balance, BalanceRow};
pub use describe::{
    CohortDescription, CohortStatus, Description, Irregularity, PeriodDescription, SampleOfDesign,
};
pub use explore::Explore;
pub use means::{CohortMean, CohortMeans};
pub use saved_result::SavedResult;
