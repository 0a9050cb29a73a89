//! Columns of Stata files (`.dta`) of the formats 113 to 115 and 117 to 119, which Stata 8 to 18 write.
//!
//! | in Stata | here |
//! |---|---|
//! | `byte`, `int`, `long`, `float`, `double` | numbers of the same width |
//! | `.` and `.a` to `.z` | no value |
//! | `str#`, `strL` | text, which is missing where it is empty |
//! | a variable with value labels | its numbers, as in Stata's own commands |
//! | `%td` | dates |
//! | `%tc` | timestamps |
//! | `%tw`, `%tm`, `%tq`, `%th`, `%ty` | numbers: periods since 1960, or the year |
//!
//! Text before format 118 is taken to be in Windows-1252, as the file does not say. In memory are the values of the columns that are asked
//! for, in their own width, and the rows that are being read (4 MiB). The crates that read such files bring tables of all the
//! world's encodings, of which two matter here.

mod bytes;
mod cells;
mod layout;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use polars::prelude::{Column, DataFrame, IntoColumn};

use super::parquet::wider;
use super::{check_columns, problem};
use crate::base::error::{DidError, Result};
use crate::base::progress::Progress;
use crate::base::storage::Stamp;
use crate::base::{memory, parallel};
use crate::read::columns::{Wanted, kinds};
use bytes::{Bytes, Damaged, Scan, text};
use cells::{Cells, Dates, TextPlace};
use layout::{Layout, Variable};

/// Bytes of rows that are read at once.
const BLOCK: usize = 1 << 22;

/// Memory of columns in multiples of their values: while the last is finished.
const COPIES: u128 = 2;

const REMEDY: &str = "write the data to parquet, from which panels are streamed";

/// The columns that were asked for, of the rows of all files.
pub(crate) fn read(
    paths: &[PathBuf],
    roles: &Wanted,
    progress: Option<&Progress>,
) -> Result<DataFrame> {
    let mut all: Option<(&Path, DataFrame)> = None;
    for path in paths {
        let frame = StataFile::open(path)?.columns(roles, paths.len() == 1, progress)?;
        match &mut all {
            None => all = Some((path, frame)),
            Some((first, all)) => append(first, all, path, frame)?,
        }
    }
    Ok(all.map(|(_, frame)| frame).unwrap_or_default())
}

/// Names of the columns of a file.
pub(super) fn names(path: &Path) -> Result<Vec<String>> {
    let variables = StataFile::open(path)?.layout.variables;
    Ok(variables.into_iter().map(|variable| variable.name).collect())
}

/// Adds the rows of another file, in types that hold those of both.
fn append(first: &Path, all: &mut DataFrame, path: &Path, mut more: DataFrame) -> Result<()> {
    for name in all.get_column_names_owned() {
        let [here, there] = [all.column(&name)?.dtype(), more.column(&name)?.dtype()];
        let Some(dtype) = wider(here, there) else {
            let [got, expected] = kinds(there, here);
            let (column, file) = (name.to_string(), path.display().to_string());
            let other = first.display().to_string();
            return Err(DidError::TypesDiffer { column, file, got, other, expected });
        };
        for frame in [&mut *all, &mut more] {
            let cast = frame.column(&name)?.cast(&dtype)?;
            frame.with_column(cast)?;
        }
    }
    all.vstack_mut(&more)?;
    Ok(())
}

/// A file whose variables are known.
struct StataFile<'a> {
    path: &'a Path,
    file: File,
    stamp: Stamp,
    layout: Layout,
}

impl<'a> StataFile<'a> {
    fn open(path: &'a Path) -> Result<Self> {
        let io = |source| DidError::io(path, source);
        let file = File::open(path).map_err(io)?;
        let stamp = Stamp::of(&file).map_err(io)?;
        let layout = Layout::read(BufReader::new(&file), stamp.length());
        let layout = layout.map_err(|damaged| unreadable(path, damaged))?;
        Ok(Self { path, file, stamp, layout })
    }

