//! A frame: the rows of whole units, and which periods these have.

use polars::prelude::DataFrame;

use super::grid::{Grid, place};
use super::patterns::Patterns;
use super::reader::Reader;
use super::rows::Rows;
use super::rules::Rules;
use crate::base::error::Result;
use crate::read::columns::{ReadAsMissing, Table};

/// A data frame of whole units, as it was read.
pub(super) struct Frame {
    pub rows: Rows,
    pub patterns: Patterns,
    pub read_as_missing: Vec<ReadAsMissing>,
}

/// The rows of a frame and their places in the sample.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub rows: &'a Rows,
    /// One for each stratum of the sample.
    pub grids: &'a [Grid],
}

impl Placed<'_> {
    /// The frame's rows of each stratum.
    pub fn rows_by_stratum(&self) -> Vec<usize> {
        self.grids.iter().map(|grid| grid.n).collect()
    }
}

/// The rows of a frame whose first has the number `first_row`, without what stands for a missing value.
pub(super) fn read(
    df: &DataFrame,
    reader: Reader<'_>,
    first_row: usize,
) -> Result<(Rows, Vec<ReadAsMissing>)> {
    let table = Table::read(df, &reader.roles.wanted(), reader.missing, first_row)?;
    let mut rows = Rows::read(&table, reader.roles, first_row)?;
    for taken in &table.read_as_missing {
        rows.texts.take(&taken.column, &taken.token);
    }
    Ok((rows, table.read_as_missing))
}

impl Frame {
    pub fn new(df: &DataFrame, reader: Reader<'_>) -> Result<Self> {
        let (mut rows, read_as_missing) = read(df, reader, 0)?;
        let patterns = Patterns::new(&rows, reader.roles, reader.by_row)?;
        rows.units.iter_mut().for_each(|units| units.order.forget_codes());
        Ok(Self { rows, patterns, read_as_missing })
    }

    /// Places of the rows, by stratum.
    pub fn place(&self, rules: &Rules) -> Vec<Grid> {
        place(&self.rows, &self.patterns, rules)
    }
}
