//! A cell under the weights of a weighted bootstrap.

use crate::engine::cell::PlannedCell;
use crate::engine::pass::Weight;
use crate::engine::source::{Reweighted, Source};

/// The cell once for each draw, with the draw's column in its weights.
pub(super) fn cells(source: &Reweighted<'_>, cell: &PlannedCell) -> Vec<PlannedCell> {
    let first = source.sample().weight_columns;
    let draw = |r: usize| {
        let mut cell = cell.clone();
        let parts = cell.sides.iter_mut().flat_map(|s| s.treated.iter_mut().chain(&mut s.control));
        for part in parts {
            part.w = match part.w {
                Weight::Ones => Weight::Column(first + r),
                // Products belong to unbalanced panels, which two periods do not have.
                Weight::Column(j) | Weight::Product(j, _) => Weight::Product(j, first + r),
            };
        }
        cell
    };
    (0..source.draws.count).map(draw).collect()
}
