//! Columns of CSV files: read as text, so that the whole column decides about its type.

mod cast;
mod field;
mod records;

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor};
use std::path::{Path, PathBuf};

use polars::prelude::*;

use super::{check_columns, problem};
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::read::columns::{MissingValues, ReadAsMissing, Wanted};

use records::Records;
pub(super) use records::line_of;

/// Separators of other dialects, and what they are called.
const SEPARATORS: [(char, &str); 3] = [(';', "semicolons"), ('\t', "tabs"), ('|', "bars")];

/// Memory of a field as text, and of one that is given its type.
const TEXT: u128 = 24;
const VALUE: u128 = 48;

const REMEDY: &str = "write the data to parquet, from which panels are streamed";

/// First bytes of compressed files.
const GZIP: [u8; 2] = [0x1F, 0x8B];
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The columns of CSV files that were asked for.
pub(crate) struct CsvData {
    pub frame: DataFrame,
    pub missing: Vec<ReadAsMissing>,
}

impl CsvData {
    /// Reads the columns of the roles. Files must have them all, in any order.
    pub fn read(paths: &[PathBuf], roles: &Wanted, missing: &MissingValues) -> Result<Self> {
        let names = roles.names();
        let headers = paths.iter().map(|path| {
            let header = Header::read(path)?;
            header.check(path, roles, &names, paths.len() == 1)?;
            Ok(header)
        });
        let headers: Vec<Header> = headers.collect::<Result<_>>()?;
        let mut texts: Option<DataFrame> = None;
        for (path, header) in paths.iter().zip(&headers) {
            let texts_of_file = header.texts(path, &names)?;
            match &mut texts {
                None => texts = Some(texts_of_file),
                Some(texts) => drop(texts.vstack_mut(&texts_of_file)?),
            }
        }
        let mut texts = texts.unwrap_or_default();
        let rows = texts.height();
        memory::check("a column of a CSV file", VALUE * rows as u128, REMEDY)?;
        let mut all = Vec::new();
        let mut columns = Vec::with_capacity(names.len());
        for name in &names {
            let label = roles.is_label(name);
            // Each text column is given up for what it says.
            let fields = texts.drop_in_place(name)?;
            let (series, counts) = cast::cast(fields.str()?, missing, label)?;
            all.extend(counts.of(name));
            columns.push(series.into_column());
        }
        Ok(Self { frame: DataFrame::new(rows, columns)?, missing: all })
    }
}

/// Names of the columns of a file.
pub(super) fn names(path: &Path) -> Result<Vec<String>> {
    Ok(Header::read(path)?.0)
}

/// Names of a file's columns.
struct Header(Vec<String>);

impl Header {
    fn read(path: &Path) -> Result<Self> {
        let io = |source| DidError::io(path, source);
        let mut file = BufReader::new(File::open(path).map_err(io)?);
        loop {
            let mut line = Vec::new();
            if file.read_until(b'\n', &mut line).map_err(io)? == 0 {
                return Err(problem(path, "the file is empty"));
            }
            if line.starts_with(&GZIP) || line.starts_with(&ZSTD) {
                return Err(problem(path, "the file is compressed; decompress it first"));
            }
            let Ok(line) = String::from_utf8(line) else {
                return Err(problem(path, "the header is not in UTF-8; convert the file"));
            };
            let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.contains('\r') {
                return Err(problem(
                    path,
                    "lines end in carriage returns; write them with line feeds",
                ));
            }
            if !line.is_empty() {
                return fields(line).map(Self).ok_or_else(|| {
                    problem(
                        path,
                        "the quotes of the header do not match; names must be in one line",
                    )
                });
            }
        }
    }

