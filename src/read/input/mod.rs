//! Where the data come from.

mod all_rows;
mod data_files;
mod guard;
mod lines;

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use polars::prelude::*;

use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, ReadAsMissing, Wanted};
use crate::read::files::{Choice, DecimalMark, Files, FilesRead};

use all_rows::read_all_rows;
pub use data_files::DataFiles;
pub(crate) use guard::guarded;
pub use guard::panics_are_caught;

/// A data frame, a lazy frame (with the feature `lazy`), or the path of CSV, parquet or Stata files. Only the columns needed are read.
///
/// A path is taken as it is: `data[1].csv` is the file of that name. Only if nothing has the name is it a pattern with `*`, `?`
/// and `[...]`. A directory stands for the files below it but for those whose names start with `.` or `_`. Several files are read
/// as one, in the order of their names, and are named in the [audit](crate::audit::SampleAudit::files). They must be of one format and
/// have the columns needed, in any order; parquet files must agree on the columns' types.
///
/// CSV files have a header and commas between columns, or semicolons, tabs or bars: what separates the wanted columns, or most names.
/// Where it is no comma, numbers may have decimal commas; a file in which some have commas and others points is refused, and so is one whose
/// commas may all separate thousands (`1,234`) unless [`DataFiles::decimal`] says what they are. Files compressed
/// by gzip or zstd (`.csv.gz`, `.csv.zst`) are read as they are. A column whose fields are all numbers but for empty ones
/// and words for a missing value (`NA`, `N/A`, `NaN`, `null`, `None`, `.`, `#N/A`, `.a` to `.z`, in any case) is numeric;
/// `Inf` is infinity, and `007` is 7; only of units, clusters and fixed effects, and where [`panel`](crate::panel) tools carry a column,
/// numbers of which some have leading zeros are text, so that `08001` stays as it is and 01 is another unit than 1. A column of `TRUE` and `FALSE` is boolean. In other columns the empty field and `NA` are
/// missing, as R reads them; so they are in the text columns of data frames and parquet files. The option `missing_values` of the
/// estimators replaces the words, or adds some to one column (`start=0`). All cores read a CSV file; in memory are the values of the columns needed, 2 MiB for each core and, for
/// a moment, one more copy of as many columns as there are cores.
///
/// Stata files (`.dta`, formats 113 to 115 and 117 to 119) have their own missing values (`.`, `.a` to `.z`) and dates (`%td`, `%tc`); other
/// periods (`%tm`, `%tq` …) are numbers, and so are variables with value labels.
///
/// ```
/// use burn_did::{AttGt, Data, backend::Cpu, data};
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let config = config.group("first.treat").build();
/// let frame = data::mpdta();
/// let fit = config.fit(&frame)?;
/// // The path of a file, of a directory or a pattern is data too.
/// let error = config.fit("no such file.csv").unwrap_err();
/// assert!(error.to_string().contains("no such file.csv"));
/// # let _ = Data::from("panel/*.parquet");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum Data<'a> {
    /// In memory.
    Frame(Cow<'a, DataFrame>),
    /// Collected when the fit starts.
    #[cfg(feature = "lazy")]
    Lazy(Box<LazyFrame>),
    /// `.csv`, `.parquet` or `.dta` files: one, a directory of them, or a pattern.
    Files(DataFiles),
}

impl Data<'_> {
    /// What separates decimals in files, if somebody said so.
    pub(crate) fn decimal_mark(&self) -> Option<DecimalMark> {
        match self {
            Self::Files(files) => files.decimal_mark(),
            _ => None,
        }
    }

    /// Parquet or CSV files that need not fit in memory: a file, a directory, or a pattern such as `panel/*.parquet`. A fit decides by
    /// itself to read large files so; this has small ones read so, too. The result is the same to the last bit.
    ///
    /// The files are read piece by piece (whole row groups, about a million rows), two to four times: to survey the units, to
    /// arrange their rows, and in between if there are covariates, weights, clusters or categoricals to look at. If the rows are
    /// not in ascending order of the units, throughout the files in the order of their names, the columns needed are first
    /// written once more, grouped by unit, to temporary files. Those have no names where the system can do without (else only
    /// their owner can read them), so that nothing is left of them however the process ends; `TMPDIR` says where they are.
    ///
    /// CSV files are typed by a look at all their fields, and the columns needed are then written once, as parquet, to a temporary file, which is
    /// read so. Of the text, four pieces for each core are in memory (2 MiB each, or what the budget allows).
    ///
    /// The arranged sample takes 8 bytes for each unit and column: outcomes by period, covariates, weights. If that is more than
    /// the estimator's `memory_budget` (half of the free memory without one), it is kept in a temporary file and read again in
    /// every pass. Repeated cross sections have no units to read by and are read as a whole; so are the data of regressions, of
    /// [`DidMultiplegt`](crate::DidMultiplegt) and of [`Npiv`](crate::Npiv).
    ///
    /// ```no_run
    /// # use burn_did::{AttGt, Data, backend::Cpu};
    /// # let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g").build();
    /// let fit = config.fit(Data::in_pieces("panel/*.parquet"))?;
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[must_use]
    pub fn in_pieces(path: impl Into<PathBuf>) -> Self {
        Self::Files(DataFiles::new(path).in_pieces())
    }
}

