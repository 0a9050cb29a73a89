//! What every machine's kernels use, and the kernels of uploads and of the self test.

mod checksum;
mod copy;
mod exp;
mod grid;
#[cfg(feature = "wgpu")]
mod self_test;

pub(crate) use self::checksum::{CHECKED, CHECKED_BY, add_words, weighted};
pub(crate) use self::copy::{COPY_UNITS, copy_piece};
pub(super) use self::exp::exp_double;
pub(crate) use self::grid::TicketLaunch;
pub(super) use self::grid::{Ticket, cube_number, cube_of_grid, sign, unit_of_grid};
#[cfg(feature = "wgpu")]
pub(crate) use self::self_test::known_values;
