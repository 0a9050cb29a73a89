//! Kernels, generic over the float.
//!
//! One launch covers all tiles of all strata, and what is to be formed of each ([`spans`]). Every sum is taken within a tile: each
//! unit adds at most 16 rows one after another, then the units' sums are added in a fixed order in shared memory; [`fold`]
//! adds tiles and segments in order. Nothing depends on the size of a launch but how much it does.

mod basis;
mod bidiagonal;
mod checksum;
mod clusters;
mod copy;
mod exp;
mod fold;
mod influence;
mod levels;
mod math;
mod multiplier;
mod products;
mod spans;

pub(super) use basis::{MAPPED_DRAWS, NUMBERS, PRODUCTS, map_draws, map_products};
pub(super) use bidiagonal::{
    UPDATE, advance_cells, advance_levels, combine, find_norms, normalise,
};
pub(super) use checksum::{CHECKED, CHECKED_BY, add_words, weighted};
pub(super) use clusters::{CLUSTER_UNITS, add_clusters, add_rows};
pub(super) use copy::copy_piece;
#[cfg(feature = "wgpu")]
pub(super) use exp::known_values;
pub(super) use fold::{ABSENT, FOLD_UNITS, OUTPUTS, SEGMENT_ENTRIES, Start, Summands, add_tiles};
pub(super) use influence::{LEG, SHARES, UNITS, influence_values, linear_predictors};
pub(super) use levels::{
    FOUND, LEVEL_ENTRIES, LEVEL_UNITS, PIECE, SCALARS, add_pieces, advance, curvatures, find_steps,
    find_turns, gather_levels, subtract_means, turn,
};
pub(super) use multiplier::{DRAWS, GROUP, LANES as DRAW_UNITS, MultiplierLaw, multiplied_sums};
pub(super) use products::{Form, HEIGHT, JOB, LANES, WIDTH, tile_products};
pub(super) use spans::SPAN;
