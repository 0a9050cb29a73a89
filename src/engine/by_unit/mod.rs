//! Passes over units whose rows are of periods that differ from unit to unit: sums in tiles of units, and influence values.
//!
//! | what | file |
//! |---|---|
//! | the places of periods and of first treated periods | `timeline.rs` |
//! | the rows of one unit by place | `series.rs` |
//! | counts, sums and cross-products of some rows | `cross.rs` |
//! | what is asked of units | `pass.rs`, and of those here, `here.rs`; `any.rs` is the closed list that has a form in bytes |
//! | sums over units in an order of their own | `tiles.rs` |
//! | influence values by unit | `values.rs` |
//! | who has the rows | `source.rs` |
//! | which rows of a unit are in which regression | `projections`, `stacks` |

#[cfg(feature = "cluster")]
mod any;
mod cross;
mod here;
mod pass;
mod projections;
mod series;
mod source;
mod stacks;
mod tiles;
mod timeline;
mod values;

#[cfg(feature = "cluster")]
pub(crate) use any::{AnyScores, AnySums, AnyTiles, AnyUnitPass, Between};
pub(crate) use cross::{Cross, absorbed};
#[cfg(feature = "cluster")]
pub(crate) use here::{REMEDY as SUMS_REMEDY, VALUES};
pub(crate) use pass::{UnitPass, UnitScores, Units};
pub(crate) use projections::{
    AdjustedBase, AdjustedScores, ProjectionPlan, ProjectionRules, ProjectionScores,
    ProjectionSums, Scores, SquaresBase, SquaresScores, Target, pooled_name,
};
pub(crate) use series::Series;
#[cfg(feature = "cluster")]
pub(crate) use source::RemoteUnits;
pub(crate) use source::{KnownScores, UnitSource};
pub(crate) use stacks::{StackCell, StackFit, StackPlan, StackScores, StackSums, StackWeighting};
#[cfg(feature = "cluster")]
pub(crate) use tiles::TILE as UNIT_TILE;
pub(crate) use timeline::{LONGEST, NEVER, Timeline};
pub(crate) use values::{Kept, UnitValues};
