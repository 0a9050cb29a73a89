//! The kernels of the solvers of fixed effects.

mod bidiagonal;
mod conjugate;
mod sums;

pub(crate) use self::bidiagonal::{
    UPDATE, advance_cells, advance_levels, combine, find_norms, normalise,
};
pub(crate) use self::conjugate::{
    FOUND, SCALARS, advance, find_steps, find_turns, gather_levels, subtract_means, turn,
};
pub(crate) use self::sums::{LEVEL_ENTRIES, LEVEL_UNITS, PIECE, add_pieces, curvatures};
