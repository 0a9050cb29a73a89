//! `burn-did cluster`

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use burn_did::backend::BackendName;
use burn_did::cluster::{LocalCluster, RunningCluster, SCHEDULER_PORT};
use clap::{Args, Subcommand};

use super::status::{self, StatusArgs};
use super::threads;
use crate::backend;
use crate::error::{CliError, Result};
use crate::output;
use crate::parse;
use crate::words::OneOf;

/// Start a scheduler and executors on this machine, until this ends; or show a cluster.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    command: Option<ClusterCommand>,
    /// Executors on the processor.
    #[arg(long, value_name = "N", conflicts_with = "gpus")]
    executors: Option<usize>,
    /// An executor for each of the first so many GPUs, or for `all`.
    #[arg(long, value_name = "N|all", value_parser = gpus)]
    gpus: Option<Gpus>,
    /// Backend of the GPUs.
    #[arg(long, value_name = "WHICH", default_value = "cuda", requires = "gpus", value_parser = OneOf::<BackendName>::all())]
    backend: BackendName,
    /// Threads of each executor; by default the executors together have one per processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Bytes of samples that each executor keeps between passes, as in 4GiB.
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes, default_value = "1GiB")]
    memory: u64,
    /// Port of the scheduler on loopback; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = SCHEDULER_PORT)]
    port: u16,
}

/// How many GPUs.
#[derive(Clone, Copy)]
enum Gpus {
    First(usize),
    All,
}

fn gpus(text: &str) -> std::result::Result<Gpus, String> {
    match text {
        "all" => Ok(Gpus::All),
        _ => text.parse().map(Gpus::First).map_err(|_| "neither a number nor `all`".to_owned()),
    }
}

#[derive(Subcommand)]
enum ClusterCommand {
    Status(StatusArgs),
}

/// Runs the command.
pub(crate) fn run(args: &ClusterArgs) -> Result<()> {
    if let Some(ClusterCommand::Status(args)) = &args.command {
        return status::run(args);
    }
    let (executors, kind) = match (args.executors, args.gpus) {
        (Some(executors), None) => (executors, BackendName::Cpu),
        (None, Some(Gpus::First(gpus))) => (gpus, args.backend),
        (None, Some(Gpus::All)) => (backend::gpus(args.backend)?, args.backend),
        _ => return Err(CliError::usage("how many executors?", "add --executors N or --gpus N")),
    };
    if executors == 0 {
        return Err(CliError::usage("a cluster needs an executor", "name a number above 0"));
    }
    let program = std::env::current_exe().map_err(threads::failed)?;
    let loopback: IpAddr = Ipv4Addr::LOCALHOST.into();
    let local = LocalCluster::builder()
        .executors(executors)
        .program(program)
        .backend(kind.word())
        .maybe_threads(args.threads)
        .memory(args.memory)
        .bind(SocketAddr::new(loopback, args.port))
        .build();
    let cluster = RunningCluster::start(&local)?;
    output::results(&format!("{}\n", cluster.address()))?;
    // The executors' standard inputs end with this process, however it does.
    loop {
        std::thread::park();
    }
}
