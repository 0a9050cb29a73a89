//! Triple differences: which two-by-two comparisons make up a group-time cell, and how their estimates are combined
//! (Ortiz-Villavicencio and Sant'Anna 2025).
//!
//! With one comparison cohort `c`, the effect on the eligible units of group `g` is
//! `DiD(g eligible, g ineligible) + DiD(g eligible, c eligible) - DiD(g eligible, c ineligible)`. Several comparison cohorts give
//! one such estimate each; their combination with the smallest variance has the weights `Ω⁻¹1 / 1'Ω⁻¹1`, where `Ω` is the
//! covariance of their influence values.

mod combine;
mod plan;

pub(crate) use combine::{Combined, LostComparison, TripleEstimate};
pub(crate) use plan::{TriplePart, TriplePlan};
