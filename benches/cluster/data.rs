//! Panels as parquet files of a million units, in order, so that they are made within little memory.

use std::fs::File;
use std::path::PathBuf;

use burn_did::data::Simulation;
use polars::prelude::*;

use super::Case;
use super::common::{Result, work_folder};

/// Units of a file.
const UNITS: usize = 1_000_000;

/// The case's directory of files, written if absent.
pub fn parquet(case: &Case) -> Result<PathBuf> {
    let Case { units, periods, cohorts, covariates, .. } = case;
    let path =
        work_folder("cluster")?.join(format!("panel-{units}x{periods}-g{cohorts}-k{covariates}"));
    if path.exists() {
        return Ok(path);
    }
    let unfinished = path.with_extension(format!("{}.part", std::process::id()));
    std::fs::create_dir_all(&unfinished)?;
    for (number, first) in (0..*units).step_by(UNITS).enumerate() {
        let mut frame = Simulation::builder()
            .units(UNITS.min(units - first))
            .periods(*periods)
            .cohorts((3..3 + *cohorts).collect::<Vec<_>>())
            .covariates(*covariates)
            .seed(number as u64)
            .build()
            .frame();
        let ids = (frame.column("id")?.as_materialized_series() + first as i64).into_column();
        frame.with_column(ids)?;
        let file = File::create(unfinished.join(format!("{number:05}.parquet")))?;
        ParquetWriter::new(file)
            .with_compression(ParquetCompression::Uncompressed)
            .with_row_group_size(Some(500_000))
            .finish(&mut frame)?;
    }
    // What is there is complete: it gets its name last.
    std::fs::rename(&unfinished, &path)?;
    Ok(path)
}
