//! From a data frame to the validated estimation sample.

mod arrange;
mod audit;
mod codes;
mod columns;
mod condition;
pub(crate) mod formula;
mod ingest;
mod order;
mod sample;
mod weights;

use polars::prelude::DataFrame;

use crate::error::Result;
use crate::options::FixWeights;

pub use audit::SampleAudit;
pub(crate) use columns::Roles;
pub(crate) use condition::Conditioning;
pub(crate) use ingest::SampleOptions;
pub(crate) use sample::{DesignInfo, Layout, Panel, Sample, StratumData, WeightLayout};

/// Reads, checks and arranges the estimation sample.
pub(crate) fn ingest(
    df: &DataFrame,
    roles: &Roles,
    options: &SampleOptions,
    fix_weights: Option<FixWeights>,
    conditioning: Conditioning,
) -> Result<Panel> {
    let raw = columns::RawRows::read(df, roles)?;
    let selection = ingest::select(raw, roles, options)?;
    arrange::arrange(selection, roles, options, fix_weights, conditioning)
}
