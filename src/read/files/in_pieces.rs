//! Files that are read piece by piece: parquet files, or what CSV files are converted to.

use std::path::{Path, PathBuf};

use polars::prelude::DataFrame;

use super::csv::{self, Conversion};
use super::parquet::{ParquetFile, ParquetFiles, TemporaryParquet, found};
use super::rows::Choice;
use super::{FileFormat, Files, FilesRead, problem};
use crate::base::error::{DidWarning, Result};
use crate::base::memory;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, ReadAsMissing, Wanted};

/// Memory that a sample takes while it is arranged, in multiples of the columns read: they, codes of their values, and the sample.
const ARRANGED: u64 = 5;

/// Files with rows in pieces.
pub(crate) struct PieceFiles {
    pub sources: Vec<ParquetFile>,
    /// The user's files, and how many of their rows there are here.
    pub read: FilesRead,
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

    /// In a form that is read piece by piece: CSV files are typed and written once to a temporary file, and so are chosen rows.
    pub fn in_pieces(
        &self,
        wanted: &Wanted,
        missing: &MissingValues,
        memory_budget: Option<u64>,
        progress: Option<&Progress>,
    ) -> Result<PieceFiles> {
        let (mut choice, mut unused) = (Choice::new(&self.rows, missing), Vec::new());
        let (sources, read_as_missing) = match self.format {
            FileFormat::Parquet if self.rows.is_empty() => (found(&self.paths)?, Vec::new()),
            FileFormat::Parquet => {
                (vec![self.chosen(wanted, &mut choice, memory_budget, progress)?], Vec::new())
            }
            FileFormat::Csv => {
                let rows = ParquetFiles::frame_rows(wanted.names().len().max(1), memory_budget);
                let conversion = Conversion { missing, rows, memory_budget, progress };
                let (read, names) = (choice.wanted(wanted), wanted.names());
                let keep = |df: DataFrame| choice.keep(df, &names);
                let (source, mut words) = csv::converted(self, &read, &conversion, keep)?;
                unused = missing.unused(&read.names(), |column, named| {
                    words.iter().any(|entry| entry.column == column && named.has(&entry.token))
                });
                words.retain(|entry| names.contains(&entry.column));
                (vec![source], words)
            }
            FileFormat::Stata => {
                let text = "Stata files cannot be read in pieces; leave out `Data::in_pieces`";
                let path = self.paths.first().map_or(Path::new(""), PathBuf::as_path);
                return Err(problem(path, text));
            }
        };
        let unused = (!unused.is_empty()).then_some(DidWarning::UnusedWords { words: unused });
        let warnings = unused.iter().map(|warning| warning.message(None)).collect();
        let read = FilesRead { warnings, ..choice.finish(self.read())? };
        Ok(PieceFiles { sources, read, read_as_missing })
    }

    /// The chosen rows of parquet files, in a temporary file.
    fn chosen(
        &self,
        wanted: &Wanted,
        choice: &mut Choice<'_>,
        memory_budget: Option<u64>,
        progress: Option<&Progress>,
    ) -> Result<ParquetFile> {
        let (read, names) = (choice.wanted(wanted), wanted.names());
        let frame_rows = |columns| ParquetFiles::frame_rows(columns, memory_budget);
        let (schema, parts) = ParquetFiles::parts(&found(&self.paths)?, &read, frame_rows)?;
        let rows: u64 = parts.iter().map(|part| part.rows as u64).sum();
        let (mut file, mut done) = (TemporaryParquet::new()?, 0);
        file.write(
            &DataFrame::empty_with_schema(&schema).select(names.iter().map(String::as_str))?,
            1,
        )?;
        for part in parts {
            let kept = choice.keep(part.read(&schema)?, &names)?;
            file.write(&kept, frame_rows(names.len()))?;
            done += part.rows as u64;
            if let Some(progress) = progress {
                progress.report("choosing rows", done, rows);
            }
        }
        file.finish()
    }
}
