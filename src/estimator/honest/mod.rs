//! Sensitivity of event studies to violations of parallel trends (Rambachan and Roth 2023).
//!
//! | what | file |
//! |---|---|
//! | coefficients and their covariance | `coefficients.rs` |
//! | event studies in R's words | `written.rs` |
//! | sets of violations as polyhedra | `delta.rs` |
//! | bounds from the periods before treatment | `bounds.rs` |
//! | linear programs, with their bases | `simplex.rs` |
//! | the identified set | `identified.rs` |
//! | fixed-length intervals | `flci.rs`, `lasso.rs` |
//! | conditional and hybrid tests | `moments.rs` |
//! | quantiles of folded and truncated normals | `normal.rs` |
//! | grids and confidence sets | `confidence.rs` |
//! | the breakdown value | `breakdown.rs` |
//! | the parameter and its tests at one `M` | `setup.rs` |
//! | all of it, by `M` | `analysis.rs` |

mod analysis;
mod bounds;
mod breakdown;
mod check;
mod coefficients;
mod confidence;
mod delta;
mod dense;
mod flci;
mod identified;
mod lasso;
mod moments;
mod normal;
mod options;
mod report;
mod result;
mod setup;
mod simplex;
mod written;

pub(crate) use coefficients::EventCoefficients;
pub use delta::{Delta, Restriction};
pub(crate) use options::AT_EVENT_TIME;
pub use options::{Effect, Honest, HonestMethod, Search};
pub use result::{Breakdown, HonestResult, RobustInterval};

#[cfg(test)]
mod tests;
