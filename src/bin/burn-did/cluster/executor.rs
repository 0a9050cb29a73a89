//! `burn-did executor`

use std::net::{IpAddr, Ipv4Addr};

use burn_did::backend::DidBackend;
use burn_did::cluster::{ExecutorConfig, SCHEDULER_PORT, run_executor};
use clap::Args;

use super::security::TlsArgs;
use super::threads;
use crate::args::DeviceArgs;
use crate::backend::{self, Fit, On};
use crate::error::{CliError, Result};
use crate::parse;

/// Start an executor of a cluster, which reads and sums parts of samples.
#[derive(Args)]
pub(crate) struct ExecutorArgs {
    /// Host and port of the scheduler.
    #[arg(long, value_name = "HOST:PORT", default_value_t = format!("127.0.0.1:{SCHEDULER_PORT}"))]
    scheduler: String,
    /// Address to listen on; 0.0.0.0 is every one of this machine.
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::LOCALHOST.into())]
    bind: IpAddr,
    /// Name by which the scheduler and clients reach this machine.
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Ports for answers and for tasks; 0 takes free ones.
    #[arg(long, value_name = "PORT", num_args = 2, default_values_t = [0, 0])]
    ports: Vec<u16>,
    /// Bytes of samples that are kept between passes, as in 4GiB.
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes, default_value = "1GiB")]
    memory: u64,
    /// Threads that work.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// End when standard input ends.
    #[arg(long)]
    until_stdin_ends: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    tls: TlsArgs,
}

/// Runs the command.
pub(crate) fn run(args: &ExecutorArgs) -> Result<()> {
    if args.device.devices.len() > 1 {
        return Err(CliError::usage(
            "an executor works on one device",
            "start one for each, or use burn-did cluster --gpus",
        ));
    }
    if let Some(threads) = args.threads {
        threads::limit(threads)?;
    }
    args.tls.warn(args.bind);
    backend::fit(args, &args.device, true)
}

impl Fit for ExecutorArgs {
    type Result = ();

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<()> {
        if let Some(precision) = self.device.precision {
            B::probe(&on.devices[0], precision)?;
        }
        let mut config = ExecutorConfig::default();
        config.scheduler.clone_from(&self.scheduler);
        config.bind = self.bind;
        config.host.clone_from(&self.host);
        config.ports = [self.ports[0], self.ports[1]];
        config.memory = self.memory;
        config.certificates = self.tls.certificates()?;
        config.until_stdin_ends = self.until_stdin_ends;
        Ok(run_executor::<B>(&config, &on.devices[0])?)
    }
}
