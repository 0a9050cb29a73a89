//! Pieces of an upload into their place.

use cubecl::prelude::*;

use super::grid::sign;

/// Writes `from` behind `pieces` whole pieces of `size` entries.
#[cube(launch_unchecked)]
pub(crate) fn copy_piece<F: Float>(
    from: &Array<F>,
    to: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    piece: u32,
    size: u32,
    #[define(F)] _dtype: StorageType,
) {
    sign(stamps, slot, number);
    let at =
        (CUBE_POS_Y * CUBE_COUNT_X + CUBE_POS_X) as usize * CUBE_DIM_X as usize + UNIT_POS as usize;
    if at < from.len() {
        to[piece as usize * size as usize + at] = from[at];
    }
}
