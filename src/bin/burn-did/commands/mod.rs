//! One file a command, and what they share.

pub(crate) mod aggregate;
pub(crate) mod att_gt;
pub(crate) mod cont_did;
pub(crate) mod ddd;
pub(crate) mod demean;
pub(crate) mod did_multiplegt;
pub(crate) mod drdid;
pub(crate) mod feols;
mod group_time;
pub(crate) mod honest;
pub(crate) mod npiv;
pub(crate) mod plot;
mod saved;

use std::path::Path;

use burn_did::{Aggregated, GroupTimeResult, report::PlotOptions};

use crate::error::Result;

/// Draws an aggregate, or the group-time effects.
fn draw(
    fit: &GroupTimeResult,
    aggregate: Option<&Aggregated>,
    file: &Path,
    options: &PlotOptions,
) -> Result<()> {
    match aggregate {
        Some(aggregate) => aggregate.plot_with(file, options)?,
        None => fit.plot_with(file, options)?,
    }
    Ok(())
}
