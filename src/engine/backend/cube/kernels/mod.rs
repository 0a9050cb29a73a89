//! Kernels, generic over the float: those of the [`passes`] over a sample, those of the solvers of fixed effects ([`levels`]), and
//! what both use ([`runtime`]).
//!
//! # What kernels read and write
//!
//! | table | form | entries |
//! |---|---|---|
//! | data ([`passes`]) | columns, `stride` entries apart: outcomes, covariates, weights | numbers of rows |
//! | spans, jobs, bases, plans, combinations, segments, rows of outputs | entries one after another | [`layout`] |
//! | sums of tiles | `[cubes, size]`, cubes in the order of [`layout::span`] | numbers |
//! | vectors of the solvers ([`levels`]) | `[levels, columns]` or `[cells, columns]` | numbers |
//! | scalars, norms, updates | `[rows, columns]` | [`rows`] |
//! | stamps ([`runtime`]) | one word a launch | the number of the launch |
//!
//! Host and kernels name an entry by the same constant, and say nowhere else where it is.
//!
//! # Order of sums
//!
//! One launch covers all tiles of all strata, and what is to be formed of each. Every sum is taken within a tile: each
//! unit adds at most 16 rows one after another, then the units' sums are added in a fixed order in shared memory; `add_tiles`
//! adds tiles and segments in order. Nothing depends on the size of a launch but how much it does.

mod levels;
mod passes;
mod runtime;

pub(super) use self::levels::*;
pub(super) use self::passes::*;
pub(super) use self::runtime::*;
