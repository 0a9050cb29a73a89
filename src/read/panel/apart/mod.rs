//! Frames that are read elsewhere than where the rules are decided.
//!
//! A *shard* is some rows of files that make whole units; shards ascend in the units' labels. A worker that has a
//! [`Reading`] can look at a shard, and with a [`PlacementPlan`] and the shard's [`Position`] it arranges its rows. What is
//! decided from the looks is decided by [`arrange_apart`], with the rules that serve a data frame in memory.
//!
//! Rows that are in no order, and rows without units, which are sorted by outcome, are first written once more in
//! buckets ([`RowReading::split`]); each bucket is a shard.

mod choice;
mod ends;
mod look;
mod looks;
mod place;
mod reading;
mod rows;
mod split;
mod units;

pub(crate) use super::stratum::StratumShape;
pub(crate) use choice::CovariateChoice;
pub(crate) use ends::{Ends, ordered_shards};
pub(crate) use look::{
    Arrangement, FrameLook, FrameStat, RemoteFrames, Take, arrange_again, arrange_apart,
};
pub(crate) use looks::Looks;
pub(crate) use place::{Arranged, ArrangedShard, PlacementPlan, Position};
pub(crate) use reading::{Reading, Shard};
pub(crate) use rows::{RowRange, RowReading};
pub(crate) use split::{Cuts, bucket_shards, cuts};
pub(crate) use units::{UnitReading, UnitShard};
