//! Fits on many machines: the commands that start and show a cluster, and the options of fits that go to one.

mod executor;
mod run;
mod scheduler;
mod security;
mod status;
mod threads;

use std::path::PathBuf;

use burn_did::Cluster;
use clap::Args;

use crate::error::Result;

pub(crate) use executor::{ExecutorArgs, run as execute};
pub(crate) use run::{ClusterArgs, run as start};
pub(crate) use scheduler::{SchedulerArgs, run as schedule};
use security::TlsArgs;

/// Which cluster does the work.
#[derive(Args)]
pub(crate) struct OnCluster {
    /// Let the executors of a cluster do the work: address of its scheduler, as in `df://host:50050`. DATA are then parquet
    /// files that they all see under the same path, which may be one in an object store (`s3://`, `gs://`, `az://`).
    #[arg(long, value_name = "ADDRESS", visible_alias = "scheduler", help_heading = "Cluster")]
    cluster: Option<String>,
    /// Directory for the arranged sample, which this machine and all executors see under the same path, or a prefix in an
    /// object store.
    #[arg(long, value_name = "DIRECTORY", requires = "cluster", help_heading = "Cluster")]
    scratch: Option<PathBuf>,
    /// Allow executors with different backends; results may then differ in their last digits.
    #[arg(long, requires = "cluster", help_heading = "Cluster")]
    mixed_arithmetic: bool,
    #[command(flatten)]
    tls: TlsArgs,
}

impl OnCluster {
    /// The cluster, if one is named.
    pub(crate) fn connect(&self) -> Result<Option<Cluster>> {
        let Some(address) = &self.cluster else { return Ok(None) };
        let cluster = Cluster::connect_with(address, self.tls.certificates()?.as_ref())?;
        let cluster = cluster.mixed(self.mixed_arithmetic);
        Ok(Some(match &self.scratch {
            Some(directory) => cluster.with_directory(directory),
            None => cluster,
        }))
    }
}
