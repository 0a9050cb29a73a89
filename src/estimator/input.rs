//! Where the data come from.

use std::path::{Path, PathBuf};

use polars::prelude::*;

use crate::error::{DidError, Result};

/// A data frame, a lazy frame, or the path of a CSV or parquet file. Only the columns needed are read.
#[derive(Clone)]
#[non_exhaustive]
#[expect(missing_debug_implementations, reason = "a lazy frame has none")]
pub enum Data<'a> {
    /// In memory.
    Frame(&'a DataFrame),
    /// Collected when the fit starts.
    Lazy(Box<LazyFrame>),
    /// A `.csv` or `.parquet` file, a parquet pattern with `*`, or a directory of parquet files.
    Path(PathBuf),
}

impl<'a> From<&'a DataFrame> for Data<'a> {
    fn from(df: &'a DataFrame) -> Self {
        Self::Frame(df)
    }
}

impl From<LazyFrame> for Data<'_> {
    fn from(frame: LazyFrame) -> Self {
        Self::Lazy(Box::new(frame))
    }
}

impl From<&Path> for Data<'_> {
    fn from(path: &Path) -> Self {
        Self::Path(path.to_owned())
    }
}

impl From<&str> for Data<'_> {
    fn from(path: &str) -> Self {
        Self::Path(path.into())
    }
}

impl Data<'_> {
    /// The named columns. Missing ones are left to the checks that know their roles.
    pub(super) fn read(self, names: &[String]) -> Result<DataFrame> {
        match self {
            Data::Frame(df) => {
                let present = names.iter().filter(|n| df.column(n).is_ok());
                if present.clone().count() < names.len() {
                    return Ok(df.clone());
                }
                Ok(df.select(present.map(String::as_str))?)
            }
            Data::Lazy(frame) => collect(*frame, names),
            Data::Path(path) => collect(scan(&path)?, names),
        }
    }
}

fn collect(mut frame: LazyFrame, names: &[String]) -> Result<DataFrame> {
    let schema = frame.collect_schema()?;
    if names.iter().all(|n| schema.contains(n)) {
        frame = frame.select(names.iter().map(col).collect::<Vec<_>>());
    }
    Ok(frame.collect()?)
}

/// A lazy frame over a CSV or parquet file.
fn scan(path: &Path) -> Result<LazyFrame> {
    let shown = path.display().to_string();
    if !shown.contains('*') && !path.exists() {
        let source = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        return Err(DidError::Io { path: shown, source });
    }
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        _ if path.is_dir() => {
            let files = format!("{shown}/**/*.parquet");
            Ok(LazyFrame::scan_parquet(PlRefPath::new(&files), ScanArgsParquet::default())?)
        }
        Some("csv") => Ok(LazyCsvReader::new(PlRefPath::new(&shown))
            .with_infer_schema_length(None)
            .finish()?),
        Some("parquet" | "pq") => {
            Ok(LazyFrame::scan_parquet(PlRefPath::new(&shown), ScanArgsParquet::default())?)
        }
        _ => Err(DidError::Config {
            option: "data",
            expected: "a .csv or .parquet file",
            got: shown,
        }),
    }
}
