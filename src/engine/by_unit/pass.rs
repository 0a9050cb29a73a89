//! What is asked of units: sums of them, or a value for each.

use crate::read::columns::Values;
use crate::read::panel::overview::UnitRows;

/// The rows of some units, and their numbers: the outcome, then covariates; not finite where a row may lack them.
pub(crate) struct Units<'a> {
    pub rows: &'a UnitRows,
    pub numbers: Vec<&'a Values>,
}

impl<'a> Units<'a> {
    pub fn new(rows: &'a UnitRows) -> Self {
        Self { rows, numbers: rows.numbers() }
    }
}

/// Sums over units.
pub(crate) trait UnitPass: Sync {
    /// What it is called in reports of progress.
    const NAME: &'static str;
    /// What a unit's rows are formed in.
    type Scratch;
    type Sums: Send;

    fn scratch(&self) -> Self::Scratch;

    /// The sums of no units.
    fn none(&self) -> Self::Sums;

    /// Bytes that sums take.
    fn bytes(&self) -> u128;

    /// Adds a unit.
    fn add(
        &self,
        units: &Units<'_>,
        unit: usize,
        scratch: &mut Self::Scratch,
        sums: &mut Self::Sums,
    );

    /// Adds the sums of other units.
    fn merge(sums: &mut Self::Sums, more: Self::Sums);
}

/// Influence values of units.
pub(crate) trait UnitScores: Sync {
    /// What a unit's rows are formed in.
    type Scratch;

    fn scratch(&self) -> Self::Scratch;

    /// Estimates that have a value for each unit.
    fn targets(&self) -> usize;

    /// Copies of a unit that have values of their own.
    fn copies(&self) -> usize {
        1
    }

    /// Writes those of a unit, `[copies][targets]`, which are not numbers yet.
    fn write(
        &self,
        units: &Units<'_>,
        unit: usize,
        scratch: &mut Self::Scratch,
        values: &mut [f64],
    );
}
