//! What a path stands for: the CSV, parquet or Stata files that are read, and those that are written.
//!
//! A path is first taken as it is. Only if nothing has that name is it a pattern.

mod csv;
mod decimal;
mod files_read;
mod in_pieces;
pub(crate) mod output;
mod overwritten;
pub(crate) mod parquet;
mod rows;
mod search;
mod stata;

use std::path::{Path, PathBuf};

use crate::base::error::{DidError, Result};
use crate::read::columns::{Kind, Wanted};

pub(crate) use csv::CsvData;
pub use decimal::DecimalMark;
pub use files_read::{ChosenRows, FilesRead, RowsLeftOut};
pub(crate) use in_pieces::PieceFiles;
pub use overwritten::overwritten;
pub(crate) use parquet::{ParquetFiles, columns as parquet_columns};
pub(crate) use rows::Choice;
pub use rows::RowCondition;
pub(crate) use stata::read as read_stata;

/// First bytes of a parquet file, whatever it is called.
pub(crate) const PARQUET: [u8; 4] = *b"PAR1";

/// Format of data files, by the ending of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileFormat {
    Csv,
    Parquet,
    Stata,
}

/// Endings of compressed CSV files that are read.
const DECOMPRESSED: [&str; 3] = ["gz", "bgz", "zst"];

/// Files of one format, in the order in which they are read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Files {
    pub format: FileFormat,
    pub paths: Vec<PathBuf>,
    /// What separates decimals in CSV files; none to have them show it.
    pub decimal: Option<DecimalMark>,
    /// What rows are to meet.
    pub rows: Vec<RowCondition>,
}

impl Files {
    /// The files of a path: of a file itself, of a directory with what is below it, or of a pattern if nothing has that name.
    ///
    /// # Errors
    /// [`DidError::Io`] if there is none or it cannot be read, [`DidError::File`] if a directory or pattern has no data files
    /// or such as do not go together, [`DidError::Config`] for a file of another format.
    pub fn find(path: &Path) -> Result<Self> {
        search::find(path)
    }

    /// The line of a CSV file with a row, counted from 0 below the header; or how many rows the file has, if they are fewer. `None` for
    /// one that cannot be read.
    pub fn line_of(&self, path: &Path, row: usize) -> Option<std::result::Result<usize, usize>> {
        csv::line_of(path, row)
    }

    /// Names of all columns, in the order of the first file.
    pub fn names(&self) -> Result<Vec<String>> {
        let Some(first) = self.paths.first() else { return Ok(Vec::new()) };
        match self.format {
            FileFormat::Csv => csv::names(first),
            FileFormat::Parquet => parquet::names(first),
            FileFormat::Stata => stata::names(first),
        }
    }

    /// All columns, of which some have roles, and their names in the order of the first file; whether carried ones are read as they are written,
    /// but for those by which rows are chosen.
    pub fn all_columns(&self, roles: &Wanted, verbatim: bool) -> Result<(Wanted, Vec<String>)> {
        let names = self.names()?;
        let asked = roles.names();
        let others = names.iter().filter(|name| !asked.contains(name));
        let all = roles.clone().and("column", Kind::Carried, others);
        let is_compared = |name: &str| self.rows.iter().any(|condition| condition.column() == name);
        Ok((if verbatim { all.verbatim(is_compared) } else { all }, names))
    }

    /// How the audit names them.
    pub fn read(&self) -> FilesRead {
        FilesRead::new(self.paths.iter().map(|path| path.display().to_string()))
    }
}

impl FileFormat {
    /// What files of it are called.
    pub fn called(self) -> &'static str {
        match self {
            Self::Csv => "CSV files",
            Self::Parquet => "parquet files",
            Self::Stata => "Stata files",
        }
    }

    /// That of a file that is read, by the ending of its name.
    pub fn of(path: &Path) -> Option<Self> {
        match extension(path)?.as_str() {
            "csv" => Some(Self::Csv),
            "parquet" | "pq" => Some(Self::Parquet),
            "dta" => Some(Self::Stata),
            ending if DECOMPRESSED.contains(&ending) => {
                Self::of(Path::new(path.file_stem()?)).filter(|format| *format == Self::Csv)
            }
            _ => None,
        }
    }

    /// That of a file to be written, which the option names.
    ///
    /// # Errors
    /// [`DidError::Config`] for another ending.
    pub fn to_write(option: &'static str, path: &Path) -> Result<Self> {
        let expected = "a file that ends in .parquet or .csv";
        let format = match extension(path).as_deref() {
            Some("csv") => Some(Self::Csv),
            Some("parquet" | "pq") => Some(Self::Parquet),
            _ => None,
        };
        format.ok_or_else(|| DidError::config(option, expected, path.display()))
    }
}

/// The ending of a file's name, in lower case.
fn extension(path: &Path) -> Option<String> {
    path.extension().map(|e| e.to_string_lossy().to_lowercase())
}

/// An error about a file or directory.
pub(crate) fn problem(path: &Path, problem: impl Into<String>) -> DidError {
    DidError::File { path: path.display().to_string(), problem: problem.into() }
}

/// An error unless a file has all columns of the roles. If another file of the data has them, the file is named.
pub(crate) fn check_columns(
    path: &Path,
    available: &[&str],
    roles: &Wanted,
    only_file: bool,
) -> Result<()> {
    let Err(error) = roles.find_in(available) else { return Ok(()) };
    let DidError::ColumnNotFound { column, role, .. } = &error else { return Err(error) };
    if let Some(directory) = hive_partition(path, column) {
        let text = format!(
            "column `{column}` ({role}) is not in the file but in the name of its directory, `{directory}`, which is not read; write it into the files, or fit a frame that has it"
        );
        return Err(problem(path, text));
    }
    if only_file {
        return Err(error);
    }
    Err(problem(path, error.to_string()))
}

/// The directory that has a column's value in its name, as in `year=2004`.
fn hive_partition(path: &Path, column: &str) -> Option<String> {
    let names = path.parent()?.components().map(|c| c.as_os_str().to_string_lossy().into_owned());
    names.into_iter().find(|name| name.split_once('=').is_some_and(|(key, _)| key == column))
}
