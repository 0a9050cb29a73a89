//! Whether a buffer has what was sent.

use cubecl::prelude::*;

use super::grid::{Ticket, cube_number, sign};

/// Units of a cube.
pub(crate) const CHECKED_BY: usize = 256;

/// Words of a unit.
const STEPS: usize = 64;

/// Words of a cube.
pub(crate) const CHECKED: usize = CHECKED_BY * STEPS;

/// What a word at a position adds to the checksum, which wraps: words that are lost, changed or elsewhere change it.
pub(crate) const fn weighted(position: u32, word: u32) -> u32 {
    word.wrapping_mul(2u32.wrapping_mul(position).wrapping_add(1))
}

/// Checksums of consecutive words, one a cube.
#[cube(launch_unchecked)]
pub(crate) fn add_words(ticket: &mut Ticket, words: &Array<u32>, out: &mut Array<u32>, cubes: u32) {
    sign(ticket);
    let unit = UNIT_POS as usize;
    let cube = cube_number(cubes);
    let mut sum = 0u32;
    for step in 0..STEPS {
        let at = cube * CHECKED + step * CHECKED_BY + unit;
        if at < words.len() {
            sum += words[at] * (2u32 * at as u32 + 1u32);
        }
    }
    let mut sums = SharedMemory::<u32>::new(CHECKED_BY);
    sums[unit] = sum;
    // The first unit reads what all have written.
    sync_cube();
    if unit == 0 {
        for other in 1..CHECKED_BY {
            sum += sums[other];
        }
        out[cube] = sum;
    }
}
