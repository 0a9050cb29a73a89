//! Samples whose rows are on many machines. The page "On many machines" tells how it is used (with the feature `ballista`); what follows is how
//! it works.
//!
//! After the rows are grouped by unit, everything is a map over independent pieces of work whose answers are small. So an
//! [`Engine`] has one verb: it runs tasks on workers. Both are bytes to it (`wire`): what a worker may be told is a closed
//! enumeration (`task`), and what it answers is believed only if it is an answer to what was asked, of the rows that were
//! asked for (`session`). The driver decides by the rules that decide at home and holds no rows.
//!
//! A sample is *prepared* once: shards of the files are looked at, the rules are decided, and every shard's rows are written to
//! storage that all workers see, in pieces of segments (`prepare`). What was written becomes the sample by its
//! `manifest` alone, so that what a worker left behind that died, or that was late, is no part of it. Looks and passes then
//! go by segments (`source`), whose answers are added in the order in which one machine adds them: a fit on a cluster has the
//! bits of a fit at home.

#[cfg(feature = "ballista")]
mod ballista;
mod engine;
mod handle;
mod kept;
mod manifest;
#[cfg(feature = "ballista")]
mod network;
mod parts;
mod prepare;
mod prepared;
mod session;
mod source;
mod stored;
mod task;
#[cfg(test)]
mod tests;
mod threads;
mod units;
mod wire;
mod worker;

pub use engine::{Engine, OnAnswer, TaskRunner};
pub use handle::{Cluster, ClusterSample};
pub(crate) use kept::make_room;
#[cfg(feature = "ballista")]
pub use network::{
    Certificates, ClusterStatus, ExecutorConfig, ExecutorStatus, JobStatus, LocalCluster,
    RunningCluster, SCHEDULER_PORT, SchedulerConfig, cluster_status, run_executor, run_scheduler,
};
pub(crate) use parts::PrepareOptions;
pub(crate) use prepare::prepare;
pub(crate) use prepared::Prepared;
pub(crate) use session::Session;
pub(crate) use source::KEPT_NOWHERE;
pub(crate) use stored::Stored;
pub(crate) use units::open_units;
pub use wire::BUILD;
pub use worker::Worker;
