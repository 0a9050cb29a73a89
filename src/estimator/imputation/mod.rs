//! Effects as differences between outcomes and their imputed untreated counterparts (Borusyak, Jaravel and Spiess 2024).
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs` |
//! | which averages are formed | `targets.rs` |
//! | deviations of effects from the averages of their cells | `deviations.rs` |
//! | tests of trends before treatment, on untreated rows alone | `pretrends.rs` |
//! | from data to a result | `fit.rs` |
//! | results | `result.rs` |

mod deviations;
mod fit;
mod options;
mod pretrends;
mod result;
mod targets;

pub use options::{AveragedBy, CellAverages, Imputation, PretrendTimes};
pub use result::ImputationResult;
