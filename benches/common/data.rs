//! Data sets as parquet files, made once.

use std::fs::File;
use std::path::{Path, PathBuf};

use polars::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::case::{Case, Estimator, SEED};
use super::{Result, work_folder};

/// The case's data, written if absent.
pub fn parquet(case: &Case) -> Result<PathBuf> {
    let path = work_folder("data")?.join(format!("{}.parquet", file_name(case)));
    if path.exists() {
        return Ok(path);
    }
    let mut frame = case.frame();
    if case.shuffled {
        frame = shuffled(&frame)?;
    }
    // A file that is there is complete: it gets its name last.
    let unfinished = path.with_extension(format!("{}.part", std::process::id()));
    ParquetWriter::new(File::create(&unfinished)?)
        .with_compression(ParquetCompression::Uncompressed)
        .finish(&mut frame)?;
    std::fs::rename(&unfinished, &path)?;
    Ok(path)
}

/// Reads a file into memory.
pub fn read(path: &Path) -> Result<DataFrame> {
    let mut frame = ParquetReader::new(File::open(path)?).finish()?;
    frame.rechunk_mut();
    Ok(frame)
}

/// The rows of units with `id` up to `last`.
pub fn first_units(frame: &DataFrame, last: usize) -> Result<DataFrame> {
    let few = frame.column("id")?.i64()?.lt_eq(i64::try_from(last)?);
    Ok(frame.filter(&few)?)
}

/// A name that cases on the same data share.
fn file_name(case: &Case) -> String {
    let layout = match (case.estimator, case.panel) {
        (Estimator::Drdid(..), _) => "two-periods",
        (Estimator::Ddd, _) => "triple",
        (Estimator::AttGt, true) => "panel",
        (Estimator::AttGt, false) => "rows",
    };
    let cohorts: Vec<String> = case.cohorts.iter().map(ToString::to_string).collect();
    let order = if case.shuffled { "-shuffled" } else { "" };
    format!(
        "{layout}-{}x{}-cohorts{}-never{}-k{}{order}",
        case.units,
        case.periods,
        cohorts.join("_"),
        case.never_treated,
        case.covariates
    )
}

fn shuffled(frame: &DataFrame) -> Result<DataFrame> {
    let mut order: Vec<IdxSize> = (0..IdxSize::try_from(frame.height())?).collect();
    order.shuffle(&mut SmallRng::seed_from_u64(SEED));
    Ok(frame.take(&IdxCa::from_vec("order".into(), order))?)
}
