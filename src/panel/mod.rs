//! From a data frame to the validated estimation sample.
//!
//! Every row is looked at once (`columns`, `order`, `survey`); the rules of the sample are applied to counts (`rules`);
//! then each row of the sample is put in its place (`grid`, `findings`, `fill`) and the columns are conditioned.

mod arrange;
mod audit;
mod canonical;
mod clusters;
mod codes;
mod columns;
mod condition;
mod counts;
mod fill;
mod findings;
pub(crate) mod formula;
mod grid;
mod inspect;
mod intake;
mod order;
mod rules;
mod sample;
mod small;
mod survey;
mod values;

use polars::prelude::DataFrame;

use crate::error::Result;

pub use audit::SampleAudit;
pub(crate) use columns::Roles;
pub(crate) use condition::Conditioning;
pub(crate) use intake::Request;
pub(crate) use rules::SampleOptions;
pub(crate) use sample::{DesignInfo, Layout, Panel, Sample, StratumData, WeightLayout};

/// Reads, checks and arranges the estimation sample.
pub(crate) fn ingest(df: &DataFrame, request: &Request<'_>) -> Result<Panel> {
    let frame = intake::Frame::new(df, request)?;
    let mut intake = intake::Intake::default();
    intake.add(&frame);
    let rules = rules::Rules::new(&intake.units, &request.options, intake.audit)?;
    let grids = frame.place(&rules, 0);
    arrange::arrange(rules, &intake.units, request, &|visit| visit(frame.rows(), &grids))
}
