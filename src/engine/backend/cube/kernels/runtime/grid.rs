//! Where a unit is in the grid of a launch, and the sign that the launch ran.

use cubecl::prelude::*;

/// Linear number of this cube in the grid.
#[cube]
pub(crate) fn cube_of_grid() -> usize {
    (CUBE_POS_Y * CUBE_COUNT_X + CUBE_POS_X) as usize
}

/// Linear number of this cube, clamped to the `cubes` that have work: the surplus cubes of a rounded-up grid repeat the work of the
/// last one, and write the same values to the same places.
#[cube]
pub(crate) fn cube_number(cubes: u32) -> usize {
    u32::min(CUBE_POS_Y * CUBE_COUNT_X + CUBE_POS_X, cubes - 1) as usize
}

/// Linear number of this unit in a grid whose cubes have so many units.
#[cube]
pub(crate) fn unit_of_grid(#[comptime] units: usize) -> usize {
    cube_of_grid() * units + UNIT_POS as usize
}

/// Leaves the number of the launch, by which the host sees that it ran.
#[cube]
pub(crate) fn sign(stamps: &mut Array<u32>, slot: u32, number: u32) {
    if UNIT_POS == 0 && CUBE_POS_X == 0 && CUBE_POS_Y == 0 {
        stamps[slot as usize] = number;
    }
}
