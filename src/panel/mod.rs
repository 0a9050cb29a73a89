//! From a data frame to the validated estimation sample.
//!
//! Every row is looked at once (`columns`, `order`, `survey`); the rules of the sample are applied to counts (`rules`);
//! then each row of the sample is put in its place (`grid`, `findings`, `fill`). Columns are as they were read: what is
//! computed of them is asked of a source.

mod arrange;
mod audit;
mod canonical;
mod clusters;
mod codes;
mod columns;
mod counts;
mod excerpt;
mod fill;
mod findings;
pub(crate) mod formula;
mod grid;
mod inspect;
mod intake;
mod missing;
mod order;
mod parquet;
mod periods;
mod rules;
mod sample;
mod sizes;
mod small;
mod spill;
mod store;
mod survey;
mod values;
mod wide;

use polars::prelude::DataFrame;

use crate::error::{DidError, Result};
use intake::{Frame, Intake};

pub use audit::{FilesRead, SampleAudit};
pub(crate) use columns::{Roles, Treatment};
pub(crate) use intake::Request;
pub use missing::ReadAsMissing;
pub(crate) use missing::{Counts, MissingValues};
pub(crate) use parquet::ParquetFiles;
pub(crate) use rules::{SampleOptions, Timing};
pub use sample::Layout;
pub(crate) use sample::{Cohort, DesignInfo, Panel, Sample, Strata, StratumData, WeightLayout};
pub(crate) use sizes::Cells;
pub(crate) use spill::Spill;
pub(crate) use store::Storage;

/// Reads, checks and arranges the estimation sample; `audit` says where the rows come from.
pub(crate) fn ingest(df: &DataFrame, audit: SampleAudit, request: &Request<'_>) -> Result<Panel> {
    let frame = Frame::new(df, request)?;
    let mut intake = Intake::new(audit);
    intake.add(&frame)?;
    let rules = intake.rules(request)?;
    let grids = frame.place(&rules, 0);
    intake.arrange(&rules, request, &|visit| visit(frame.rows(), &grids))
}

/// As [`ingest`], from files that are read again for every look at their rows.
pub(crate) fn ingest_parquet(
    files: &ParquetFiles,
    audit: SampleAudit,
    request: &Request<'_>,
) -> Result<Panel> {
    let mut intake = Intake::new(audit);
    let read = files.each("reading", &mut |df| {
        let frame = Frame::new(df, request)?;
        intake.values.add(frame.rows(), request.roles)?;
        intake.add(&frame)
    });
    read.map_err(|error| located(error, files, request))?;
    let rules = intake.rules(request)?;
    intake.arrange(&rules, request, &|visit| {
        let mut first = 0;
        files.each("arranging", &mut |df| {
            let frame = Frame::new(df, request)?;
            let grids = frame.place(&rules, first);
            first += grids.iter().map(|g| g.rank.len() as u64).sum::<u64>();
            visit(frame.rows(), &grids)
        })
    })
}

/// An error about a row of a piece, with the row's number in the files.
fn located(error: DidError, files: &ParquetFiles, request: &Request<'_>) -> DidError {
    use DidError::{NegativeGroup, NoPeriod, NotBinary, TooManyDigits, Weights};
    let of_a_row = matches!(
        error,
        NotBinary { .. }
            | NegativeGroup { .. }
            | NoPeriod { .. }
            | TooManyDigits { .. }
            | Weights { .. }
    );
    if !of_a_row {
        return error;
    }
    let mut first_row = 0;
    let again = files.each_as_written(&mut |df| {
        intake::read(df, request, first_row)?;
        first_row += df.height();
        Ok(())
    });
    again.err().unwrap_or(error)
}