    fn columns(
        &self,
        roles: &Wanted,
        only: bool,
        progress: Option<&Progress>,
    ) -> Result<DataFrame> {
        let Layout { variables, rows, .. } = &self.layout;
        let available: Vec<&str> = variables.iter().map(|v| v.name.as_str()).collect();
        check_columns(self.path, &available, roles, only)?;
        let names = roles.names();
        let of_name = |name: &String| variables.iter().find(|variable| variable.name == *name);
        let wanted: Vec<&Variable> = names.iter().filter_map(of_name).collect();
        if let Some(leap) =
            wanted.iter().find(|variable| Dates::of(&variable.format) == Some(Dates::LeapTimes))
        {
            let text = format!(
                "column `{}` counts leap seconds (%tC); in Stata, make it a time without them by `cofC()`",
                leap.name
            );
            return Err(problem(self.path, text));
        }
        let width: u128 = wanted.iter().map(|variable| variable.kind.width() as u128).sum();
        memory::check("the columns of a Stata file", COPIES * width * u128::from(*rows), REMEDY)?;
        let rows = usize::try_from(*rows).unwrap_or(usize::MAX);
        let cells: Vec<Mutex<Cells>> =
            wanted.iter().map(|variable| Mutex::new(Cells::of(variable.kind, rows))).collect();
        self.each_block(progress, &mut |block| {
            let (row_bytes, form) = (self.layout.row_bytes, (self.layout.version, self.layout.order));
            let added = parallel::map(wanted.len(), |column| {
                let rows = block.chunks_exact(row_bytes.max(1));
                parallel::held(&cells[column]).add(rows, wanted[column], form)
            });
            match added.iter().position(std::result::Result::is_err) {
                None => Ok(()),
                Some(column) => {
                    let text = format!(
                        "column `{}` is not in UTF-8; in Stata, convert the file by `unicode translate`",
                        wanted[column].name
                    );
                    Err(problem(self.path, text))
                }
            }
        })?;
        let cells: Vec<Cells> = cells
            .into_iter()
            .map(|cells| cells.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
            .collect();
        let texts = self.long_texts(&cells).map_err(|damaged| unreadable(self.path, damaged))?;
        let now = Stamp::of(&self.file).map_err(|source| DidError::io(self.path, source))?;
        if !self.stamp.is_of(&now) {
            let text = "the file was changed while it was read; fit again when nobody writes to it";
            return Err(problem(self.path, text));
        }
        let mut columns: Vec<Column> = Vec::with_capacity(wanted.len());
        for (variable, cells) in wanted.iter().zip(cells) {
            let series = cells.finish(variable, &texts);
            columns.push(series.map_err(|e| problem(self.path, e.to_string()))?.into_column());
        }
        Ok(DataFrame::new(rows, columns)?)
    }

    /// Calls `visit` with some whole rows after others.
    fn each_block(
        &self,
        progress: Option<&Progress>,
        visit: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let Layout { rows, row_bytes, data, .. } = self.layout;
        let failed = |error| unreadable(self.path, Damaged::of(error));
        let mut file = &self.file;
        file.seek(SeekFrom::Start(data)).map_err(failed)?;
        let together = (BLOCK / row_bytes.max(1)).max(1) as u64;
        let mut block = Vec::new();
        let mut done = 0;
        while done < rows {
            let more = together.min(rows - done);
            block.resize(more as usize * row_bytes, 0);
            file.read_exact(&mut block).map_err(failed)?;
            visit(&block)?;
            done += more;
            if let Some(progress) = progress {
                progress.report("reading", done, rows);
            }
        }
        Ok(())
    }

    /// The long texts that columns have, or nothing where there are bytes that are no text.
    fn long_texts(&self, columns: &[Cells]) -> Scan<HashMap<TextPlace, Option<String>>> {
        let mut found = HashMap::new();
        let mut wanted: HashSet<TextPlace> = HashSet::new();
        for column in columns {
            if let Cells::LongText(places) = column {
                wanted.extend(places);
            }
        }
        wanted.remove(&(0, 0));
        let Some(start) = self.layout.long_texts.filter(|_| !wanted.is_empty()) else {
            return Ok(found);
        };
        let Layout { version, order, .. } = self.layout;
        let mut bytes =
            Bytes::new(BufReader::with_capacity(BLOCK, &self.file), self.stamp.length());
        bytes.order = order;
        bytes.seek(start)?;
        bytes.tag("<strls>")?;
        while found.len() < wanted.len() {
            match &bytes.take(3)?[..] {
                b"GSO" => {}
                // They end.
                b"</s" => break,
                _ => return Err(Damaged::Content),
            }
            let place =
                (bytes.integer(4)? as u32, bytes.integer(if version == 117 { 4 } else { 8 })?);
            let (kind, length) = (bytes.integer(1)?, bytes.integer(4)?);
            if !wanted.contains(&place) {
                bytes.skip(length)?;
                continue;
            }
            let content = bytes.take(length as usize)?;
            // Other kinds are bytes.
            found.insert(place, if kind == 130 { text(&content, version) } else { None });
        }
        Ok(found)
    }
}

fn unreadable(path: &Path, damaged: Damaged) -> DidError {
    let text = match damaged {
        Damaged::Io(source) => return DidError::io(path, source),
        Damaged::NotStata => "not a file of Stata".to_owned(),
        Damaged::Version(version) => format!(
            "the file is of Stata's format {version}, and formats 113 to 115 and 117 to 119 are read; write it by `saveold` in Stata, or to CSV by `export delimited`"
        ),
        Damaged::Short => {
            "it declares more than it has; the file is damaged or was cut off".to_owned()
        }
        Damaged::Content => {
            "its parts are not where they should be; the file is damaged".to_owned()
        }
    };
    problem(path, text)
}
