//! `burn-did scheduler`

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use burn_did::cluster::{SCHEDULER_PORT, SchedulerConfig, run_scheduler};
use clap::Args;

use super::security::TlsArgs;
use crate::error::Result;
use crate::output;

/// Start the scheduler of a cluster, which hands tasks to executors.
///
/// It prints its address. Its state is at `http://ADDRESS/api/state`, `/api/executors` and `/api/jobs`, its Prometheus metrics at
/// `/api/metrics`.
#[derive(Args)]
pub(crate) struct SchedulerArgs {
    /// Address to listen on; 0.0.0.0 is every one of this machine.
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::LOCALHOST.into())]
    bind: IpAddr,
    /// Port to listen on; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = SCHEDULER_PORT)]
    port: u16,
    /// Name by which executors and clients reach this machine.
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    #[command(flatten)]
    tls: TlsArgs,
}

/// Runs the command.
pub(crate) fn run(args: &SchedulerArgs) -> Result<()> {
    args.tls.warn(args.bind);
    let mut config = SchedulerConfig::default();
    config.bind = SocketAddr::new(args.bind, args.port);
    config.host.clone_from(&args.host);
    config.certificates = args.tls.certificates()?;
    // Who reads the address may go on to other things.
    run_scheduler(&config, |address| drop(output::results(&format!("{address}\n"))))?;
    Ok(())
}
