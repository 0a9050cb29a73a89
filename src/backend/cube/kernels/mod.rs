//! Kernels, generic over the float.
//!
//! Matrices are read through their strides, because uploads may pad rows. Every sum is taken within a tile: each unit adds
//! at most 64 rows one after another, then the units' sums are added pairwise in a fixed order in shared memory, and the
//! host adds tiles in double precision. No launch depends on the number of rows in a way that changes a tile's sums.

mod exp;
mod influence;
mod math;
mod multiplier;
mod products;

#[cfg(feature = "wgpu")]
pub(super) use exp::known_values;
pub(super) use influence::{influence_values, linear_predictors};
pub(super) use multiplier::{GROUP, Law, multiplied_sums};
pub(super) use products::{Form, LANES, WIDTH, tile_products};
