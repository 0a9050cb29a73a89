//! Strata while they are filled: in memory, or in a file where they would not fit.

use super::columns::Rows;
use super::fill::{Filling, Shape};
use super::grid::Grid;
use super::sample::{Strata, StratumData};
use super::spill::SpillWriter;
use crate::error::{DidError, Result};
use crate::memory;
use crate::pass::TILE;

/// Where strata are put.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storage {
    /// In memory.
    Resident,
    /// In memory if they take no more than so many bytes (or than is free), else in a file.
    Within(Option<u64>),
}

/// Strata being filled.
pub(super) enum Store {
    Resident { strata: Vec<StratumData>, filled: Vec<usize> },
    Spilled(SpillWriter),
}

impl Store {
    /// # Errors
    /// [`DidError::Memory`] if the strata cannot fit.
    pub fn new(shape: Shape, rows: &[usize], storage: Storage) -> Result<Self> {
        let needed = shape.row_bytes() * rows.iter().sum::<usize>() as u64;
        let free = memory::free();
        tracing::debug!(needed, free, "strata");
        let resident = || {
            let strata = rows.iter().map(|n| shape.stratum(*n)).collect();
            Self::Resident { strata, filled: vec![0; rows.len()] }
        };
        match storage {
            Storage::Within(budget) => {
                let limit = budget.or(free.map(|free| free / 2)).unwrap_or(u64::MAX);
                if needed <= limit {
                    return Ok(resident());
                }
                let open = u128::from(shape.row_bytes()) * (TILE * rows.len()) as u128;
                let remedy = "put groups and periods on a coarser grid";
                memory::check("the open pieces of all cohorts", open, remedy)?;
                Ok(Self::Spilled(SpillWriter::new(shape, rows, limit / 4)?))
            }
            Storage::Resident => match free.filter(|free| needed > *free) {
                None => Ok(resident()),
                Some(available) => Err(DidError::Memory {
                    what: "the arranged sample",
                    needed,
                    available,
                    remedy: "write the data to parquet and use `fit_parquet`, which keeps them in a file",
                }),
            },
        }
    }

    /// Adds a frame's rows to the strata.
    pub fn add(&mut self, filling: &Filling<'_>, rows: &Rows, grids: &[Grid]) -> Result<()> {
        match self {
            Self::Resident { strata, filled } => {
                for ((grid, stratum), at) in grids.iter().zip(strata).zip(filled) {
                    filling.fill(rows, grid, stratum, *at)?;
                    *at += grid.n;
                }
            }
            Self::Spilled(writer) => {
                for (stratum, grid) in grids.iter().enumerate() {
                    let mut piece = filling.shape.stratum(grid.n);
                    filling.fill(rows, grid, &mut piece, 0)?;
                    writer.append(stratum, &piece)?;
                }
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Result<Strata> {
        match self {
            Self::Resident { strata, .. } => Ok(Strata::Resident(strata)),
            Self::Spilled(writer) => Ok(Strata::Spilled(Box::new(writer.finish()?))),
        }
    }
}