impl fmt::Debug for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame(df) => write!(f, "Frame({} x {})", df.height(), df.width()),
            #[cfg(feature = "lazy")]
            Self::Lazy(_) => f.write_str("Lazy"),
            Self::Files(files) => files.fmt(f),
        }
    }
}

impl<'a> From<&'a DataFrame> for Data<'a> {
    fn from(df: &'a DataFrame) -> Self {
        Self::Frame(Cow::Borrowed(df))
    }
}

impl From<DataFrame> for Data<'_> {
    fn from(df: DataFrame) -> Self {
        Self::Frame(Cow::Owned(df))
    }
}

#[cfg(feature = "lazy")]
impl From<LazyFrame> for Data<'_> {
    fn from(frame: LazyFrame) -> Self {
        Self::Lazy(Box::new(frame))
    }
}

impl From<DataFiles> for Data<'_> {
    fn from(files: DataFiles) -> Self {
        Self::Files(files)
    }
}

/// Columns that were read, from which files, and what was read as missing in these.
pub(crate) struct Read {
    pub frame: DataFrame,
    pub files: FilesRead,
    pub read_as_missing: Vec<ReadAsMissing>,
}

impl Data<'_> {
    /// What `read` makes of the data. A panic of a library becomes an error, and an error about a row of CSV files names the line.
    pub(crate) fn reading<T>(
        self,
        missing: &MissingValues,
        read: impl FnOnce(Self) -> Result<T>,
    ) -> Result<T> {
        match &self {
            Data::Frame(_) => guarded("the data frame", || read(self)),
            #[cfg(feature = "lazy")]
            Data::Lazy(_) => guarded("the lazy frame", || read(self)),
            Data::Files(files) => {
                let files = files.clone();
                guarded(&files.path().display().to_string(), || read(self))
                    .map_err(|error| lines::located(error, &files, missing))
            }
        }
    }

    /// The columns of the roles. What a frame lacks is left to the checks that know its role.
    pub(crate) fn read(
        self,
        roles: &Wanted,
        missing: &MissingValues,
        progress: Option<&Progress>,
    ) -> Result<Read> {
        let frame = match self {
            Data::Frame(df) => {
                let names = roles.names();
                let present = names.iter().filter(|n| df.column(n).is_ok());
                if present.clone().count() < names.len() {
                    df.into_owned()
                } else {
                    df.select(present.map(String::as_str))?
                }
            }
            #[cfg(feature = "lazy")]
            Data::Lazy(frame) => collect(*frame, &roles.names())?,
            Data::Files(files) => {
                return read_files(&files.find()?, roles, missing, progress);
            }
        };
        Ok(Read { frame, files: FilesRead::default(), read_as_missing: Vec::new() })
    }
}

impl Data<'_> {
    /// All columns, of which some have roles; whether carried ones of CSV files are read as they are written.
    pub(crate) fn read_all(
        self,
        roles: &Wanted,
        verbatim: bool,
        missing: &MissingValues,
        progress: Option<&Progress>,
    ) -> Result<Read> {
        let frame = match self {
            Data::Frame(df) => df.into_owned(),
            #[cfg(feature = "lazy")]
            Data::Lazy(frame) => frame.collect()?,
            Data::Files(files) => {
                let files = files.find()?;
                let (wanted, names) = files.all_columns(roles, verbatim)?;
                let read = read_files(&files, &wanted, missing, progress)?;
                return Ok(Read { frame: read.frame.select(names)?, ..read });
            }
        };
        Ok(Read { frame, files: FilesRead::default(), read_as_missing: Vec::new() })
    }
}

/// The columns of all rows of some files that are to be read.
pub(crate) fn read_files(
    files: &Files,
    roles: &Wanted,
    missing: &MissingValues,
    progress: Option<&Progress>,
) -> Result<Read> {
    let mut choice = Choice::new(&files.rows, missing);
    let (wanted, names) = (choice.wanted(roles), roles.names());
    let (frame, mut read_as_missing) = read_all_rows(files, &wanted, missing, progress)?;
    let frame = choice.keep(frame, &names)?;
    read_as_missing.retain(|entry| names.contains(&entry.column));
    Ok(Read { frame, files: choice.finish(files.read())?, read_as_missing })
}

#[cfg(feature = "lazy")]
fn collect(mut frame: LazyFrame, names: &[String]) -> Result<DataFrame> {
    let schema = frame.collect_schema()?;
    if names.iter().all(|n| schema.contains(n)) {
        frame = frame.select(names.iter().map(col).collect::<Vec<_>>());
    }
    Ok(frame.collect()?)
}
