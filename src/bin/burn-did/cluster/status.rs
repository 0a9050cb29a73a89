//! `burn-did cluster status`

use std::time::Duration;

use burn_did::cluster::{ClusterStatus, cluster_status};
use clap::Args;

use super::security::TlsArgs;
use crate::error::Result;
use crate::output;

/// Bytes of a mebibyte.
const MIB: u64 = 1 << 20;

/// Show the executors and jobs of a cluster.
#[derive(Args)]
pub(crate) struct StatusArgs {
    /// Address of the scheduler, as in `df://host:50050`.
    address: String,
    /// Show it again every second.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    tls: TlsArgs,
}

/// Runs the command.
pub(crate) fn run(args: &StatusArgs) -> Result<()> {
    let certificates = args.tls.certificates()?;
    loop {
        let status = cluster_status(&args.address, certificates.as_ref())?;
        let read = output::to_reader(&shown(&status))?;
        if !args.watch || !read {
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Two tables.
fn shown(status: &ClusterStatus) -> String {
    let mut rows = vec![["EXECUTOR", "TASKS", "HEARTBEAT", "MEMORY", "WORKS ON"].map(String::from)];
    rows.extend(status.executors.iter().map(|e| {
        let busy = e.free.map_or("?".into(), |free| e.slots.saturating_sub(free).to_string());
        [
            format!("{}:{}", e.host, e.port),
            format!("{busy} of {}", e.slots),
            format!("{:.0} s ago", e.heartbeat.as_secs_f64()),
            e.memory.map_or("?".into(), |bytes| format!("{} MiB", bytes / MIB)),
            e.description.clone(),
        ]
    }));
    let executors = table(&rows);
    let mut rows = vec![["JOB", "STATE", "DONE", "SECONDS"].map(String::from)];
    rows.extend(status.jobs.iter().map(|job| {
        let (percent, seconds) = (format!("{:.0}%", job.percent), format!("{:.1}", job.seconds));
        [job.stage.clone(), job.state.clone(), percent, seconds]
    }));
    format!("{executors}\n{}", table(&rows))
}

/// Columns as wide as what is in them.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
