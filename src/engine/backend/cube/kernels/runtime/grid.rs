//! Where a unit is in the grid of a launch, and the ticket by which the host sees that the launch ran.

use cubecl::prelude::*;

/// A launch's place among the stamps, and the number that it leaves there.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Ticket {
    pub stamps: Array<u32>,
    pub slot: u32,
    pub number: u32,
}

/// Leaves the number of the launch.
#[cube]
pub(crate) fn sign(ticket: &mut Ticket) {
    if UNIT_POS == 0 && CUBE_POS_X == 0 && CUBE_POS_Y == 0 {
        ticket.stamps[ticket.slot as usize] = ticket.number;
    }
}

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
