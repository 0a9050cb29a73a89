//! From a data frame to the validated estimation sample, in three steps.
//!
//! 1. *Looks* at the rows (`rows`, `patterns`) count what there is (`survey`), and later the factors' levels and clusters
//!    (`levels`) and what changes over time (`changes`) in the sample. Counts of frames add up.
//! 2. *Rules* (`rules`, one file a design) decide from the counts alone which units are in the sample, in which cohorts and
//!    periods, and with the later looks what the strata's columns are (`blueprint`).
//! 3. *Placing* puts each row where the rules (`grid`) and the rows of the frames before it (`placement`) say (`fill`).
//!
//! Looks, rules and placements are plain data, so that a frame can be read, placed and written somewhere else than where the
//! rules are decided; one data frame and many pieces of files take the same way (`frames`, `arrange`). Columns are as they
//! were read: what is computed of them is asked of a source.

mod additive;
#[cfg(feature = "cluster")]
pub(crate) mod apart;
mod arrange;
mod audit;
mod blueprint;
mod canonical;
mod changes;
mod counts;
mod describe;
mod doses;
mod fill;
#[cfg(test)]
mod fixture;
mod frame;
mod frame_source;
mod frames;
mod grid;
mod levels;
mod mistakes;
pub(crate) mod overview;
mod patterns;
mod placement;
mod reader;
mod request;
mod roles;
mod rows;
mod rules;
mod sample;
mod sizes;
mod spill;
mod store;
mod strata;
mod stratum;
mod survey;
mod units;

use polars::prelude::DataFrame;

use crate::base::error::Result;
use crate::read::files::ParquetFiles;
use arrange::arrange;
use frames::Frames;

pub use audit::SampleAudit;
pub(crate) use mistakes::{
    changing_group, dates_in_digits, doubtful_times, is_status, is_status_change, status_as_group,
    zero_groups,
};
pub(crate) use request::{FormedCells, Request, Storage};
pub(crate) use roles::{Roles, Treatment};
pub(crate) use rules::{
    SampleOptions, Staggered, StudyDesign, Triple, TwoPeriods, smallest_cohort,
};
pub use sample::Weight;
pub(crate) use sample::{DesignInfo, Doses, Sample, WeightLayout};
pub(crate) use sizes::{MOST_WHOLE, doubles_in_parts};
pub(crate) use spill::Spill;
pub(crate) use store::{Panel, Strata};
pub(crate) use strata::Cohort;
pub use strata::Layout;
#[cfg(test)]
pub(crate) use strata::StratumTable;
pub(crate) use stratum::StratumData;

/// Reads, checks and arranges the estimation sample; `audit` says where the rows come from.
pub(crate) fn ingest(df: &DataFrame, audit: SampleAudit, request: &Request<'_>) -> Result<Panel> {
    arrange(&Frames::whole(df, request)?, audit, request)
}

/// As [`ingest`], from files that are read again for every look at their rows.
pub(crate) fn ingest_parquet(
    files: &ParquetFiles,
    audit: SampleAudit,
    request: &Request<'_>,
) -> Result<Panel> {
    arrange(&Frames::Files(files), audit, request)
}
