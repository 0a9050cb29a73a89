//! Effects by a regression of what a first stage on untreated rows leaves of outcomes (Gardner 2021).
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs` |
//! | the regressions of the second stage | `second.rs` |
//! | from data to a result | `fit.rs` |
//! | results | `result.rs` |

mod fit;
mod options;
mod result;
mod second;

pub use options::TwoStage;
pub use result::TwoStageResult;
