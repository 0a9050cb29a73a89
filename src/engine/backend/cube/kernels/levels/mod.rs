//! The kernels of the solvers of fixed effects.

mod bidiagonal;
mod conjugate;
pub(crate) mod rows;
mod sums;

pub(crate) use self::bidiagonal::{advance_cells, advance_levels, combine, find_norms, normalise};
pub(crate) use self::conjugate::{
    advance, find_steps, find_turns, gather_levels, subtract_means, turn,
};
pub(crate) use self::sums::{LEVEL_ENTRIES, LEVEL_UNITS, PIECE, add_pieces, inner_products};
