//! Where the arithmetic is done.

use burn_did::backend::BackendName;
use burn_did::options::Precision;
use clap::Args;

use crate::parse;
use crate::words::OneOf;

/// Where and how the arithmetic is done.
#[derive(Args)]
#[command(next_help_heading = "Device")]
pub(crate) struct DeviceArgs {
    /// Backend that does the arithmetic.
    #[arg(long, value_name = "WHICH", default_value = "cpu", value_parser = OneOf::<BackendName>::all())]
    pub backend: BackendName,
    /// GPUs to use, counted from 0, as in 0,1. By default the first, or the one that the system prefers.
    #[arg(long, value_name = "N", visible_alias = "device", value_delimiter = ',')]
    pub devices: Vec<usize>,
    /// Floating-point type on the device: f64, or f32 on wgpu.
    #[arg(long, value_name = "TYPE", value_parser = OneOf::<Precision>::all())]
    pub precision: Option<Precision>,
}

/// How much of the data is held at once, for commands that stream units.
#[derive(Args)]
#[command(next_help_heading = "Device")]
pub(crate) struct MemoryArgs {
    /// Limit on the unit data held at once in memory (from parquet and CSV files) or on the device, as in 2GiB; the rest is streamed.
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes)]
    pub memory_budget: Option<u64>,
}

/// Where the arithmetic is done, how much of the data is held at once, and which cluster does the work.
#[derive(Args)]
pub(crate) struct WorkArgs {
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
    #[cfg(feature = "ballista")]
    #[command(flatten)]
    pub cluster: crate::cluster::OnCluster,
}

/// How many of the rows are held at once, and which cluster has them, for commands that ask units one by one.
#[derive(Args)]
pub(crate) struct UnitRowsArgs {
    #[command(flatten)]
    pub memory: RowsInMemoryArgs,
    #[cfg(feature = "ballista")]
    #[command(flatten)]
    pub cluster: crate::cluster::OnCluster,
}

/// How many of the rows are held at once, for commands that read units in parts.
#[derive(Args)]
#[command(next_help_heading = "Device")]
pub(crate) struct RowsInMemoryArgs {
    /// Limit on the rows held at once in memory (from parquet and CSV files), as in 2GiB; the rest is streamed.
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes)]
    pub memory_budget: Option<u64>,
}
