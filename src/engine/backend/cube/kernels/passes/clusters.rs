//! Sums of influence values by cluster, in the host's order: a cluster's rows of a segment one after another, then segments.
//!
//! The rows of a cluster in a segment are a *piece*. In single precision a sum is two numbers, whose sum it is.

use cubecl::prelude::*;

use super::super::runtime::{Ticket, sign, unit_of_grid};
use super::layout::ABSENT;
use super::wide_sum::{add, add_sum, empty_sum, load, store};

/// Units of a cube.
pub(crate) const CLUSTER_UNITS: usize = 256;

/// Sums of the pieces' rows, `[pieces, width]`, of as many columns as each piece's span has.
///
/// `rows` has the entry of each row's value in the first column, by piece; columns are `stride` apart. `starts` has the first row
/// of each piece and one past the last, `spans` the span of each, `counts` the columns of each span. `zero` is 0.
#[cube(launch_unchecked)]
pub(crate) fn add_rows<F: Float>(
    ticket: &mut Ticket,
    values: &Array<F>,
    rows: &Array<u32>,
    starts: &Array<u32>,
    spans: &Array<u32>,
    counts: &Array<u32>,
    out: &mut Array<F>,
    pieces: u32,
    width: u32,
    stride: u32,
    zero: u32,
    #[define(F)] dtype: StorageType,
) {
    sign(ticket);
    let double = comptime!(dtype.size() == 8);
    let at = unit_of_grid(CLUSTER_UNITS);
    let piece = at / width as usize;
    let column = at % width as usize;
    if piece < pieces as usize {
        let columns = counts[spans[piece] as usize] as usize;
        if column < columns {
            let offset = column * stride as usize;
            let mut sum = empty_sum::<F>();
            for row in starts[piece]..starts[piece + 1] {
                let value = values[rows[row as usize] as usize + offset];
                add::<F>(&mut sum, value, zero, double);
            }
            store::<F>(&sum, out, at, double);
        }
    }
}

/// Adds pieces to their clusters' sums, `[columns, clusters]`, which are zero before the first if `begun` is 0.
///
/// `members` has the pieces of each cluster in order, `firsts` where each cluster's begin and one past the last; `local` has for each
/// span the position of every column in it, or [`ABSENT`]. `zero` is 0.
#[cube(launch_unchecked)]
pub(crate) fn add_clusters<F: Float>(
    ticket: &mut Ticket,
    partial: &Array<F>,
    members: &Array<u32>,
    firsts: &Array<u32>,
    spans: &Array<u32>,
    local: &Array<u32>,
    out: &mut Array<F>,
    columns: u32,
    clusters: u32,
    width: u32,
    begun: u32,
    zero: u32,
    #[define(F)] dtype: StorageType,
) {
    sign(ticket);
    let double = comptime!(dtype.size() == 8);
    let at = unit_of_grid(CLUSTER_UNITS);
    let column = at / clusters as usize;
    let cluster = at % clusters as usize;
    if column < columns as usize {
        let mut total = empty_sum::<F>();
        if begun != 0 {
            load::<F>(&mut total, out, at, double);
        }
        for member in firsts[cluster]..firsts[cluster + 1] {
            let piece = members[member as usize] as usize;
            let position = local[spans[piece] as usize * columns as usize + column];
            if position != ABSENT {
                let entry = piece * width as usize + position as usize;
                let mut of_piece = empty_sum::<F>();
                load::<F>(&mut of_piece, partial, entry, double);
                add_sum::<F>(&mut total, &of_piece, zero, double);
            }
        }
        store::<F>(&total, out, at, double);
    }
}
