//! The strata of a sample: in memory, or in a file where they would not fit.

use super::fill::Filling;
use super::frame::Placed;
use super::placement::Placement;
use super::request::Storage;
use super::sample::Sample;
use super::spill::{Spill, SpillWriter};
use super::stratum::{StratumData, StratumShape};
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::segment::TILE;

/// The data of all strata.
#[derive(Debug)]
pub(crate) enum Strata {
    Resident(Vec<StratumData>),
    Spilled(Box<Spill>),
}

/// The estimation sample, as it was read until it is conditioned.
#[derive(Debug)]
pub(crate) struct Panel {
    pub sample: Sample,
    pub strata: Strata,
}

impl Panel {
    /// The strata in memory.
    ///
    /// # Errors
    /// [`DidError::Engine`] if they are in a file.
    pub fn resident(&self) -> Result<&[StratumData]> {
        match &self.strata {
            Strata::Resident(strata) => Ok(strata),
            Strata::Spilled(_) => {
                let problem = "rows that are wanted in memory are in a file";
                Err(DidError::Engine { problem: problem.into() })
            }
        }
    }
}

/// Strata being filled.
pub(super) enum Store {
    Resident(Vec<StratumData>),
    Spilled(SpillWriter),
}

impl Store {
    /// # Errors
    /// [`DidError::Memory`] if the strata cannot fit.
    pub fn new(shape: StratumShape, rows: &[usize], storage: Storage) -> Result<Self> {
        let needed = shape.row_bytes() * rows.iter().sum::<usize>() as u64;
        tracing::debug!(needed, "strata");
        let resident = || Self::Resident(rows.iter().map(|n| shape.stratum(*n)).collect());
        match storage {
            Storage::Within(budget) => {
                let half = || memory::free_for(2 * u128::from(needed)).map(|free| free / 2);
                let limit = budget.or_else(half).unwrap_or(u64::MAX);
                if needed <= limit {
                    return Ok(resident());
                }
                let open = u128::from(shape.row_bytes()) * (TILE * rows.len()) as u128;
                let remedy = "put groups and periods on a coarser grid";
                memory::check("the open pieces of all cohorts", open, remedy)?;
                Ok(Self::Spilled(SpillWriter::new(shape, rows, limit / 4)?))
            }
            Storage::Resident => {
                let remedy = "write the data to parquet, which a fit streams and keeps in a file";
                memory::check("the arranged sample", needed.into(), remedy)?;
                Ok(resident())
            }
        }
    }

    /// Writes a frame's rows where its placement says. Strata in a file are appended to, so that frames come in order.
    pub fn add(
        &mut self,
        filling: &Filling<'_>,
        placed: Placed<'_>,
        placement: &Placement,
    ) -> Result<()> {
        let Placed { rows, grids } = placed;
        for (stratum, grid) in grids.iter().enumerate() {
            let rank = placement.first_rank[stratum];
            match self {
                Self::Resident(strata) => {
                    let at = placement.start[stratum];
                    filling.fill(rows, grid, rank, &mut strata[stratum], at)?;
                }
                Self::Spilled(writer) => {
                    let mut piece = filling.shape.stratum(grid.n);
                    filling.fill(rows, grid, rank, &mut piece, 0)?;
                    writer.append(stratum, &piece)?;
                }
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Result<Strata> {
        match self {
            Self::Resident(strata) => Ok(Strata::Resident(strata)),
            Self::Spilled(writer) => Ok(Strata::Spilled(Box::new(writer.finish()?))),
        }
    }
}
