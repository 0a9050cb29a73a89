//! Files as data, and how they are read.

use std::path::{Path, PathBuf};

use super::Data;
use crate::base::error::Result;
use crate::read::files::{DecimalMark, Files, RowCondition};

/// The path of data files, with what the files themselves may not say.
///
/// ```
/// use burn_did::{Data, DataFiles, options::DecimalMark};
///
/// let data = Data::from(DataFiles::new("wages.csv").decimal(DecimalMark::Comma));
/// # let _ = data;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFiles {
    path: PathBuf,
    in_pieces: bool,
    decimal: Option<DecimalMark>,
    rows: Vec<RowCondition>,
}

impl DataFiles {
    /// A file, a directory or a pattern, as [`Data`](crate::Data) describes them.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), in_pieces: false, decimal: None, rows: Vec::new() }
    }

    /// Reads the files [in pieces](crate::Data::in_pieces), however small they are.
    #[must_use]
    pub fn in_pieces(self) -> Self {
        Self { in_pieces: true, ..self }
    }

    /// Says what separates decimals in CSV files, for those that do not show it: numbers such as `1,234` may be a little more than one,
    /// or more than a thousand. With a point, `1,234` is text; with a comma, a file that has numbers with points, too, is refused.
    #[must_use]
    pub fn decimal(self, mark: impl Into<Option<DecimalMark>>) -> Self {
        Self { decimal: mark.into(), ..self }
    }

    /// Takes the rows that meet all of these conditions, besides those that were given before; the other rows are as if they were not in the
    /// files. Results say how many rows were left out by which condition.
    ///
    /// ```
    /// use burn_did::{AttGt, DataFiles, backend::Cpu};
    ///
    /// let files = DataFiles::new("src/data/mpdta.csv").rows(["year >= 2004".parse()?]);
    /// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat").build();
    /// let chosen = config.fit(files)?.audit.files.chosen.expect("there is a condition");
    /// assert_eq!((chosen.chosen, chosen.rows), (2_000, 2_500));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// A fit fails if no row meets the conditions, or if one asks for what its column has not, as numbers below another of a column of text.
    #[must_use]
    pub fn rows(mut self, conditions: impl IntoIterator<Item = RowCondition>) -> Self {
        self.rows.extend(conditions);
        self
    }

    /// The path that was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What separates decimals, if somebody said so.
    pub(crate) fn decimal_mark(&self) -> Option<DecimalMark> {
        self.decimal
    }

    /// The conditions that rows are to meet.
    #[must_use]
    pub fn conditions(&self) -> &[RowCondition] {
        &self.rows
    }

    /// Whether small files are to be read in pieces, too.
    pub(crate) fn are_wanted_in_pieces(&self) -> bool {
        self.in_pieces
    }

    /// The files that are there.
    pub(crate) fn find(&self) -> Result<Files> {
        Ok(Files { decimal: self.decimal, rows: self.rows.clone(), ..Files::find(&self.path)? })
    }
}

macro_rules! from_paths {
    ($($path:ty),+) => {$(
        impl From<$path> for DataFiles {
            fn from(path: $path) -> Self {
                Self::new(path)
            }
        }

        impl From<$path> for Data<'_> {
            fn from(path: $path) -> Self {
                DataFiles::new(path).into()
            }
        }
    )+};
}

from_paths!(&str, String, &String, &Path, PathBuf, &PathBuf);
