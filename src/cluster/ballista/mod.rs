//! The engine whose workers are the executors of a Ballista cluster.
//!
//! ```text
//! Client ──map──► jobs of one stage, a partition for each task ──► Scheduler (Members says which executor)
//!    ▲                                                                 │ pushes tasks
//!    └──────────── answers, fetched from the executors ◄────────── Executor: `burn_did_task(bytes)` = TaskRunner
//! ```
//! | file | purpose |
//! |---|---|
//! | `client` | cuts a map into jobs, streams their answers, gives up at a deadline |
//! | `link` | the connections of a client: submit, fetch, cancel, ask |
//! | `plan`, `function` | tasks as a plan of one stage; the function that it calls |
//! | `scheduler`, `members`, `homes`, `watch` | the scheduler, its executors, where tasks belong, who died |
//! | `executor`, `gate` | the executor, and the only plans that it runs |
//! | `local` | a scheduler and executors as processes of this machine |
//! | `status` | executors and jobs, as a scheduler sees them |
//! | `tls`, `front` | certificates, and the one port that has no TLS of its own |
//! | `label`, `deadline`, `threads` | names of jobs, patience, a runtime |

mod client;
mod deadline;
mod executor;
mod front;
mod function;
mod gate;
mod homes;
mod label;
mod link;
mod local;
mod members;
mod plan;
mod scheduler;
mod status;
mod threads;
mod tls;
mod watch;

pub(crate) use client::{Client, ClientOptions};
pub(crate) use executor::{Executor, ExecutorOptions, stdin_ended};
pub(crate) use local::{LocalProcesses, ProcessOptions};
pub(crate) use scheduler::{Scheduler, SchedulerOptions};
pub(crate) use status::status;
pub use status::{ClusterStatus, ExecutorStatus, JobStatus};
pub(crate) use tls::Tls;

use crate::base::error::DidError;

/// The port of a scheduler unless another is named.
pub const SCHEDULER_PORT: u16 = 50_050;

/// The longest message that any of the connections carries; answers travel in blocks and may be longer.
const MESSAGE: u32 = 1 << 30;

/// An error of the engine.
fn problem(what: impl std::fmt::Display) -> DidError {
    DidError::Cluster { problem: what.to_string() }
}

/// An error with its causes: connections say why only there.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}

/// What a call ended with, in words.
fn said(status: &tonic::Status) -> String {
    let mut text = match status.message() {
        "" => status.code().description().to_owned(),
        message => message.to_owned(),
    };
    if let Some(cause) = std::error::Error::source(status) {
        let cause = causes(cause);
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