    fn check(&self, path: &Path, roles: &Wanted, names: &[String], only_file: bool) -> Result<()> {
        let available: Vec<&str> = self.0.iter().map(String::as_str).collect();
        if let Err(error) = check_columns(path, &available, roles, only_file) {
            // A comma in a name or a number splits such a header elsewhere.
            let among = |c: char, name: &String| {
                self.0.iter().flat_map(|n| n.split(c)).any(|n| n.trim_matches('"') == name)
            };
            let separates = |c: char| match self.0.as_slice() {
                [only] => only.contains(c),
                _ => names.iter().all(|name| among(c, name)),
            };
            let other = SEPARATORS.iter().find(|(c, _)| separates(*c));
            let Some((_, called)) = other else { return Err(error) };
            let text = format!(
                "the columns are separated by {called}; write the file with commas, and numbers with decimal points"
            );
            return Err(problem(path, text));
        }
        match names.iter().find(|name| self.0.iter().filter(|n| n == name).count() > 1) {
            None => Ok(()),
            Some(name) => {
                let text = format!("several columns are called `{name}`; rename all but one");
                Err(problem(path, text))
            }
        }
    }

    /// The fields of the columns named.
    fn texts(&self, path: &Path, names: &[String]) -> Result<DataFrame> {
        // Positions stand for names, because names that are not requested may occur twice.
        let schema = (0..self.0.len()).map(|i| Field::new(i.to_string().into(), DataType::String));
        let position = |name: &String| self.0.iter().position(|n| n == name);
        let positions: Vec<usize> = names.iter().filter_map(position).collect();
        let schema: Arc<Schema> = Arc::new(schema.collect());
        let positions = Arc::new(positions);
        let unreadable = |e: PolarsError| problem(path, format!("{e}"));
        let mut all: Option<DataFrame> = None;
        records::each(path, &mut |Records { bytes, rows, has_header }| {
            let needed = TEXT * (rows * names.len()) as u128 + bytes.len() as u128;
            memory::check("the fields of a CSV file", needed, REMEDY)?;
            let texts = CsvReadOptions::default()
                .with_has_header(has_header)
                .with_schema(Some(Arc::clone(&schema)))
                .with_projection(Some(Arc::clone(&positions)))
                .into_reader_with_file_handle(Cursor::new(bytes.to_vec()))
                .finish()
                .map_err(unreadable)?;
            if texts.height() != rows {
                let text = format!("{} rows were read of {rows}; check its quotes", texts.height());
                return Err(problem(path, text));
            }
            match &mut all {
                None => all = Some(texts),
                Some(all) => drop(all.vstack_mut(&texts)?),
            }
            Ok(())
        })?;
        let texts = all.unwrap_or_else(|| DataFrame::empty_with_schema(&schema));
        let column = |(name, position): (&String, &usize)| {
            let column = texts.column(&position.to_string())?;
            Ok(column.clone().with_name(name.as_str().into()))
        };
        let columns = names.iter().zip(positions.iter()).map(column);
        Ok(DataFrame::new(texts.height(), columns.collect::<PolarsResult<Vec<Column>>>()?)?)
    }
}

/// The fields of a line; `None` if a quote is not closed.
fn fields(line: &str) -> Option<Vec<String>> {
    let mut fields = Vec::new();
    let mut unread = line;
    loop {
        let (field, after) = match unread.strip_prefix('"') {
            Some(quoted) => quoted_field(quoted)?,
            None => match unread.split_once(',') {
                Some((field, after)) => (field.to_owned(), Some(after)),
                None => (unread.to_owned(), None),
            },
        };
        fields.push(field);
        match after {
            Some(after) => unread = after,
            None => return Some(fields),
        }
    }
}

/// A field up to its closing quote, and what follows the comma after it.
fn quoted_field(quoted: &str) -> Option<(String, Option<&str>)> {
    let mut field = String::new();
    let mut unread = quoted;
    loop {
        let (part, after) = unread.split_once('"')?;
        field.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                unread = more;
            }
            None if after.is_empty() => return Some((field, None)),
            None => return after.strip_prefix(',').map(|after| (field, Some(after))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let names = |line: &str| fields(line).unwrap();
        assert_eq!(names("a,b c,"), ["a", "b c", ""]);
        assert_eq!(names(r#""a","b,c","d""e",f"#), ["a", "b,c", "d\"e", "f"]);
        assert!(fields(r#""a,b"#).is_none() && fields(r#""a"b,c"#).is_none());
    }
}
