//! What is computed, how, and how it compares.

#[doc = include_str!("architecture.md")]
pub mod architecture {}

#[doc = include_str!("comparison.md")]
pub mod comparison {}

#[doc = include_str!("estimands.md")]
pub mod estimands {}

#[doc = include_str!("numerics.md")]
pub mod numerics {}

#[doc = include_str!("performance.md")]
pub mod performance {}
