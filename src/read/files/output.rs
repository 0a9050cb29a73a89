//! Files that results are written to, frame by frame.

use std::fs::File;
use std::io;
use std::path::Path;

use polars::prelude::*;

use super::FileFormat;
use crate::base::error::{DidError, Result};
use crate::base::{storage, written};
use crate::read::columns::kind;

/// Takes a frame after another, and none at the end.
pub(crate) type Sink<'a> = dyn FnMut(Option<&DataFrame>) -> Result<()> + 'a;

/// Takes the rows of a file that is open.
type Rows<'a> = Box<dyn FnMut(Option<&DataFrame>) -> PolarsResult<()> + 'a>;

/// Writes what `fill` hands over to a file, which takes the place of what was there when it is complete.
///
/// # Errors
/// What `fill` ends with, or that the file cannot be written; what was there before is then still there.
pub(crate) fn write<T>(
    path: &Path,
    format: FileFormat,
    fill: impl FnOnce(&mut Sink<'_>) -> Result<T>,
) -> Result<T> {
    let mut filled = None;
    let done = written::whole(path, |_, file| {
        let mut failed = None;
        let result = {
            let file: &File = file;
            let mut rows: Option<Rows<'_>> = None;
            let mut sink = |df: Option<&DataFrame>| {
                let taken = take(&mut rows, file, format, df);
                taken.map_err(|error| {
                    failed = Some(written::of_polars(error));
                    DidError::Io { path: path.display().to_string(), source: io::Error::other("") }
                })
            };
            fill(&mut sink)
        };
        if let Some(error) = failed {
            return Err(error);
        }
        let is_good = result.is_ok();
        filled = Some(result);
        if is_good { Ok(()) } else { Err(io::Error::other("nothing is written")) }
    });
    match filled {
        Some(Err(error)) => Err(error),
        Some(Ok(result)) => done.map(|()| result),
        None => Err(done
            .err()
            .unwrap_or_else(|| DidError::io(path, io::Error::other("nothing is written")))),
    }
}

fn take<'a>(
    rows: &mut Option<Rows<'a>>,
    file: &'a File,
    format: FileFormat,
    df: Option<&DataFrame>,
) -> PolarsResult<()> {
    // Columns that were added are in one piece, and those that were read in one for each row group.
    let whole = df.map(|df| {
        let mut whole = df.clone();
        whole.rechunk_mut();
        if format == FileFormat::Parquet { without_wide(whole) } else { Ok(whole) }
    });
    let whole = whole.transpose()?;
    match (rows, whole.as_ref()) {
        (Some(rows), df) => rows(df),
        (None, None) => Ok(()),
        (rows, Some(df)) => {
            let mut opened = open(file, format, df.schema())?;
            opened(Some(df))?;
            *rows = Some(opened);
            Ok(())
        }
    }
}

/// Integers of more than 64 bits as text: others cannot read them from parquet.
fn without_wide(mut df: DataFrame) -> PolarsResult<DataFrame> {
    let is_wide = |column: &&Column| matches!(column.dtype(), DataType::Int128 | DataType::UInt128);
    let wide: Vec<Column> = df.columns().iter().filter(is_wide).cloned().collect();
    for column in wide {
        df.with_column(column.cast(&DataType::String)?)?;
    }
    Ok(df)
}

fn open<'a>(file: &'a File, format: FileFormat, schema: &Schema) -> PolarsResult<Rows<'a>> {
    match format {
        FileFormat::Parquet => {
            let mut writer = storage::parquet(file).batched(schema)?;
            Ok(Box::new(move |df| match df {
                Some(df) => writer.write_batch(df),
                None => writer.finish().map(drop),
            }))
        }
        FileFormat::Stata => Err(polars_err!(ComputeError: "Stata files are read and not written")),
        FileFormat::Csv => {
            if let Some((name, dtype)) = schema.iter().find(|(_, dtype)| dtype.is_nested()) {
                let of = kind(dtype);
                polars_bail!(ComputeError: "column `{name}` has {of}, which CSV files cannot have; write a .parquet file, or leave the column out");
            }
            let mut writer = CsvWriter::new(file).batched(schema)?;
            Ok(Box::new(move |df| match df {
                Some(df) => writer.write_batch(df),
                None => writer.finish(),
            }))
        }
    }
}
