//! Random numbers as functions of a seed and a counter: the same whatever the order, the thread or the machine they are
//! drawn on.

mod exponential;
mod law;
mod masks;
mod multipliers;
mod philox;
mod redrawn;

pub(crate) use exponential::{DRAWS_PER_BLOCK, exponentials};
pub(crate) use law::law_levels;
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub(crate) use masks::MAMMEN_LOWER;
pub(crate) use masks::{BATCH, Words, masks, subset_words};
pub use multipliers::Multipliers;
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub(crate) use philox::{FACTOR_A, FACTOR_C, GROWTH_HIGH, GROWTH_LOW, ROUNDS, halves};
pub(crate) use philox::{standard_normals, uniform};
pub(crate) use redrawn::times_drawn;
