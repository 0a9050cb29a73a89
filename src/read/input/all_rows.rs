//! All rows of files, in memory.

use polars::prelude::DataFrame;

use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, ReadAsMissing, Wanted};
use crate::read::files::{CsvData, FileFormat, Files, ParquetFiles, read_stata};

/// The columns of all rows of some files, and what of them was read as missing.
pub(super) fn read_all_rows(
    files: &Files,
    wanted: &Wanted,
    missing: &MissingValues,
    progress: Option<&Progress>,
) -> Result<(DataFrame, Vec<ReadAsMissing>)> {
    Ok(match files.format {
        FileFormat::Parquet => (ParquetFiles::read_whole(&files.paths, wanted)?, Vec::new()),
        FileFormat::Csv => {
            let CsvData { frame, missing } = CsvData::read(files, wanted, missing, progress)?;
            (frame, missing)
        }
        FileFormat::Stata => (read_stata(&files.paths, wanted, progress)?, Vec::new()),
    })
}
