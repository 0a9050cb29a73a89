//! A CSV file, and where its columns are.

use std::fs;
use std::path::Path;

use super::header::Header;
use crate::base::error::{DidError, Result};
use crate::read::columns::Wanted;
use crate::read::files::DecimalMark;

pub(super) struct CsvFile<'a> {
    pub path: &'a Path,
    pub header: Header,
    /// For each field of a record, the column that it belongs to.
    pub places: Vec<Option<usize>>,
    /// Whether numbers may have decimal commas.
    pub commas: bool,
    /// As it is stored.
    pub bytes: u64,
}

impl<'a> CsvFile<'a> {
    /// An error unless the file has all columns of the roles.
    pub fn open(
        path: &'a Path,
        roles: &Wanted,
        names: &[String],
        only: bool,
        decimal: Option<DecimalMark>,
    ) -> Result<Self> {
        let header = Header::read(path, names)?;
        header.check(path, roles, names, only)?;
        let bytes = fs::metadata(path).map_err(|source| DidError::io(path, source))?.len();
        let places = header.places(names);
        let commas = match decimal {
            Some(mark) => mark == DecimalMark::Comma,
            None => header.allows_commas(),
        };
        Ok(Self { path, header, places, commas, bytes })
    }
}
