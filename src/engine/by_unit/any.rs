//! What can be asked of units in a closed list that has a form in bytes.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::here::{REMEDY, push};
use super::pass::{UnitPass, UnitScores, Units};
use super::projections::{ProjectionPlan, ProjectionScores, ProjectionSums};
use super::stacks::{StackPlan, StackScores, StackSums};
use super::tiles::{TILE, Tiles};
use super::values::{Kept, UnitValues};
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::read::panel::overview::UnitRows;

/// A pass of the closed list.
pub(crate) trait KnownUnitPass: UnitPass + Clone + Into<AnyUnitPass> {
    /// Its sums.
    ///
    /// # Errors
    /// [`DidError::Engine`] for those of another pass.
    fn own(sums: AnySums) -> Result<Self::Sums>;
}

/// Influence values of the closed list.
pub(crate) trait KnownScores: UnitScores + Into<AnyScores> {}

/// Any pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum AnyUnitPass {
    Projections(ProjectionPlan),
    Stacks(StackPlan),
}

/// The sums of any pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum AnySums {
    Projections(ProjectionSums),
    Stacks(StackSums),
}

/// Any influence values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum AnyScores {
    Projections(ProjectionScores),
    Stacks(StackScores),
}

/// Some units of a frame that follow on each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Between {
    pub units: Range<usize>,
    /// Units that the tile of the first has already, with their sums.
    pub before: Option<(usize, AnySums)>,
}

/// Sums of tiles that follow on each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AnyTiles {
    pub full: Vec<AnySums>,
    /// The last, which is not full, and its units.
    pub rest: (usize, AnySums),
}

/// The closed list.
macro_rules! known {
    ($($name:ident($pass:ty) -> $sums:ty, $scores:ty);* $(;)?) => {
        $(
            impl From<$pass> for AnyUnitPass {
                fn from(pass: $pass) -> Self {
                    Self::$name(pass)
                }
            }

            impl From<$scores> for AnyScores {
                fn from(scores: $scores) -> Self {
                    Self::$name(scores)
                }
            }

            impl From<$sums> for AnySums {
                fn from(sums: $sums) -> Self {
                    Self::$name(sums)
                }
            }

            impl KnownUnitPass for $pass {
                fn own(sums: AnySums) -> Result<$sums> {
                    if let AnySums::$name(sums) = sums { Ok(sums) } else { Err(foreign()) }
                }
            }

            impl KnownScores for $scores {}
        )*
    };
}

known! {
    Projections(ProjectionPlan) -> ProjectionSums, ProjectionScores;
    Stacks(StackPlan) -> StackSums, StackScores;
}

/// An expression of what is in the list, whichever it is.
macro_rules! each {
    ($list:ident, $any:expr, $one:ident => $of_one:expr) => {
        match $any {
            $list::Projections($one) => $of_one,
            $list::Stacks($one) => $of_one,
        }
    };
}

fn foreign() -> DidError {
    DidError::Engine { problem: "a pass was answered by the sums of another".into() }
}

/// An error for a pass that no driver would send.
fn check(is_sound: bool) -> Result<()> {
    let problem = || DidError::Engine { problem: "a pass is none that could be asked".into() };
    is_sound.then_some(()).ok_or_else(problem)
}

impl AnyUnitPass {
    /// The sums of no units.
    pub fn none(&self) -> AnySums {
        each!(Self, self, pass => pass.none().into())
    }

    /// Bytes of the sums of a tile.
    pub fn bytes(&self) -> u128 {
        each!(Self, self, pass => pass.bytes())
    }

    /// The sums of some units of a frame.
    ///
    /// # Errors
    /// [`DidError::Engine`] if they are not units of the frame, or what is before is of another pass; [`DidError::Memory`].
    pub fn tiles(&self, rows: &UnitRows, between: &Between) -> Result<AnyTiles> {
        fn tiles<P: KnownUnitPass<Sums: Into<AnySums>>>(
            pass: &P,
            rows: &UnitRows,
            Between { units: wanted, before }: &Between,
        ) -> Result<AnyTiles> {
            let (filled, open) = match before.clone() {
                Some((filled, sums)) => (filled, P::own(sums)?),
                None => (0, pass.none()),
            };
            let mut full = Vec::new();
            let mut tiles = Tiles::from(pass, open, filled);
            tiles.add(&Units::new(rows), wanted.clone(), &mut |tile| full.push(tile.into()));
            let (rest, filled) = tiles.rest();
            Ok(AnyTiles { full, rest: (filled, rest.into()) })
        }
        let Between { units, before } = between;
        let filled = before.as_ref().map_or(0, |(filled, _)| *filled);
        if units.start > units.end || units.end > rows.units() || filled >= TILE {
            let problem = "a shard has other units than it had".into();
            return Err(DidError::Engine { problem });
        }
        check(each!(Self, self, pass => pass.is_sound()))?;
        let held = (units.len() / TILE + 2) as u128;
        memory::check("sums of tiles", held * self.bytes(), REMEDY)?;
        each!(Self, self, pass => tiles(pass, rows, between))
    }

    /// Adds the sums of the next tile.
    ///
    /// # Errors
    /// [`DidError::Engine`] for those of another pass.
    pub fn merge(&self, sums: &mut AnySums, more: AnySums) -> Result<()> {
        match (self, sums, more) {
            (Self::Projections(_), AnySums::Projections(sums), AnySums::Projections(more)) => {
                ProjectionPlan::merge(sums, more);
            }
            (Self::Stacks(_), AnySums::Stacks(sums), AnySums::Stacks(more)) => {
                StackPlan::merge(sums, more);
            }
            _ => return Err(foreign()),
        }
        Ok(())
    }
}

impl AnyScores {
    /// The influence values of a frame's units.
    ///
    /// # Errors
    /// [`DidError::Memory`].
    pub fn values(&self, rows: &UnitRows, kept: Kept) -> Result<UnitValues> {
        fn values<S: UnitScores>(scores: &S, rows: &UnitRows, kept: Kept) -> Result<UnitValues> {
            let width = (scores.targets() * scores.copies()) as u128;
            let bytes = 16 * width * rows.units() as u128;
            memory::check("influence values by unit", bytes, "ask for a shorter window")?;
            let mut all = UnitValues::new(scores.targets(), kept);
            push(rows, scores, &mut all);
            Ok(all)
        }
        check(each!(Self, self, scores => scores.is_sound()))?;
        each!(Self, self, scores => values(scores, rows, kept))
    }

    /// As [`UnitScores::targets`].
    pub fn targets(&self) -> usize {
        each!(Self, self, scores => scores.targets())
    }
}
