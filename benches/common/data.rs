//! Data sets as parquet files, made once.

use std::fs::File;
use std::path::{Path, PathBuf};

use polars::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::case::{Case, Estimator, Ids, Order, SEED, Task};
use super::{Result, work_folder};

/// The case's data, written if absent.
pub fn parquet(case: &Case) -> Result<PathBuf> {
    let path = work_folder("data")?.join(format!("{}.parquet", file_name(case)));
    if path.exists() {
        return Ok(path);
    }
    let mut frame = ordered(case)?;
    if case.ids != Ids::Integers {
        let texts = frame.column("id")?.i64()?.iter().flatten().map(text);
        let texts = Series::new("id".into(), texts.collect::<Vec<_>>());
        let categories = DataType::from_categories(Categories::global());
        let ids = if case.ids == Ids::Texts { texts } else { texts.cast(&categories)? };
        frame.with_column(ids.into_column())?;
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

/// Firms of the rows on which a regression warms up: so few that none has only one of them.
const FIRMS: i64 = 23;

/// Rows for a fit that warms up: those of the first units, or the first ones of a regression.
pub fn few(frame: &DataFrame, task: &Task) -> Result<DataFrame> {
    if !task.case.estimator.is_regression() {
        return first_units(frame, task.small);
    }
    let mut few = frame.head(Some(task.small));
    let firms: Vec<i64> = (0..FIRMS).cycle().take(few.height()).collect();
    few.with_column(Column::new("firm".into(), firms))?;
    Ok(few)
}

/// The rows of units with `id` up to `last`.
fn first_units(frame: &DataFrame, last: usize) -> Result<DataFrame> {
    let (ids, last) = (frame.column("id")?, i64::try_from(last)?);
    let few: BooleanChunked = match ids.i64() {
        Ok(ids) => ids.lt_eq(last),
        Err(_) => {
            let (ids, last) = (ids.cast(&DataType::String)?, text(last));
            ids.str()?.iter().map(|id| Some(id? <= last.as_str())).collect()
        }
    };
    Ok(frame.filter(&few)?)
}

/// A text in whose order units are as by their number.
fn text(id: i64) -> String {
    format!("unit{id:08}")
}

/// A name that cases on the same data share.
fn file_name(case: &Case) -> String {
    let layout = match (case.estimator, case.panel) {
        (Estimator::Drdid(..), _) => "two-periods",
        (Estimator::Ddd, _) => "triple",
        (Estimator::ContDid(_), _) => "doses",
        (Estimator::DidMultiplegt(..), _) => "switching",
        (Estimator::Feols, _) => {
            return format!("{}-{}-k{}", case.name, case.units, case.covariates);
        }
        (Estimator::Fepois, _) => {
            return format!("{}-positive-{}-k{}", case.name, case.units, case.covariates);
        }
        (_, true) => "panel",
        (_, false) => "rows",
    };
    let cohorts: Vec<String> = case.cohorts.iter().map(ToString::to_string).collect();
    let order = match (case.shuffled, case.order) {
        (true, _) => "-shuffled",
        (false, Order::Units) => "",
        (false, Order::Periods) => "-by-period",
        (false, Order::Groups) => "-by-group",
    };
    let ids = match case.ids {
        Ids::Integers => "",
        Ids::Texts => "-texts",
        Ids::Categories => "-categories",
    };
    format!(
        "{layout}-{}x{}-cohorts{}-never{}-k{}{order}{ids}",
        case.units,
        case.periods,
        cohorts.join("_"),
        case.never_treated,
        case.covariates
    )
}

/// The case's frame with its rows in order.
fn ordered(case: &Case) -> Result<DataFrame> {
    let frame = case.frame()?;
    if case.shuffled {
        let mut order: Vec<IdxSize> = (0..IdxSize::try_from(frame.height())?).collect();
        order.shuffle(&mut SmallRng::seed_from_u64(SEED));
        return Ok(frame.take(&IdxCa::from_vec("order".into(), order))?);
    }
    let by: &[&str] = match case.order {
        Order::Units => return Ok(frame),
        Order::Periods => &["period", "id"],
        Order::Groups => &["group", "id", "period"],
    };
    Ok(frame.sort(by.iter().copied(), SortMultipleOptions::default())?)
}
