//! Pieces of an upload into their place.

use cubecl::prelude::*;

use super::grid::{Ticket, sign, unit_of_grid};

/// Units of a cube.
pub(crate) const COPY_UNITS: usize = 256;

/// Writes `from` behind `pieces` whole pieces of `size` entries.
#[cube(launch_unchecked)]
pub(crate) fn copy_piece<F: Float>(
    ticket: &mut Ticket,
    from: &Array<F>,
    to: &mut Array<F>,
    pieces: u32,
    size: u32,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let at = unit_of_grid(COPY_UNITS);
    if at < from.len() {
        to[pieces as usize * size as usize + at] = from[at];
    }
}
