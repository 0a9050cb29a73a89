//! Looks at raw columns: sums over the rows of each stratum, on the host in double precision.

mod columns;
mod covariate;
mod doses;
mod products;
mod weights;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::engine::pass::{Gram, Stat, TILE};
use crate::read::panel::StratumData;

pub(super) use columns::{ColumnLook, ColumnSums};
pub(super) use covariate::{CovariateLook, CovariateSum};
pub(super) use doses::{DIGITS, DoseLook, DoseQuestion, DoseStat, VALUES};
pub(super) use products::ProductLook;
pub(super) use weights::WeightLook;

/// What is asked about the columns of each stratum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Look {
    /// Sums of all columns, or of their squares.
    Columns(ColumnLook),
    /// The size of one covariate that may be extreme.
    Covariate(CovariateLook),
    /// Cross-products of the covariates of the first tile.
    Products(ProductLook),
    /// Sum of a weight column.
    Weights(WeightLook),
    /// The range of the doses, or how many are in which part of it.
    Doses(DoseLook),
}

/// An answer about one stratum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum LookStat {
    /// Of [`Look::Columns`].
    Columns(ColumnSums),
    /// Of [`Look::Covariate`] and [`Look::Weights`].
    Number(f64),
    /// Of [`Look::Products`].
    Products(Gram),
    /// Of [`Look::Doses`].
    Doses(DoseStat),
}

/// Whole tiles of a stratum, as they were filled; only the stratum's last tile may be short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    /// The stratum.
    pub stratum: usize,
    /// Row of the stratum that the piece starts with.
    pub first: usize,
    /// Columns that hold the piece's rows, and others.
    pub data: &'a StratumData,
    /// Row of the columns that the piece starts with.
    pub start: usize,
    /// Number of rows.
    pub rows: usize,
}

impl<'a> Piece<'a> {
    /// Ranges of the tiles, within the piece.
    fn tiles(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let rows = self.rows;
        (0..rows).step_by(TILE).map(move |a| a..(a + TILE).min(rows))
    }

    fn columns(&self, columns: &'a [f64]) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        let range = self.start..self.start + self.rows;
        columns.chunks_exact(self.data.rows.max(1)).map(move |c| &c[range.clone()])
    }

    fn y(&self) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        self.columns(&self.data.y)
    }

    fn x(&self) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        self.columns(&self.data.x)
    }

    fn w(&self) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        self.columns(&self.data.w)
    }

    /// Ranks of the rows.
    pub fn ranks(&self) -> &'a [u64] {
        &self.data.rank[self.start..self.start + self.rows]
    }
}

impl Look {
    /// Whether anything of this stratum is looked at.
    pub fn reads(&self, stratum: usize) -> bool {
        match self {
            Self::Products(look) => look.strata.contains(&stratum),
            Self::Doses(look) => look.reads(stratum),
            Self::Columns(_) | Self::Covariate(_) | Self::Weights(_) => true,
        }
    }

    /// The statistic of no rows of a stratum.
    pub fn none(&self, stratum: usize) -> LookStat {
        match self {
            Self::Columns(look) => LookStat::Columns(look.none(stratum)),
            Self::Covariate(_) | Self::Weights(_) => LookStat::Number(0.0),
            Self::Products(look) => LookStat::Products(Gram::zero(look.standard.len() + 1, 0)),
            Self::Doses(look) => LookStat::Doses(look.none()),
        }
    }

    /// Adds the rows of a piece, tile by tile; pieces come in order.
    ///
    /// # Errors
    /// [`DidError::Engine`] if `stat` answers another look, or the look names a column that does not exist.
    pub fn add(&self, piece: &Piece<'_>, stat: &mut LookStat) -> Result<()> {
        match (self, stat) {
            (Self::Columns(look), LookStat::Columns(stat)) => look.add(piece, stat),
            (Self::Covariate(look), LookStat::Number(stat)) => look.add(piece, stat),
            (Self::Products(look), LookStat::Products(stat)) => look.add(piece, stat),
            (Self::Weights(look), LookStat::Number(stat)) => look.add(piece, stat),
            (Self::Doses(look), LookStat::Doses(stat)) => look.add(piece, stat),
            _ => Err(foreign()),
        }
    }

    /// Adds the statistic of other rows of the same stratum.
    ///
    /// # Errors
    /// [`DidError::Engine`] if one of them answers another look.
    pub fn merge(&self, stat: &mut LookStat, other: &LookStat) -> Result<()> {
        match (self, stat, other) {
            (Self::Columns(_), LookStat::Columns(a), LookStat::Columns(b)) => a.merge(b),
            (Self::Covariate(look), LookStat::Number(a), LookStat::Number(b)) => {
                *a = look.join(*a, *b);
                Ok(())
            }
            (Self::Weights(_), LookStat::Number(a), LookStat::Number(b)) => {
                *a += b;
                Ok(())
            }
            (Self::Products(_), LookStat::Products(a), LookStat::Products(b)) => a.merge(b),
            (Self::Doses(look), LookStat::Doses(a), LookStat::Doses(b)) => look.merge(a, b),
            _ => Err(foreign()),
        }
    }
}

fn foreign() -> DidError {
    DidError::Engine { problem: "a look was answered by the statistic of another".into() }
}

fn absent() -> DidError {
    DidError::Engine { problem: "a look asks for columns that a stratum has not".into() }
}

impl TryFrom<LookStat> for ColumnSums {
    type Error = DidError;

    fn try_from(stat: LookStat) -> Result<Self> {
        if let LookStat::Columns(sums) = stat { Ok(sums) } else { Err(foreign()) }
    }
}

impl TryFrom<LookStat> for f64 {
    type Error = DidError;

    fn try_from(stat: LookStat) -> Result<Self> {
        if let LookStat::Number(number) = stat { Ok(number) } else { Err(foreign()) }
    }
}

impl TryFrom<LookStat> for DoseStat {
    type Error = DidError;

    fn try_from(stat: LookStat) -> Result<Self> {
        if let LookStat::Doses(stat) = stat { Ok(stat) } else { Err(foreign()) }
    }
}

impl TryFrom<LookStat> for Gram {
    type Error = DidError;

    fn try_from(stat: LookStat) -> Result<Self> {
        if let LookStat::Products(gram) = stat { Ok(gram) } else { Err(foreign()) }
    }
}

#[cfg(test)]
mod tests;
