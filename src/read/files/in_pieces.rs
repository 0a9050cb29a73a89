//! Files that are read piece by piece: parquet files, or what CSV files are converted to.

use std::path::{Path, PathBuf};

use super::csv::{self, Conversion};
use super::parquet::{ParquetFile, ParquetFiles, found};
use super::{FileFormat, Files, problem};
use crate::base::error::Result;
use crate::base::memory;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, ReadAsMissing, Wanted};

/// Memory that a sample takes while it is arranged, in multiples of the columns read: they, codes of their values, and the sample.
const ARRANGED: u64 = 5;

/// Files with rows in pieces.
pub(crate) struct PieceFiles {
    pub sources: Vec<ParquetFile>,
    /// What was read as missing while CSV files were converted.
    pub read_as_missing: Vec<ReadAsMissing>,
}

impl Files {
    /// Whether they can be read piece by piece.
    pub fn have_pieces(&self) -> bool {
        self.format != FileFormat::Stata
    }

    /// Bytes of a frame with all rows and this many columns, for CSV files about; 0 for files that have no pieces.
    pub fn frame_bytes(&self, columns: usize) -> Result<u64> {
        match self.format {
            FileFormat::Parquet => ParquetFiles::frame_bytes(&self.paths, columns),
            FileFormat::Csv => Ok(csv::about_rows(&self.paths)?.saturating_mul(8 * columns as u64)),
            FileFormat::Stata => Ok(0),
        }
    }

    /// Whether a frame with all rows and this many columns takes more than the memory budget, or than a fifth of the free memory.
    pub fn are_too_large(&self, columns: usize, budget: Option<u64>) -> Result<bool> {
        Ok(memory::exceeds(self.frame_bytes(columns)?, budget, ARRANGED))
    }

    /// In a form that is read piece by piece: CSV files are typed and written once to a temporary file.
    pub fn in_pieces(
        &self,
        wanted: &Wanted,
        missing: &MissingValues,
        memory_budget: Option<u64>,
        progress: Option<&Progress>,
    ) -> Result<PieceFiles> {
        match self.format {
            FileFormat::Parquet => {
                Ok(PieceFiles { sources: found(&self.paths)?, read_as_missing: Vec::new() })
            }
            FileFormat::Csv => {
                let rows = ParquetFiles::frame_rows(wanted.names().len().max(1), memory_budget);
                let conversion = Conversion { missing, rows, memory_budget, progress };
                let (source, read_as_missing) = csv::converted(self, wanted, &conversion)?;
                Ok(PieceFiles { sources: vec![source], read_as_missing })
            }
            FileFormat::Stata => {
                let text = "Stata files cannot be read in pieces; leave out `Data::in_pieces`";
                let path = self.paths.first().map_or(Path::new(""), PathBuf::as_path);
                Err(problem(path, text))
            }
        }
    }
}
