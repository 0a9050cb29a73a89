//! One file a command, and what they share.

pub(crate) mod aggregate;
pub(crate) mod att_gt;
pub(crate) mod compare;
pub(crate) mod cont_did;
pub(crate) mod data;
pub(crate) mod ddd;
pub(crate) mod demean;
pub(crate) mod did_multiplegt;
pub(crate) mod drdid;
pub(crate) mod etwfe;
pub(crate) mod explore;
pub(crate) mod feols;
pub(crate) mod first_stage;
mod group_time;
pub(crate) mod honest;
pub(crate) mod lpdid;
pub(crate) mod npiv;
pub(crate) mod overlap;
pub(crate) mod panel;
pub(crate) mod plot;
pub(crate) mod pretrends;
pub(crate) mod report;
mod saved;
pub(crate) mod simulate;
pub(crate) mod stacked;
pub(crate) mod study;
pub(crate) mod sunab;
pub(crate) mod twfe;
pub(crate) mod weighting;

use burn_did::backend::DidBackend;

use crate::backend::On;
use crate::error::{CliError, Result};

/// The only device.
fn one_device<'a, B: DidBackend>(on: &On<'a, B>) -> Result<&'a B::Device> {
    match on.devices {
        [device] => Ok(device),
        _ => Err(CliError::usage(
            "fixed effects are projected out on one device",
            "name one by --devices",
        )),
    }
}
