//! Power of tests of pre-trends, and what is left after passing one (Roth 2022); equivalence tests (Dette and Schumann 2024).
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs` |
//! | the test: probability of passing, and means after it | `law.rs` |
//! | correlated normals within a box | `normals/` |
//! | the non-central chi-squared law | `chi_squared.rs` |
//! | the slope that is detected with given power | `slope.rs` |
//! | equivalence tests | `equivalence.rs` |
//! | all of it | `analysis.rs` |
//!
//! It takes event studies as `honest` does: `EventCoefficients` are what both analyse.

mod analysis;
mod check;
mod chi_squared;
mod equivalence;
mod law;
mod normals;
mod options;
mod report;
mod result;
mod slope;

pub use equivalence::{EquivalencePeriod, EquivalenceTest, EquivalenceTests};
pub use options::{PreTest, Pretrends};
pub use result::{Hypothesis, PretrendsAlternative, PretrendsResult, PretrendsRow};

#[cfg(test)]
mod tests;
